/* Pairs of bodies that may meet within a step: boxes around them, sorted along one axis and swept.
 */
#ifndef WEIR_COUPLE_BROAD_PHASE_H
#define WEIR_COUPLE_BROAD_PHASE_H

#include "matter/flow.h"

typedef struct body_pair {
    uint32_t a, b; /* a < b */
} body_pair;

typedef struct body_box {
    uint32_t body;
    double lo[3], hi[3];
} body_box;

typedef struct broad_phase {
    body_box *boxes;
    size_t box_count, box_capacity;
    uint32_t *order; /* of the boxes along the axis */
    size_t order_capacity;
    body_pair *pairs;
    size_t pair_count, pair_capacity;
} broad_phase;

void broad_phase_free(broad_phase *p, memory *m);

/* Lists the pairs, in order of a, then b: those that may collide by their groups, of which one is
 * moved by forces, or one sleeps and the other moves. False without memory. */
bool broad_phase_find(broad_phase *p, memory *m, const flow *f, double dt);

#endif
