/* The loops of SPH over pairs: density and its rate, forces. Compiled once per
 * instruction level. Reads positions, velocities and the lists; writes the method's fields. */
#include "lanes/pair_loop.h"

#include "method/sph_pair.h"

/* ------------------------------------------------------------------ density */

/* Σ W_ij and Σ (v_i − v_j)·∇W_ij. */
typedef struct density_sums {
    lane ratio, rate;
} density_sums;

LANE_INLINE density_sums sum_density(const flow *f, const sph_constants *k, const cluster *c,
                                     size_t i, int pass, weir_kernel kernel, int dim)
{
    lane x_i[3], v_i[3];
    lane_load_vector(f->p.x, i, x_i, dim);
    lane_load_vector(f->p.v, i, v_i, dim);
    density_sums sums = {lane_set(0), lane_set(0)};
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(x_i, f->near.shift[span->image], at, dim);
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            lane r[3];
            lane r2 = lane_offset(f->p.x, at, t, r, dim);
            sums.ratio = lane_add(sums.ratio, t, kernel_lane_value(&k->density, kernel, r2));
            lane approach = lane_set(0);
            for (int a = 0; a < dim; a++)
                approach = approach + (v_i[a] - lane_of(f->p.v[a], t)) * r[a];
            sums.rate =
                lane_add(sums.rate, t, kernel_lane_gradient(&k->density, kernel, r2) * approach);
        }
    }
    return sums;
}

/* δ_i, times κV, and its rate. */
LANE_INLINE void density_part(flow *f, const sph_constants *k, const cluster *c, uint32_t part,
                              weir_kernel kernel, int dim)
{
    size_t i = c->first + part, left = c->count - part;
    lane ratio = lane_set(0), rate = lane_set(0), volume = lane_set(k->volume);
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        density_sums of = sum_density(f, k, c, i, pass, kernel, dim);
        ratio = lane_gather(ratio, of.ratio);
        rate = lane_gather(rate, of.rate);
    }
    lane_store_some(f->p.field[SPH_RATIO] + i, volume * ratio, left);
    lane_store_some(f->p.field[SPH_RATE] + i, volume * rate, left);
}

LANE_INLINE void density_pass(flow *f, const sph_constants *k, size_t begin, size_t end,
                              weir_kernel kernel, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            density_part(f, k, &f->near.clusters[c], part, kernel, dim);
}

LANE_INLINE void density_by_kernel(flow *f, const sph_constants *k, size_t begin, size_t end,
                                   int dim)
{
    switch (k->density_kernel) {
    case WEIR_KERNEL_WENDLAND_C2:
        density_pass(f, k, begin, end, WEIR_KERNEL_WENDLAND_C2, dim);
        break;
    case WEIR_KERNEL_CUBIC:
        density_pass(f, k, begin, end, WEIR_KERNEL_CUBIC, dim);
        break;
    case WEIR_KERNEL_POLY6:
        density_pass(f, k, begin, end, WEIR_KERNEL_POLY6, dim);
        break;
    case WEIR_KERNEL_SPIKY:
        density_pass(f, k, begin, end, WEIR_KERNEL_SPIKY, dim);
        break;
    }
}

static void density(flow *f, const sph_constants *k, size_t begin, size_t end)
{
    if (f->dim == 2)
        density_by_kernel(f, k, begin, end, 2);
    else
        density_by_kernel(f, k, begin, end, 3);
}

/* ------------------------------------------------------------------- forces */

/* Σ of pressure and viscosity. */
LANE_INLINE void sum_force(const flow *f, const sph_constants *k, const cluster *c, size_t i,
                           int pass, lane sum[3], weir_kernel kernel, int dim)
{
    lane x_i[3], v_i[3];
    lane_load_vector(f->p.x, i, x_i, dim);
    lane_load_vector(f->p.v, i, v_i, dim);
    const float *pressure = f->p.field[SPH_PRESSURE], *inverse = f->p.field[SPH_INVERSE];
    const float *viscosity = f->p.field[SPH_VISCOSITY];
    lane p_i = lane_load(pressure + i), inverse_i = lane_load(inverse + i);
    const float *tension = f->p.field[SPH_TENSION];
    lane mu_i = lane_load(viscosity + i), tension_i = lane_load(tension + i);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(x_i, f->near.shift[span->image], at, dim);
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            lane r[3];
            lane r2 = lane_offset(f->p.x, at, t, r, dim);
            lane gradient = kernel_lane_gradient(&k->pressure, kernel, r2);
            lane inverse_j = lane_of(inverse, t);
            lane push = sph_pair_pressure(k->mueller_form, p_i, inverse_i, lane_of(pressure, t),
                                          inverse_j) *
                        gradient;
            lane drag = sph_pair_viscosity(k, gradient, r2, mu_i, inverse_i, lane_of(viscosity, t),
                                           inverse_j);
            if (k->has_tension) {
                lane length = lane_sqrt(r2);
                push = push + lane_set(k->cohesion) * (tension_i + lane_of(tension, t)) *
                                  sph_pair_cohesion(length * lane_set(k->pressure.inv_h)) /
                                  lane_max(length, lane_set(k->tiny));
            }
            for (int a = 0; a < dim; a++)
                sum[a] = lane_add(sum[a], t, drag * (lane_of(f->p.v[a], t) - v_i[a]) - push * r[a]);
        }
    }
}

/* Times κV; the division by ρ0 and the solids come after. */
LANE_INLINE void force_part(flow *f, const sph_constants *k, const cluster *c, uint32_t part,
                            weir_kernel kernel, int dim)
{
    size_t i = c->first + part;
    lane force[3] = {lane_set(0), lane_set(0), lane_set(0)};
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        lane sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
        sum_force(f, k, c, i, pass, sum, kernel, dim);
        lane_gather_vector(force, sum, dim);
    }
    for (int a = 0; a < dim; a++)
        lane_store_some(f->p.field[SPH_ACCELERATION_X + a] + i, lane_set(k->volume) * force[a],
                        c->count - part);
}

LANE_INLINE void force_pass(flow *f, const sph_constants *k, size_t begin, size_t end,
                            weir_kernel kernel, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            force_part(f, k, &f->near.clusters[c], part, kernel, dim);
}

LANE_INLINE void force_by_kernel(flow *f, const sph_constants *k, size_t begin, size_t end, int dim)
{
    switch (k->pressure_kernel) {
    case WEIR_KERNEL_WENDLAND_C2:
        force_pass(f, k, begin, end, WEIR_KERNEL_WENDLAND_C2, dim);
        break;
    case WEIR_KERNEL_CUBIC:
        force_pass(f, k, begin, end, WEIR_KERNEL_CUBIC, dim);
        break;
    case WEIR_KERNEL_POLY6:
        force_pass(f, k, begin, end, WEIR_KERNEL_POLY6, dim);
        break;
    case WEIR_KERNEL_SPIKY:
        force_pass(f, k, begin, end, WEIR_KERNEL_SPIKY, dim);
        break;
    }
}

static void force(flow *f, const sph_constants *k, size_t begin, size_t end)
{
    if (f->dim == 2)
        force_by_kernel(f, k, begin, end, 2);
    else
        force_by_kernel(f, k, begin, end, 3);
}

const sph_passes LANE_SYMBOL(sph_passes_) = {density, force};
