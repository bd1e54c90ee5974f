/* The field at the nodes of a block. */
#include "par/parallel.h"
#include "surface/iso_passes.h"

#include <stdatomic.h>
#include <stdlib.h>

static bool make_room(iso_field_block *b, size_t needed)
{
    if (needed <= b->kernel_capacity)
        return true;
    size_t capacity = 2 * needed;
    b->kernel_capacity = 0;
    uint32_t *kernels = realloc(b->kernels, capacity * sizeof *kernels);
    b->kernels = kernels ? kernels : b->kernels;
    uint32_t *near = realloc(b->near, capacity * sizeof *near);
    b->near = near ? near : b->near;
    bool done = kernels && near;
    for (int side = 0; side < 6; side++) {
        float *box = realloc(b->boxes[side], capacity * sizeof *box);
        b->boxes[side] = box ? box : b->boxes[side];
        done = done && box;
    }
    b->kernel_capacity = done ? capacity : 0;
    return done;
}

/* Lists the kernels that touch the block, in the order of the bins: every sum has one order. */
static bool gather(const iso_field *f, iso_field_block *b)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, margin = (int)f->margin + 1;
    for (int a = 0; a < f->dim; a++) {
        low[a] = iso_floor_divide(b->node[a] - margin, f->bin_nodes);
        high[a] = iso_floor_divide(b->node[a] + b->count[a] - 1 + margin, f->bin_nodes);
    }
    b->kernel_count = 0;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            uint32_t first = 0;
            uint32_t count = (uint32_t)bins_find_run(&f->bins, low[0], high[0], y, z, &first);
            if (!make_room(b, b->kernel_count + count + ISO_ROOM))
                return false;
            b->kernel_count +=
                f->by->list(f, b, first, first + count, b->kernels + b->kernel_count);
        }
    return true;
}

double iso_field_depth(const iso_field *f, const iso_field_block *b, const float at[3])
{
    vec3 point = {(b->node[0] + (double)at[0]) * f->step, (b->node[1] + (double)at[1]) * f->step,
                  (b->node[2] + (double)at[2]) * f->step};
    return -shape_distance(f->solid, point, NULL);
}

static void measure_solid(const iso_field *f, iso_field_block *b)
{
    int i = 0;
    for (int z = 0; z < b->count[2]; z++)
        for (int y = 0; y < b->count[1]; y++)
            for (int x = 0; x < b->count[0]; x++)
                b->values[i++] =
                    (float)iso_field_depth(f, b, (float[3]){(float)x, (float)y, (float)z});
}

bool iso_field_evaluate(const iso_field *f, uint64_t block, iso_field_block *b)
{
    for (int a = 0; a < 3; a++) {
        b->node[a] = keymap_coordinate(block, a) * BLOCK_CELLS;
        b->count[a] = a < f->dim ? BLOCK_NODES : 1;
    }
    if (f->solid) {
        measure_solid(f, b);
        return true;
    }
    if (!gather(f, b))
        return false;
    f->by->add(f, b);
    return true;
}

void iso_field_block_free(iso_field_block *block)
{
    free(block->kernels);
    free(block->near);
    for (int side = 0; side < 6; side++)
        free(block->boxes[side]);
    *block = (iso_field_block){0};
}

typedef struct block_loop {
    iso_field_visit visit;
    void *context;
    iso_field_block *rooms; /* by thread */
    atomic_bool failed;
} block_loop;

static void visit_some(void *context, size_t begin, size_t end, int thread)
{
    block_loop *l = context;
    for (size_t i = begin; i < end; i++)
        if (!l->visit(l->context, i, &l->rooms[thread]))
            l->failed = true;
}

bool iso_field_visit_all(const iso_field *f, size_t count, size_t grain, iso_field_visit visit,
                         void *context)
{
    block_loop l = {visit, context, calloc((size_t)f->threads, sizeof(iso_field_block)), false};
    if (!l.rooms)
        return false;
    parallel_for(f->threads, count, grain, visit_some, &l);
    for (int thread = 0; thread < f->threads; thread++)
        iso_field_block_free(&l.rooms[thread]);
    free(l.rooms);
    return !l.failed;
}
