/* Particles at the same place have no direction in which their densities push them apart, and would
 * stay together for good. */
#ifndef WEIR_METHOD_CONSTRAINT_TWINS_H
#define WEIR_METHOD_CONSTRAINT_TWINS_H

#include "matter/flow.h"

/* Moves each particle that shares its place with another by a hundredth of a spacing, in a
 * direction that its id gives. After the search. */
void constraint_part_twins(flow *f);

#endif
