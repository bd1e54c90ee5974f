/* Surface meshes as files. Each file is written whole or not at all. */
#ifndef WEIR_SURFACE_MESH_WRITE_H
#define WEIR_SURFACE_MESH_WRITE_H

#include "surface/surface.h"

typedef enum surface_format {
    SURFACE_PLY, /* binary; velocity_x, _y, _z and fluid as vertex properties */
    SURFACE_OBJ, /* text; positions and normals only */
    SURFACE_VTP, /* VTK PolyData; velocity and fluid as point data */
    SURFACE_GLB, /* glTF 2.0 binary, with a water material; _VELOCITY and _FLUID as attributes */
} surface_format;

/* The format that the name's ending says. */
bool surface_format_from_path(surface_format *format, const char *path, weir_error *error);

bool surface_mesh_write(const char *path, surface_format format, const surface_mesh *mesh,
                        weir_error *error);

/* The writers by format. */
bool surface_mesh_write_ply(const char *path, const surface_mesh *mesh, weir_error *error);
bool surface_mesh_write_obj(const char *path, const surface_mesh *mesh, weir_error *error);
bool surface_mesh_write_vtp(const char *path, const surface_mesh *mesh, weir_error *error);
bool surface_mesh_write_glb(const char *path, const surface_mesh *mesh, weir_error *error);

/* Outlines of 2D fluids: closed polylines with their fill as VTK PolyData, with velocity and
 * fluid as point data. */
bool surface_outline_write_vtp(const char *path, const surface_outline *outline, weir_error *error);

#endif
