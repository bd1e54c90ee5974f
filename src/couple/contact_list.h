/* Where bodies touch in a substep, pair by pair: what rows are written from
 * (couple/contact_rows.h), or what a crowd of bodies is solved by (couple/crowd.h), and what users
 * may ask for afterwards. */
#ifndef WEIR_COUPLE_CONTACT_LIST_H
#define WEIR_COUPLE_CONTACT_LIST_H

#include "couple/touch.h"

/* Pairs of bodies that do not collide because a joint holds them together. */
typedef bool (*contact_filter)(const void *context, size_t a, size_t b);

typedef struct contact {
    uint64_t key;       /* names it across steps; its friction has the next one and the one after */
    vec3 point, normal; /* as of a touch */
    double gap, radius; /* m */
    double impulse;     /* N s on the first body along the normal, of the last substep */
    vec3 along;         /* the first direction of friction, once it is solved as one of a crowd */
    float nu[3];        /* multipliers of the normal and of friction: where a solve starts */
    int32_t row;        /* of the normal, where there are rows */
    uint8_t side;       /* as of a touch */
    bool struck;        /* in a crowd: it bounced, so that its impulse is no start for the next */
} contact;

typedef struct contact_pair {
    uint32_t first, second; /* bodies; the normal points from the second to the first */
    uint32_t begin, end;    /* of its contacts */
    double size;            /* m, of the smaller body with mass */
    double slop;            /* m, of overlap that is left alone */
    double mend;            /* m, most that is mended in this step */
    bool in_crowd;          /* solved in lanes (couple/crowd.h), without rows */
} contact_pair;

typedef struct contact_list {
    contact *items;
    size_t count, capacity;
    contact_pair *pairs;
    size_t pair_count, pair_capacity;
    pose *poses; /* of all bodies when the contacts were found */
    size_t pose_capacity;
} contact_list;

/* Where a sleeping pair touched last, in the frames of the bodies, so that it can be asked for
 * wherever they are. */
typedef struct contact_point {
    uint32_t first, second;
    uint8_t side;
    vec3 sample;        /* centre of the sample, in the frame of its body */
    double radius;      /* m, of the sample */
    vec3 point, normal; /* on the surface of the other body, in the frame of that body */
    double impulse;
} contact_point;

typedef struct contact_memory {
    /* Impulses of contacts by key, sorted; what the next substep starts from. State. */
    struct kept_contact {
        uint64_t key;
        double nu; /* as wide as the key: no padding, so that it can be saved as bytes */
    } * kept;
    size_t count, capacity;

    contact_list list;
    contact_point *sleepers; /* contacts of sleeping pairs, which are not in the list */
    size_t sleeper_count, sleeper_capacity;

    /* scratch */
    broad_phase near;
    touch_list touches;
    size_t cursor; /* in `kept`: pairs are looked up in order */
} contact_memory;

void contact_memory_free(contact_memory *c, memory *m);

/* Of each body in a heap, about: in the plane of boxes, in space of balls, which touch in a point.
 */
enum { CONTACT_PAIRS_EACH = 2, CONTACTS_EACH_FLAT = 4, CONTACTS_EACH_SPACE = 2 };
static inline size_t contacts_expected(int dim, size_t bodies)
{
    return (dim == 2 ? CONTACTS_EACH_FLAT : CONTACTS_EACH_SPACE) * bodies;
}

/* Takes room for so many bodies as a heap, so that the step in which they first meet need not.
 * False without memory. */
bool contacts_reserve(contact_memory *c, memory *m, int dim, size_t bodies);

/* Lists the contacts of all pairs of bodies that may touch within dt. Sleeping bodies that
 * something touches wake up first. */
bool contacts_find(contact_memory *c, memory *m, flow *f, contact_filter joined,
                   const void *context, double dt, weir_error *error);

/* Room for `count` multipliers to remember, in order of their keys. */
bool contacts_keep_begin(contact_memory *c, memory *m, size_t count, weir_error *error);
/* Puts them in order where they are nearly so. */
void contacts_sort_kept(contact_memory *c);

/* A contact of the list in the frames of its bodies. */
contact_point contact_make_point(const contact_list *list, const contact_pair *pair,
                                 const contact *c);

/* Directions of friction in 3D: the first one along the sliding, where it is faster than `slow`, so
 * that sliding is braked alike in every direction. */
static inline void contact_tangents(vec3 n, vec3 relative, double slow, vec3 *u, vec3 *w)
{
    vec3 other = fabs(n.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    vec3 sliding = vec3_madd(relative, -vec3_dot(relative, n), n);
    vec3 along = vec3_length(sliding) > slow ? sliding : vec3_cross(n, other);
    *u = vec3_unit(along, (vec3){0, 0, 1});
    *w = vec3_cross(n, *u);
}

#endif
