/* Closes cracks: points of open edges that nearly meet become one. Other points stay apart, however
 * near they are, so that fine detail of a sound surface is kept. */
#include "base/error.h"
#include "base/hash.h"
#include "mesh/mesh_edges.h"
#include "mesh/mesh_repair.h"

#include <stdlib.h>

static const uint32_t none = UINT32_MAX;

/* Points in square cells as wide as the distance in question; lists by cell in a hash table. */
typedef struct point_cells {
    uint32_t *first, *next;
    size_t slots;
    double width;
} point_cells;

static size_t cell_slot(const point_cells *cells, vec3 p, int dx, int dy, int dz)
{
    /* In double, since the numbers of cells may be beyond any integer; + 0.0 makes -0 and 0 one. */
    double cell[3] = {floor(p.x / cells->width) + dx + 0.0, floor(p.y / cells->width) + dy + 0.0,
                      floor(p.z / cells->width) + dz + 0.0};
    return hash_bytes(0, cell, sizeof cell) & (cells->slots - 1);
}

/* The lowest earlier point within `distance`, or none. */
static uint32_t find_near(const point_cells *cells, const triangle_mesh *mesh, uint32_t i)
{
    uint32_t found = none;
    for (int k = 0; k < 27; k++) {
        size_t slot = cell_slot(cells, mesh->points[i], k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        for (uint32_t j = cells->first[slot]; j != none; j = cells->next[j])
            if (j < found &&
                vec3_length(vec3_sub(mesh->points[i], mesh->points[j])) <= cells->width)
                found = j;
    }
    return found;
}

static void mark_open_points(const mesh_edges *edges, bool *open)
{
    for (size_t begin = 0, end = 0; mesh_edges_next(edges, &begin, &end);)
        if ((end - begin) % 2 == 1)
            open[edges->sides[begin].a] = open[edges->sides[begin].b] = true;
}

/* Chooses for every open point the first one within the distance. Returns how many have one. */
static size_t choose_targets(point_cells *cells, const triangle_mesh *mesh, const bool *open,
                             uint32_t *target)
{
    size_t welded = 0;
    for (size_t i = 0; i < cells->slots; i++)
        cells->first[i] = none;
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        target[i] = i;
        if (!open[i])
            continue;
        uint32_t near = find_near(cells, mesh, i);
        if (near != none) {
            target[i] = near;
            welded++;
        } else {
            size_t slot = cell_slot(cells, mesh->points[i], 0, 0, 0);
            cells->next[i] = cells->first[slot];
            cells->first[slot] = i;
        }
    }
    return welded;
}

bool mesh_repair_weld(triangle_mesh *mesh, double distance, size_t *welded, weir_error *error)
{
    *welded = 0;
    if (!(distance > 0))
        return true;
    mesh_edges edges;
    if (!mesh_edges_build(&edges, mesh, error))
        return false;
    point_cells cells = {.slots = 16, .width = distance};
    while (cells.slots < 2 * mesh->point_count)
        cells.slots *= 2;
    cells.first = malloc(cells.slots * sizeof *cells.first);
    cells.next = malloc(mesh->point_count * sizeof *cells.next + 1);
    bool *open = calloc(mesh->point_count + 1, sizeof *open);
    uint32_t *target = malloc(mesh->point_count * sizeof *target + 1);
    bool ok = cells.first && cells.next && open && target;
    if (ok) {
        mark_open_points(&edges, open);
        *welded = choose_targets(&cells, mesh, open, target);
        if (*welded > 0)
            triangle_mesh_merge_points(mesh, target);
    } else {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory to weld a mesh of %zu points",
             mesh->point_count);
    }
    free(target);
    free(open);
    free(cells.next);
    free(cells.first);
    mesh_edges_free(&edges);
    return ok;
}
