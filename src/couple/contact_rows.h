/* Contacts between bodies as rows with friction and restitution. Impulses of the last substep start
 * the next solve. */
#ifndef WEIR_COUPLE_CONTACT_ROWS_H
#define WEIR_COUPLE_CONTACT_ROWS_H

#include "couple/contact_list.h"
#include "couple/row_system.h"

/* Adds rows for the contacts of the list that no crowd solves. */
bool contact_rows_add(row_system *s, flow *f, contact_memory *c, double dt, weir_error *error);

/* Remembers the impulses of all contacts after a solve, and notes those of rows in the bodies. */
bool contact_rows_keep(const row_system *s, flow *f, contact_memory *c, weir_error *error);

#endif
