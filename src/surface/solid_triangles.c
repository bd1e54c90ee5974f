/* Corners of triangles get the mean normal of the triangles around their point, weighted by area,
 * as far as those face alike: then round parts look round and edges stay sharp. */
#include "base/error.h"
#include "surface/solid.h"

#include <stdlib.h>

/* Cosine of 40°. */
static const double alike = 0.766;

/* The triangles around each point: list[start[p]] to list[start[p + 1] − 1]. */
typedef struct fans {
    uint32_t *start, *list;
} fans;

static bool build_fans(fans *f, const triangle_mesh *m)
{
    f->start = calloc(m->point_count + 2, sizeof *f->start);
    f->list = malloc((3 * m->triangle_count + 1) * sizeof *f->list);
    if (!f->start || !f->list)
        return false;
    for (size_t t = 0; t < m->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            f->start[m->triangles[t].corner[k] + 2]++;
    for (size_t p = 0; p < m->point_count; p++)
        f->start[p + 2] += f->start[p + 1];
    for (size_t t = 0; t < m->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            f->list[f->start[m->triangles[t].corner[k] + 1]++] = (uint32_t)t;
    return true;
}

static vec3 corner_normal(const triangle_mesh *m, const fans *f, size_t index, uint32_t point)
{
    vec3 own = triangle_mesh_normal(m, index), sum = {0, 0, 0};
    vec3 direction = vec3_unit(own, vec3_make(0, 0, 0));
    for (uint32_t i = f->start[point]; i < f->start[point + 1]; i++) {
        vec3 other = triangle_mesh_normal(m, f->list[i]);
        if (vec3_dot(vec3_unit(other, direction), direction) >= alike)
            sum = vec3_add(sum, other);
    }
    return vec3_unit(sum, direction);
}

static void fill(surface_mesh *mesh, const triangle_mesh *m, const fans *f)
{
    for (size_t t = 0; t < m->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t point = m->triangles[t].corner[k];
            vec3 at = m->points[point], n = corner_normal(m, f, t, point);
            size_t v = 3 * t + k;
            float *p = mesh->positions + 3 * v, *q = mesh->normals + 3 * v;
            p[0] = (float)at.x, p[1] = (float)at.y, p[2] = (float)at.z;
            q[0] = (float)n.x, q[1] = (float)n.y, q[2] = (float)n.z;
            mesh->triangles[v] = (uint32_t)v;
        }
    mesh->vertex_count = 3 * m->triangle_count;
    mesh->triangle_count = m->triangle_count;
}

bool solid_mesh_of_triangles(surface_mesh *mesh, const triangle_mesh *m, weir_error *error)
{
    *mesh = (surface_mesh){0};
    if (m->triangle_count >= UINT32_MAX / 3)
        return fail(error, WEIR_UNSUPPORTED, "a mesh of %zu triangles is too large to draw",
                    m->triangle_count);
    fans f = {0};
    size_t corners = 3 * m->triangle_count + 1;
    mesh->positions = malloc(3 * corners * sizeof *mesh->positions);
    mesh->normals = malloc(3 * corners * sizeof *mesh->normals);
    mesh->triangles = malloc(corners * sizeof *mesh->triangles);
    bool done = mesh->positions && mesh->normals && mesh->triangles && build_fans(&f, m);
    if (done)
        fill(mesh, m, &f);
    else
        surface_mesh_free(mesh);
    free(f.start);
    free(f.list);
    return done || fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the mesh of a solid");
}
