#include "surface/neighbourhood.h"

#include "par/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(neighbourhood *n, size_t needed)
{
    if (needed <= n->capacity)
        return true;
    size_t capacity = 2 * needed;
    float **arrays[6] = {&n->at[0], &n->at[1], &n->at[2], &n->lean[0], &n->lean[1], &n->lean[2]};
    n->capacity = 0;
    for (int k = 0; k < 6; k++) {
        float *grown = realloc(*arrays[k], capacity * sizeof *grown);
        if (!grown)
            return false;
        *arrays[k] = grown;
    }
    uint32_t *near = realloc(n->near, capacity * sizeof *near);
    if (!near)
        return false;
    n->near = near;
    n->capacity = capacity;
    return true;
}

void neighbourhood_free(neighbourhood *n)
{
    for (int a = 0; a < 3; a++) {
        free(n->at[a]);
        free(n->lean[a]);
    }
    free(n->near);
    *n = (neighbourhood){0};
}

enum { GRAIN = 4096 };

typedef struct sort_loop {
    sorted_particles *sorted;
    const surface_particles *particles;
    double size;
    uint64_t *keys;
} sort_loop;

static void find_cells(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sort_loop *l = context;
    const surface_particles *p = l->particles;
    double size = l->size;
    for (size_t i = begin; i < end; i++)
        l->keys[i] = keymap_key((int)floor(p->x[i] / size), (int)floor(p->y[i] / size),
                                p->dim == 3 ? (int)floor(p->z[i] / size) : 0);
}

static void copy_in_order(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sort_loop *l = context;
    const surface_particles *p = l->particles;
    const float *axes[3] = {p->x, p->y, p->z};
    for (int a = 0; a < p->dim; a++)
        for (size_t k = begin; k < end; k++)
            l->sorted->at[a][k] = axes[a][l->sorted->cells.order[k]];
}

bool sorted_particles_build(sorted_particles *s, const surface_particles *p, double size,
                            int threads)
{
    *s = (sorted_particles){.scale = (float)(1 / p->spacing)};
    sort_loop l = {s, p, size, malloc((p->count + 1) * sizeof *l.keys)};
    bool done = l.keys;
    for (int a = 0; a < 3; a++) {
        s->at[a] = calloc(p->count + 1, sizeof *s->at[a]);
        s->lean[a] = calloc(p->count + 1, sizeof *s->lean[a]);
        done = done && s->at[a] && s->lean[a];
    }
    if (done)
        parallel_for(threads, p->count, GRAIN, find_cells, &l);
    done = done && bins_build(&s->cells, l.keys, p->count);
    if (done)
        parallel_for(threads, p->count, GRAIN, copy_in_order, &l);
    free(l.keys);
    return done;
}

void sorted_particles_free(sorted_particles *s)
{
    bins_free(&s->cells);
    for (int a = 0; a < 3; a++) {
        free(s->at[a]);
        free(s->lean[a]);
    }
}

/* Adds three cells in a row along x. */
static bool add(neighbourhood *n, const sorted_particles *s, int x, int y, int z, bool with_leans)
{
    uint32_t first = 0;
    size_t count = bins_find_run(&s->cells, x - 1, x + 1, y, z, &first);
    if (!make_room(n, n->count + count + GROUP_SIZE))
        return false;
    for (int a = 0; a < 3; a++) {
        float *to = n->at[a] + n->count, home = s->at[a][n->home], scale = s->scale;
        const float *from = s->at[a] + first;
        for (size_t k = 0; k < count; k++)
            to[k] = (from[k] - home) * scale;
        if (with_leans)
            memcpy(n->lean[a] + n->count, s->lean[a] + first, count * sizeof(float));
    }
    n->count += count;
    return true;
}

bool neighbourhood_gather(neighbourhood *n, const sorted_particles *s, size_t cell, bool with_leans)
{
    uint64_t key = s->cells.keys[cell];
    int x = keymap_coordinate(key, 0), y = keymap_coordinate(key, 1), z = keymap_coordinate(key, 2);
    n->count = 0;
    n->home = s->cells.start[cell];
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            if (!add(n, s, x, y + dy, z + dz, with_leans))
                return false;
    return true;
}

void neighbourhood_group(const neighbourhood *n, const sorted_particles *s, size_t first,
                         size_t count, group *out)
{
    out->count = count < GROUP_SIZE ? (int)count : GROUP_SIZE;
    out->first = first;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < GROUP_SIZE; k++) {
            size_t i = first + (size_t)(k < out->count ? k : out->count - 1);
            out->at[a][k] = (s->at[a][i] - s->at[a][n->home]) * s->scale;
            out->lean[a][k] = s->lean[a][i];
        }
}
