/* What solids add to the densities: their boundary volume, or what Bodin, Lacoursière, Servin
 * (2012), section VI, has in its place: in 3D particles just keep half the kernel radius away, in
 * 2D a solid is a particle at its nearest point. */
#ifndef WEIR_METHOD_CONSTRAINT_WALLS_H
#define WEIR_METHOD_CONSTRAINT_WALLS_H

#include "matter/flow.h"

enum { CONSTRAINT_WALLS_VOLUME, CONSTRAINT_WALLS_FIELD, CONSTRAINT_WALLS_CONTACT };

/* m, that particles keep from solids. */
double constraint_wall_distance(const flow *f);

/* Writes the paper's solids over the boundary volumes that were found, where it is chosen. */
void constraint_walls_replace(flow *f);

/* Velocity of a solid at a particle. Forces have changed that of moved bodies since the contact
 * was found. */
void constraint_walls_velocity(const flow *f, size_t i, const wall_contact *contact,
                               float velocity[3]);

/* What solids will add to the density of a particle after a move by dt; by its weight of the last
 * `fallen` seconds along the gradient of the present. Fills the gradient there unless it is NULL;
 * that of bodies which the fluid moves is the present one. */
float constraint_walls_predict(const flow *f, size_t i, double dt, double fallen, vec3 *slope);

#endif
