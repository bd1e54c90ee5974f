#include "surface/mesh_write.h"

#include "base/error.h"
#include "out/file.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool surface_format_from_path(surface_format *format, const char *path, weir_error *error)
{
    static const char *const endings[] = {[SURFACE_PLY] = ".ply",
                                          [SURFACE_OBJ] = ".obj",
                                          [SURFACE_VTP] = ".vtp",
                                          [SURFACE_GLB] = ".glb"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < 4; i++)
        if (strcasecmp(dot, endings[i]) == 0) {
            *format = (surface_format)i;
            return true;
        }
    return fail(error, WEIR_INVALID,
                "cannot tell the mesh format of %s: its name must end in .ply, .obj, .vtp or .glb",
                path);
}

bool surface_mesh_write(const char *path, surface_format format, const surface_mesh *mesh,
                        weir_error *error)
{
    switch (format) {
    case SURFACE_PLY:
        return surface_mesh_write_ply(path, mesh, error);
    case SURFACE_OBJ:
        return surface_mesh_write_obj(path, mesh, error);
    case SURFACE_VTP:
        return surface_mesh_write_vtp(path, mesh, error);
    case SURFACE_GLB:
        return surface_mesh_write_glb(path, mesh, error);
    }
    return fail(error, WEIR_INVALID, "cannot write %s: unknown mesh format %d", path, format);
}

static void write_ply_header(file_writer *w, const surface_mesh *mesh)
{
    file_print(w, "ply\nformat %s 1.0\ncomment surface by Weir\n",
               file_is_little_endian() ? "binary_little_endian" : "binary_big_endian");
    file_print(w, "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n",
               mesh->vertex_count);
    if (mesh->normals)
        file_print(w, "property float nx\nproperty float ny\nproperty float nz\n");
    if (mesh->velocities)
        file_print(w, "property float velocity_x\nproperty float velocity_y\n"
                      "property float velocity_z\n");
    if (mesh->fluids)
        file_print(w, "property uchar fluid\n");
    file_print(w, "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
               mesh->triangle_count);
}

bool surface_mesh_write_ply(const char *path, const surface_mesh *mesh, weir_error *error)
{
    file_writer w;
    file_begin(&w, path);
    write_ply_header(&w, mesh);
    for (size_t i = 0; i < mesh->vertex_count && !w.failed; i++) {
        file_write(&w, mesh->positions + 3 * i, 3 * sizeof(float));
        if (mesh->normals)
            file_write(&w, mesh->normals + 3 * i, 3 * sizeof(float));
        if (mesh->velocities)
            file_write(&w, mesh->velocities + 3 * i, 3 * sizeof(float));
        if (mesh->fluids)
            file_write(&w, mesh->fluids + i, 1);
    }
    const uint8_t corners = 3;
    for (size_t i = 0; i < mesh->triangle_count && !w.failed; i++) {
        file_write(&w, &corners, 1);
        file_write(&w, mesh->triangles + 3 * i, 3 * sizeof(uint32_t));
    }
    return file_commit(&w, error);
}

static void write_obj_text(file_writer *w, const surface_mesh *mesh)
{
    file_print(w, "# surface by Weir, metres\n");
    for (size_t i = 0; i < mesh->vertex_count && !w->failed; i++) {
        const float *p = mesh->positions + 3 * i;
        file_print(w, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (size_t i = 0; mesh->normals && i < mesh->vertex_count && !w->failed; i++) {
        const float *n = mesh->normals + 3 * i;
        file_print(w, "vn %.5g %.5g %.5g\n", (double)n[0], (double)n[1], (double)n[2]);
    }
    for (size_t i = 0; i < mesh->triangle_count && !w->failed; i++) {
        /* OBJ counts from 1. */
        unsigned a = mesh->triangles[3 * i] + 1, b = mesh->triangles[3 * i + 1] + 1,
                 c = mesh->triangles[3 * i + 2] + 1;
        if (mesh->normals)
            file_print(w, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
        else
            file_print(w, "f %u %u %u\n", a, b, c);
    }
}

bool surface_mesh_write_obj(const char *path, const surface_mesh *mesh, weir_error *error)
{
    file_writer w;
    file_begin(&w, path);
    /* Numbers need a point, whatever locale the program runs in. */
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    write_obj_text(&w, mesh);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return file_commit(&w, error);
}
