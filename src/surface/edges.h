/* The sharp edges of a mesh, for wire drawings. */
#ifndef WEIR_SURFACE_EDGES_H
#define WEIR_SURFACE_EDGES_H

#include "surface/surface.h"

typedef struct surface_edge {
    float from[3], to[3];
} surface_edge;

/* Edges where two triangles meet at more than 30°; corners at one place count as one, whether the
 * mesh shares their vertex or not. Free the list with free(). NULL when memory runs out. */
surface_edge *surface_mesh_edges(const surface_mesh *mesh, size_t *count);

#endif
