/* The system of bodies alone, solved by projected Gauss–Seidel: contacts row by row, the joints all
 * at once after each sweep. */
#ifndef WEIR_COUPLE_BODY_SWEEP_H
#define WEIR_COUPLE_BODY_SWEEP_H

#include "couple/row_system.h"

/* Solves for velocities, then for displacements, as row_system_solve does without densities. The
 * mechanism must be factored and its velocities projected. */
bool body_sweep_solve(row_system *s, const system_options *options, weir_error *error);

#endif
