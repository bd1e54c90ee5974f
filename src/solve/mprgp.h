/* Bounded quadratic problems: minimise ½ xᵀAx − bᵀx with lo <= x <= hi, A symmetric positive
 * (semi)definite and given as a product. This is the mixed complementarity problem of a constraint
 * system, whatever its rows are.
 *
 * MPRGP: Dostál, Schöberl: Minimizing Quadratic Functions Subject to Bound Constraints with the
 * Rate of Convergence and Finite Termination (2005): conjugate gradients on the free set, steps
 * along the reduced gradient that change it. The caller scales the rows, so that the diagonal of A
 * is about 1: that is the preconditioner, and bounds stay bounds. */
#ifndef WEIR_SOLVE_MPRGP_H
#define WEIR_SOLVE_MPRGP_H

#include "base/memory.h"

typedef struct bounded_system {
    size_t count;
    const float *rhs;     /* b */
    const float *lo, *hi; /* may be infinite */
    /* y = A x */
    void (*multiply)(void *context, const float *x, float *y);
    void *context;
    int threads;
} bounded_system;

enum { SOLVE_MAX_HISTORY = 512 };

typedef struct solve_options {
    double tolerance; /* on the residual below; 0 = run to max_iterations */
    double scale;     /* what a residual is measured by, for example the largest |b| allowed */
    int min_iterations, max_iterations;
} solve_options;

typedef struct solve_result {
    int iterations;                    /* products with A, the first residual included */
    double residual;                   /* rms of the projected gradient over rows, over scale */
    double history[SOLVE_MAX_HISTORY]; /* residual before each iteration */
    int history_count;
} solve_result;

typedef struct mprgp {
    float *gradient, *direction, *product; /* count each */
    size_t capacity;
    double norm; /* estimate of the largest eigenvalue of A; kept between solves */
} mprgp;

bool mprgp_reserve(mprgp *s, memory *m, size_t count);
void mprgp_free(mprgp *s, memory *m);

/* Improves `x`, which holds a start and is projected onto the bounds first. */
solve_result mprgp_solve(mprgp *s, const bounded_system *system, const solve_options *options,
                         float *x);

#endif
