/* The candidates of each cluster: stretches of the rows around it, of which those are kept that a
 * member sees, in spans of one block and one periodic image each. */
#ifndef WEIR_SPACE_CANDIDATE_LISTS_H
#define WEIR_SPACE_CANDIDATE_LISTS_H

#include "space/neighbours.h"

/* Fills the spans of all clusters, their bases and the counts of all candidates and slots; false
 * when memory ran out. */
bool candidate_lists_build(neighbours *n, const particles *p);

#endif
