/* Solids as Bodin, Lacoursière, Servin (2012), section VI, has them, in place of the boundary
 * volume: in 3D particles just keep half the kernel radius away, in 2D a solid is a particle at its
 * nearest point. */
#ifndef WEIR_METHOD_CONSTRAINT_WALLS_H
#define WEIR_METHOD_CONSTRAINT_WALLS_H

#include "matter/flow.h"

enum { CONSTRAINT_WALLS_VOLUME, CONSTRAINT_WALLS_FIELD, CONSTRAINT_WALLS_CONTACT };

/* m, that particles keep from solids. */
double constraint_wall_distance(const flow *f);

/* Writes what solids add to the densities over the boundary volumes that were found. */
void constraint_walls_replace(flow *f);

#endif
