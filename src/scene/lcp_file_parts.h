/* What the readers of matrices and of contacts share. */
#ifndef WEIR_SCENE_LCP_FILE_PARTS_H
#define WEIR_SCENE_LCP_FILE_PARTS_H

#include "scene/lcp_file.h"
#include "scene/tree.h"

bool lcp_file_number(const node *n, double *value, weir_error *error);
/* A list of exactly `count` numbers. */
bool lcp_file_numbers(const node *list, size_t count, double *values, weir_error *error);

/* Fills problem->contacts from the keys points, bodies and contacts of a problem. */
bool lcp_file_read_contacts(tree *t, const node *map, const node *contacts, const double *q,
                            lcp_file_problem *problem, weir_error *error);

#endif
