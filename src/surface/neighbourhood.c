#include "surface/neighbourhood.h"

#include <math.h>
#include <stdlib.h>

/* Difference of leans, in reaches, at which a neighbour counts a quarter. In a half-space the last
 * layer leans by 0.26, the second by 0.1. */
static const float alike = 0.14f;

static bool make_room(neighbourhood *n, size_t needed)
{
    if (needed <= n->capacity)
        return true;
    float **arrays[6] = {&n->x, &n->y, &n->z, &n->lean_x, &n->lean_y, &n->lean_z};
    for (int k = 0; k < 6; k++) {
        float *grown = realloc(*arrays[k], 2 * needed * sizeof *grown);
        if (!grown)
            return false;
        *arrays[k] = grown;
    }
    n->capacity = 2 * needed;
    return true;
}

void neighbourhood_free(neighbourhood *n)
{
    float *arrays[6] = {n->x, n->y, n->z, n->lean_x, n->lean_y, n->lean_z};
    for (int k = 0; k < 6; k++)
        free(arrays[k]);
    *n = (neighbourhood){0};
}

/* Position of particle i relative to the home particle, in spacings. */
static void locate(const neighbourhood *n, const surface_particles *p, size_t i, float out[3])
{
    float scale = (float)(1 / p->spacing);
    out[0] = (p->x[i] - p->x[n->home]) * scale;
    out[1] = (p->y[i] - p->y[n->home]) * scale;
    out[2] = p->dim == 3 ? (p->z[i] - p->z[n->home]) * scale : 0;
}

static bool add(neighbourhood *n, const bins *cells, const int at[3], const surface_particles *p,
                const kernel_shape *shapes)
{
    uint32_t first = 0;
    size_t count = bins_find(cells, at[0], at[1], at[2], &first);
    if (!make_room(n, n->count + count))
        return false;
    for (size_t k = 0; k < count; k++, n->count++) {
        uint32_t i = cells->order[first + k];
        float at_i[3];
        locate(n, p, i, at_i);
        n->x[n->count] = at_i[0], n->y[n->count] = at_i[1], n->z[n->count] = at_i[2];
        if (shapes) {
            n->lean_x[n->count] = shapes[i].lean[0];
            n->lean_y[n->count] = shapes[i].lean[1];
            n->lean_z[n->count] = shapes[i].lean[2];
        }
    }
    return true;
}

bool neighbourhood_gather(neighbourhood *n, const bins *cells, size_t cell,
                          const surface_particles *p, const kernel_shape *shapes)
{
    uint64_t key = cells->cells.keys[cell];
    int x = keymap_coordinate(key, 0), y = keymap_coordinate(key, 1), z = keymap_coordinate(key, 2),
        depth = p->dim == 3;
    n->count = 0;
    n->home = cells->order[cells->start[cell]];
    for (int dz = -depth; dz <= depth; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (!add(n, cells, (int[3]){x + dx, y + dy, z + dz}, p, shapes))
                    return false;
    return true;
}

moments neighbourhood_moments(const neighbourhood *n, const surface_particles *p, size_t i,
                              float reach, float support)
{
    float at[3];
    locate(n, p, i, at);
    const float *nx = n->x, *ny = n->y, *nz = n->z;
    float w = 0, wx = 0, wy = 0, wz = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    float density = 0, cube = 1 / (reach * reach * reach), square = 1 / (support * support);
#pragma omp simd reduction(+ : w, wx, wy, wz, xx, xy, xz, yy, yz, zz, density)
    for (size_t k = 0; k < n->count; k++) {
        float dx = nx[k] - at[0], dy = ny[k] - at[1], dz = nz[k] - at[2];
        float r2 = dx * dx + dy * dy + dz * dz;
        float near = 1 - r2 * sqrtf(r2) * cube, close = 1 - r2 * square;
        near = near > 0 ? near : 0;
        close = close > 0 ? close : 0;
        density += close * close * close;
        w += near;
        wx += near * dx, wy += near * dy, wz += near * dz;
        xx += near * dx * dx, xy += near * dx * dy, xz += near * dx * dz;
        yy += near * dy * dy, yz += near * dy * dz, zz += near * dz * dz;
    }
    return (moments){w, wx, wy, wz, xx, xy, xz, yy, yz, zz, density};
}

void neighbourhood_mean_alike(const neighbourhood *n, const surface_particles *p, size_t i,
                              const float lean[3], float reach, float mean[3])
{
    float at[3];
    locate(n, p, i, at);
    const float *nx = n->x, *ny = n->y, *nz = n->z;
    const float *leans_x = n->lean_x, *leans_y = n->lean_y, *leans_z = n->lean_z;
    float lx = lean[0], ly = lean[1], lz = lean[2];
    float w = 0, wx = 0, wy = 0, wz = 0, cube = 1 / (reach * reach * reach);
    float scale = 1 / (alike * alike * reach * reach);
#pragma omp simd reduction(+ : w, wx, wy, wz)
    for (size_t k = 0; k < n->count; k++) {
        float dx = nx[k] - at[0], dy = ny[k] - at[1], dz = nz[k] - at[2];
        float ex = leans_x[k] - lx, ey = leans_y[k] - ly, ez = leans_z[k] - lz;
        float r2 = dx * dx + dy * dy + dz * dz;
        float near = 1 - r2 * sqrtf(r2) * cube;
        near = near > 0 ? near : 0;
        float unlike = 1 + (ex * ex + ey * ey + ez * ez) * scale;
        near /= unlike * unlike;
        w += near;
        wx += near * dx, wy += near * dy, wz += near * dz;
    }
    mean[0] = wx / w, mean[1] = wy / w, mean[2] = wz / w;
}
