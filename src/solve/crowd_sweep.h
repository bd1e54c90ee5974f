/* Sweeps over the contacts of many bodies, eight pairs of bodies at a time. No two lanes of a batch
 * move the same body, and batches keep the order in which pairs that share a body were listed: the
 * result is that of one pair after the other, whatever the width.
 *
 * A row says: rhs − d·(v_a − v_b) − on_a·w_a + on_b·w_b <= 0 for the changes v and w of velocity
 * and spin, by an impulse along d on body a, and against it on body b. */
#ifndef WEIR_SOLVE_CROWD_SWEEP_H
#define WEIR_SOLVE_CROWD_SWEEP_H

#include "lanes/level.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CROWD_LANES = 8,
    CROWD_POINTS = 4,         /* of a pair in a batch, at most */
    CROWD_FLAT_ENTRIES = 3,   /* of a row in 2D, six of a point: the normal (x, y), then on_a and
                                 on_b of the normal and of friction */
    CROWD_FLAT_COUPLINGS = 3, /* of a point in 2D, six of two */
    CROWD_SPACE_ENTRIES = 15, /* in 3D: vectors all */
    CROWD_FLAT_STRIDE = 4,    /* floats of a body: velocity, spin */
    CROWD_SPACE_STRIDE = 8,
};

typedef struct crowd_batch {
    uint32_t a[CROWD_LANES],
        b[CROWD_LANES]; /* bodies; a last one that nothing moves for the rest */
    float mass_a[CROWD_LANES], mass_b[CROWD_LANES]; /* 1/kg */
    float turn_a[CROWD_LANES], turn_b[CROWD_LANES]; /* 1/(kg m²), in 2D */
    float friction[CROWD_LANES];
    uint32_t points; /* the most of any lane */
    uint32_t row;    /* the first one: of a point the normal, then friction in 1 or 2 directions */
    uint32_t used;   /* lanes */
    uint32_t next_open; /* while pairs are dealt: itself while it has room, else a later batch */
} crowd_batch;

/* Arrays of rows hold eight lanes of each. */
typedef struct crowd_problem {
    int dim;
    const crowd_batch *batches;
    size_t batch_count;
    const float *entries, *rhs;
    const float *answer, *inverse; /* how much a unit impulse does, and 1 over it */
    float *nu;                     /* multipliers */
    float *couplings;              /* in 2D: of rows of a pair with those before them */
    float *work;                   /* per body: changes of velocity and spin */
} crowd_problem;

typedef struct crowd_sweeps {
    /* Adds what the multipliers do; before the first sweep over rows. */
    void (*start)(const crowd_problem *p);
    /* One sweep there and back. With `normals_only` friction stays as it is. */
    void (*sweep)(const crowd_problem *p, bool normals_only);
} crowd_sweeps;

typedef struct crowd_steps {
    /* Squares of the changes of the multipliers since `before`, in units of energy, summed lane by
     * lane. */
    void (*measure)(const crowd_problem *p, size_t rows, const float *before,
                    float sums[CROWD_LANES]);
    /* Goes on by a share of `along`, which then takes up the change since `before`; that becomes
     * the place reached. With a share of 0 `along` is not read. `count` is a multiple of
     * CROWD_LANES. */
    void (*step_on)(float *x, float *before, float *along, size_t count, float share);
} crowd_steps;

const crowd_sweeps *crowd_sweeps_of(lane_level level, int dim);
const crowd_steps *crowd_steps_of(lane_level level);

#endif
