#include "space/neighbours.h"

#include "base/error.h"
#include "par/parallel.h"
#include "space/prune.h"

#include <math.h>
#include <stdatomic.h>

enum {
    BINS_PER_H = 8,
    MAX_BIN = 1 << 23,                 /* places along a row on either side of the origin */
    MAX_ROW = 1 << 19,                 /* rows likewise; what is farther shares the last one */
    CLUSTER_MAX_BINS = 2 * BINS_PER_H, /* a cluster is not stretched over a gap */
    MAX_NEAR_ROWS = 9,
};

/* Cells are a little larger than they need be, so that rounding cannot lose a neighbour. */
static const double MARGIN = 1 + 1e-6;
/* Distances are found in single precision, across a period with its rounding, too: with this much
 * more both ends of a pair within h list each other. */
static const double FILTER_MARGIN = 1 + 1e-3;

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
    memory_give(n->mem, n->bins, n->bin_capacity * sizeof *n->bins);
    memory_give(n->mem, n->clusters, n->cluster_capacity * sizeof *n->clusters);
    memory_give(n->mem, n->arenas, (size_t)n->threads * sizeof *n->arenas);
    arena_pool_free(&n->pool);
    *n = (neighbours){0};
}

/* ------------------------------------------------------------------ sorting */

static int64_t find_cell(const neighbour_axis *axis, float x)
{
    double cell = floor(((double)x - axis->origin) / axis->edge);
    double lo = axis->periodic ? 0 : (double)-axis->cells;
    double hi = (double)axis->cells - 1;
    /* A NaN fails both tests and lands in the first cell; the step reports it later. */
    return (int64_t)(cell > lo ? (cell < hi ? cell : hi) : lo);
}

typedef struct key_job {
    neighbours *n;
    const particles *p;
} key_job;

/* Ranges of the cells in use: maxima hold the largest cell and the largest negated cell. */
static void find_ranges(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)sums;
    const key_job *job = context;
    for (int a = 0; a < job->n->dim; a++)
        for (size_t i = begin; i < end; i++) {
            double cell = (double)find_cell(&job->n->axis[a], job->p->x[a][i]);
            maxima[2 * a] = cell > maxima[2 * a] ? cell : maxima[2 * a];
            maxima[2 * a + 1] = -cell > maxima[2 * a + 1] ? -cell : maxima[2 * a + 1];
        }
}

static void make_keys(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const key_job *job = context;
    const neighbours *n = job->n;
    for (size_t i = begin; i < end; i++) {
        uint64_t row = 0;
        for (int a = n->dim - 1; a >= 1; a--)
            row = row * (uint64_t)n->axis[a].count +
                  (uint64_t)(find_cell(&n->axis[a], job->p->x[a][i]) - n->axis[a].lo);
        uint64_t bin = (uint64_t)(find_cell(&n->axis[0], job->p->x[0][i]) - n->axis[0].lo);
        n->sort.keys[i] = row << n->bin_bits | bin;
    }
}

static int count_bits(uint64_t largest)
{
    int bits = 0;
    while (bits < 64 && largest >> bits)
        bits++;
    return bits;
}

static void sort_particles(neighbours *n, particles *p)
{
    key_job job = {n, p};
    double maxima[6];
    for (int k = 0; k < 6; k++)
        maxima[k] = -INFINITY;
    parallel_reduce(n->threads, p->count, find_ranges, &job, NULL, 0, maxima, 2 * n->dim);
    uint64_t rows = 1;
    for (int a = 0; a < n->dim; a++) {
        n->axis[a].lo = -(int64_t)maxima[2 * a + 1];
        n->axis[a].count = (int64_t)maxima[2 * a] - n->axis[a].lo + 1;
        if (a > 0)
            rows *= (uint64_t)n->axis[a].count;
    }
    n->bin_bits = count_bits((uint64_t)n->axis[0].count - 1);
    parallel_for(n->threads, p->count, 16384, make_keys, &job);
    key_sort_run(&n->sort, p->count, n->bin_bits + count_bits(rows - 1), n->threads);
    particles_permute(p, n->sort.order, n->threads);
}

/* --------------------------------------------------------- rows and clusters */

