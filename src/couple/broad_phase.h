/* Pairs of bodies that may meet within a step. Boxes around the bodies, grown by a margin, are
 * sorted along one axis and swept; the pairs found so are good until a body leaves its grown box,
 * and are then looked through in every step. */
#ifndef WEIR_COUPLE_BROAD_PHASE_H
#define WEIR_COUPLE_BROAD_PHASE_H

#include "matter/flow.h"

typedef struct body_pair {
    uint32_t a, b; /* a < b */
} body_pair;

typedef struct body_box {
    double lo[3], hi[3];
} body_box;

/* A ball about a body's centre that holds what it may reach by turning, and its way. */
typedef struct body_ball {
    vec3 centre, way;
    double radius;
    double rim_speed; /* m/s, at which it turns at most; also of bodies that do not end */
} body_ball;

typedef enum body_extent { EXTENT_NONE, EXTENT_ENDS, EXTENT_ENDLESS } body_extent;

typedef struct broad_phase {
    /* of each body: what it may reach in this step, the same with a margin as of the last sweep,
     * and whether it was there then and ends */
    body_box *boxes, *wide;
    body_ball *balls; /* of this step */
    uint8_t *extents;
    size_t body_count, body_capacity;
    uint32_t *order; /* of the bodies that end, along the axis of the last sweep */
    size_t order_count, order_capacity;
    body_pair *candidates; /* whose wide boxes overlap, in order */
    size_t candidate_count, candidate_capacity;
    body_pair *unsorted;
    size_t unsorted_capacity;
    uint32_t *starts; /* of the candidates of each body */
    size_t start_capacity;

    body_pair *pairs; /* the result */
    size_t pair_count, pair_capacity;
} broad_phase;

void broad_phase_free(broad_phase *p, memory *m);

/* Room for so many; false without memory. */
bool broad_phase_reserve(broad_phase *p, memory *m, size_t bodies, size_t pairs);

/* Lists the pairs, in order of a, then b: those that may collide by their groups, of which one is
 * moved by forces, or one sleeps and the other moves. False without memory. */
bool broad_phase_find(broad_phase *p, memory *m, const flow *f, double dt);

#endif
