#include "space/candidate_lists.h"

#include "par/parallel.h"
#include "space/prune.h"

#include <stdatomic.h>
#include <string.h>

enum {
    MAX_NEAR_ROWS = 9,
    /* Each row as it lies and, across a periodic end of x, twice more; cut by a block's face. */
    MAX_SPANS = MAX_NEAR_ROWS * 3 * 2,
    LIST_CHUNK = 64, /* clusters whose lists a thread builds at a time */
};

/* A cell across the rows, counted from the first one in use, and how it is seen on each axis:
 * 0, 1, 2 for minus one period, none, plus one. */
typedef struct near_cell {
    int64_t y, z;
    int image_y, image_z;
} near_cell;

/* A row near the current one. */
typedef struct near_row {
    uint32_t begin, end;
    int image;       /* but for x */
    float origin[3]; /* but for x */
} near_row;

typedef struct near_rows {
    near_row rows[MAX_NEAR_ROWS];
    uint32_t ends[MAX_NEAR_ROWS];
    stretch seen[MAX_NEAR_ROWS]; /* of each row what the current cluster sees */
    int count;
    bool in_one_block; /* across, and seen as they lie */
} near_rows;

typedef struct list_builder {
    neighbours *n;
    const particles *p;
    atomic_bool failed;
} list_builder;

