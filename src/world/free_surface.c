/* free_surface.h: the levels of its loops, over all clusters. */
#include "world/free_surface.h"

#include "par/parallel.h"

static const free_surface_passes *passes_of(const free_surface_job *job)
{
    static const free_surface_passes *const levels[] = LANE_TABLE(free_surface_passes_);
    return levels[job->f->level];
}

static void open_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const free_surface_job *job = context;
    passes_of(job)->mark_open(job, begin, end);
}

static void surface_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const free_surface_job *job = context;
    passes_of(job)->mark_surface(job, begin, end);
}

void surface_find(const flow *f, const uint32_t *number, const uint32_t *pool_of, uint8_t *open,
                  uint8_t *surface)
{
    double volume = f->kappa * f->volume;
    free_surface_job job = {.f = f,
                            .number = number,
                            .pool_of = pool_of,
                            .peak = (float)(volume * f->kernel_factors.value),
                            .slope = (float)(volume * f->kernel_factors.gradient * f->h),
                            .open = open,
                            .surface = surface};
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, open_chunk, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, surface_chunk, &job);
}
