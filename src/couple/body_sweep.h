/* The rows of bodies alone, solved by projected Gauss–Seidel: contacts, limits and motors row by
 * row, along the joints. */
#ifndef WEIR_COUPLE_BODY_SWEEP_H
#define WEIR_COUPLE_BODY_SWEEP_H

#include "couple/row_system.h"

/* Solves for velocities, then for displacements, as row_system_solve does without densities. The
 * mechanism must be factored and its velocities projected. */
bool body_sweep_solve(row_system *s, const system_options *options, weir_error *error);

/* Solves the rows of bodies anew after a solve with densities, whose impulses stay: conjugate
 * gradients that watch the fluid leave friction and stacks too rough. Velocities hold the result of
 * that solve. */
bool body_sweep_polish(row_system *s, const system_options *options, weir_error *error);

/* Displaces bodies that overlap or are beyond limits, after body_sweep_polish of the same substep.
 */
void body_sweep_mend(row_system *s, const system_options *options);

#endif
