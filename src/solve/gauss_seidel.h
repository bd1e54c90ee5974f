/* Projected Gauss–Seidel over rows of bodies (Bodin's algorithm VII.1 for contacts, friction,
 * limits and motors): rows are met one after the other, each by the impulse that is right for it
 * alone. Friction follows the normal impulse within a sweep, and two directions of friction share
 * the circle that it allows.
 *
 * Sweeps carry a load through a stack body by body. The nonsmooth nonlinear conjugate gradients of
 * Silcowitz, Niebe and Erleben (2010) take the change by a sweep for a gradient and step on along
 * conjugate directions: many times fewer sweeps. Each goes through the rows there and back, so that
 * it is symmetric, as conjugate directions ask for: a pyramid of 1,035 boxes sinks by 0.02 mm in
 * half a second where sweeps of one direction, as many, let it sink by 5 mm. */
#ifndef WEIR_SOLVE_GAUSS_SEIDEL_H
#define WEIR_SOLVE_GAUSS_SEIDEL_H

#include "base/memory.h"
#include "solve/bounded.h"
#include "solve/row.h"

/* What a row needs; nu is start and result. */
typedef struct sweep_row {
    double push_a[6], push_b[6]; /* velocity change by a unit multiplier: −M⁻¹ Jᵀ */
    const double *spread;        /* the same along the joints, of all `members`; or NULL */
    double answer;               /* by how much J v falls with it, softness included */
    double rhs;                  /* J v without any impulses, less the bound */
    double lo, hi;
    double nu; /* the multiplier */
} sweep_row;

/* The same and what is used of the row, close together, because sweeps are bound by memory. */
typedef struct lean_row {
    int32_t a, b;        /* bodies, or ROW_NONE */
    int32_t normal;      /* friction: its normal row, else ROW_NONE */
    uint32_t begin, end; /* rows of the same two bodies, which are met together */
    bool paired;         /* this and the next row are the two directions of one friction */
    double rhs, softness, answer, lo, hi, friction, impact;
    double nu, before, along; /* before a sweep; the conjugate direction */
    const double *spread;
} lean_row;

typedef struct gauss_seidel {
    sweep_row *sweep;
    size_t capacity;
    lean_row *lean;
    size_t lean_capacity;
    double *entries; /* per row: of J on a and b, and of what a unit multiplier does to them */
    size_t entry_capacity;
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
