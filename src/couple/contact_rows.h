/* Contacts between bodies: samples of each against the distance field of the other, as rows with
 * friction and restitution. Impulses of the last substep start the next solve. */
#ifndef WEIR_COUPLE_CONTACT_ROWS_H
#define WEIR_COUPLE_CONTACT_ROWS_H

#include "couple/contact_points.h"

/* Pairs of bodies that do not collide because a joint holds them together. */
typedef bool (*contact_filter)(const void *context, size_t a, size_t b);

typedef struct contact_memory {
    /* Impulses of contact rows by key, sorted; what the next substep starts from. State. */
    struct kept_contact {
        uint64_t key;
        double nu; /* as wide as the key: no padding, so that it can be saved as bytes */
    } * kept;
    size_t count, capacity;

    contact_points points; /* where they are, for users */

    /* scratch */
    broad_phase near;
    touch_list touches;
} contact_memory;

void contact_memory_free(contact_memory *c, memory *m);

/* Adds rows for all pairs of bodies that may touch within dt. Sleeping bodies that something
 * touches wake up first. */
bool contact_rows_add(row_system *s, flow *f, contact_memory *c, contact_filter joined,
                      const void *context, double dt, weir_error *error);

/* Remembers the rows' impulses after a solve, and notes them in the bodies. */
bool contact_rows_keep(const row_system *s, flow *f, contact_memory *next, weir_error *error);

#endif
