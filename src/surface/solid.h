/* Solids as meshes (3D) and outlines (2D), in the frame that the shape's own pose refers to. */
#ifndef WEIR_SURFACE_SOLID_H
#define WEIR_SURFACE_SOLID_H

#include "base/vec.h"
#include "mesh/triangle_mesh.h"
#include "surface/surface.h"
#include "weir/shape.h"

/* Boxes, balls, capsules and cylinders become exact meshes with sharp edges; a union the meshes of
 * its parts; grids and rounded shapes level sets. `step` is the grid step for those in m, 0 for a
 * hundredth of the shape's size. Half-spaces and other endless shapes give no triangles. The
 * complement of a shape has the same triangles turned over: their normals point into the tank.
 * `mesh` is filled anew. */
bool solid_mesh_build(surface_mesh *mesh, const weir_shape_def *def, double step,
                      weir_error *error);

/* A mesh that was read from a file, with normals that are smooth up to edges of 40°. */
bool solid_mesh_of_triangles(surface_mesh *mesh, const triangle_mesh *triangles, weir_error *error);

/* solid_mesh_build in 2D. A complement has the loops and the fill of the shape. */
bool solid_outline_build(surface_outline *outline, const weir_shape_def *def, double step,
                         weir_error *error);

/* Adds `part`, placed by `place`, to `mesh`. Normals, velocities and fluids are kept where both
 * have them or the mesh is empty. */
bool surface_mesh_append(surface_mesh *mesh, const surface_mesh *part, weir_pose place,
                         weir_error *error);

#endif
