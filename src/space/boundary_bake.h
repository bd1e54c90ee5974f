/* Boundary volumes that have no closed form, baked on a sparse grid around the surface. */
#ifndef WEIR_SPACE_BOUNDARY_BAKE_H
#define WEIR_SPACE_BOUNDARY_BAKE_H

#include "kernel/kernel.h"
#include "space/baked_field.h"
#include "space/shape_node.h"

/* Bakes the core of `s` (its own frame, before complement and pose), grown by `grow` metres. The
 * surface must end. NULL on failure. */
baked_field *boundary_bake(memory *m, const shape *s, weir_kernel kernel, double h, double grow,
                           int threads, weir_error *error);

#endif