static bool add_row(neighbours *n, uint64_t id, uint32_t begin)
{
    if (!memory_grow(n->mem, (void **)&n->rows, &n->row_capacity, n->row_count + 1, n->row_count,
                     sizeof *n->rows))
        return false;
    n->rows[n->row_count++] = (neighbour_row){id, begin, begin};
    return true;
}

/* Whether something lies beyond the last cell of an axis, where places say nothing of distances. */
static bool is_out_of_range(const neighbours *n)
{
    for (int a = 0; a < n->dim; a++) {
        const neighbour_axis *axis = &n->axis[a];
        if (!axis->periodic && (axis->lo == -axis->cells || axis->lo + axis->count == axis->cells))
            return true;
    }
    return false;
}

static bool are_close(const neighbours *n, const particles *p, uint32_t i, uint32_t j)
{
    for (int a = 0; a < n->dim; a++)
        if (fabs((double)p->x[a][i] - p->x[a][j]) > 3 * n->h)
            return false;
    return true;
}

static bool cut_row(neighbours *n, const particles *p, uint32_t row, bool out_of_range)
{
    uint32_t begin = n->rows[row].begin, end = n->rows[row].end;
    while (begin < end) {
        uint32_t count = 1;
        while (count < CLUSTER_SIZE && begin + count < end &&
               n->bins[begin + count] - n->bins[begin] <= CLUSTER_MAX_BINS &&
               (!out_of_range || are_close(n, p, begin, begin + count)))
            count++;
        if (!memory_grow(n->mem, (void **)&n->clusters, &n->cluster_capacity, n->cluster_count + 1,
                         n->cluster_count, sizeof *n->clusters))
            return false;
        n->clusters[n->cluster_count++] = (cluster){.first = begin, .count = count, .row = row};
        begin += count;
    }
    return true;
}

static bool cut_rows_and_clusters(neighbours *n, const particles *p)
{
    size_t count = p->count;
    n->row_count = 0;
    n->cluster_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t id = n->sort.keys[i] >> n->bin_bits;
        n->bins[i] = (uint32_t)(n->sort.keys[i] & (((uint64_t)1 << n->bin_bits) - 1));
        if (n->row_count == 0 || n->rows[n->row_count - 1].id != id)
            if (!add_row(n, id, (uint32_t)i))
                return false;
        n->rows[n->row_count - 1].end = (uint32_t)i + 1;
    }
    bool out_of_range = is_out_of_range(n);
    for (size_t row = 0; row < n->row_count; row++)
        if (!cut_row(n, p, (uint32_t)row, out_of_range))
            return false;
    return true;
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
    _Atomic size_t candidate_count;
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

typedef struct cluster_box {
    float lo[3], hi[3];
    float reach2; /* m² */
} cluster_box;

/* Appends those of [begin, end) that, moved by `shift`, come within reach of the box. */
static inline uint32_t filter(const cluster_box *box, const particles *p, const float *shift,
                              uint32_t begin, uint32_t end, uint32_t *list, int dim)
{
    enum { BLOCK = 64 };
    float distance2[BLOCK];
    uint32_t kept = 0;
    for (uint32_t start = begin; start < end; start += BLOCK) {
        uint32_t count = end - start < BLOCK ? end - start : BLOCK;
        for (uint32_t k = 0; k < count; k++)
            distance2[k] = 0;
        for (int a = 0; a < dim; a++) {
            const float *x = p->x[a] + start;
            float lo = box->lo[a] - shift[a], hi = box->hi[a] - shift[a];
            for (uint32_t k = 0; k < count; k++) {
                float below = lo - x[k], above = x[k] - hi;
                float away = below > above ? below : above;
                away = away > 0 ? away : 0;
                distance2[k] += away * away;
            }
        }
        for (uint32_t k = 0; k < count; k++) {
            list[kept] = start + k;
            kept += distance2[k] > box->reach2 ? 0u : 1u; /* a NaN stays in, to be reported */
        }
    }
    return kept;
}

static cluster_box find_box(const neighbours *n, const particles *p, const cluster *c)
{
    cluster_box box;
    for (int a = 0; a < n->dim; a++) {
        box.lo[a] = box.hi[a] = p->x[a][c->first];
        for (uint32_t k = 1; k < c->count; k++) {
            float x = p->x[a][c->first + k];
            box.lo[a] = x < box.lo[a] ? x : box.lo[a];
            box.hi[a] = x > box.hi[a] ? x : box.hi[a];
        }
    }
    box.reach2 = (float)(n->h * n->h * FILTER_MARGIN);
    return box;
}

