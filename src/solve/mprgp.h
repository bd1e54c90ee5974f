/* MPRGP: Dostál, Schöberl: Minimizing Quadratic Functions Subject to Bound Constraints with the
 * Rate of Convergence and Finite Termination (2005): conjugate gradients on the free set, steps
 * along the reduced gradient that change it. */
#ifndef WEIR_SOLVE_MPRGP_H
#define WEIR_SOLVE_MPRGP_H

#include "solve/bounded.h"

/* Improves `x`, which holds a start and is projected onto the bounds first. */
solve_result mprgp_solve(bounded_work *w, const bounded_system *system,
                         const solve_options *options, float *x);

#endif
