/* The density rows of the constraint method, as the solver sees them. */
#ifndef WEIR_METHOD_CONSTRAINT_ROWS_H
#define WEIR_METHOD_CONSTRAINT_ROWS_H

#include "method/method.h"

/* `measure` finds the rates of the present velocities, `foresee` those of a solve at once. */
extern const density_rows constraint_rows;

#endif
