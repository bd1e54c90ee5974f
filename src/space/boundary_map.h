/* The boundary volume of a solid: B(x) = int_solid W(|x - y|, h) dy, between 0 and 1,
 * and its gradient, in the coordinates of the shape. */
#ifndef WEIR_SPACE_BOUNDARY_MAP_H
#define WEIR_SPACE_BOUNDARY_MAP_H

#include "space/boundary_bake.h"
#include "space/shape.h"

typedef struct boundary_map boundary_map;

/* `h` is the kernel's support, `flat` the kernel's table, which the map refers to. The solid is
 * grown first. Bakes on `threads` threads; the result does not depend on their number. The map does
 * not refer to the shape afterwards. NULL on failure. */
boundary_map *boundary_map_create(memory *m, const shape *s, weir_kernel kernel,
                                  const half_space_table *flat, double h, boundary_growth growth,
                                  int threads, weir_error *error);
void boundary_map_destroy(memory *m, boundary_map *map);

/* boundary_volume by pointer, which a call passes sooner (shape_distance_from). */
double boundary_volume_from(const boundary_map *map, const vec3 *point, vec3 *gradient);

/* B at `point`; `gradient` (may be NULL) is the exact derivative of what is returned. */
static inline double boundary_volume(const boundary_map *map, vec3 point, vec3 *gradient)
{
    return boundary_volume_from(map, &point, gradient);
}

size_t boundary_map_bytes(const boundary_map *map);

#endif
