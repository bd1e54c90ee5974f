/* What a shape is inside; for the files of src/space that treat kinds differently. */
#ifndef WEIR_SPACE_SHAPE_NODE_H
#define WEIR_SPACE_SHAPE_NODE_H

#include "space/box_tree.h"
#include "space/shape.h"
#include "space/shape_grid.h"
#include "space/shape_polygon.h"

/* A 2D cylinder is compiled to a box and a capsule of length 0 to a sphere; spheres and capsules
 * carry their rounding in the radius. So fewer cases are left. */
struct shape {
    weir_shape_kind kind;
    int dim;
    bool complement;
    bool moved; /* the pose is not the identity */
    pose place;
    double rounding;
    vec3 normal;       /* half-space: unit */
    vec3 half_extents; /* box: z is 0 in 2D */
    double radius, half_length;
    polygon *polygon;
    grid_field *grid;
    /* Children in three ranges: those in the tree, `loose` or unbounded ones with surfaces that
     * end, and `endless_count` ones with surfaces that do not. */
    struct shape *children;
    size_t child_count, endless_count;
    box_tree tree;
    bool endless; /* the surface does not end: half-spaces and unions with one */
    bool loose;   /* distances outside may be too small: grids, intersections */
    /* In the own frame, with rounding, before complement and pose: of the solid and of its surface.
     * They differ for a union with a complement in it. Then both in the parent's frame. */
    bounds core, core_surface;
    bounds extent, surface;
};

/* Distance in the shape's own frame: with rounding, before complement and pose. */
double shape_core_distance_from(const shape *s, const vec3 *local, vec3 *gradient);

static inline double shape_core_distance(const shape *s, vec3 local, vec3 *gradient)
{
    return shape_core_distance_from(s, &local, gradient);
}

static inline vec3 shape_to_local(const shape *s, vec3 point)
{
    if (s->dim == 2)
        point.z = 0;
    if (!s->moved)
        return point;
    point = pose_local_point(s->place, point);
    if (s->dim == 2)
        point.z = 0;
    return point;
}

/* Works out the four bounds of a shape whose other members are set, its children's bounds too. */
void shape_find_bounds(shape *s);

/* The union `s` without its children of endless surface; a view, not to be destroyed. */
shape shape_without_endless(const shape *s);

static inline bool bounds_are_finite(bounds b)
{
    return vec3_is_finite(b.lo) && vec3_is_finite(b.hi);
}

static inline bounds bounds_grow(bounds b, double by, int dim)
{
    double z = dim == 3 ? by : 0;
    return (bounds){{b.lo.x - by, b.lo.y - by, b.lo.z - z}, {b.hi.x + by, b.hi.y + by, b.hi.z + z}};
}

#endif
