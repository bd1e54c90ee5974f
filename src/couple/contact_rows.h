/* Contacts between bodies as rows with friction and restitution. Impulses of the last substep start
 * the next solve. */
#ifndef WEIR_COUPLE_CONTACT_ROWS_H
#define WEIR_COUPLE_CONTACT_ROWS_H

#include "couple/contact_list.h"
#include "couple/row_system.h"

/* Adds rows for all contacts of the list. */
bool contact_rows_add(row_system *s, flow *f, contact_memory *c, double dt, weir_error *error);

/* Remembers the rows' impulses after a solve, and notes them in the bodies. */
bool contact_rows_keep(const row_system *s, flow *f, contact_memory *c, weir_error *error);

#endif
