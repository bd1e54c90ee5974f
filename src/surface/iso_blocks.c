/* Which blocks of the grid a field needs. */
#include "surface/iso_field.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct key_list {
    uint64_t *keys;
    size_t count, capacity;
} key_list;

/* Adds the blocks [low, high]. */
static bool add_blocks(key_list *list, const int low[3], const int high[3])
{
    size_t more = (size_t)(high[0] - low[0] + 1) * (size_t)(high[1] - low[1] + 1) *
                  (size_t)(high[2] - low[2] + 1);
    if (more == 0)
        return true;
    if (list->count + more > list->capacity) {
        size_t capacity = 2 * (list->count + more);
        uint64_t *grown = realloc(list->keys, capacity * sizeof *grown);
        if (!grown)
            return false;
        list->keys = grown;
        list->capacity = capacity;
    }
    assert(list->keys);
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++)
                list->keys[list->count++] = keymap_key(x, y, z);
    return true;
}

static bool add_blocks_of_kernel(const iso_field *f, const iso_field_kernel *k, key_list *list)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int a = 0; a < f->dim; a++) {
        int first = k->node[a] + (int)floorf(k->offset[a] - k->extent[a]);
        int last = k->node[a] + (int)ceilf(k->offset[a] + k->extent[a]);
        /* A node on a lower face belongs to the block below, too. */
        low[a] = iso_floor_divide(first - 1, BLOCK_CELLS);
        high[a] = iso_floor_divide(last, BLOCK_CELLS);
    }
    return add_blocks(list, low, high);
}

/* Blocks of the bounding box that may hold some of the solid: distances change by at most the
 * way, so the one at a block's middle rules out those that are farther than its corners. */
static bool add_blocks_of_solid(const iso_field *f, bool surface_only, key_list *list)
{
    bounds box = shape_bounds(f->solid);
    const double lows[3] = {box.lo.x, box.lo.y, box.lo.z},
                 highs[3] = {box.hi.x, box.hi.y, box.hi.z};
    double width = BLOCK_CELLS * f->step, corner = 0.5 * width * sqrt(f->dim) + f->step;
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        low[a] = (int)floor((lows[a] - f->step) / width);
        high[a] = (int)floor((highs[a] + f->step) / width);
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                vec3 middle = {(x + 0.5) * width, (y + 0.5) * width, (z + 0.5) * width};
                double distance = shape_distance(f->solid, middle, NULL);
                if (distance > corner || (surface_only && distance < -corner))
                    continue;
                int block[3] = {x, y, z};
                if (!add_blocks(list, block, block))
                    return false;
            }
    return true;
}

bool iso_field_blocks(const iso_field *f, bool surface_only, keymap *blocks)
{
    /* A kernel touches few blocks and neighbours touch the same ones: collect, then sort. */
    key_list list = {0};
    bool done = !f->solid || add_blocks_of_solid(f, surface_only, &list);
    for (size_t i = 0; done && i < f->particles->count; i++)
        if (!surface_only || f->kernels[i].exposed)
            done = add_blocks_of_kernel(f, &f->kernels[i], &list);
    done = done && keymap_build_unsorted(blocks, list.keys, list.count);
    free(list.keys);
    return done;
}
