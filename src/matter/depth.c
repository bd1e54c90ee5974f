#include "matter/depth.h"

#include "par/parallel.h"

#include <stdatomic.h>

void depth_memory_free(depth_memory *d, memory *m)
{
    memory_give(m, d->parts, d->part_capacity * sizeof *d->parts);
    memory_give(m, d->cluster_of, d->particle_capacity * sizeof *d->cluster_of);
    *d = (depth_memory){0};
}

static vec3 find_down(const flow *f)
{
    return vec3_unit(f->force, (vec3){0, 0, 0});
}

double depth_of_range(const flow *f, size_t begin, size_t end)
{
    vec3 down = find_down(f);
    double top = INFINITY, bottom = -INFINITY;
    for (size_t i = begin; i < end; i++) {
        double depth = vec3_dot(flow_position(f, i), down);
        top = fmin(top, depth);
        bottom = fmax(bottom, depth);
    }
    return bottom > top ? bottom - top + f->spacing : f->spacing;
}

typedef struct depth_job {
    depth_memory *d;
    const flow *f;
    vec3 down;
    double few; /* candidates of what is spray or a thin sheet */
} depth_job;

/* Clusters, each by itself. */
static void begin_parts(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const depth_job *job = context;
    const flow *f = job->f;
    for (size_t k = begin; k < end; k++) {
        const cluster *c = &f->near.clusters[k];
        float top = INFINITY, bottom = -INFINITY;
        for (uint32_t i = c->first; i < c->first + c->count; i++) {
            float depth = (float)vec3_dot(flow_position(f, i), job->down);
            top = fminf(top, depth);
            bottom = fmaxf(bottom, depth);
            job->d->cluster_of[i] = (uint32_t)k;
        }
        depth_part *part = &job->d->parts[k];
        atomic_init(&part->parent, (uint32_t)k);
        part->full = (double)cluster_candidate_count(c) > job->few;
        part->top = top;
        part->bottom = bottom;
    }
}

static uint32_t get_parent(const depth_part *parts, uint32_t k)
{
    return atomic_load_explicit(&parts[k].parent, memory_order_relaxed);
}

/* Shortens the way for those that come after. Another thread may have done so: then it stays. */
static uint32_t find_root(depth_part *parts, uint32_t k)
{
    uint32_t parent = get_parent(parts, k);
    while (parent != k) {
        uint32_t next = get_parent(parts, parent);
        if (next != parent)
            atomic_compare_exchange_weak_explicit(&parts[k].parent, &(uint32_t){parent}, next,
                                                  memory_order_relaxed, memory_order_relaxed);
        k = parent;
        parent = next;
    }
    return k;
}

/* The later root hangs from the earlier one, so that threads that join at once make no ring; if
 * another has joined it meanwhile, from where that leads. */
static void join(depth_part *parts, uint32_t a, uint32_t b)
{
    for (;;) {
        a = find_root(parts, a);
        b = find_root(parts, b);
        if (a == b)
            return;
        uint32_t late = a > b ? a : b, early = a > b ? b : a, expected = late;
        if (atomic_compare_exchange_strong_explicit(&parts[late].parent, &expected, early,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

/* With the clusters of its candidates. What hangs together has many of the other's: a few of them
 * will do. */
static void join_near(depth_memory *d, const flow *f, uint32_t k)
{
    enum { STRIDE = 4 };
    const cluster *c = &f->near.clusters[k];
    uint32_t last = k;
    for (uint32_t s = 0; s < c->span_count; s++)
        for (uint32_t n = 0; n < c->spans[s].count; n += STRIDE) {
            uint32_t other = d->cluster_of[c->spans[s].candidates[n]];
            if (other < k && other != last && d->parts[other].full)
                join(d->parts, other, k);
            last = other;
        }
}

static void join_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const depth_job *job = context;
    for (size_t k = begin; k < end; k++)
        if (job->d->parts[k].full)
            join_near(job->d, job->f, (uint32_t)k);
}

/* Tops and bottoms of the pools, at their roots. Returns the largest depth, or `deepest`. */
static double find_deepest(depth_part *parts, size_t count, double deepest)
{
    for (size_t k = 0; k < count; k++) {
        if (!parts[k].full)
            continue;
        depth_part *root = &parts[find_root(parts, (uint32_t)k)];
        root->top = fminf(root->top, parts[k].top);
        root->bottom = fmaxf(root->bottom, parts[k].bottom);
        deepest = fmax(deepest, (double)root->bottom - root->top);
    }
    return deepest;
}

bool depth_update(depth_memory *d, flow *f)
{
    /* A pool that breaks apart for a moment is still as deep. */
    static const double LEFT = 0.9;
    static const double FULL = 0.6; /* of the candidates that clusters have on average */
    size_t clusters = f->near.cluster_count;
    if (clusters == 0 || vec3_length(f->force) == 0)
        return true;
    if (!memory_grow(f->mem, (void **)&d->parts, &d->part_capacity, clusters, 0,
                     sizeof *d->parts) ||
        !memory_grow(f->mem, (void **)&d->cluster_of, &d->particle_capacity, f->p.count, 0,
                     sizeof *d->cluster_of))
        return false;
    double few = FULL * (double)f->near.candidate_count / (double)clusters;
    depth_job job = {.d = d, .f = f, .down = find_down(f), .few = few};
    parallel_for(f->threads, clusters, CLUSTER_GRAIN, begin_parts, &job);
    parallel_for(f->threads, clusters, CLUSTER_GRAIN, join_chunk, &job);
    double deepest = find_deepest(d->parts, clusters, fmax(f->asleep_depth - f->spacing, 0));
    f->fluid_depth = fmax(deepest + f->spacing, LEFT * f->fluid_depth);
    return true;
}
