/* The readers behind triangle_mesh_parse, one for each format. They check every index and number
 * and leave welding to the caller. */
#ifndef WEIR_MESH_MESH_READERS_H
#define WEIR_MESH_MESH_READERS_H

#include "mesh/triangle_mesh.h"

bool mesh_read_obj(triangle_mesh *mesh, const char *name, const char *bytes, size_t size,
                   weir_error *error);
bool mesh_read_ply(triangle_mesh *mesh, const char *name, const char *bytes, size_t size,
                   weir_error *error);
bool mesh_read_stl(triangle_mesh *mesh, const char *name, const char *bytes, size_t size,
                   weir_error *error);

#endif
