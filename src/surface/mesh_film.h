/* Surface meshes over time in one glTF file, as an animation. The topology changes from frame to
 * frame, so that every frame is a mesh of its own whose node has the size 1 while it is shown and 0
 * before and after: what every importer of glTF understands. Solids are meshes that move. */
#ifndef WEIR_SURFACE_MESH_FILM_H
#define WEIR_SURFACE_MESH_FILM_H

#include "surface/glb.h"

typedef struct mesh_film mesh_film;

/* A film of at most `frames` frames and `solids` solids; NULL where memory ran out. */
mesh_film *mesh_film_begin(const char *path, size_t frames, size_t solids, weir_error *error);

/* Adds a solid, before the first frame; `colour` is sRGB. */
void mesh_film_add_solid(mesh_film *film, const char *name, const surface_mesh *mesh,
                         const float colour[3]);

/* Adds a frame at a later time than the last: the fluid, and the poses of the solids in the order
 * in which they were added. */
void mesh_film_add(mesh_film *film, double time, const surface_mesh *fluid, const weir_pose *poses);

/* Writes what there is and frees the film; tells what failed on the way. */
bool mesh_film_end(mesh_film *film, weir_error *error);
void mesh_film_discard(mesh_film *film);

#endif
