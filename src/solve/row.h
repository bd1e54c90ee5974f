/* One row of the constraint system that is not a density: contacts, friction, limits, motors.
 * It says J v <= bound and acts by the impulse −Jᵀν with lo <= ν <= hi; ν = 0 unless the bound is
 * met. It touches at most one particle and two bodies. */
#ifndef WEIR_SOLVE_ROW_H
#define WEIR_SOLVE_ROW_H

#include <stdbool.h>
#include <stdint.h>

enum { ROW_NONE = -1 };

typedef struct row {
    int32_t particle, body_a, body_b; /* ROW_NONE where there is none */
    float on_particle[3];             /* entries of J */
    double on_a[6], on_b[6];          /* linear, then angular */
    double bound;                     /* m/s or rad/s, of the velocity phase */
    double violation;                 /* m or rad: J Δx <= −violation in the position phase */
    double softness;                  /* Σ, added to the diagonal */
    float lo, hi;                     /* of ν; friction rows are bounded by their normal row */
    bool velocity_only;               /* takes no part in the position phase */
    int32_t normal;                   /* friction: index of the normal row, else ROW_NONE */
    double friction;                  /* |ν| <= friction · (ν + impact) of the normal row */
    double restitution;               /* share of the speed with which bodies bounce */
    double prescribed;                /* part of J v that forces do not change; in the bound */
    double impact;                    /* impulse given by the bounce, before the solve */
    int32_t ground;                   /* the body of a contact that is not moved, else ROW_NONE */
    uint64_t key;                     /* names the row across steps, for the warm start; 0 = none */
    float nu, mu;                     /* multipliers of both phases */
} row;

#endif
