#include "space/neighbours.h"

#include "base/error.h"
#include "space/candidate_lists.h"
#include "space/cell_keys.h"
#include "space/cluster_cut.h"
#include "space/prune.h"
#include "space/search_work.h"

#include <math.h>
#include <string.h>

enum {
    MAX_BIN = 1 << 23, /* places along a row on either side of the origin */
    MAX_ROW = 1 << 19, /* rows likewise; what is farther shares the last one */
};

/* Cells are a little larger than they need be, so that rounding cannot lose a neighbour. */
static const double MARGIN = 1 + 1e-6;

static neighbour_axis make_axis(double h, weir_axis_period period, int per_h, int64_t limit)
{
    double edge = h * MARGIN / per_h;
    if (!period.enabled)
        return (neighbour_axis){.edge = edge, .cells = limit};
    double length = period.hi - period.lo;
    double cells = floor(length / edge);
    if (cells > (double)limit)
        cells = (double)limit;
    return (neighbour_axis){.periodic = true,
                            .origin = period.lo,
                            .edge = length / cells,
                            .cells = (int64_t)cells,
                            .period = length};
}

bool neighbours_init(neighbours *n, memory *m, int dim, double h, const weir_axis_period *period,
                     int threads, weir_error *error)
{
    *n = (neighbours){.mem = m, .dim = dim, .threads = threads, .h = h};
    n->axis[0] = make_axis(h, period[0], BINS_PER_H, MAX_BIN);
    for (int a = 1; a < dim; a++)
        n->axis[a] = make_axis(h, period[a], 1, MAX_ROW);
    for (int a = 0; a < dim; a++)
        n->periodic = n->periodic || period[a].enabled;
    for (int image = 0; image < IMAGE_COUNT; image++) {
        int step[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
        for (int a = 0; a < 3; a++)
            n->shift[image][a] = (float)(step[a] * n->axis[a].period);
    }
    arena_pool_init(&n->pool, m);
    n->arenas = memory_take(m, (size_t)threads * sizeof *n->arenas);
    if (!n->arenas)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the neighbour lists");
    for (int t = 0; t < threads; t++)
        arena_init(&n->arenas[t], &n->pool);
    return true;
}

void neighbours_free(neighbours *n)
{
    if (!n->mem)
        return;
    key_sort_free(&n->sort, n->mem);
    memory_give(n->mem, n->rows, n->row_capacity * sizeof *n->rows);
    memory_give(n->mem, n->row_starts, n->row_start_capacity * sizeof *n->row_starts);
    memory_give(n->mem, n->bins, n->bin_capacity * sizeof *n->bins);
    memory_give(n->mem, n->clusters, n->cluster_capacity * sizeof *n->clusters);
    memory_give(n->mem, n->sizes, n->size_capacity * sizeof *n->sizes);
    memory_give(n->mem, n->arenas, (size_t)n->threads * sizeof *n->arenas);
    arena_pool_free(&n->pool);
    *n = (neighbours){0};
}

/* -------------------------------------------------------------------- blocks */

/* The middle of a block of so many cells. */
static float find_block_middle(const neighbour_axis *axis, uint64_t block, int cells)
{
    double middle = ((double)block + 0.5) * cells;
    return (float)(axis->origin + ((double)axis->lo + middle) * axis->edge);
}

void neighbours_find_origin(const neighbours *n, uint64_t y, uint64_t z, float origin[3])
{
    origin[1] = find_block_middle(&n->axis[1], y / BLOCK_CELLS, BLOCK_CELLS);
    origin[2] = n->dim == 3 ? find_block_middle(&n->axis[2], z / BLOCK_CELLS, BLOCK_CELLS) : 0;
}

void neighbours_find_row_origin(const neighbours *n, uint64_t row_id, float origin[3])
{
    uint64_t rows_y = (uint64_t)n->axis[1].count;
    neighbours_find_origin(n, row_id % rows_y, row_id / rows_y, origin);
}

float neighbours_find_block_origin(const neighbours *n, uint32_t block)
{
    return find_block_middle(&n->axis[0], block, BLOCK_BINS);
}

/* -------------------------------------------------------------------- search */

bool neighbours_build(neighbours *n, particles *p, weir_error *error)
{
    n->candidate_count = n->slot_count = 0;
    n->cluster_count = 0;
    arenas_reset(n->arenas, n->threads);
    if (p->count == 0)
        return true;
    if (!key_sort_reserve(&n->sort, n->mem, p->count, n->threads) ||
        !memory_grow(n->mem, (void **)&n->bins, &n->bin_capacity, p->count + PLACE_ROOM, 0,
                     sizeof *n->bins))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to sort %zu particles", p->count);
    memset(n->bins + p->count, 0, PLACE_ROOM * sizeof *n->bins);
    double since = pass_now();
    int digits = key_sort_digits(cell_sort(n, p));
    pass_log_add(n->passes, &sort_work,
                 &(pass_size){n->dim, p->count, 0, 0, search_sort_bytes(p, digits)}, since);
    since = pass_now();
    if (!cluster_cut(n, p))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the clusters of %zu particles",
                    p->count);
    pass_log_add(n->passes, &cut_work, &(pass_size){.particles = p->count}, since);
    since = pass_now();
    if (!candidate_lists_build(n, p))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the neighbour lists of %zu particles",
                    p->count);
    pass_log_add(n->passes, &list_work,
                 &(pass_size){n->dim, p->count, n->candidate_count, CLUSTER_SIZE, 0}, since);
    return true;
}
