/* The loop of viscosity and XSPH over pairs. */
#include "lanes/pair_loop.h"

#include "kernel/kernel_lane.h"
#include "method/drag.h"
#include "method/drag_lane.h"

LANE_INLINE void sum_drag(const flow *f, const drag_pass_constants *k, const cluster *c, size_t i,
                          lane mu_i, lane rho_i, int pass, lane sum[3], weir_kernel kernel, int dim,
                          bool mixed)
{
    lane x_i[3], v_i[3];
    lane viscous = lane_set(-k->viscous) * (mu_i + mu_i);
    lane smooth = lane_set(0.5f * k->xsph * (float)dim) * (rho_i + rho_i);
    lane_load_vector(f->p.x, i, x_i, dim);
    lane_load_vector(f->p.v, i, v_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(x_i, f->near.shift[span->image], at, dim);
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            if (mixed) {
                viscous = lane_set(-k->viscous) * (mu_i + drag_viscosity_of(f, t));
                smooth = lane_set(0.5f * k->xsph * (float)dim) * (rho_i + drag_density_of(f, t));
            }
            lane r[3], v[3];
            lane r2 = lane_offset(f->p.x, at, t, r, dim);
            lane along = lane_set(0);
            for (int a = 0; a < dim; a++) {
                v[a] = lane_of(f->p.v[a], t) - v_i[a];
                along = along + r[a] * v[a];
            }
            lane by_velocity = viscous * kernel_lane_gradient(&k->factors, kernel, r2);
            lane by_place = smooth * kernel_lane_value(&k->factors, kernel, r2) * along /
                            (r2 + lane_set(k->tiny));
            for (int a = 0; a < dim; a++)
                sum[a] = lane_add(sum[a], t, by_velocity * v[a] + by_place * r[a]);
        }
    }
}

/* Both are the same for i and j but for the sign, over the mass of i: momentum is conserved. XSPH
 * acts on the part of v_j − v_i along the pair only (times the dimension, which makes up for the
 * rest), so that it keeps angular momentum, too, and leaves rotation alone. With fluids of
 * different density it moves the mean of their masses. */
LANE_INLINE void drag_part(const flow *f, const drag_pass_constants *k, float *const change[3],
                           const cluster *c, uint32_t part, weir_kernel kernel, int dim, bool mixed)
{
    size_t i = c->first + part, left = c->count - part;
    lane mu_i, rho_i, all[3] = {lane_set(0), lane_set(0), lane_set(0)};
    drag_load_liquids(f, i, left, mixed, &mu_i, &rho_i);
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        lane sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
        sum_drag(f, k, c, i, mu_i, rho_i, pass, sum, kernel, dim, mixed);
        lane_gather_vector(all, sum, dim);
    }
    for (int a = 0; a < dim; a++)
        lane_store_some(change[a] + i, all[a] / rho_i, left);
}

LANE_INLINE void drag_loop(const flow *f, const drag_pass_constants *k, float *const change[3],
                           size_t begin, size_t end, weir_kernel kernel, int dim, bool mixed)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            drag_part(f, k, change, &f->near.clusters[c], part, kernel, dim, mixed);
}

/* The usual case, one liquid and the default kernel, as a loop of constants. */
static void drag(const flow *f, const drag_pass_constants *k, float *const change[3], size_t begin,
                 size_t end)
{
    bool usual = f->fluid_count == 1 && k->kernel == WEIR_KERNEL_WENDLAND_C2;
    if (usual && f->dim == 2)
        drag_loop(f, k, change, begin, end, WEIR_KERNEL_WENDLAND_C2, 2, false);
    else if (usual)
        drag_loop(f, k, change, begin, end, WEIR_KERNEL_WENDLAND_C2, 3, false);
    else if (f->dim == 2)
        drag_loop(f, k, change, begin, end, k->kernel, 2, true);
    else
        drag_loop(f, k, change, begin, end, k->kernel, 3, true);
}

const drag_pass LANE_SYMBOL(drag_pass_) = drag;
