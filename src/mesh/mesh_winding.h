/* How often a closed mesh winds around the samples of a grid: 0 outside, 1 inside, more where
 * parts of the mesh overlap, 0 again in cavities. */
#ifndef WEIR_MESH_MESH_WINDING_H
#define WEIR_MESH_MESH_WINDING_H

#include "mesh/triangle_mesh.h"

/* Writes count[0]·count[1]·count[2] whole numbers, x fastest. The mesh must be closed and lie
 * within the grid in y and z. */
bool mesh_winding(const triangle_mesh *mesh, vec3 origin, double step, const int count[3],
                  float *winding, weir_error *error);

#endif
