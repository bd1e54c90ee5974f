/* Which particles have a free surface within their kernel's reach: the others are the bulk. */
#include "kernel/kernel_radial.h"
#include "par/parallel.h"
#include "world/state.h"

#include <assert.h>

typedef struct surface_job {
    const flow *f;
    const uint32_t *number, *pool_of; /* which pools are wanted; NULL = all */
    kernel_radial kernel;
    uint8_t *open;    /* particles whose kernel is not full */
    uint8_t *surface; /* particles with an open one within h */
} surface_job;

/* How much of a particle's kernel neighbours fill, and the gradient of that. */
typedef struct cover {
    double sum, gradient[3];
} cover;

/* Candidates that are looked at together. */
enum { COVER_BATCH = 64 };

/* Lists the candidates within h and where a particle lies from them. Every candidate is written and
 * only the count tells which stay: whether one is near is hard to foresee, and a branch would cost
 * more. */
static int list_covering(const flow *f, const candidate_span *span, uint32_t first, size_t i,
                         double offsets[][3], double squares[])
{
    const float *shift = f->near.shift[span->image];
    uint32_t end = span->count - first < COVER_BATCH ? span->count : first + COVER_BATCH;
    double h2 = f->h * f->h;
    int count = 0;
    for (uint32_t n = first; n < end; n++) {
        uint32_t j = span->candidates[n];
        double x = (double)f->p.x[0][i] - f->p.x[0][j] - shift[0];
        double y = (double)f->p.x[1][i] - f->p.x[1][j] - shift[1];
        double z = f->dim == 3 ? (double)f->p.x[2][i] - f->p.x[2][j] - shift[2] : 0;
        double r2 = x * x + y * y + z * z;
        offsets[count][0] = x;
        offsets[count][1] = y;
        offsets[count][2] = z;
        squares[count] = r2;
        count += (r2 > 0) & (r2 < h2);
    }
    return count;
}

/* Double precision and no lanes: this runs once per report, not per step. */
static void add_cover(const surface_job *job, const candidate_span *span, size_t i, cover *c)
{
    const flow *f = job->f;
    double volume = f->kappa * f->volume, offsets[COVER_BATCH][3], squares[COVER_BATCH];
    for (uint32_t first = 0; first < span->count; first += COVER_BATCH) {
        int count = list_covering(f, span, first, i, offsets, squares);
        for (int n = 0; n < count; n++) {
            /* As many are written as are counted, which the analyzer does not see. */
            double length = sqrt(squares[n]); // NOLINT(clang-analyzer-core.CallAndMessage)
            double slope = kernel_radial_slope(&job->kernel, length) / length;
            c->sum += volume * kernel_radial_value(&job->kernel, length);
            for (int a = 0; a < 3; a++)
                c->gradient[a] += volume * slope * offsets[n][a];
        }
    }
}

/* A flat surface has |gradient| h between 1.5 and 3 in its first layer; noise stays below 0.5.
 * Spray has no cover on any side. */
static bool is_open(const surface_job *job, const cluster *group, size_t i)
{
    const flow *f = job->f;
    const wall_span *solids = &f->walls.spans[i];
    cover c = {f->kappa * f->volume * kernel_radial_value(&job->kernel, 0), {0, 0, 0}};
    for (uint32_t s = 0; s < group->span_count; s++)
        add_cover(job, &group->spans[s], i, &c);
    double length2 = 0;
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        for (uint32_t k = 0; k < solids->count; k++)
            c.gradient[a] += solids->contacts[k].gradient[a];
        length2 += c.gradient[a] * c.gradient[a];
    }
    return sqrt(length2) * f->h > 0.8 || c.sum + solids->volume < 0.8;
}

static bool is_wanted(const surface_job *job, size_t i)
{
    return !job->number || job->number[job->pool_of[i]] != 0;
}

static void mark_open(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const surface_job *job = context;
    for (size_t c = begin; c < end; c++) {
        const cluster *group = &job->f->near.clusters[c];
        for (uint32_t i = group->first; i < group->first + group->count; i++)
            if (is_wanted(job, i))
                job->open[i] = is_open(job, group, i);
    }
}

/* Whether a particle has an open one within h. Few are: the mark is read before the place. */
static bool is_near_open(const surface_job *job, const cluster *group, size_t i)
{
    const flow *f = job->f;
    for (uint32_t s = 0; s < group->span_count; s++) {
        const candidate_span *span = &group->spans[s];
        const float *shift = f->near.shift[span->image];
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            if (!job->open[j])
                continue;
            double r2 = 0;
            for (int a = 0; a < f->dim; a++) {
                double r = (double)f->p.x[a][i] - f->p.x[a][j] - shift[a];
                r2 += r * r;
            }
            if (r2 < f->h * f->h)
                return true;
        }
    }
    return false;
}

static void mark_surface(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const surface_job *job = context;
    for (size_t c = begin; c < end; c++) {
        const cluster *group = &job->f->near.clusters[c];
        for (uint32_t i = group->first; i < group->first + group->count; i++)
            if (is_wanted(job, i))
                job->surface[i] = job->open[i] || is_near_open(job, group, i);
    }
}

void surface_find(const flow *f, const uint32_t *number, const uint32_t *pool_of, uint8_t *open,
                  uint8_t *surface)
{
    surface_job job = {.f = f,
                       .number = number,
                       .pool_of = pool_of,
                       .kernel = kernel_radial_make(f->kernel, f->dim, f->h),
                       .open = open,
                       .surface = surface};
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, mark_open, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, mark_surface, &job);
}
