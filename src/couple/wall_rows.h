/* Rows that keep particles out of solids: the backstop inside of the solve. */
#ifndef WEIR_COUPLE_WALL_ROWS_H
#define WEIR_COUPLE_WALL_ROWS_H

#include "couple/row_system.h"

/* A row for each particle that could reach a solid within dt. */
bool wall_rows_add(row_system *s, const flow *f, double distance, double dt, weir_error *error);

/* Notes what the solids got by these rows, after the solve, for the report. */
void wall_rows_note(const row_system *s, flow *f);
/* And what they got by the densities: by the pressure of the fluid. */
void wall_rows_note_pressure(const row_system *s, flow *f);

#endif
