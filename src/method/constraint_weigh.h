/* What the constraint method finds of pairs for its rows: densities, gradients, weights. */
#ifndef WEIR_METHOD_CONSTRAINT_WEIGH_H
#define WEIR_METHOD_CONSTRAINT_WEIGH_H

#include "method/constraint.h"

/* At the present positions, for all that follows in the substep. Where memory runs out the data is
 * not `weighed`. */
void constraint_weigh(flow *f);

/* The same, and in one loop with it the change of the velocities by viscosity and XSPH
 * (method/drag.h) of these weights. */
void constraint_weigh_and_drag(flow *f, double dt, double xsph);

/* The same pairs once more, at the places after a move by dt v. */
void constraint_weigh_after_move(flow *f, double dt);

const constraint_weigh_passes *constraint_weigh_passes_of(const flow *f);

void constraint_weigh_free(flow *f);

#endif
