/* The loop of constraint_surface.h over pairs: v_i += change/m_i Σ_j H_ij (p_i − p_j), with the
 * Hessian of Wendland's kernel C2, H = u³ − 3 q u² r̂r̂ for u = 1 − q, its factor left to `change`.
 */
#include "lanes/pair_loop.h"

#include "method/constraint.h"
#include "method/constraint_surface.h"

/* Most clusters are far from any surface. */
LANE_INLINE bool sees_surface(const surface_constants *k, const cluster *c)
{
    for (uint32_t s = 0; s < c->span_count; s++)
        for (uint32_t n = 0; n < c->spans[s].count; n++)
            if (k->marks[c->spans[s].candidates[n] / SURFACE_BLOCK])
                return true;
    return false;
}

LANE_INLINE void sum_balance(const flow *f, const surface_constants *k, const cluster *c, size_t i,
                             int pass, lane sum[3], int dim)
{
    float *const *pull = &f->p.field[CONSTRAINT_WORK_X];
    lane inv_h = lane_set(f->kernel_factors.inv_h);
    float *const *ahead = &f->p.field[CONSTRAINT_AHEAD_X];
    lane x_i[3], ahead_i[3], pull_i[3];
    lane_load_vector(f->p.x, i, x_i, dim);
    lane_load_vector(ahead, i, ahead_i, dim);
    lane_load_vector(pull, i, pull_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        const float *shift = f->near.shift[span->image];
        lane at[3], at_ahead[3];
        lane_shift(x_i, shift, at, dim);
        for (int a = 0; a < dim; a++)
            at_ahead[a] = ahead_i[a] - lane_set(shift[a]) * inv_h;
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            lane r[3], r_ahead[3], p[3], along = lane_set(0), reach2 = lane_set(k->reach2);
            lane r2 = lane_offset(f->p.x, at, t, r, dim) * (inv_h * inv_h);
            for (int a = 0; a < dim; a++) {
                r[a] = r[a] * inv_h;
                p[a] = pull_i[a] - lane_of(pull[a], t);
                along = along + r[a] * p[a];
            }
            lane q = lane_sqrt(lane_max(r2, lane_set(1e-12f))), u = lane_set(1) - q;
            lane_mask near = r2 < reach2;
            if (k->looked_ahead)
                near = near & (lane_offset(ahead, at_ahead, t, r_ahead, dim) < reach2);
            lane square = lane_select(near, u * u, lane_set(0));
            lane by_pull = square * u, by_place = lane_set(3) * square * along / q;
            for (int a = 0; a < dim; a++)
                sum[a] = lane_add(sum[a], t, by_pull * p[a] - by_place * r[a]);
        }
    }
}

LANE_INLINE void balance_part(flow *f, const surface_constants *k, const cluster *c, uint32_t part,
                              int dim)
{
    size_t i = c->first + part, left = c->count - part;
    lane all[3] = {lane_set(0), lane_set(0), lane_set(0)};
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        lane sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
        sum_balance(f, k, c, i, pass, sum, dim);
        lane_gather_vector(all, sum, dim);
    }
    lane change = lane_set(k->change) * lane_load(f->p.field[CONSTRAINT_INVERSE_MASS] + i);
    for (int a = 0; a < dim; a++)
        lane_add_some(f->p.v[a] + i, change * all[a], left);
}

LANE_INLINE void balance_loop(flow *f, const surface_constants *k, size_t begin, size_t end,
                              int dim)
{
    for (size_t n = begin; n < end; n++) {
        const cluster *c = &f->near.clusters[n];
        if (!sees_surface(k, c))
            continue;
        for (uint32_t part = 0; part < c->count; part += WEIR_LANES)
            balance_part(f, k, c, part, dim);
    }
}

static void balance(flow *f, const surface_constants *k, size_t begin, size_t end)
{
    if (f->dim == 2)
        balance_loop(f, k, begin, end, 2);
    else
        balance_loop(f, k, begin, end, 3);
}

const surface_pass LANE_SYMBOL(surface_pass_) = balance;
