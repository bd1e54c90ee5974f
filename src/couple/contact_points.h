/* The points where bodies touched in the last substep, for users and pictures. They are kept in the
 * frames of the bodies, so that they can be asked for at the poses that the substep ended with. */
#ifndef WEIR_COUPLE_CONTACT_POINTS_H
#define WEIR_COUPLE_CONTACT_POINTS_H

#include "couple/row_system.h"
#include "couple/touch.h"

typedef struct contact_point {
    uint32_t first, second; /* bodies; the normal points from the second to the first */
    uint8_t side;           /* as of the touch: whose sample it is */
    vec3 sample;            /* centre of the sample, in the frame of its body */
    double radius;          /* m, of the sample */
    vec3 point, normal;     /* on the surface of the other body, in the frame of that body */
    size_t row;             /* of the normal; meaningless for sleepers */
    double impulse;         /* N s on the first body along the normal, of the last substep */
} contact_point;

typedef struct contact_points {
    contact_point *items;
    size_t count, capacity;
    size_t kept; /* those of sleeping pairs, which have no rows, come first */
} contact_points;

void contact_points_free(contact_points *list, memory *m);

/* Drops all points but those of pairs that sleep: what they bore last they bear still. */
void contact_points_begin(contact_points *list, const flow *f);
/* The same after a body woke up while rows were written. */
void contact_points_again(contact_points *list, const flow *f);

/* Notes a touch with its row; false without memory. */
bool contact_points_add(contact_points *list, memory *m, const touch_pair *p, const touch *t,
                        size_t row_index);

/* Takes the impulses from the rows after a solve. */
void contact_points_note(contact_points *list, const row_system *s);

#endif
