/* Projected gradients with spectral step lengths: Barzilai and Borwein (1988), with bounds as
 * Birgin, Martínez and Raydan (2000) and Dai and Fletcher (2005), without their line search; the
 * first few steps are Chebyshev's.
 *
 * Every iteration is one product and may change any number of bounds, where conjugate gradients
 * stop at the first: with thousands of density rows that open and close a loose tolerance is
 * reached in a quarter of the products of MPRGP. */
#ifndef WEIR_SOLVE_SPECTRAL_H
#define WEIR_SOLVE_SPECTRAL_H

#include "solve/bounded.h"

/* Improves `x`, which holds a start and is projected onto the bounds first. */
solve_result spectral_solve(bounded_work *w, const bounded_system *system,
                            const solve_options *options, float *x);

#endif
