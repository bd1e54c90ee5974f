/* How much of a body is under water.
 * The level of the fluid is measured around the body: in a ring two kernel radii wide about its
 * bounds, layer by layer from its lowest point upwards, the share of the free space that particles
 * fill. Their sum times the height of a layer is the level: it counts volume, so that spray and
 * the place of the topmost particle do not matter. The submerged share is the share of the solid's
 * volume below that level; waves and a tilted surface enter as their mean around the body. */
#ifndef WEIR_OUT_SUBMERGED_H
#define WEIR_OUT_SUBMERGED_H

#include "weir/weir.h"

/* Of the index-th body, 0 to 1. NAN where it means nothing: without gravity, for static solids,
 * for shapes without an end, and where there is no free space around, as for a piston. */
double submerged_fraction(const weir_world *world, int index);

#endif
