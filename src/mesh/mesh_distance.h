/* Signed distances to a closed mesh, sampled on a grid: what a weir_shape_def of kind
 * WEIR_SHAPE_GRID takes. Closest points come from Embree, signs from winding numbers. */
#ifndef WEIR_MESH_MESH_DISTANCE_H
#define WEIR_MESH_MESH_DISTANCE_H

#include "mesh/triangle_mesh.h"

typedef struct mesh_distance_options {
    double spacing;        /* m, > 0: of the particles; the step and the padding follow from it */
    double step;           /* m; 0 = half a spacing, down to a quarter for thin meshes */
    double padding;        /* m around the mesh; 0 = 3 spacings, the reach of a kernel */
    uint64_t memory_limit; /* bytes; 0 = half of what is free */
    int threads;           /* 0 = all */
} mesh_distance_options;

/* The grid and what it will cost. */
typedef struct mesh_distance_plan {
    vec3 origin;
    double step;
    int count[3];
    int threads;
    double samples;
    uint64_t bytes; /* at the peak: samples, a copy of the mesh and Embree's tree */
    double seconds; /* roughly */
} mesh_distance_plan;

typedef struct mesh_distance {
    weir_grid_def grid; /* refers to `distances` */
    float *distances;   /* owned */
    double volume; /* m³ within the sampled surface; differs from the mesh's where that is thin */
} mesh_distance;

/* Fails where the grid would take more memory than is allowed. */
bool mesh_distance_prepare(mesh_distance_plan *plan, const triangle_mesh *mesh,
                           const mesh_distance_options *options, weir_error *error);

/* The mesh must be closed and oriented (mesh_repair). The result does not depend on the number of
 * threads. */
bool mesh_distance_build(mesh_distance *out, const triangle_mesh *mesh,
                         const mesh_distance_plan *plan, weir_error *error);
void mesh_distance_free(mesh_distance *d);

/* The distance from `point` to the triangle a, b, c. */
double mesh_distance_to_triangle(vec3 point, vec3 a, vec3 b, vec3 c);

#endif
