/* What densities come to by a move: the right sides of the constraint method's rows. */
#ifndef WEIR_METHOD_CONSTRAINT_FORESEE_H
#define WEIR_METHOD_CONSTRAINT_FORESEE_H

#include "matter/flow.h"

/* The ratios after a move by dt (v − fallen · force), in the place of those before it. */
void constraint_foresee_ratios(flow *f, double dt, double fallen);

/* The rates of the ratios over the way that a step takes. */
void constraint_foresee_mean_rates(flow *f, double dt);

/* By how much the ratios after the move are more than a step may leave, over dt, as the rates of a
 * solve at once. What is too dense before the move is mended within `mending`. */
void constraint_foresee_excess(flow *f, double dt, double mending);

#endif
