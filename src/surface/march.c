/* Marching cubes (Lorensen and Cline 1987) over sparse blocks. Blocks are evaluated in waves: the
 * first wave holds those that exposed kernels touch; where the surface leaves the evaluated blocks
 * through a face, the block beyond joins the next wave, so that the mesh is always closed. A block
 * owns the grid edges that start at its nodes, and with them their vertices. Fields are dropped
 * as soon as a block is done: memory grows with the surface. */
#include "surface/march.h"

#include "base/error.h"
#include "surface/march_parts.h"

#include <stdlib.h>

typedef struct wave_job {
    const iso_field *field;
    const cube_table *table;
    march_piece *pieces;
} wave_job;

static bool march_one(void *context, size_t i, iso_field_block *room)
{
    const wave_job *job = context;
    return march_block(job->field, job->table, room, &job->pieces[i]);
}

/* The pieces from `first` on. */
static bool march_wave(const iso_field *f, const cube_table *table, march_pieces *all, size_t first)
{
    wave_job job = {f, table, all->items + first};
    return iso_field_visit_all(f, all->count - first, 4, march_one, &job);
}

static bool append(march_pieces *all, const keymap *blocks)
{
    size_t needed = all->count + blocks->count;
    if (needed > all->capacity) {
        size_t capacity = needed + needed / 2;
        march_piece *grown = realloc(all->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        all->items = grown;
        all->capacity = capacity;
    }
    for (size_t i = 0; i < blocks->count; i++)
        all->items[all->count++] = (march_piece){.key = blocks->keys[i]};
    return true;
}

static int compare_pieces(const void *a, const void *b)
{
    uint64_t x = ((const march_piece *)a)->key, y = ((const march_piece *)b)->key;
    return (x > y) - (x < y);
}

/* The blocks beyond faces through which the surface leaves, as far as they are not there yet. */
static bool find_missing(const march_pieces *sorted, keymap *missing)
{
    size_t count = 0, leaving = 0;
    for (size_t i = 0; i < sorted->count; i++)
        leaving += sorted->items[i].leaves != 0;
    uint64_t *keys = malloc((6 * leaving + 1) * sizeof *keys);
    if (!keys)
        return false;
    for (size_t i = 0; i < sorted->count; i++)
        for (int face = 0; face < 6; face++) {
            const march_piece *p = &sorted->items[i];
            if (!(p->leaves >> face & 1))
                continue;
            int c[3];
            for (int a = 0; a < 3; a++)
                c[a] = keymap_coordinate(p->key, a) + (face / 2 == a ? 2 * (face % 2) - 1 : 0);
            march_piece beyond = {.key = keymap_key(c[0], c[1], c[2])};
            if (!bsearch(&beyond, sorted->items, sorted->count, sizeof beyond, compare_pieces))
                keys[count++] = beyond.key;
        }
    bool built = keymap_build_unsorted(missing, keys, count);
    free(keys);
    return built;
}

static bool march(const iso_field *f, march_pieces *all)
{
    cube_table table;
    keymap wave;
    bool done = cube_table_build(&table) && iso_field_blocks(f, true, &wave);
    while (done && wave.count > 0) {
        size_t first = all->count;
        done = append(all, &wave) && march_wave(f, &table, all, first);
        if (all->count > 0)
            qsort(all->items, all->count, sizeof *all->items, compare_pieces);
        keymap_free(&wave);
        done = done && find_missing(all, &wave);
    }
    if (done)
        keymap_free(&wave);
    return done;
}

bool march_mesh(surface_mesh *mesh, const iso_field *f)
{
    march_pieces all = {0};
    *mesh = (surface_mesh){0};
    bool built = march(f, &all) && march_join(&all, f, mesh);
    for (size_t i = 0; i < all.count; i++)
        march_piece_free(&all.items[i]);
    free(all.items);
    if (!built)
        surface_mesh_free(mesh);
    return built;
}

bool surface_mesh_build(surface_mesh *mesh, const surface_particles *particles,
                        const surface_settings *settings, weir_error *error)
{
    *mesh = (surface_mesh){0};
    if (particles->dim != 3)
        return fail(error, WEIR_INVALID, "a surface mesh needs 3 dimensions, not %d",
                    particles->dim);
    iso_field f;
    if (!iso_field_build(&f, particles, settings, error))
        return false;
    bool built = march_mesh(mesh, &f);
    iso_field_free(&f);
    return built || fail(error, WEIR_OUT_OF_MEMORY,
                         "memory ran out for the surface of %zu particles", particles->count);
}
