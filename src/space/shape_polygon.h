/* Simple polygons in the plane: signed distance through a tree of boxes over the edges. */
#ifndef WEIR_SPACE_SHAPE_POLYGON_H
#define WEIR_SPACE_SHAPE_POLYGON_H

#include "base/memory.h"
#include "base/vec.h"
#include "space/box_tree.h"

/* Runs from a to b, the solid on its left. `normal` points out; the corner vectors are the sums
 * of the normals that meet there, which tell inside from outside at a corner. */
typedef struct polygon_edge {
    vec3 a, b;
    vec3 normal;
    vec3 corner_a, corner_b;
    double inverse_length2;
} polygon_edge;

typedef struct polygon {
    vec3 *points; /* counter-clockwise, without repeated neighbours; z is 0 */
    size_t count, capacity;
    polygon_edge *edges;
    box_tree tree; /* of the edges */
} polygon;

/* Refuses fewer than 3 different points, no area, and edges that touch or cross. */
polygon *polygon_create(memory *m, const weir_vec3 *points, size_t count, weir_error *error);
void polygon_destroy(memory *m, polygon *p);
size_t polygon_bytes(const polygon *p);

double polygon_distance(const polygon *p, vec3 point, vec3 *gradient);

#endif
