/* How much of a small cell around a point a shape fills: an indicator smoothed for quadrature. */
#ifndef WEIR_SPACE_SHAPE_COVERAGE_H
#define WEIR_SPACE_SHAPE_COVERAGE_H

#include "space/shape_node.h"

/* Beyond this many cells from the surface the coverage is exactly 0 or 1. */
enum { COVERAGE_REACH = 2 };

/* The coverage of a flat surface at distance d = u cells. */
double coverage_step(double u);

/* Coverage of the core of `s` (its own frame, before complement and pose), grown by `grow`, by
 * cells of width `cell`. Sums of smooth functions times this over a lattice of cells are fourth
 * order for smooth surfaces, so values up to 4 % below 0 and above 1 occur. */
double shape_core_coverage(const shape *s, vec3 local, double cell, double grow);

/* The same for the solid itself, in its parent's frame, and without the costly look at cells in
 * which several parts of a union meet: for sums that such cells have little weight in. */
double shape_coverage(const shape *s, vec3 point, double cell);

#endif
