/* The density rows of the constraint method, and all that is found of pairs for them. */
#ifndef WEIR_METHOD_CONSTRAINT_ROWS_H
#define WEIR_METHOD_CONSTRAINT_ROWS_H

#include "method/method.h"

/* Densities, gradients and weights of pairs at the present positions, which all that follows in the
 * substep uses. Memory that runs out shows when the rows are measured. */
void constraint_weigh(flow *f);

/* The same, and in one loop with it the change of the velocities by viscosity and XSPH
 * (method/drag.h) of these weights. */
void constraint_weigh_and_drag(flow *f, double dt, double xsph);

/* The rows for the solver; `measure` finds the rates of the present velocities. */
extern const density_rows constraint_rows;

void constraint_rows_free(flow *f);

#endif
