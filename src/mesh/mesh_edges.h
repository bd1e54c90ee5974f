/* The edges of a mesh with the triangles at them, grouped by edge. */
#ifndef WEIR_MESH_MESH_EDGES_H
#define WEIR_MESH_MESH_EDGES_H

#include "mesh/triangle_mesh.h"

/* One side of one triangle. */
typedef struct mesh_side {
    uint32_t a, b; /* points, a < b */
    uint32_t triangle;
    bool forward; /* the triangle runs from a to b */
} mesh_side;

typedef struct mesh_edges {
    mesh_side *sides; /* three for each triangle, sorted by a, b, triangle */
    size_t count;
} mesh_edges;

bool mesh_edges_build(mesh_edges *edges, const triangle_mesh *mesh, weir_error *error);
void mesh_edges_free(mesh_edges *edges);

/* The sides of one edge: [begin, end). Start with begin = end = 0; false after the last one. */
bool mesh_edges_next(const mesh_edges *edges, size_t *begin, size_t *end);

/* How many more triangles run from a to b than from b to a; 0 at every edge of a closed mesh. */
int64_t mesh_edges_balance(const mesh_edges *edges, size_t begin, size_t end);

/* Sets of triangles or points that belong together, each with a parity against its root: whether
 * a triangle must be flipped to run like its root. */
typedef struct mesh_sets {
    uint32_t *parent;
    uint8_t *odd; /* against the parent */
    size_t count;
} mesh_sets;

bool mesh_sets_create(mesh_sets *sets, size_t count, weir_error *error);
void mesh_sets_free(mesh_sets *sets);
uint32_t mesh_sets_root(mesh_sets *sets, uint32_t member, bool *odd);

/* States that `a` and `b` belong together and whether their parities differ. False where earlier
 * statements contradict it. */
bool mesh_sets_join(mesh_sets *sets, uint32_t a, uint32_t b, bool differ);

/* Joins triangles over the edges that exactly two of them share. Returns the number of edges that
 * contradict the others, as on a one-sided surface; `first` is one of them. */
size_t mesh_sets_join_surfaces(mesh_sets *sets, const mesh_edges *edges, size_t *first);

#endif
