#include "couple/skin_cells.h"

#include <math.h>

static bounds find_bounds(const surface_samples *skin)
{
    bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t k = 0; k < skin->count; k++) {
        vec3 p = skin->points[k].position;
        b.lo = (vec3){fmin(b.lo.x, p.x), fmin(b.lo.y, p.y), fmin(b.lo.z, p.z)};
        b.hi = (vec3){fmax(b.hi.x, p.x), fmax(b.hi.y, p.y), fmax(b.hi.z, p.z)};
    }
    return b;
}

static void find_cell(const skin_cells *c, vec3 place, int at[3])
{
    const double offset[3] = {place.x - c->origin.x, place.y - c->origin.y, place.z - c->origin.z};
    for (int a = 0; a < 3; a++)
        at[a] = (int)floor(fmin(fmax(offset[a] / c->cell, -2), c->count[a] + 1));
}

static size_t index_of(const skin_cells *c, const int at[3])
{
    return ((size_t)at[2] * (size_t)c->count[1] + (size_t)at[1]) * (size_t)c->count[0] +
           (size_t)at[0];
}

/* A counting sort, so that the spheres of a cell keep their order. */
static void sort_spheres(skin_cells *c, const surface_samples *skin)
{
    int at[3];
    for (size_t k = 0; k < c->spheres; k++) {
        find_cell(c, skin->points[k].position, at);
        c->start[index_of(c, at) + 1]++;
    }
    for (size_t k = 0; k < c->cells; k++)
        c->start[k + 1] += c->start[k];
    for (size_t k = c->spheres; k-- > 0;) {
        find_cell(c, skin->points[k].position, at);
        c->order[--c->start[index_of(c, at) + 1]] = (uint32_t)k;
    }
    /* Each end has become the begin of its cell: back by one place. */
    for (size_t k = 0; k < c->cells; k++)
        c->start[k] = c->start[k + 1];
    c->start[c->cells] = (uint32_t)c->spheres;
}

bool skin_cells_create(skin_cells *c, memory *m, const surface_samples *skin, double reach)
{
    bounds b = find_bounds(skin);
    *c = (skin_cells){.cell = reach, .origin = b.lo, .cells = 1, .spheres = skin->count};
    if (skin->count == 0)
        return true;
    const double size[3] = {b.hi.x - b.lo.x, b.hi.y - b.lo.y, b.hi.z - b.lo.z};
    for (int a = 0; a < 3; a++) {
        c->count[a] = (int)floor(size[a] / reach) + 1;
        c->cells *= (size_t)c->count[a];
    }
    c->start = memory_take(m, (c->cells + 1) * sizeof *c->start);
    c->order = memory_take(m, c->spheres * sizeof *c->order);
    if (!c->start || !c->order) {
        skin_cells_destroy(c, m);
        return false;
    }
    sort_spheres(c, skin);
    return true;
}

void skin_cells_destroy(skin_cells *c, memory *m)
{
    memory_give(m, c->start, (c->cells + 1) * sizeof *c->start);
    memory_give(m, c->order, c->spheres * sizeof *c->order);
    *c = (skin_cells){0};
}

uint32_t skin_cells_nearest(const skin_cells *c, const surface_samples *skin, vec3 place)
{
    uint32_t found = SKIN_NONE;
    double nearest = c->cell * c->cell;
    int at[3];
    if (!c->start)
        return found;
    find_cell(c, place, at);
    for (int z = at[2] > 0 ? at[2] - 1 : 0; z <= at[2] + 1 && z < c->count[2]; z++)
        for (int y = at[1] > 0 ? at[1] - 1 : 0; y <= at[1] + 1 && y < c->count[1]; y++)
            for (int x = at[0] > 0 ? at[0] - 1 : 0; x <= at[0] + 1 && x < c->count[0]; x++) {
                size_t cell = index_of(c, (const int[3]){x, y, z});
                for (uint32_t k = c->start[cell]; k < c->start[cell + 1]; k++) {
                    uint32_t sphere = c->order[k];
                    vec3 away = vec3_sub(skin->points[sphere].position, place);
                    double d2 = vec3_dot(away, away);
                    if (d2 < nearest || (d2 == nearest && found != SKIN_NONE && sphere < found)) {
                        nearest = d2;
                        found = sphere;
                    }
                }
            }
    return found;
}