/* The list of one cluster while it grows, as spans of one image each. */
typedef struct growing_list {
    uint32_t *candidates;
    uint32_t count;
    candidate_span spans[IMAGE_COUNT];
    uint32_t span_count;
} growing_list;

static void add_stretch(const list_builder *b, const cluster *c, const cluster_box *box,
                        growing_list *list, uint32_t begin, uint32_t end, int image)
{
    if (begin >= end)
        return;
    static const prune_passes *const levels[] = LANE_TABLE(prune_passes_);
    const float *shift = b->n->shift[image];
    uint32_t *to = list->candidates + list->count;
    bool flat = b->n->dim == 2;
    uint32_t added = flat ? filter(box, b->p, shift, begin, end, to, 2)
                          : filter(box, b->p, shift, begin, end, to, 3);
    prune_pass prune = flat ? levels[b->n->level]->in_2d : levels[b->n->level]->in_3d;
    added = prune(b->p, c, shift, box->reach2, to, added);
    if (added == 0)
        return;
    candidate_span *last = list->span_count > 0 ? &list->spans[list->span_count - 1] : NULL;
    if (last && (int)last->image == image)
        last->count += added;
    else
        list->spans[list->span_count++] = (candidate_span){to, added, (uint32_t)image};
    list->count += added;
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
    for (int k = 0; k < near_count; k++) {
        near_row *row = &near[k];
        while (row->lo < row->end && (int64_t)n->bins[row->lo] < from)
            row->lo++;
        if (row->hi < row->lo)
            row->hi = row->lo;
        while (row->hi < row->end && (int64_t)n->bins[row->hi] <= to)
            row->hi++;
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
static void add_row_candidates(const list_builder *b, const cluster_box *box, const cluster *c,
                               const near_row *row, growing_list *list, int side)
{
    uint32_t begin = row->lo, end = row->hi;
    if (side != 1)
        find_wrapped(b->n, c, row, side, &begin, &end);
    add_stretch(b, c, box, list, begin, end, 9 * row->image_z + 3 * row->image_y + side);
}

static bool build_list(list_builder *b, cluster *c, near_row *near, int near_count, arena *a)
{
    const neighbours *n = b->n;
    uint32_t most = advance(n, c, near, near_count);
    /* One more than the bound, because the filter writes before it decides. */
    size_t span_bytes = (n->periodic ? IMAGE_COUNT : 1) * sizeof(candidate_span);
    char *block = arena_reserve(a, span_bytes + ((size_t)most + 1) * sizeof(uint32_t));
    if (!block)
        return false;
    growing_list list = {.count = 0};
    list.candidates = (uint32_t *)(void *)(block + span_bytes);
    cluster_box box = find_box(n, b->p, c);
    for (int side = n->axis[0].periodic ? 0 : 1; side <= (n->axis[0].periodic ? 2 : 1); side++)
        for (int k = 0; k < near_count; k++)
            add_row_candidates(b, &box, c, &near[k], &list, side);
    candidate_span *spans = (candidate_span *)(void *)block;
    for (uint32_t k = 0; k < list.span_count; k++)
        spans[k] = list.spans[k];
    c->spans = spans;
    c->span_count = list.span_count;
    arena_commit(a, span_bytes + list.count * sizeof(uint32_t));
    atomic_fetch_add_explicit(&b->candidate_count, list.count, memory_order_relaxed);
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
    n->candidate_count = 0;
    n->cluster_count = 0;
    arenas_reset(n->arenas, n->threads);
    if (p->count == 0)
        return true;
    if (!key_sort_reserve(&n->sort, n->mem, p->count, n->threads) ||
        !memory_grow(n->mem, (void **)&n->bins, &n->bin_capacity, p->count, 0, sizeof *n->bins))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to sort %zu particles", p->count);
    sort_particles(n, p);
    if (!cut_rows_and_clusters(n, p))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the clusters of %zu particles",
                    p->count);
    list_builder builder = {.n = n, .p = p};
    parallel_for(n->threads, n->cluster_count, 64, build_lists, &builder);
    if (atomic_load(&builder.failed))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the neighbour lists of %zu particles",
                    p->count);
    n->candidate_count = atomic_load(&builder.candidate_count);
    return true;
}
