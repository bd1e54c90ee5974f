/* Any shape that ends as the level set of its distance; the others give nothing. */
#ifndef WEIR_SURFACE_SOLID_MARCH_H
#define WEIR_SURFACE_SOLID_MARCH_H

#include "surface/surface.h"
#include "weir/shape.h"

/* Fills `mesh`, or `outline` when that is NULL. `step` is in m, 0 for a part of the size. */
bool solid_march(surface_mesh *mesh, surface_outline *outline, const weir_shape_def *def,
                 double step, weir_error *error);

#endif
