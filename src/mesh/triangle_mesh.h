/* Triangle meshes and the files they come from: OBJ, PLY (text and binary) and STL (text and
 * binary). Polygons become fans of triangles. Corners at the same place become one point. */
#ifndef WEIR_MESH_TRIANGLE_MESH_H
#define WEIR_MESH_TRIANGLE_MESH_H

#include "base/vec.h"
#include "space/shape.h"

/* Files beyond these are refused: indices must fit into 32 bits, coordinates into Embree's float
 * after a shift, and a file must not fill the memory by accident. */
#define MESH_MAX_FILE_BYTES ((uint64_t)1 << 32)
#define MESH_MAX_COUNT ((size_t)500000000) /* of points, and of triangles */
#define MESH_MAX_COORDINATE 1e12

typedef struct triangle {
    uint32_t corner[3]; /* indices of points; anticlockwise seen from outside */
} triangle;

/* Zero it before the first use. */
typedef struct triangle_mesh {
    vec3 *points;
    triangle *triangles;
    size_t point_count, triangle_count;
    size_t point_capacity, triangle_capacity;
} triangle_mesh;

typedef enum mesh_format { MESH_OBJ, MESH_PLY, MESH_STL } mesh_format;

/* x -> translation + rotation (scale x) */
typedef struct mesh_transform {
    double scale; /* > 0; 0.001 for a mesh drawn in millimetres */
    quat rotation;
    vec3 translation; /* m */
} mesh_transform;

mesh_transform mesh_transform_identity(void);

void triangle_mesh_free(triangle_mesh *mesh);

/* Reads `path`; the name's ending says the format. `transform` may be NULL. The mesh must be
 * zeroed; on failure it is left zeroed. */
bool triangle_mesh_read(triangle_mesh *mesh, const char *path, const mesh_transform *transform,
                        weir_error *error);

/* The same from memory; `name` stands for the file in messages. `bytes[size]` must be readable and
 * zero. */
bool triangle_mesh_parse(triangle_mesh *mesh, const char *name, mesh_format format,
                         const char *bytes, size_t size, weir_error *error);

bool triangle_mesh_add_point(triangle_mesh *mesh, vec3 point, weir_error *error);
bool triangle_mesh_add_triangle(triangle_mesh *mesh, uint32_t a, uint32_t b, uint32_t c,
                                weir_error *error);

bool triangle_mesh_transform(triangle_mesh *mesh, const mesh_transform *transform,
                             weir_error *error);

/* Merges points at exactly the same place, and drops triangles with two equal corners and points
 * that no triangle uses. */
bool triangle_mesh_weld(triangle_mesh *mesh, weir_error *error);

/* Point i becomes point `target[i]` <= i; then drops as triangle_mesh_weld does. `target` is used
 * up. Returns the number of dropped triangles. */
size_t triangle_mesh_merge_points(triangle_mesh *mesh, uint32_t *target);

static inline bounds bounds_empty(void)
{
    return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline bounds bounds_with(bounds box, vec3 p)
{
    return (bounds){{fmin(box.lo.x, p.x), fmin(box.lo.y, p.y), fmin(box.lo.z, p.z)},
                    {fmax(box.hi.x, p.x), fmax(box.hi.y, p.y), fmax(box.hi.z, p.z)}};
}

static inline vec3 bounds_middle(bounds box)
{
    return vec3_scale(vec3_add(box.lo, box.hi), 0.5);
}

bounds triangle_mesh_bounds(const triangle_mesh *mesh);

/* Twice the area, along the outward normal. */
vec3 triangle_mesh_normal(const triangle_mesh *mesh, size_t index);

#endif
