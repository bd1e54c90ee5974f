/* Signed distance shapes, compiled from a weir_shape_def and immutable afterwards.
 * Negative inside; distances are finite and 1-Lipschitz (grids: as far as their samples are). */
#ifndef WEIR_SPACE_SHAPE_H
#define WEIR_SPACE_SHAPE_H

#include "base/memory.h"
#include "base/vec.h"
#include "weir/shape.h"

typedef struct shape shape;

/* An axis-aligned box; +-INFINITY where it does not end. In 2D z is 0. */
typedef struct bounds {
    vec3 lo, hi;
} bounds;

/* Copies everything that `def` points to. `dim` is 2 or 3. NULL on failure. */
shape *shape_create(memory *m, const weir_shape_def *def, int dim, weir_error *error);
void shape_destroy(memory *m, shape *s);

/* shape_distance by pointer: three doubles by value cross a call through memory, which costs as
 * much as a simple distance itself. */
double shape_distance_from(const shape *s, const vec3 *point, vec3 *gradient);

/* Distance from `point`, given in the frame in which the definition's pose places the shape.
 * Exact for single primitives on both sides. Outside of a union exact too, inside it a lower
 * bound; the same holds for rounded shapes that are not convex, and sampled grids are as good as
 * their samples. `gradient` (may be NULL) points out of the solid and has length 1 even where the
 * distance has a kink. In 2D z is ignored and gradient.z is 0. */
static inline double shape_distance(const shape *s, vec3 point, vec3 *gradient)
{
    return shape_distance_from(s, &point, gradient);
}

/* Bounds of the solid: the smallest box for primitives, a somewhat larger one for grids and for
 * rotated unions. A complement has none, but the complement of a union with complements in it,
 * which is an intersection or a difference, ends where they do. */
bounds shape_bounds(const shape *s);

/* A box that the solid leaves free, as a tank does: the distance to the solid is at least that to
 * the faces. Empty, with lo above hi, where none is known. In 2D z does not end. */
bounds shape_hollow(const shape *s);

/* Whether distances outside are never too small: what is far from the bounds then is far by its
 * distance, too. Those of grids and intersections may be. */
bool shape_is_exact_outside(const shape *s);

int shape_dimension(const shape *s);
size_t shape_bytes(const shape *s);

#endif
