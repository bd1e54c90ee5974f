/* Whether a mesh encloses a volume, and where it does not. */
#ifndef WEIR_MESH_MESH_CHECK_H
#define WEIR_MESH_MESH_CHECK_H

#include "mesh/triangle_mesh.h"

typedef struct mesh_report {
    size_t point_count, triangle_count;
    size_t component_count;     /* surfaces connected over edges */
    size_t open_edge_count;     /* edges with a triangle on one side only */
    size_t hole_count;          /* connected sets of open edges */
    vec3 hole_centre;           /* of the widest hole */
    double hole_width;          /* m, the diagonal of its box */
    size_t crowded_edge_count;  /* edges with three triangles or more (not manifold) */
    vec3 crowded_place;         /* the middle of the first of them */
    size_t clashing_edge_count; /* edges whose two triangles run the same way (not oriented) */
    size_t one_sided_count;     /* edges at which no way of flipping helps, as on a Moebius strip */
    vec3 one_sided_place;
    size_t unbalanced_edge_count; /* edges at which the triangles do not cancel; 0 = watertight */
    double area;                  /* m² */
    double volume; /* m³, as the orientation says; without meaning where the mesh is open */
    bounds box;
    bool closed;   /* no edge is open or unbalanced: inside and outside are defined */
    bool manifold; /* no edge is open or crowded */
    bool oriented; /* neighbours run the same way round, and the volume is positive */
} mesh_report;

bool mesh_check(const triangle_mesh *mesh, mesh_report *report, weir_error *error);

/* Six times the volume of the cone from `apex` over triangle `index`. */
double mesh_check_cone(const triangle_mesh *mesh, size_t index, vec3 apex);

#endif
