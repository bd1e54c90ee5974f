/* Bounces: contacts that meet fast enough give back a share of their speed, before the solve.
 * One after the other, the fastest first, as blows travel through bodies that touch: of a row of
 * equal balls the last one leaves, where a simultaneous solve would move all. */
#ifndef WEIR_COUPLE_IMPACT_H
#define WEIR_COUPLE_IMPACT_H

#include "couple/row_system.h"

/* Changes the velocities of bodies and notes the impulses in the rows (`impact`). The mechanism
 * must be factored. */
bool impacts_run(row_system *s, mechanism *m, flow *f, double dt, weir_error *error);

#endif
