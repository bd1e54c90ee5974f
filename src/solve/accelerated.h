/* Projected gradients: a few steps of Chebyshev's, then some of Barzilai and Borwein's (1988; with
 * bounds Birgin, Martínez and Raydan 2000, without their line search), then such with Nesterov's
 * momentum (1983; with bounds Beck and Teboulle 2009), which begins anew where it leads uphill.
 *
 * Every iteration is one product and may change any number of bounds, where conjugate gradients
 * stop at the first: with thousands of density rows that open and close a loose tolerance is
 * reached in a third of the products of MPRGP. */
#ifndef WEIR_SOLVE_ACCELERATED_H
#define WEIR_SOLVE_ACCELERATED_H

#include "solve/bounded.h"

/* Improves `x`, which holds a start and is projected onto the bounds first. */
solve_result accelerated_solve(bounded_work *w, const bounded_system *system,
                               const solve_options *options, float *x);

#endif
