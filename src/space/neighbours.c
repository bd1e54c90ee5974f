#include "space/neighbours.h"

#include "base/error.h"
#include "par/parallel.h"
#include "space/cell_keys.h"
#include "space/cluster_cut.h"
#include "space/prune.h"
#include "space/search_work.h"

#include <math.h>
#include <stdatomic.h>

enum {
    MAX_BIN = 1 << 23, /* places along a row on either side of the origin */
    MAX_ROW = 1 << 19, /* rows likewise; what is farther shares the last one */
    MAX_NEAR_ROWS = 9,
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
    memory_give(n->mem, n->arenas, (size_t)n->threads * sizeof *n->arenas);
    arena_pool_free(&n->pool);
    *n = (neighbours){0};
}

/* ---------------------------------------------------------------- candidates */

/* A row near the current one, with the stretch of it that the current cluster sees. */
typedef struct near_row {
    uint32_t begin, end;
    uint32_t lo, hi;
    int image_y, image_z; /* 0, 1, 2: minus one period, none, plus one */
} near_row;

typedef struct list_builder {
    neighbours *n;
    const particles *p;
    atomic_bool failed;
} list_builder;

static const neighbour_row *find_row(const neighbours *n, uint64_t id)
{
    size_t lo = 0, hi = n->row_count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (n->rows[middle].id < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < n->row_count && n->rows[lo].id == id ? &n->rows[lo] : NULL;
}

/* The cell `step` away from `cell` (counted from axis->lo) and the image it is seen in; false
 * when nothing is there. */
static bool step_cell(const neighbour_axis *axis, int64_t cell, int step, int64_t *to, int *image)
{
    int64_t at = cell + step;
    *image = 1;
    if (axis->periodic) {
        int64_t absolute = at + axis->lo;
        if (absolute < 0) {
            at += axis->cells;
            *image = 0;
        } else if (absolute >= axis->cells) {
            at -= axis->cells;
            *image = 2;
        }
    }
    *to = at;
    return at >= 0 && at < axis->count;
}

static int find_near_rows(const neighbours *n, uint64_t id, near_row near[MAX_NEAR_ROWS])
{
    int64_t rows_y = n->axis[1].count;
    int64_t y = (int64_t)(id % (uint64_t)rows_y), z = (int64_t)(id / (uint64_t)rows_y);
    int count = 0;
    for (int dz = n->dim == 3 ? -1 : 0; dz <= (n->dim == 3 ? 1 : 0); dz++)
        for (int dy = -1; dy <= 1; dy++) {
            int64_t to_y, to_z = 0;
            int image_y, image_z = 1;
            if (!step_cell(&n->axis[1], y, dy, &to_y, &image_y))
                continue;
            if (n->dim == 3 && !step_cell(&n->axis[2], z, dz, &to_z, &image_z))
                continue;
            const neighbour_row *row = find_row(n, (uint64_t)(to_z * rows_y + to_y));
            if (row)
                near[count++] =
                    (near_row){row->begin, row->end, row->begin, row->begin, image_y, image_z};
        }
    return count;
}

/* First particle of [begin, end) whose bin is at least `bin`. */
static uint32_t find_bin(const uint32_t *bins, uint32_t begin, uint32_t end, int64_t bin)
{
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if ((int64_t)bins[middle] < bin)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The list of one cluster while it grows, as spans of one image each. */
typedef struct growing_list {
    uint32_t *candidates;
    uint32_t count;
    candidate_span spans[IMAGE_COUNT];
    uint32_t span_count;
} growing_list;

/* Stretches that are seen through the same image, not yet listed. */
typedef struct waiting_stretches {
    stretch of[MAX_NEAR_ROWS];
    int count, image;
} waiting_stretches;

static const prune_passes *get_passes(const neighbours *n)
{
    static const prune_passes *const levels[] = LANE_TABLE(prune_passes_);
    return levels[n->level];
}

static void list_waiting(const list_builder *b, const cluster *c, waiting_stretches *w,
                         growing_list *list)
{
    uint32_t *to = list->candidates + list->count;
    uint32_t added =
        get_passes(b->n)->list(b->n, b->p, c, b->n->shift[w->image], w->of, w->count, to);
    w->count = 0;
    if (added == 0)
        return;
    candidate_span *last = list->span_count > 0 ? &list->spans[list->span_count - 1] : NULL;
    if (last && (int)last->image == w->image)
        last->count += added;
    else
        list->spans[list->span_count++] = (candidate_span){to, added, (uint32_t)w->image};
    list->count += added;
}

static void add_stretch(const list_builder *b, const cluster *c, waiting_stretches *w,
                        growing_list *list, uint32_t begin, uint32_t end, int image)
{
    if (begin >= end)
        return;
    if (w->count == MAX_NEAR_ROWS || (w->count > 0 && w->image != image))
        list_waiting(b, c, w, list);
    w->of[w->count++] = (stretch){begin, end};
    w->image = image;
}

/* The stretch of a row that is seen across the lower (side 0) or the upper end (side 2) of a
 * periodic x axis; empty for most clusters. */
static void find_wrapped(const neighbours *n, const cluster *c, const near_row *row, int side,
                         uint32_t *begin, uint32_t *end)
{
    const neighbour_axis *x = &n->axis[0];
    int64_t first = (int64_t)n->bins[c->first] + x->lo - BINS_PER_H;
    int64_t last = (int64_t)n->bins[c->first + c->count - 1] + x->lo + BINS_PER_H;
    *begin = *end = row->begin;
    if (side == 0 && first < 0) {
        *begin = find_bin(n->bins, row->begin, row->end, first + x->cells - x->lo);
        *end = row->end;
    }
    if (side == 2 && last >= x->cells)
        *end = find_bin(n->bins, row->begin, row->end, last - x->cells + 1 - x->lo);
}

/* Moves the stretches of the near rows on to this cluster; returns how many candidates they hold
 * at most. Clusters of a row come in order, so that the stretches only ever move forward. */
static uint32_t advance(const neighbours *n, const cluster *c, near_row *near, int near_count)
{
    int64_t from = (int64_t)n->bins[c->first] - BINS_PER_H;
    int64_t to = (int64_t)n->bins[c->first + c->count - 1] + BINS_PER_H;
    uint32_t total = 0;
    const prune_passes *passes = get_passes(n);
    for (int k = 0; k < near_count; k++) {
        near_row *row = &near[k];
        row->lo = passes->skip(n->bins, row->lo, row->end, from);
        row->hi = passes->skip(n->bins, row->hi < row->lo ? row->lo : row->hi, row->end, to + 1);
        total += row->hi - row->lo;
        for (int side = 0; n->axis[0].periodic && side <= 2; side += 2) {
            uint32_t begin, end;
            find_wrapped(n, c, row, side, &begin, &end);
            total += end - begin;
        }
    }
    return total;
}

/* Adds all that is seen of one row, through the image that `side` says (1: as it lies). */
static void add_row_candidates(const list_builder *b, const cluster *c, const near_row *row,
                               waiting_stretches *w, growing_list *list, int side)
{
    uint32_t begin = row->lo, end = row->hi;
    if (side != 1)
        find_wrapped(b->n, c, row, side, &begin, &end);
    add_stretch(b, c, w, list, begin, end, 9 * row->image_z + 3 * row->image_y + side);
}

static bool build_list(list_builder *b, cluster *c, near_row *near, int near_count, arena *a)
{
    const neighbours *n = b->n;
    uint32_t most = advance(n, c, near, near_count);
    size_t span_bytes = (n->periodic ? IMAGE_COUNT : 1) * sizeof(candidate_span);
    char *block = arena_reserve(a, span_bytes + ((size_t)most + PRUNE_ROOM) * sizeof(uint32_t));
    if (!block)
        return false;
    growing_list list; /* its spans, many and mostly not used, are left as they are */
    list.count = list.span_count = 0;
    list.candidates = (uint32_t *)(void *)(block + span_bytes);
    waiting_stretches waiting;
    waiting.count = 0;
    for (int side = n->axis[0].periodic ? 0 : 1; side <= (n->axis[0].periodic ? 2 : 1); side++)
        for (int k = 0; k < near_count; k++)
            add_row_candidates(b, c, &near[k], &waiting, &list, side);
    if (waiting.count > 0)
        list_waiting(b, c, &waiting, &list);
    candidate_span *spans = (candidate_span *)(void *)block;
    for (uint32_t k = 0; k < list.span_count; k++)
        spans[k] = list.spans[k];
    c->spans = spans;
    c->span_count = list.span_count;
    for (; list.count > 0 && list.count % CANDIDATES_AT_ONCE != 0; list.count++)
        list.candidates[list.count] = list.candidates[list.count - 1];
    arena_commit(a, span_bytes + list.count * sizeof(uint32_t));
    return true;
}

static void build_lists(void *context, size_t begin, size_t end, int thread)
{
    list_builder *b = context;
    near_row near[MAX_NEAR_ROWS];
    int near_count = 0;
    uint32_t row = UINT32_MAX;
    for (size_t k = begin; k < end; k++) {
        cluster *c = &b->n->clusters[k];
        if (c->row != row) {
            row = c->row;
            near_count = find_near_rows(b->n, b->n->rows[row].id, near);
            int64_t from = (int64_t)b->n->bins[c->first] - BINS_PER_H;
            for (int r = 0; r < near_count; r++)
                near[r].lo = find_bin(b->n->bins, near[r].begin, near[r].end, from);
        }
        if (!build_list(b, c, near, near_count, &b->n->arenas[thread]))
            atomic_store(&b->failed, true);
    }
}

bool neighbours_build(neighbours *n, particles *p, weir_error *error)
{
    n->candidate_count = n->slot_count = 0;
    n->cluster_count = 0;
    arenas_reset(n->arenas, n->threads);
    if (p->count == 0)
        return true;
    if (!key_sort_reserve(&n->sort, n->mem, p->count, n->threads) ||
        !memory_grow(n->mem, (void **)&n->bins, &n->bin_capacity, p->count, 0, sizeof *n->bins))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to sort %zu particles", p->count);
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
    list_builder builder = {.n = n, .p = p};
    parallel_for(n->threads, n->cluster_count, 64, build_lists, &builder);
    if (atomic_load(&builder.failed))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the neighbour lists of %zu particles",
                    p->count);
    for (size_t k = 0; k < n->cluster_count; k++) {
        cluster *c = &n->clusters[k];
        size_t candidates = cluster_candidate_count(c);
        c->base = n->slot_count;
        n->candidate_count += candidates;
        n->slot_count += candidate_slot_count(candidates);
    }
    pass_log_add(n->passes, &list_work,
                 &(pass_size){n->dim, p->count, n->candidate_count, CLUSTER_SIZE, 0}, since);
    return true;
}
