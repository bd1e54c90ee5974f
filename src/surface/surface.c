#include "surface/surface.h"

#include <math.h>
#include <stdlib.h>

surface_particles surface_particles_of(const weir_particle_view *view, int dim, double spacing)
{
    return (surface_particles){.count = view->count,
                               .dim = dim,
                               .spacing = spacing,
                               .x = view->position[0],
                               .y = view->position[1],
                               .z = view->position[2],
                               .vx = view->velocity[0],
                               .vy = view->velocity[1],
                               .vz = view->velocity[2],
                               .fluid = view->fluid};
}

surface_settings surface_settings_default(void)
{
    return (surface_settings){
        .kind = SURFACE_ANISOTROPIC,
        .cell = 0.5,
        .reach = 2.5,
        .smoothing = 0.9,
        .stretch = 4,
    };
}

void surface_mesh_free(surface_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->velocities);
    free(mesh->fluids);
    free(mesh->triangles);
    *mesh = (surface_mesh){0};
}

/* Twice the area of triangle t as a vector, and its first corner. */
static void face_vector(const surface_mesh *mesh, size_t t, double normal[3], double corner[3])
{
    const float *a = mesh->positions + 3 * (size_t)mesh->triangles[3 * t];
    const float *b = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + 1];
    const float *c = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + 2];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - a[k];
        v[k] = (double)c[k] - a[k];
        corner[k] = a[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = u[i] * v[j] - u[j] * v[i];
    }
}

double surface_mesh_volume(const surface_mesh *mesh)
{
    double volume = 0, n[3], p[3];
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        face_vector(mesh, t, n, p);
        volume += (n[0] * p[0] + n[1] * p[1] + n[2] * p[2]) / 6;
    }
    return volume;
}

double surface_mesh_area(const surface_mesh *mesh)
{
    double area = 0, n[3], p[3];
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        face_vector(mesh, t, n, p);
        area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    }
    return area;
}
