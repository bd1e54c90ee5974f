#include "surface_file.h"

#include "base/error.h"

#include <string.h>

static const char *const names[] = {
    [SURFACE_PLY] = "ply", [SURFACE_OBJ] = "obj", [SURFACE_VTP] = "vtp", [SURFACE_GLB] = "glb"};

bool surface_format_find(const char *text, surface_format *format)
{
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(names[k], text) == 0) {
            *format = (surface_format)k;
            return true;
        }
    return false;
}

const char *surface_format_name(surface_format format)
{
    return names[format];
}

static bool write_outline(const char *path, surface_format format,
                          const surface_particles *particles, const surface_settings *settings,
                          surface_size *size, weir_error *error)
{
    surface_outline outline;
    if (format != SURFACE_VTP)
        return fail(error, WEIR_INVALID,
                    "cannot write %s: the outline of a 2D fluid can only be written as vtp", path);
    if (!surface_outline_build(&outline, particles, settings, error))
        return false;
    *size = (surface_size){outline.triangle_count, surface_outline_area(&outline),
                           surface_outline_length(&outline)};
    bool done = surface_outline_write_vtp(path, &outline, error);
    surface_outline_free(&outline);
    return done;
}

bool surface_file_write(const char *path, surface_format format, const surface_particles *particles,
                        const surface_settings *settings, surface_size *size, weir_error *error)
{
    surface_mesh mesh;
    surface_size ignored;
    size = size ? size : &ignored;
    if (particles->dim == 2)
        return write_outline(path, format, particles, settings, size, error);
    if (!surface_mesh_build(&mesh, particles, settings, error))
        return false;
    *size =
        (surface_size){mesh.triangle_count, surface_mesh_volume(&mesh), surface_mesh_area(&mesh)};
    bool done = surface_mesh_write(path, format, &mesh, error);
    surface_mesh_free(&mesh);
    return done;
}
