/* The loops of free_surface.h over pairs. Reads positions, lists and solids. Sums are in single
 * precision: a particle that is open by less than their rounding may be closed here. */
#include "lanes/pair_loop.h"

#include "kernel/kernel_lane.h"
#include "world/free_surface.h"

LANE_INLINE bool any_is_wanted(const free_surface_job *job, const cluster *c)
{
    for (uint32_t i = c->first; i < c->first + c->count; i++)
        if (free_surface_is_wanted(job, i))
            return true;
    return false;
}

LANE_INLINE void write_marks(const free_surface_job *job, uint8_t *marks, size_t i, size_t left,
                             lane_mask mask)
{
    float lanes[WEIR_LANES];
    lane_store(lanes, lane_select(mask, lane_set(1), lane_set(0)));
    for (size_t l = 0; l < WEIR_LANES && l < left; l++)
        if (free_surface_is_wanted(job, i + l))
            marks[i + l] = lanes[l] > 0;
}

/* --------------------------------------------------------------------- open */

/* How much of a particle's kernel is filled, and the gradient of that, times h. */
typedef struct cover {
    lane sum, gradient[3];
} cover;

/* Without the front factors of the kernel. */
LANE_INLINE cover sum_cover(const flow *f, const cluster *c, size_t i, int pass, weir_kernel kernel,
                            int dim)
{
    /* The compiler drops products by 1. */
    const kernel_constants unit = {
        .inv_h = f->kernel_factors.inv_h, .inv_h2 = f->kernel_factors.inv_h2, 1, 1, 1};
    cover of = {lane_set(0), {lane_set(0), lane_set(0), lane_set(0)}};
    lane x_i[3];
    lane_load_vector(f->p.x, i, x_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(x_i, f->near.shift[span->image], at, dim);
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            lane r[3];
            lane r2 = lane_offset(f->p.x, at, t, r, dim), root = lane_sqrt(r2);
            lane weight = kernel_lane_gradient_at(&unit, kernel, r2, root);
            of.sum = lane_add(of.sum, t, kernel_lane_value_at(&unit, kernel, r2, root));
            for (int a = 0; a < dim; a++)
                of.gradient[a] = lane_add(of.gradient[a], t, weight * r[a]);
        }
    }
    return of;
}

LANE_INLINE bool any_sees_solid(const wall_span *solids, size_t count)
{
    for (size_t l = 0; l < count; l++)
        if (solids[l].count > 0 || solids[l].volume != 0)
            return true;
    return false;
}

LANE_INLINE void add_solids(const flow *f, size_t i, size_t left, cover *to, int dim)
{
    size_t count = left < WEIR_LANES ? left : WEIR_LANES;
    const wall_span *solids = f->walls.spans + i;
    if (!any_sees_solid(solids, count))
        return;
    float volume[WEIR_LANES] = {0}, gradient[3][WEIR_LANES] = {{0}};
    for (size_t l = 0; l < count; l++) {
        volume[l] = solids[l].volume;
        for (uint32_t k = 0; k < solids[l].count; k++)
            for (int a = 0; a < dim; a++)
                gradient[a][l] += solids[l].contacts[k].gradient[a];
    }
    to->sum = to->sum + lane_load(volume);
    for (int a = 0; a < dim; a++)
        to->gradient[a] = to->gradient[a] + lane_set((float)f->h) * lane_load(gradient[a]);
}

LANE_INLINE void open_part(const free_surface_job *job, const cluster *c, uint32_t part,
                           weir_kernel kernel, int dim)
{
    size_t i = c->first + part, left = c->count - part;
    cover all = {lane_set(0), {lane_set(0), lane_set(0), lane_set(0)}};
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        cover of = sum_cover(job->f, c, i, pass, kernel, dim);
        all.sum = lane_gather(all.sum, of.sum);
        lane_gather_vector(all.gradient, of.gradient, dim);
    }
    all.sum = lane_set(job->peak) * all.sum;
    for (int a = 0; a < dim; a++)
        all.gradient[a] = lane_set(job->slope) * all.gradient[a];
    add_solids(job->f, i, left, &all, dim);
    lane slope2 = all.gradient[0] * all.gradient[0];
    for (int a = 1; a < dim; a++)
        slope2 = slope2 + all.gradient[a] * all.gradient[a];
    lane_mask steep = slope2 > lane_set(OPEN_SLOPE * OPEN_SLOPE);
    lane_mask empty = all.sum < lane_set(OPEN_COVER);
    write_marks(job, job->open, i, left, steep | empty);
}

LANE_INLINE void open_loop(const free_surface_job *job, size_t begin, size_t end,
                           weir_kernel kernel, int dim)
{
    for (size_t n = begin; n < end; n++) {
        const cluster *c = &job->f->near.clusters[n];
        if (!any_is_wanted(job, c))
            continue;
        for (uint32_t part = 0; part < c->count; part += WEIR_LANES)
            open_part(job, c, part, kernel, dim);
    }
}

