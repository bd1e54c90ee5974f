/* How much of the lattice the solid covers, and the sums of that times the kernel at the nodes. */
#include "space/boundary_bake_work.h"
#include "space/shape_coverage.h"

#include <math.h>

/* Fills one block. Returns its state: INSIDE or OUTSIDE if nothing is cut after all. */
static uint32_t sample_block(const baker *b, block_place p, uint32_t state, float *coverage)
{
    int n = BLOCK * b->cells, nz = b->dim == 3 ? n : 1;
    bool full = true, empty = true;
    vec3 o = b->x->origin;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                vec3 at = {o.x + b->cell * (p.i * n + i), o.y + b->cell * (p.j * n + j),
                           b->dim == 3 ? o.z + b->cell * (p.k * n + k) : 0};
                double c = shape_core_coverage(b->s, at, b->cell, b->grow);
                full = full && c == 1;
                empty = empty && c == 0;
                *coverage++ = (float)c;
            }
    return full ? INSIDE : empty ? OUTSIDE : state;
}

static void sample_blocks(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const baker *b = context;
    size_t volume = power((size_t)(BLOCK * b->cells), b->dim);
    for (size_t i = begin; i < end; i++) {
        uint32_t *state = &b->x->states[b->cut[i].slot];
        *state = sample_block(b, b->cut[i], *state, b->coverage + i * volume);
    }
}

bool bake_sample_coverage(baker *b, weir_error *error)
{
    size_t volume = power((size_t)(BLOCK * b->cells), b->dim);
    if (b->cut_count == 0)
        return true;
    b->coverage = memory_take(b->m, b->cut_count * volume * sizeof *b->coverage);
    if (!b->coverage)
        return bake_no_memory(b, error);
    parallel_for(b->threads, b->cut_count, 4, sample_blocks, b);
    return true;
}

/* The kernel on the lattice, as offsets into a padded block (see bake_gather). */
typedef struct tap {
    int32_t offset;
    float weight;
} tap;

typedef struct tap_list {
    tap *taps;
    size_t count, capacity;
} tap_list;

static bool make_taps(const baker *b, tap_list *list)
{
    int reach = BLOCK * b->cells, row = PADDED * b->cells, reach_z = b->dim == 3 ? reach : 0;
    double sum = 0;
    *list = (tap_list){.capacity = power((size_t)(2 * reach + 1), b->dim)};
    list->taps = memory_take(b->m, list->capacity * sizeof *list->taps);
    if (!list->taps)
        return false;
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                double r = b->cell * sqrt(i * i + j * j + k * k);
                double weight = kernel_value(b->kernel, b->dim, r, b->h);
                if (!(weight > 0))
                    continue;
                int x = i + reach;
                int at = (k * row + j) * row + x % b->cells * PADDED + x / b->cells;
                list->taps[list->count++] = (tap){at, (float)weight};
                sum += weight;
            }
    for (size_t t = 0; t < list->count; t++)
        list->taps[t].weight = (float)((double)list->taps[t].weight / sum);
    return true;
}

/* The nodes of one block, by rows of BLOCK at a time. */
static void sum_block(const baker *b, const tap_list *list, const float *padded, float *values)
{
    int n = BLOCK * b->cells, row = 3 * n, nodes_z = b->dim == 3 ? BLOCK : 1;
    for (int k = 0; k < nodes_z; k++)
        for (int j = 0; j < BLOCK; j++, values += BLOCK) {
            int z = b->dim == 3 ? n + k * b->cells : 0;
            const float *base = padded + (ptrdiff_t)(z * row + n + j * b->cells) * row;
            float sum[BLOCK] = {0};
            for (size_t t = 0; t < list->count; t++) {
                const float *from = base + list->taps[t].offset;
                float weight = list->taps[t].weight;
                for (int i = 0; i < BLOCK; i++)
                    sum[i] += weight * from[i];
            }
            for (int i = 0; i < BLOCK; i++)
                values[i] = sum[i];
        }
}

/* Moves the values beside edges towards those of a flat wall. */
static void grow_edges(const baker *b, block_place p, float *values)
{
    int nodes_z = b->dim == 3 ? BLOCK : 1;
    double step = b->cell * b->cells;
    vec3 o = b->x->origin;
    for (int k = 0; k < nodes_z; k++)
        for (int j = 0; j < BLOCK; j++)
            for (int i = 0; i < BLOCK; i++, values++) {
                vec3 at = {o.x + step * (p.i * BLOCK + i), o.y + step * (p.j * BLOCK + j),
                           b->dim == 3 ? o.z + step * (p.k * BLOCK + k) : 0};
                double distance = shape_core_distance(b->s, at, NULL) - b->grow;
                double missing = half_space_volume(b->flat, distance / b->h, NULL) - *values;
                if (missing * b->edges > 0)
                    *values += (float)(fabs(b->edges) * missing);
            }
}

typedef struct sum_job {
    const baker *b;
    tap_list list;
    float *scratch; /* a padded block per thread */
    size_t padded_floats;
} sum_job;

static void sum_blocks(void *context, size_t begin, size_t end, int thread)
{
    const sum_job *job = context;
    const baker *b = job->b;
    size_t volume = power(BLOCK, b->dim);
    float *padded = job->scratch + (size_t)thread * job->padded_floats;
    for (size_t i = begin; i < end; i++) {
        bake_gather(b, b->node_blocks[i], b->x->states, b->coverage, b->cells, padded);
        sum_block(b, &job->list, padded, b->values + i * volume);
        if (b->edges != 0)
            grow_edges(b, b->node_blocks[i], b->values + i * volume);
    }
}

bool bake_sum_values(baker *b, weir_error *error)
{
    if (b->node_count == 0)
        return true;
    sum_job job = {.b = b, .padded_floats = power((size_t)(PADDED * b->cells), b->dim)};
    size_t scratch_bytes = (size_t)b->threads * job.padded_floats * sizeof(float);
    job.scratch = memory_take(b->m, scratch_bytes);
    b->values = memory_take(b->m, b->node_count * power(BLOCK, b->dim) * sizeof *b->values);
    bool ready = make_taps(b, &job.list) && job.scratch && b->values;
    if (ready)
        parallel_for(b->threads, b->node_count, 4, sum_blocks, &job);
    memory_give(b->m, job.list.taps, job.list.capacity * sizeof *job.list.taps);
    memory_give(b->m, job.scratch, scratch_bytes);
    return ready || bake_no_memory(b, error);
}
