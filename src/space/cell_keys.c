#include "space/cell_keys.h"

#include "par/parallel.h"

#include <math.h>

enum { KEY_CHUNK = 2048 };

typedef struct key_job {
    neighbours *n;
    const particles *p;
} key_job;

static const key_passes *get_key_passes(const neighbours *n)
{
    static const key_passes *const levels[] = LANE_TABLE(key_passes_);
    return levels[n->level];
}

/* Maxima hold, for each axis, the largest coordinate, the largest negated one, and 1 for a NaN. */
static void find_ranges(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)sums;
    const key_job *job = context;
    for (int a = 0; a < job->n->dim; a++) {
        key_range range = {INFINITY, -INFINITY, false};
        get_key_passes(job->n)->widen(&range, job->p->x[a] + begin, end - begin);
        maxima[3 * a] = fmax(maxima[3 * a], range.hi);
        maxima[3 * a + 1] = fmax(maxima[3 * a + 1], -(double)range.lo);
        maxima[3 * a + 2] = fmax(maxima[3 * a + 2], range.has_nan ? 1 : 0);
    }
}

static void make_keys(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const key_job *job = context;
    get_key_passes(job->n)->make(job->n, job->p, begin, end, job->n->sort.keys);
}

/* Range of the cells in use. Cells rise with the coordinate, so that its ends have the ends. */
static void set_range(neighbour_axis *axis, const double maxima[3])
{
    int64_t first = find_cell(axis, (float)-maxima[1]), last = find_cell(axis, (float)maxima[0]);
    if (maxima[2] > 0) {
        int64_t nowhere = find_cell(axis, NAN);
        first = nowhere < first ? nowhere : first;
        last = nowhere > last ? nowhere : last;
    }
    axis->lo = first;
    axis->count = last - first + 1;
}

static int count_bits(uint64_t largest)
{
    int bits = 0;
    while (bits < 64 && largest >> bits)
        bits++;
    return bits;
}

int cell_sort(neighbours *n, particles *p)
{
    key_job job = {n, p};
    double maxima[9];
    for (int k = 0; k < 9; k++)
        maxima[k] = -INFINITY;
    parallel_reduce(n->threads, p->count, find_ranges, &job, NULL, 0, maxima, 3 * n->dim);
    uint64_t rows = 1;
    for (int a = 0; a < n->dim; a++) {
        set_range(&n->axis[a], &maxima[3 * a]);
        if (a > 0)
            rows *= (uint64_t)n->axis[a].count;
    }
    n->bin_bits = count_bits((uint64_t)n->axis[0].count - 1);
    parallel_for(n->threads, p->count, KEY_CHUNK, make_keys, &job);
    int bits = n->bin_bits + count_bits(rows - 1);
    key_sort_run(&n->sort, p->count, bits, n->threads);
    particles_permute(p, n->sort.order, n->threads);
    return bits;
}
