/* Surface meshes of particles as files, for `weir mesh` and `weir run --mesh`. */
#ifndef WEIR_APP_SURFACE_FILE_H
#define WEIR_APP_SURFACE_FILE_H

#include "surface/mesh_write.h"

/* The format that `text` names: ply, obj, vtp or glb. */
bool surface_format_find(const char *text, surface_format *format);
const char *surface_format_name(surface_format format);

typedef struct surface_size {
    size_t triangles;
    double volume; /* m³; in 2D m² */
    double area;   /* m²; in 2D m */
} surface_size;

/* Meshes the particles and writes the file; 2D outlines can only be VTP. `size` may be NULL. */
bool surface_file_write(const char *path, surface_format format, const surface_particles *particles,
                        const surface_settings *settings, surface_size *size, weir_error *error);

#endif
