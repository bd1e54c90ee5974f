/* The end of a solve in which hardly any row is wrong. A step of all rows, however good, takes off
 * a part of what single rows are off by, so that the last of them take as long as all others did.
 * Rows that are far from each other do not disturb each other: a stroke puts each right by itself,
 * as the diagonal is 1. */
#ifndef WEIR_SOLVE_STROKES_H
#define WEIR_SOLVE_STROKES_H

#include "solve/bounded.h"

/* Whether strokes and one more step may end the solve: all rows together are within the tolerance,
 * few single ones beyond the peak, and none far. `squares` and `most` are those of bounded_is_done;
 * x lies within its bounds. */
bool strokes_suffice(const bounded_system *system, const solve_options *options,
                     const float *gradient, const float *x, double squares, double most);

/* Raises x in those of the first options->single rows that lack much of it, and clears their
 * gradient, so that a step of all rows leaves them there. What has too much is left to that step:
 * without it others would lack what it holds up. */
void strokes_make(const bounded_system *system, const solve_options *options, float *gradient,
                  float *x);

#endif
