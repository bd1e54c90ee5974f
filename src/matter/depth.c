#include "matter/depth.h"

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

/* Clusters, each by itself. */
static void begin_parts(depth_memory *d, const flow *f)
{
    static const double FULL = 0.6; /* of the candidates that clusters have on average */
    const neighbours *near = &f->near;
    vec3 down = find_down(f);
    double few = FULL * (double)near->candidate_count / (double)near->cluster_count;
    for (size_t k = 0; k < near->cluster_count; k++) {
        const cluster *c = &near->clusters[k];
        depth_part part = {.parent = (uint32_t)k,
                           .full = (double)cluster_candidate_count(c) > few,
                           .top = INFINITY,
                           .bottom = -INFINITY};
        for (uint32_t i = c->first; i < c->first + c->count; i++) {
            float depth = (float)vec3_dot(flow_position(f, i), down);
            part.top = fminf(part.top, depth);
            part.bottom = fmaxf(part.bottom, depth);
            d->cluster_of[i] = (uint32_t)k;
        }
        d->parts[k] = part;
    }
}

static uint32_t find_root(depth_part *parts, uint32_t k)
{
    while (parts[k].parent != k)
        k = parts[k].parent = parts[parts[k].parent].parent;
    return k;
}

static void join(depth_part *parts, uint32_t a, uint32_t b)
{
    uint32_t from = find_root(parts, a), to = find_root(parts, b);
    if (from == to)
        return;
    parts[from].parent = to;
    parts[to].top = fminf(parts[to].top, parts[from].top);
    parts[to].bottom = fmaxf(parts[to].bottom, parts[from].bottom);
}

/* With the clusters of its candidates. What hangs together has many of the other's: a few of them
 * will do. */
static void join_near(depth_memory *d, const flow *f, uint32_t k)
{
    enum { STRIDE = 4 };
    const cluster *c = &f->near.clusters[k];
    for (uint32_t s = 0; s < c->span_count; s++)
        for (uint32_t n = 0; n < c->spans[s].count; n += STRIDE) {
            uint32_t other = d->cluster_of[c->spans[s].candidates[n]];
            if (other < k && d->parts[other].full)
                join(d->parts, other, k);
        }
}

bool depth_update(depth_memory *d, flow *f)
{
    /* A pool that breaks apart for a moment is still as deep. */
    static const double LEFT = 0.9;
    size_t clusters = f->near.cluster_count;
    if (clusters == 0 || vec3_length(f->force) == 0)
        return true;
    if (!memory_grow(f->mem, (void **)&d->parts, &d->part_capacity, clusters, 0,
                     sizeof *d->parts) ||
        !memory_grow(f->mem, (void **)&d->cluster_of, &d->particle_capacity, f->p.count, 0,
                     sizeof *d->cluster_of))
        return false;
    begin_parts(d, f);
    for (size_t k = 0; k < clusters; k++)
        if (d->parts[k].full)
            join_near(d, f, (uint32_t)k);
    double deepest = fmax(f->asleep_depth - f->spacing, 0);
    for (size_t k = 0; k < clusters; k++)
        if (d->parts[k].full)
            deepest = fmax(deepest, (double)d->parts[k].bottom - d->parts[k].top);
    f->fluid_depth = fmax(deepest + f->spacing, LEFT * f->fluid_depth);
    return true;
}
