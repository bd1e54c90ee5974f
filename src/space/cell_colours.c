#include "space/cell_colours.h"

#include "par/parallel.h"

#include <math.h>

enum { CELL_BITS = 19, MOST_CELLS = 1 << CELL_BITS, KEY_GRAIN = 4096 };

/* Lists hold pairs that are a little farther apart than the radius, by rounding. */
static const double MARGIN = 1 + 4e-3;

typedef struct colour_axis {
    double origin, edge; /* m */
    int64_t cells;
} colour_axis;

typedef struct colour_job {
    cell_colours *c;
    const particles *p;
    const uint8_t *apart;
    colour_axis axis[3];
    int dim;
    uint64_t apart_key;
} colour_job;

void cell_colours_free(cell_colours *c, memory *m)
{
    key_sort_free(&c->sort, m);
    memory_give(m, c->cells, c->cell_capacity * sizeof *c->cells);
    *c = (cell_colours){0};
}

static void find_corner(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)sums;
    const colour_job *job = context;
    for (int a = 0; a < job->dim; a++)
        for (size_t i = begin; i < end; i++)
            maxima[a] = -job->p->x[a][i] > maxima[a] ? -(double)job->p->x[a][i] : maxima[a];
}

/* Around a period the number of cells must be even, or else there is one alone. */
static colour_axis make_axis(const neighbour_axis *near, double least, double lowest)
{
    if (!near->periodic)
        return (colour_axis){lowest, least, MOST_CELLS};
    double pairs = fmin(floor(near->period / (2 * least)), MOST_CELLS / 2);
    int64_t cells = pairs >= 1 ? 2 * (int64_t)pairs : 1;
    return (colour_axis){near->origin, near->period / (double)cells, cells};
}

/* What lies beyond the last cell belongs to it; a NaN to the first. */
static uint64_t find_cell(const colour_axis *axis, float x)
{
    double cell = floor(((double)x - axis->origin) / axis->edge), last = (double)axis->cells - 1;
    return (uint64_t)(cell > 0 ? (cell < last ? cell : last) : 0);
}

static void make_keys(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const colour_job *job = context;
    for (size_t i = begin; i < end; i++) {
        uint64_t colour = 0, key = 0;
        for (int a = job->dim - 1; a >= 0; a--) {
            uint64_t cell = find_cell(&job->axis[a], job->p->x[a][i]);
            colour = colour << 1 | (cell & 1);
            key = key << CELL_BITS | cell;
        }
        key |= colour << (CELL_BITS * job->dim);
        job->c->sort.keys[i] = job->apart[i] ? job->apart_key : key;
    }
}

/* Cells and colours begin where the sorted keys change. */
static void cut_cells(cell_colours *c, size_t count, int colour_shift)
{
    const uint64_t *keys = c->sort.keys;
    c->cell_count = 0;
    c->colour_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0;
        if (!first && keys[i] == keys[i - 1])
            continue;
        if (first || keys[i] >> colour_shift != keys[i - 1] >> colour_shift)
            c->colours[c->colour_count++] = c->cell_count;
        c->cells[c->cell_count++] = (uint32_t)i;
    }
    c->colours[c->colour_count] = c->cell_count;
    c->cells[c->cell_count] = (uint32_t)count;
}

bool cell_colours_find(cell_colours *c, memory *m, const neighbours *near, const particles *p,
                       const uint8_t *apart)
{
    double corner[3] = {-INFINITY, -INFINITY, -INFINITY};
    int shift = CELL_BITS * near->dim;
    if (!key_sort_reserve(&c->sort, m, p->count, near->threads) ||
        !memory_grow(m, (void **)&c->cells, &c->cell_capacity, p->count + 1, 0, sizeof *c->cells))
        return false;
    colour_job job = {.c = c, .p = p, .apart = apart, .dim = near->dim};
    job.apart_key = (uint64_t)1 << (shift + near->dim);
    parallel_reduce(near->threads, p->count, find_corner, &job, NULL, 0, corner, near->dim);
    for (int a = 0; a < near->dim; a++)
        job.axis[a] = make_axis(&near->axis[a], 2 * near->h * MARGIN, -corner[a]);
    parallel_for(near->threads, p->count, KEY_GRAIN, make_keys, &job);
    key_sort_run(&c->sort, p->count, shift + near->dim + 1, near->threads);
    cut_cells(c, p->count, shift);
    return true;
}
