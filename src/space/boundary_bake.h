/* Boundary volumes that have no closed form, baked on a sparse grid around the surface. */
#ifndef WEIR_SPACE_BOUNDARY_BAKE_H
#define WEIR_SPACE_BOUNDARY_BAKE_H

#include "kernel/half_space.h"
#include "space/baked_field.h"
#include "space/shape_node.h"

/* By how much a solid is larger than its shape, so that fluid beside it fills the space that it
 * should. */
typedef struct boundary_growth {
    double faces; /* m that they are moved out by; may be negative */
    /* Fluid comes too close to convex edges: their volume is moved by this share of the way to that
     * of a flat wall at the same distance. Below 0: that of concave ones, the edges of a
     * complement. Shapes with a volume in closed form, as boxes, have no share in it. */
    double edges;
} boundary_growth;

/* Bakes the core of `s` (its own frame, before complement and pose), grown. `flat` is the kernel's
 * table. The surface must end. NULL on failure. */
baked_field *boundary_bake(memory *m, const shape *s, weir_kernel kernel,
                           const half_space_table *flat, double h, boundary_growth growth,
                           int threads, weir_error *error);

#endif
