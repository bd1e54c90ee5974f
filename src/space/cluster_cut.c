#include "space/cluster_cut.h"

#include "par/parallel.h"

#include <math.h>

enum {
    CLUSTER_MAX_BINS = 2 * BINS_PER_H, /* a cluster is not stretched over a gap */
    PARTICLE_CHUNK = 2048,
    ROW_CHUNK = 16,
};

typedef struct cut_job {
    neighbours *n;
    const particles *p;
    bool out_of_range;
} cut_job;

/* Rows and clusters come and go: room for a quarter more, so that memory is not taken every step.
 */
static bool reserve(neighbours *n, void **block, size_t *capacity, size_t needed, size_t element)
{
    return needed <= *capacity ||
           memory_grow(n->mem, block, capacity, needed + needed / 4, 0, element);
}

/* --------------------------------------------------------------------- rows */

static bool starts_row(const neighbours *n, size_t i)
{
    return i == 0 || n->sort.keys[i] >> n->bin_bits != n->sort.keys[i - 1] >> n->bin_bits;
}

static void count_rows(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    neighbours *n = ((const cut_job *)context)->n;
    uint64_t mask = ((uint64_t)1 << n->bin_bits) - 1;
    uint32_t count = 0;
    for (size_t i = begin; i < end; i++) {
        n->bins[i] = (uint32_t)(n->sort.keys[i] & mask);
        count += starts_row(n, i) ? 1u : 0u;
    }
    n->row_starts[begin / PARTICLE_CHUNK] = count;
}

static void write_rows(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    neighbours *n = ((const cut_job *)context)->n;
    uint32_t row = n->row_starts[begin / PARTICLE_CHUNK];
    for (size_t i = begin; i < end; i++)
        if (starts_row(n, i))
            n->rows[row++] =
                (neighbour_row){.id = n->sort.keys[i] >> n->bin_bits, .begin = (uint32_t)i};
}

static bool cut_rows(cut_job *job)
{
    neighbours *n = job->n;
    size_t count = job->p->count, chunks = (count + PARTICLE_CHUNK - 1) / PARTICLE_CHUNK;
    if (!reserve(n, (void **)&n->row_starts, &n->row_start_capacity, chunks, sizeof *n->row_starts))
        return false;
    parallel_for(n->threads, count, PARTICLE_CHUNK, count_rows, job);
    uint32_t rows = 0;
    for (size_t k = 0; k < chunks; k++) {
        uint32_t here = n->row_starts[k];
        n->row_starts[k] = rows;
        rows += here;
    }
    if (!reserve(n, (void **)&n->rows, &n->row_capacity, rows, sizeof *n->rows))
        return false;
    n->row_count = rows;
    parallel_for(n->threads, count, PARTICLE_CHUNK, write_rows, job);
    for (size_t r = 0; r < rows; r++)
        n->rows[r].end = r + 1 < rows ? n->rows[r + 1].begin : (uint32_t)count;
    return true;
}

/* ----------------------------------------------------------------- clusters */

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

/* How many particles from `begin` on make one cluster. */
static uint32_t find_length(const cut_job *job, uint32_t begin, uint32_t end)
{
    const neighbours *n = job->n;
    uint32_t count = 1;
    /* Places rise along a row: the last one says it of all. */
    if (end - begin >= CLUSTER_SIZE && !job->out_of_range &&
        n->bins[begin + CLUSTER_SIZE - 1] - n->bins[begin] <= CLUSTER_MAX_BINS)
        return CLUSTER_SIZE;
    while (count < CLUSTER_SIZE && begin + count < end &&
           n->bins[begin + count] - n->bins[begin] <= CLUSTER_MAX_BINS &&
           (!job->out_of_range || are_close(n, job->p, begin, begin + count)))
        count++;
    return count;
}

static void count_clusters(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const cut_job *job = context;
    for (size_t r = begin; r < end; r++) {
        neighbour_row *row = &job->n->rows[r];
        row->clusters = 0;
        for (uint32_t i = row->begin; i < row->end; i += find_length(job, i, row->end))
            row->clusters++;
    }
}

static void write_clusters(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const cut_job *job = context;
    for (size_t r = begin; r < end; r++) {
        const neighbour_row *row = &job->n->rows[r];
        cluster *to = job->n->clusters + row->first;
        uint32_t length;
        for (uint32_t i = row->begin; i < row->end; i += length) {
            length = find_length(job, i, row->end);
            *to++ = (cluster){.first = i, .count = length, .row = (uint32_t)r};
        }
    }
}

bool cluster_cut(neighbours *n, const particles *p)
{
    cut_job job = {n, p, is_out_of_range(n)};
    if (!cut_rows(&job))
        return false;
    parallel_for(n->threads, n->row_count, ROW_CHUNK, count_clusters, &job);
    uint32_t clusters = 0;
    for (size_t r = 0; r < n->row_count; r++) {
        n->rows[r].first = clusters;
        clusters += n->rows[r].clusters;
    }
    if (!reserve(n, (void **)&n->clusters, &n->cluster_capacity, clusters, sizeof *n->clusters))
        return false;
    n->cluster_count = clusters;
    parallel_for(n->threads, n->row_count, ROW_CHUNK, write_clusters, &job);
    return true;
}
