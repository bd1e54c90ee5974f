/* Projected Gauss–Seidel over rows of bodies (Bodin's algorithm VII.1 for contacts, friction,
 * limits and motors): rows are met one after the other, each by the impulse that is right for it
 * alone. Friction follows the normal impulse within a sweep, and two directions of friction share
 * the circle that it allows.
 *
 * Sweeps carry a load through a stack body by body. The nonsmooth nonlinear conjugate gradients of
 * Silcowitz, Niebe and Erleben (2010) take the change by a sweep for a gradient and step on along
 * conjugate directions: many times fewer sweeps. */
#ifndef WEIR_SOLVE_GAUSS_SEIDEL_H
#define WEIR_SOLVE_GAUSS_SEIDEL_H

#include "base/memory.h"
#include "solve/bounded.h"
#include "solve/row.h"

/* What a row needs in a sweep. */
typedef struct sweep_row {
    double push_a[6], push_b[6]; /* velocity change by a unit multiplier: −M⁻¹ Jᵀ */
    const double *spread;        /* the same along the joints, of all `members`; or NULL */
    double answer;               /* by how much J v falls with it, softness included */
    double rhs;                  /* J v without any impulses, less the bound */
    double lo, hi;
    double nu;            /* the multiplier: start and result */
    double before, along; /* nu before a sweep; the conjugate direction */
} sweep_row;

typedef struct gauss_seidel {
    sweep_row *sweep;
    size_t capacity;
} gauss_seidel;

/* The problem: rows, and `work`, 6 per body, for the velocity changes that the multipliers mean.
 * `respond` (may be NULL) adds to them what joints answer; rows with a spread have it already. */
typedef struct sweep_problem {
    const row *rows;
    size_t count;
    int32_t first; /* number of rows[0], as `normal` of rows counts */
    double *work;
    size_t body_count;
    void (*respond)(void *context, double *work);
    void *context;
    const uint32_t *members; /* bodies that rows with a spread move */
    size_t member_count;
} sweep_problem;

bool gauss_seidel_reserve(gauss_seidel *s, memory *m, size_t count);
void gauss_seidel_free(gauss_seidel *s, memory *m);

/* Improves the multipliers and leaves what they do in `work`. The residual is that of mprgp_solve;
 * an iteration is a sweep. */
solve_result gauss_seidel_solve(gauss_seidel *s, const sweep_problem *problem,
                                const solve_options *options);

#endif
