/* How closely the phases of the one system are solved. */
#ifndef WEIR_COUPLE_ROW_LIMITS_H
#define WEIR_COUPLE_ROW_LIMITS_H

#include "couple/row_system.h"

/* `drive` is the rms of the right side, `typical` the row of a density error of 1. */
solve_options row_limits_of_velocities(const row_system *s, const system_options *o, double dt,
                                       double drive, double typical);
solve_options row_limits_of_positions(const row_system *s, const system_options *o, double dt,
                                      double typical);

/* Of the one solve that serves both. */
solve_options row_limits_at_once(const row_system *s, const system_options *o, double dt,
                                 double typical);

/* The share of the last multipliers of densities that a solve starts from. */
double row_limits_of_start(const row_system *s, const system_options *o);

/* What a displacement of the position phase becomes in the velocities, 1/s. */
double row_limits_of_feedback(const row_system *s, const system_options *o, double dt);

#endif
