/* The density rows of the constraint method as lists: G_ij/√m_j of each particle that row i
 * touches. */
/* One lane: rows are filled one by one, once a substep. */
#define WEIR_LANES 1
#include "method/constraint_links.h"

#include "kernel/kernel_lane.h"
#include "method/constraint.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>

typedef struct link_job {
    const flow *f;
    float volume; /* that the gradients carry */
    size_t *counts;
    const size_t *starts;
    uint32_t *members;
    density_entry *entries;
} link_job;

static link_job make_job(const flow *f)
{
    const constraint_data *data = f->method_data;
    return (link_job){.f = f, .volume = data->gradient_volume};
}

/* From a candidate to the eight of a cluster; loops of constants, which vectorise. */
typedef struct offsets {
    float r[3][CLUSTER_SIZE], r2[CLUSTER_SIZE];
} offsets;

static inline void find_offsets(const flow *f, const cluster *c, uint32_t j, uint32_t image,
                                offsets *to)
{
    const float *shift = f->near.shift[image];
    for (int k = 0; k < CLUSTER_SIZE; k++)
        to->r2[k] = 0;
    for (int a = 0; a < f->dim; a++) {
        const float *x = f->p.x[a] + c->first;
        float at = shift[a] + f->p.x[a][j];
        for (int k = 0; k < CLUSTER_SIZE; k++) {
            to->r[a][k] = x[k] - at;
            to->r2[k] += to->r[a][k] * to->r[a][k];
        }
    }
}

/* The candidate's offsets, and which of the eight have it as a neighbour, itself left out. */
static inline uint32_t find_near(const flow *f, const cluster *c, uint32_t j, uint32_t image,
                                 offsets *from)
{
    float reach2 = (float)(f->near.h * f->near.h);
    uint32_t near = 0;
    find_offsets(f, c, j, image, from);
    for (uint32_t k = 0; k < c->count; k++)
        near |= (from->r2[k] < reach2 ? 1u : 0u) << k;
    if (image == IMAGE_NONE && j >= c->first && j < c->first + c->count)
        near &= ~(1u << (j - c->first));
    return near;
}

static void count_cluster(const link_job *job, const cluster *c)
{
    size_t counts[CLUSTER_SIZE];
    for (uint32_t k = 0; k < CLUSTER_SIZE; k++)
        counts[k] = 1;
    for (uint32_t s = 0; s < c->span_count; s++)
        for (uint32_t n = 0; n < c->spans[s].count; n++) {
            offsets from;
            uint32_t j = c->spans[s].candidates[n];
            uint32_t near = find_near(job->f, c, j, c->spans[s].image, &from);
            for (uint32_t k = 0; k < CLUSTER_SIZE; k++)
                counts[k] += near >> k & 1;
        }
    for (uint32_t k = 0; k < c->count; k++)
        job->counts[c->first + k] = counts[k];
}

static density_entry make_entry(const flow *f, size_t j, const float g[3])
{
    float by_mass = sqrtf(f->p.field[CONSTRAINT_INVERSE_MASS][j]);
    return (density_entry){g[0] * by_mass, g[1] * by_mass, f->dim == 3 ? g[2] * by_mass : 0, 0};
}

/* Adds G_ij = −κV ∇_iW_ij to the list of one row, and takes it from the row's own entry. */
static void add_link(const link_job *job, const offsets *from, uint32_t k, uint32_t j, size_t at,
                     float own[3])
{
    const flow *f = job->f;
    float weight = -job->volume * kernel_lane_gradient(&f->kernel_factors, f->kernel, from->r2[k]);
    float g[3] = {0, 0, 0};
    for (int a = 0; a < f->dim; a++) {
        g[a] = weight * from->r[a][k];
        own[a] -= g[a];
    }
    job->members[at] = j;
    job->entries[at] = make_entry(f, j, g);
}

/* What a row has on its own particle balances all others, so that momentum stays to rounding. */
static void add_own(const link_job *job, size_t i, float own[3])
{
    const wall_span *solids = &job->f->walls.spans[i];
    for (uint32_t w = 0; w < solids->count; w++)
        for (int a = 0; a < job->f->dim; a++)
            own[a] += solids->contacts[w].gradient[a];
    job->members[job->starts[i]] = (uint32_t)i;
    job->entries[job->starts[i]] = make_entry(job->f, i, own);
}

static void fill_cluster(const link_job *job, const cluster *c)
{
    float own[CLUSTER_SIZE][3] = {{0}};
    size_t next[CLUSTER_SIZE];
    assert(c->count <= CLUSTER_SIZE);
    for (uint32_t k = 0; k < c->count; k++)
        next[k] = job->starts[c->first + k] + 1;
    for (uint32_t s = 0; s < c->span_count; s++)
        for (uint32_t n = 0; n < c->spans[s].count; n++) {
            offsets from;
            uint32_t j = c->spans[s].candidates[n];
            uint32_t near = find_near(job->f, c, j, c->spans[s].image, &from);
            assert(near >> c->count == 0);
            for (uint32_t k = 0; near >> k; k++)
                if (near >> k & 1)
                    add_link(job, &from, k, j, next[k]++, own[k]);
        }
    for (uint32_t k = 0; k < c->count; k++)
        add_own(job, c->first + k, own[k]);
}

static void count_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const link_job *job = context;
    for (size_t n = begin; n < end; n++)
        count_cluster(job, &job->f->near.clusters[n]);
}

static void fill_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const link_job *job = context;
    for (size_t n = begin; n < end; n++)
        fill_cluster(job, &job->f->near.clusters[n]);
}

void constraint_count_links(flow *f, size_t *counts)
{
    link_job job = make_job(f);
    job.counts = counts;
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, count_chunk, &job);
}

void constraint_fill_links(flow *f, const size_t *starts, uint32_t *members, density_entry *entries)
{
    link_job job = make_job(f);
    job.starts = starts;
    job.members = members;
    job.entries = entries;
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, fill_chunk, &job);
}
