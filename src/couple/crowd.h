/* Many bodies on each other that neither fluid nor joints act on: their contacts are solved in
 * lanes (solve/crowd_sweep.h), straight from the list, as couple/body_sweep.h solves few bodies by
 * rows: by sweeps there and back with conjugate steps, velocities first, then displacements that
 * mend overlaps. Bounces are part of the same solve, all at once, where couple/impact.h takes few
 * one after the other. Multipliers are floats; what they do to the bodies is computed in doubles,
 * so that momentum stays to rounding. */
#ifndef WEIR_COUPLE_CROWD_H
#define WEIR_COUPLE_CROWD_H

#include "couple/contact_list.h"
#include "solve/bounded.h"
#include "solve/crowd_sweep.h"

/* What a solve reads of a body, close together. */
typedef struct crowd_body {
    vec3 centre;
    vec3 push, turn; /* impulse and angular impulse that the multipliers mean */
    vec3 velocity, spin;
    double inverse_mass, friction, restitution;
    double inverse_inertia[3][3]; /* in the world */
} crowd_body;

/* A pair, or a part of one with many contacts. */
typedef struct crowd_member {
    uint32_t pair, begin, end; /* contacts */
    uint32_t batch, lane;
} crowd_member;

typedef struct crowd {
    bool active;          /* in this substep */
    size_t contact_count; /* of its pairs */
    uint8_t *tied;        /* of each body: its island is held by more than contacts */
    uint32_t *island;     /* parents of trees (couple/island_tree.h) */
    size_t island_capacity;
    bool any_tied;
    crowd_body *bodies;
    int32_t *last; /* batch of each body */
    size_t body_capacity;
    crowd_member *members;
    crowd_batch *batches;
    size_t member_count, batch_count, member_capacity, batch_capacity;
    uint32_t nobody;   /* that lanes name which move no body */
    size_t row_count;  /* of eight lanes */
    double drive;      /* squares of what drives the rows, approach and sliding, as energy */
    double mend_drive; /* the same of overlaps, where displacements are solved for */
    double answers;    /* of all rows, summed */
    bool overlapping;  /* some pair beyond its slop */
    double size;       /* m, of the smallest body in contact */
    double depth;      /* of the deepest overlap, in sizes of its bodies */
    float *entries, *couplings;
    float *rhs, *mend, *answer, *inverse, *nu, *before, *along;
    size_t row_capacity, entry_capacity, coupling_capacity;
    float *work, *work_before, *work_along;
    size_t work_capacity;
    solve_result velocity_result, position_result;
} crowd;

void crowd_free(crowd *c, memory *m);

/* As contacts_reserve. */
bool crowd_reserve(crowd *c, memory *m, int dim, size_t bodies);

/* Takes the pairs of all islands on which neither joints act nor fluid (where that has rows), when
 * their contacts are so many that the few sweeps of a crowd must do. */
bool crowd_choose(crowd *c, flow *f, contact_list *list, bool fluid_has_rows, weir_error *error);

/* Solves for the velocities of the bodies, then displaces what overlaps. */
bool crowd_solve(crowd *c, flow *f, contact_list *list, double dt, weir_error *error);

#endif