/* Where the row `id` is, or would be: at `guess`, if that is right. */
static size_t find_row(const neighbours *n, uint64_t id, size_t guess)
{
    if ((guess == 0 || n->rows[guess - 1].id < id) &&
        (guess == n->row_count || n->rows[guess].id >= id))
        return guess;
    size_t lo = 0, hi = n->row_count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (n->rows[middle].id < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
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

static void add_near_row(const neighbours *n, near_rows *near, const neighbour_row *row,
                         const near_cell *cell)
{
    near_row *to = &near->rows[near->count];
    *to = (near_row){.begin = row->begin, .end = row->end};
    to->image = 9 * cell->image_z + 3 * cell->image_y;
    neighbours_find_origin(n, (uint64_t)cell->y, (uint64_t)cell->z, to->origin);
    near->ends[near->count++] = row->end;
    const float *first = near->rows[0].origin;
    if (to->origin[1] != first[1] || to->origin[2] != first[2])
        near->in_one_block = false;
}

/* Rows lie by y, then z: mostly each of those near is behind the one before it. */
static void find_near_rows(const neighbours *n, uint32_t own, near_rows *near)
{
    int64_t id = (int64_t)n->rows[own].id, rows_y = n->axis[1].count;
    int64_t y = id % rows_y, z = id / rows_y;
    size_t at = own > 0 ? own - 1 : 0;
    near->count = 0;
    near->in_one_block = !n->periodic;
    for (int dz = n->dim == 3 ? -1 : 0; dz <= (n->dim == 3 ? 1 : 0); dz++)
        for (int dy = -1; dy <= 1; dy++) {
            near_cell cell = {.z = 0, .image_z = 1};
            if (!step_cell(&n->axis[1], y, dy, &cell.y, &cell.image_y))
                continue;
            if (n->dim == 3 && !step_cell(&n->axis[2], z, dz, &cell.z, &cell.image_z))
                continue;
            uint64_t to = (uint64_t)(cell.z * rows_y + cell.y);
            at = find_row(n, to, at);
            if (at < n->row_count && n->rows[at].id == to)
                add_near_row(n, near, &n->rows[at++], &cell);
        }
}

/* First particle of [begin, end) whose bin is at least `bin`. Half of the tests hold: as numbers,
 * not as branches. */
static uint32_t find_bin(const uint32_t *bins, uint32_t begin, uint32_t end, int64_t bin)
{
    uint32_t left = end - begin;
    while (left > 1) {
        uint32_t half = left / 2;
        begin += (int64_t)bins[begin + half - 1] < bin ? half : 0;
        left -= half;
    }
    return begin + (left == 1 && (int64_t)bins[begin] < bin ? 1 : 0);
}

/* Begins the stretches of a row's first cluster, or the first that a thread takes. */
static void begin_stretches(const neighbours *n, const cluster *c, near_rows *near)
{
    int64_t from = (int64_t)n->bins[c->first] - BINS_PER_H;
    for (int k = 0; k < near->count; k++) {
        uint32_t begin = find_bin(n->bins, near->rows[k].begin, near->rows[k].end, from);
        near->seen[k] = (stretch){begin, begin};
    }
}

/* The list of one cluster while it grows, as spans of one image and block each. */
typedef struct growing_list {
    uint32_t *candidates;
    uint32_t count;
    candidate_span spans[MAX_SPANS];
    uint32_t span_count;
} growing_list;

/* Where stretches lie and how they are seen. */
typedef struct stretch_kind {
    uint32_t image;
    float origin[3];
} stretch_kind;

static bool is_same_kind(const stretch_kind *a, const stretch_kind *b)
{
    return a->image == b->image && a->origin[0] == b->origin[0] && a->origin[1] == b->origin[1] &&
           a->origin[2] == b->origin[2];
}

/* Stretches of one kind, not yet listed. */
typedef struct waiting_stretches {
    stretch of[MAX_NEAR_ROWS];
    int count;
    stretch_kind kind;
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
    const stretch_kind *kind = &w->kind;
    uint32_t added =
        get_passes(b->n)->list(b->n, b->p, c, b->n->shift[kind->image], w->of, w->count, to);
    w->count = 0;
    if (added == 0)
        return;
    uint32_t slots = (added + CANDIDATES_AT_ONCE - 1) / CANDIDATES_AT_ONCE * CANDIDATES_AT_ONCE;
    for (uint32_t k = 0; k < CANDIDATES_AT_ONCE - 1; k++) /* some behind the last slot, too */
        to[added + k] = to[added - 1];
    list->spans[list->span_count++] = (candidate_span){
        to, added, slots, kind->image, {kind->origin[0], kind->origin[1], kind->origin[2]}};
    list->count += slots;
}

static void add_stretch(const list_builder *b, const cluster *c, waiting_stretches *w,
                        growing_list *list, stretch s, const stretch_kind *kind)
{
    if (w->count == MAX_NEAR_ROWS || (w->count > 0 && !is_same_kind(&w->kind, kind)))
        list_waiting(b, c, w, list);
    w->of[w->count++] = s;
    w->kind = *kind;
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
static uint32_t advance(const neighbours *n, const cluster *c, near_rows *near)
{
    int32_t from = (int32_t)n->bins[c->first] - BINS_PER_H;
    int32_t to = (int32_t)n->bins[c->first + c->count - 1] + BINS_PER_H + 1;
    get_passes(n)->advance(n->bins, from, to, near->ends, near->seen, near->count);
    uint32_t total = 0;
    for (int k = 0; k < near->count; k++) {
        total += near->seen[k].end - near->seen[k].begin;
        for (int side = 0; n->axis[0].periodic && side <= 2; side += 2) {
            uint32_t begin, end;
            find_wrapped(n, c, &near->rows[k], side, &begin, &end);
            total += end - begin;
        }
    }
    return total;
}

/* Adds all that is seen of one row, through the image that `side` says (1: as it lies). */
static void add_row_candidates(const list_builder *b, const cluster *c, const near_row *row,
                               stretch seen, waiting_stretches *w, growing_list *list, int side)
{
    const neighbours *n = b->n;
    uint32_t begin = seen.begin, end = seen.end;
    if (side != 1)
        find_wrapped(n, c, row, side, &begin, &end);
    stretch_kind kind = {.image = (uint32_t)(row->image + side),
                         .origin = {0, row->origin[1], row->origin[2]}};
    while (begin < end) {
        uint32_t block = neighbours_find_block(n->bins[begin]), stop = end;
        if (neighbours_find_block(n->bins[end - 1]) != block)
            stop = find_bin(n->bins, begin, end, ((int64_t)block + 1) * BLOCK_BINS);
        kind.origin[0] = neighbours_find_block_origin(n, block);
        add_stretch(b, c, w, list, (stretch){begin, stop}, &kind);
        begin = stop;
    }
}

/* Spans first, then the candidates, which passes read next. */
static void place_list(char *block, growing_list *list, cluster *c)
{
    candidate_span *spans = (candidate_span *)(void *)block;
    uint32_t *to = (uint32_t *)(void *)(spans + list->span_count);
    if (to != list->candidates)
        memmove(to, list->candidates, list->count * sizeof *to);
    for (uint32_t k = 0; k < list->span_count; k++) {
        spans[k] = list->spans[k];
        spans[k].candidates = to + (list->spans[k].candidates - list->candidates);
    }
    c->spans = spans;
    c->span_count = list->span_count;
}

/* Whether all that a cluster sees lies in one block, through no image: nearly always. */
static bool sees_one_block(const neighbours *n, const cluster *c, const near_rows *near)
{
    uint32_t first = n->bins[c->first], last = n->bins[c->first + c->count - 1] + BINS_PER_H;
    first = first > BINS_PER_H ? first - BINS_PER_H : 0;
    return near->in_one_block && neighbours_find_block(first) == neighbours_find_block(last);
}

static void list_one_block(const list_builder *b, const cluster *c, const near_rows *near,
                           growing_list *list)
{
    const float *across = near->rows[0].origin;
    uint32_t block = neighbours_find_block(b->n->bins[c->first]);
    float along = neighbours_find_block_origin(b->n, block);
    waiting_stretches waiting = {.count = 0, .kind = {IMAGE_NONE, {along, across[1], across[2]}}};
    for (int k = 0; k < near->count; k++)
        waiting.of[waiting.count++] = near->seen[k];
    list_waiting(b, c, &waiting, list);
}

static void list_blocks(const list_builder *b, const cluster *c, const near_rows *near,
                        growing_list *list)
{
    bool wraps = b->n->axis[0].periodic;
    waiting_stretches waiting;
    waiting.count = 0;
    for (int side = wraps ? 0 : 1; side <= (wraps ? 2 : 1); side++)
        for (int k = 0; k < near->count; k++)
            add_row_candidates(b, c, &near->rows[k], near->seen[k], &waiting, list, side);
    if (waiting.count > 0)
        list_waiting(b, c, &waiting, list);
}

static bool build_list(list_builder *b, cluster *c, near_rows *near, arena *a)
{
    uint32_t most = advance(b->n, c, near);
    bool one = sees_one_block(b->n, c, near);
    size_t spans = one ? 1 : MAX_SPANS, span_bytes = spans * sizeof(candidate_span);
    size_t slots = most + spans * (CANDIDATES_AT_ONCE - 1) + PRUNE_ROOM;
    char *block = arena_reserve(a, span_bytes + slots * sizeof(uint32_t));
    if (!block)
        return false;
    growing_list list; /* its spans, many and mostly not used, are left as they are */
    list.count = list.span_count = 0;
    list.candidates = (uint32_t *)(void *)(block + span_bytes);
    if (one)
        list_one_block(b, c, near, &list);
    else
        list_blocks(b, c, near, &list);
    place_list(block, &list, c);
    arena_commit(a, list.span_count * sizeof(candidate_span) + list.count * sizeof(uint32_t));
    return true;
}

static void build_lists(void *context, size_t begin, size_t end, int thread)
{
    list_builder *b = context;
    near_rows near = {.count = 0};
    uint32_t row = UINT32_MAX;
    list_sizes sizes = {0, 0};
    for (size_t k = begin; k < end; k++) {
        cluster *c = &b->n->clusters[k];
        if (c->row != row) {
            row = c->row;
            find_near_rows(b->n, row, &near);
            begin_stretches(b->n, c, &near);
        }
        if (!build_list(b, c, &near, &b->n->arenas[thread]))
            atomic_store(&b->failed, true);
        c->base = sizes.slots;
        sizes.candidates += cluster_candidate_count(c);
        sizes.slots += cluster_slot_count(c);
    }
    b->n->sizes[begin / LIST_CHUNK] = sizes;
}

static void add_base(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const list_builder *b = context;
    size_t before = b->n->sizes[begin / LIST_CHUNK].slots;
    for (size_t k = begin; k < end; k++)
        b->n->clusters[k].base += before;
}

/* Counts what all lists hold. Chunks have counted from their own begin, next to their lists, which
 * one thread would have to fetch from all others. */
static void sum_sizes(list_builder *b)
{
    neighbours *n = b->n;
    for (size_t k = 0; k * LIST_CHUNK < n->cluster_count; k++) {
        list_sizes here = n->sizes[k];
        n->sizes[k] = (list_sizes){n->candidate_count, n->slot_count};
        n->candidate_count += here.candidates;
        n->slot_count += here.slots;
    }
    parallel_for(n->threads, n->cluster_count, LIST_CHUNK, add_base, b);
}

bool candidate_lists_build(neighbours *n, const particles *p)
{
    list_builder builder = {.n = n, .p = p};
    size_t chunks = (n->cluster_count + LIST_CHUNK - 1) / LIST_CHUNK;
    if (!memory_grow(n->mem, (void **)&n->sizes, &n->size_capacity, chunks, 0, sizeof *n->sizes))
        return false;
    parallel_for(n->threads, n->cluster_count, LIST_CHUNK, build_lists, &builder);
    if (atomic_load(&builder.failed))
        return false;
    sum_sizes(&builder);
    return true;
}
