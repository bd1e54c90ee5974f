/* The links of density_rows (method/method.h) for the constraint method. */
#ifndef WEIR_METHOD_CONSTRAINT_LINKS_H
#define WEIR_METHOD_CONSTRAINT_LINKS_H

#include "method/method.h"

void constraint_count_links(flow *f, size_t *counts);
void constraint_fill_links(flow *f, const size_t *starts, uint32_t *members,
                           density_entry *entries);

#endif
