/* Cuts sorted particles into rows, and rows into clusters. */
#ifndef WEIR_SPACE_CLUSTER_CUT_H
#define WEIR_SPACE_CLUSTER_CUT_H

#include "space/neighbours.h"

/* Fills rows, bins and clusters (without their lists) from the sorted keys; false when memory ran
 * out. */
bool cluster_cut(neighbours *n, const particles *p);

#endif