LANE_INLINE void open_by_kernel(const free_surface_job *job, size_t begin, size_t end, int dim)
{
    switch (job->f->kernel) {
    case WEIR_KERNEL_WENDLAND_C2:
        open_loop(job, begin, end, WEIR_KERNEL_WENDLAND_C2, dim);
        break;
    case WEIR_KERNEL_CUBIC:
        open_loop(job, begin, end, WEIR_KERNEL_CUBIC, dim);
        break;
    case WEIR_KERNEL_POLY6:
        open_loop(job, begin, end, WEIR_KERNEL_POLY6, dim);
        break;
    case WEIR_KERNEL_SPIKY:
        open_loop(job, begin, end, WEIR_KERNEL_SPIKY, dim);
        break;
    }
}

static void mark_open(const free_surface_job *job, size_t begin, size_t end)
{
    if (job->f->dim == 2)
        open_by_kernel(job, begin, end, 2);
    else
        open_by_kernel(job, begin, end, 3);
}

/* ------------------------------------------------------------------ surface */

enum {
    PARTS = CLUSTER_SIZE / WEIR_LANES,
    OPEN_BATCH = 64, /* candidates that are looked at together */
};

/* Lists those of up to OPEN_BATCH candidates that are open. Every candidate is written and only the
 * count tells which stay: whether one is open is hard to foresee, and a branch would cost more. */
LANE_INLINE uint32_t list_open(const uint8_t *open, const uint32_t *candidates, uint32_t count,
                               uint32_t list[OPEN_BATCH + 1])
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < count; n++) {
        list[kept] = candidates[n];
        kept += open[candidates[n]];
    }
    list[kept] = candidates[0]; /* what lies behind an odd list is read */
    return kept;
}

/* How many of the list lie within h of each member. */
LANE_INLINE lane count_near(const flow *f, const lane at[3], const uint32_t *list, uint32_t listed,
                            int dim)
{
    lane all = lane_set(0), h2 = lane_set((float)(f->h * f->h));
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        lane count = lane_set(0);
        FOR_EACH_TURN(t, list, listed, pass)
        {
            lane r[3], r2 = lane_offset(f->p.x, at, t, r, dim);
            count = lane_add(count, t, lane_select(r2 < h2, lane_set(1), lane_set(0)));
        }
        all = lane_gather(all, count);
    }
    return all;
}

/* Adds to the open ones that each member sees. */
LANE_INLINE void count_open(const free_surface_job *job, const cluster *c,
                            const candidate_span *span, lane seen[PARTS], int dim)
{
    const flow *f = job->f;
    uint32_t list[OPEN_BATCH + 1];
    for (uint32_t first = 0; first < span->count; first += OPEN_BATCH) {
        uint32_t left = span->count - first, count = left < OPEN_BATCH ? left : OPEN_BATCH;
        uint32_t listed = list_open(job->open, span->candidates + first, count, list);
        if (listed == 0)
            continue;
        for (uint32_t part = 0; part < c->count; part += WEIR_LANES) {
            lane x[3], at[3];
            lane_load_vector(f->p.x, c->first + part, x, dim);
            lane_shift(x, f->near.shift[span->image], at, dim);
            lane *of = &seen[part / WEIR_LANES];
            *of = *of + count_near(f, at, list, listed, dim);
        }
    }
}

LANE_INLINE bool all_are_open(const free_surface_job *job, const cluster *c)
{
    for (uint32_t i = c->first; i < c->first + c->count; i++)
        if (!job->open[i])
            return false;
    return true;
}

/* An open member counts itself. Where all are, as in spray, nothing is left to look for. */
LANE_INLINE void surface_cluster(const free_surface_job *job, const cluster *c, int dim)
{
    bool known = all_are_open(job, c);
    lane seen[PARTS];
    for (int part = 0; part < PARTS; part++)
        seen[part] = lane_set(known ? 1 : 0);
    for (uint32_t s = 0; s < c->span_count && !known; s++)
        count_open(job, c, &c->spans[s], seen, dim);
    for (uint32_t part = 0; part < c->count; part += WEIR_LANES)
        write_marks(job, job->surface, c->first + part, c->count - part,
                    seen[part / WEIR_LANES] > lane_set(0));
}

LANE_INLINE void surface_loop(const free_surface_job *job, size_t begin, size_t end, int dim)
{
    for (size_t n = begin; n < end; n++)
        if (any_is_wanted(job, &job->f->near.clusters[n]))
            surface_cluster(job, &job->f->near.clusters[n], dim);
}

static void mark_surface(const free_surface_job *job, size_t begin, size_t end)
{
    if (job->f->dim == 2)
        surface_loop(job, begin, end, 2);
    else
        surface_loop(job, begin, end, 3);
}

const free_surface_passes LANE_SYMBOL(free_surface_passes_) = {mark_open, mark_surface};
