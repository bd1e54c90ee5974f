/* Which blocks of the grid a field needs. */
#include "surface/iso_field.h"

#include "par/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Keys in a hash; 0 is an empty slot, which no block near the origin has as its key. Many kernels
 * touch the same blocks, so that the set is far smaller than the list of what is added. */
typedef struct key_set {
    uint64_t *slots;
    size_t count, room; /* a power of two, or 0 */
} key_set;

static void put(key_set *set, uint64_t key)
{
    size_t slot = (size_t)keymap_hash(key) & (set->room - 1);
    while (set->slots[slot] && set->slots[slot] != key)
        slot = (slot + 1) & (set->room - 1);
    set->count += set->slots[slot] == 0;
    set->slots[slot] = key;
}

/* Makes room for `more` keys. */
static bool grow(key_set *set, size_t more)
{
    size_t room = set->room ? set->room : 1024;
    while (room < 2 * (set->count + more))
        room *= 2;
    if (room == set->room)
        return true;
    key_set grown = {calloc(room, sizeof *grown.slots), 0, room};
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < set->room; i++)
        if (set->slots[i])
            put(&grown, set->slots[i]);
    free(set->slots);
    *set = grown;
    return true;
}

/* Adds the blocks [low, high]. */
static bool add_blocks(key_set *set, const int low[3], const int high[3])
{
    size_t more = (size_t)(high[0] - low[0] + 1) * (size_t)(high[1] - low[1] + 1) *
                  (size_t)(high[2] - low[2] + 1);
    if (!grow(set, more))
        return false;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++)
                put(set, keymap_key(x, y, z));
    return true;
}

/* The blocks of a kernel's support. */
typedef struct block_box {
    int low[3], high[3];
} block_box;

static block_box box_of_kernel(const iso_field *f, const iso_field_kernel *k)
{
    block_box box = {{0, 0, 0}, {0, 0, 0}};
    for (int a = 0; a < f->dim; a++) {
        int first = k->node[a] + (int)floorf(k->offset[a] - k->extent[a]);
        int last = k->node[a] + (int)ceilf(k->offset[a] + k->extent[a]);
        /* A node on a lower face belongs to the block below, too. */
        box.low[a] = iso_floor_divide(first - 1, BLOCK_CELLS);
        box.high[a] = iso_floor_divide(last, BLOCK_CELLS);
    }
    return box;
}

/* Adds the blocks of kernels [first, end), which are neighbours: most touch what the one before
 * does. */
static bool add_blocks_of_kernels(const iso_field *f, bool surface_only, size_t first, size_t end,
                                  key_set *set)
{
    block_box last = {{1, 1, 1}, {0, 0, 0}};
    for (size_t i = first; i < end; i++) {
        if (surface_only && !f->kernels[i].exposed)
            continue;
        block_box box = box_of_kernel(f, &f->kernels[i]);
        bool within = true;
        for (int a = 0; a < 3; a++)
            within = within && box.low[a] >= last.low[a] && box.high[a] <= last.high[a];
        if (within)
            continue;
        if (!add_blocks(set, box.low, box.high))
            return false;
        last = box;
    }
    return true;
}

/* Blocks of the bounding box that may hold some of the solid: distances change by at most the
 * way, so the one at a block's middle rules out those that are farther than its corners. */
static bool add_blocks_of_solid(const iso_field *f, bool surface_only, key_set *set)
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
                if (!add_blocks(set, block, block))
                    return false;
            }
    return true;
}

typedef struct key_list {
    uint64_t *keys;
    size_t count;
} key_list;

/* Appends what is in the set. */
static bool append(key_list *list, const key_set *set)
{
    if (set->count == 0)
        return true;
    uint64_t *grown = realloc(list->keys, (list->count + set->count) * sizeof *grown);
    if (!grown)
        return false;
    list->keys = grown;
    for (size_t i = 0; i < set->room; i++)
        if (set->slots[i])
            list->keys[list->count++] = set->slots[i];
    return true;
}

/* Each thread has a set of its own; their order is sorted out after. */
typedef struct block_loop {
    const iso_field *field;
    bool surface_only;
    key_set sets[PARALLEL_MAX_THREADS];
    atomic_bool failed;
} block_loop;

static void find_blocks(void *context, size_t begin, size_t end, int thread)
{
    block_loop *l = context;
    if (!add_blocks_of_kernels(l->field, l->surface_only, begin, end, &l->sets[thread]))
        l->failed = true;
}

static bool list_blocks_of_kernels(const iso_field *f, bool surface_only, key_list *list)
{
    block_loop l = {.field = f, .surface_only = surface_only};
    parallel_for(f->threads, f->particles->count, 4096, find_blocks, &l);
    bool done = !l.failed;
    for (int thread = 0; thread < f->threads; thread++) {
        done = done && append(list, &l.sets[thread]);
        free(l.sets[thread].slots);
    }
    return done;
}

bool iso_field_blocks(const iso_field *f, bool surface_only, keymap *blocks)
{
    key_list list = {0};
    key_set set = {0};
    bool done = f->solid ? add_blocks_of_solid(f, surface_only, &set) && append(&list, &set)
                         : list_blocks_of_kernels(f, surface_only, &list);
    done = done && keymap_build_unsorted(blocks, list.keys, list.count);
    free(set.slots);
    free(list.keys);
    return done;
}
