/* Constraint fluids: the density at each particle is a holonomic constraint.
 * Bodin, Lacoursière, Servin: Constraint Fluids (IEEE TVCG 2012), eqs. 21-27, with unilateral rows
 * and the boundary volume of solids in place of the paper's boundary field. */
#ifndef WEIR_METHOD_CONSTRAINT_H
#define WEIR_METHOD_CONSTRAINT_H

#include "method/drag.h"
#include "method/method.h"

extern const method method_constraint;

enum constraint_parameter {
    CONSTRAINT_STEPPING,
    CONSTRAINT_SOLVER,
    CONSTRAINT_WALLS,
    CONSTRAINT_CALIBRATION,
    CONSTRAINT_COHESION,
    CONSTRAINT_SOUND_SPEED,
    CONSTRAINT_RELAXATION,
    CONSTRAINT_ITERATIONS,
    CONSTRAINT_MIN_ITERATIONS,
    CONSTRAINT_TOLERANCE,
    CONSTRAINT_DENSITY_TOLERANCE,
    CONSTRAINT_WARM_START,
    CONSTRAINT_XSPH,
    CONSTRAINT_SURFACE_BALANCE,
    CONSTRAINT_COURANT,
    CONSTRAINT_PARAMETER_COUNT,
};

/* Density error, rms, that a step may leave by default, and in calm fluid at most. */
#define CONSTRAINT_CALM_TOLERANCE 5e-4

enum { CONSTRAINT_STEPPING_SPLIT, CONSTRAINT_STEPPING_SPOOK };

enum constraint_field {
    CONSTRAINT_DENSITY,  /* kg/m³ */
    CONSTRAINT_PRESSURE, /* Pa */
    CONSTRAINT_PUBLIC_FIELDS,
    CONSTRAINT_NU = CONSTRAINT_PUBLIC_FIELDS, /* N s·..., multiplier of the velocity rows; state */
    CONSTRAINT_MU,                            /* multiplier of the position rows; state */
    CONSTRAINT_IMPULSE,                       /* of both multipliers on velocities */
    CONSTRAINT_RATIO,                         /* density over rest density */
    CONSTRAINT_RATE,                          /* 1/s, rate of the ratio by the velocities */
    CONSTRAINT_DIAGONAL,                      /* of G M⁻¹ Gᵀ, without bodies */
    CONSTRAINT_SLOPE_X,                       /* 1/m, G_ii: gradient of the ratio by x_i */
    CONSTRAINT_SLOPE_Y,
    CONSTRAINT_SLOPE_Z,
    CONSTRAINT_PLACE_X, /* positions over h, for the products of the solver */
    CONSTRAINT_PLACE_Y,
    CONSTRAINT_PLACE_Z,
    CONSTRAINT_LOCAL_X, /* the same, from the origin of the particle's block */
    CONSTRAINT_LOCAL_Y,
    CONSTRAINT_LOCAL_Z,
    CONSTRAINT_AHEAD_X, /* where the search saw the particles, over h */
    CONSTRAINT_AHEAD_Y,
    CONSTRAINT_AHEAD_Z,
    CONSTRAINT_INVERSE_MASS, /* 1/kg */
    CONSTRAINT_WORK_X,       /* velocity changes of the solver */
    CONSTRAINT_WORK_Y,
    CONSTRAINT_WORK_Z,
    CONSTRAINT_FIELD_COUNT,
};

/* What passes over pairs read of every other side, in one piece: that is a random access. What
 * changes from product to product is read where it lies, which takes less than to copy it here. */
typedef struct constraint_point {
    float place[3];     /* over h */
    float inverse_mass; /* 1/kg */
} constraint_point;

/* A product sums weights times differences of places. Of places near the origin it may take the
 * sums of both sides apart: Σ w ν_j (x_i − x_j) = x_i Σ w ν_j − Σ w ν_j x_j, two operations less
 * for each pair. So places are counted from the origin of the block that a particle lies in
 * (space/neighbours.h), and what a product needs of a particle is made beforehand: for `push` ν_j
 * x_j and ν_j, for `pull` v_j and x_j · v_j. While pairs are weighed, the vectors are the places
 * ahead.
 */
typedef struct constraint_moment {
    float vector[3], scalar;
} constraint_moment;

/* W'/r of a pair, rounded to whole weight_units. In 16 bits the weights of 100,000 particles fit
 * into a cache; both sides of a pair round alike. */
typedef uint16_t constraint_weight;

typedef struct constraint_constants {
    weir_kernel kernel;
    /* What sums over pairs at places in units of h leave out: of densities, and of gradients, with
     * the volume over the first moment of ∇W in particles at rest. */
    float value, gradient;
    float weight_units;         /* weights per W'/r */
    float reach2;               /* beyond this square of a distance over h pairs do not count */
    constraint_weight *weights; /* of every candidate, eight a cluster's candidate; the data's */
    constraint_point *points;   /* of every particle; the data's */
    constraint_moment *moments; /* of every particle; the data's */
    bool fetch_far;             /* lane_fetches_far */
    bool looked_ahead;          /* the search, in this step */
} constraint_constants;

typedef struct constraint_data {
    constraint_constants constants;
    size_t weight_capacity; /* candidates */
    size_t point_capacity, moment_capacity;
    bool weighed;          /* false where memory ran out */
    float gradient_volume; /* kappa V over the first moment, of gradients in m */
    drag_data drag;
    unsigned char *surface_marks; /* constraint_surface.h */
    size_t surface_capacity;
} constraint_data;

/* The passes over pairs, once per instruction level; clusters [begin, end), moments of particles.
 */
typedef struct constraint_weigh_passes {
    /* ratio, slope, the diagonal's pair part, weights; unless `drag` is NULL, work = change of the
     * velocities by viscosity and XSPH */
    void (*weigh)(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                  size_t begin, size_t end);
    /* ratio, at the places that `work` holds */
    void (*predict)(flow *f, const constraint_constants *k, size_t begin, size_t end);
} constraint_weigh_passes;

typedef struct constraint_passes {
    /* work = −M⁻¹ Gᵀ ν; the moments of all particles come first */
    void (*push_moments)(flow *f, const constraint_constants *k, const float *nu, size_t begin,
                         size_t end);
    void (*push)(flow *f, const constraint_constants *k, const float *nu, size_t begin, size_t end);
    /* rows = G work, likewise */
    void (*pull_moments)(flow *f, const constraint_constants *k, size_t begin, size_t end);
    void (*pull)(flow *f, const constraint_constants *k, float *rows, size_t begin, size_t end);
} constraint_passes;

LANE_DECLARE(constraint_weigh_passes, constraint_weigh_passes_);
LANE_DECLARE(constraint_passes, constraint_passes_);

/* Whether things move so far within a substep that the rows must know where they will be: s that
 * the search looks ahead then, and 0 otherwise. */
double constraint_look_ahead(const flow *f, double dt);

#endif
