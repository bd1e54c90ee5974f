/* The loops of viscoelastic fluids over pairs: viscosity, the two densities, displacements.
 * Compiled once per instruction level. A pair is found at the predicted positions and acts along
 * the line that joined it at the begin of the step. */
#include "lanes/pair_loop.h"

#include "method/viscoelastic_pair.h"

/* The share of a pair's displacement that i takes: a half, or by the other's mass. */
LANE_INLINE lane share_of(const visco_constants *k, lane m_i, lane m_j)
{
    return k->mixed ? m_j / (m_i + m_j) : lane_set(0.5f);
}

/* 1 / |r|, and 0 for the particle itself. */
LANE_INLINE lane inverse_length(lane r2)
{
    lane tiny = lane_set(1e-30f);
    return lane_select(r2 > tiny, lane_set(1) / lane_sqrt(lane_max(r2, tiny)), lane_set(0));
}

/* ---------------------------------------------------------------- viscosity */

LANE_INLINE void sum_drag(const flow *f, const visco_constants *k, float dt, const cluster *c,
                          size_t i, int pass, lane sum[3], int dim)
{
    float *const *field = f->p.field;
    const float *sigma = field[VISCO_DRAG], *mass = field[VISCO_MASS];
    lane x_i[3], v_i[3];
    lane_load_vector(&field[VISCO_START_X], i, x_i, dim);
    lane_load_vector(f->p.v, i, v_i, dim);
    lane sigma_i = lane_load(sigma + i), m_i = lane_load(mass + i);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(x_i, f->near.shift[span->image], at, dim);
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            lane r[3];
            lane r2 = lane_offset(&field[VISCO_START_X], at, t, r, dim);
            lane inverse = inverse_length(r2), apart = lane_set(0);
            for (int a = 0; a < dim; a++)
                apart = apart + (v_i[a] - lane_of(f->p.v[a], t)) * r[a];
            lane u = lane_set(0) - apart * inverse;
            lane q = r2 * inverse * lane_set(k->inv_h);
            lane both = lane_set(0.5f) * (sigma_i + lane_of(sigma, t));
            lane loss = visco_lane_drag(q, u, both, lane_set(k->quadratic));
            loss = lane_set(dt) * share_of(k, m_i, lane_of(mass, t)) * loss * inverse;
            for (int a = 0; a < dim; a++)
                sum[a] = lane_add(sum[a], t, loss * r[a]);
        }
    }
}

LANE_INLINE void drag_part(flow *f, const visco_constants *k, float dt, const cluster *c,
                           uint32_t part, int dim)
{
    size_t i = c->first + part;
    lane all[3] = {lane_set(0), lane_set(0), lane_set(0)};
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        lane sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
        sum_drag(f, k, dt, c, i, pass, sum, dim);
        lane_gather_vector(all, sum, dim);
    }
    for (int a = 0; a < dim; a++)
        lane_store_some(f->p.field[VISCO_SHIFT_X + a] + i, all[a], c->count - part);
}

LANE_INLINE void drag_pass(flow *f, const visco_constants *k, float dt, size_t begin, size_t end,
                           int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            drag_part(f, k, dt, &f->near.clusters[c], part, dim);
}

static void drag(flow *f, const visco_constants *k, float dt, size_t begin, size_t end)
{
    if (f->dim == 2)
        drag_pass(f, k, dt, begin, end, 2);
    else
        drag_pass(f, k, dt, begin, end, 3);
}

/* ---------------------------------------------------------------- densities */

typedef struct density_sums {
    lane far, near;
} density_sums;

LANE_INLINE density_sums sum_density(const flow *f, const visco_constants *k, const cluster *c,
                                     size_t i, int pass, visco_kernels kernels, int dim)
{
    density_sums sums = {lane_set(0), lane_set(0)};
    lane x_i[3];
    lane_load_vector(f->p.x, i, x_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(x_i, f->near.shift[span->image], at, dim);
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            lane r[3], far, near;
            lane r2 = lane_offset(f->p.x, at, t, r, dim);
            visco_lane_density(kernels, lane_sqrt(r2) * lane_set(k->inv_h), &far, &near);
            sums.far = lane_add(sums.far, t, far);
            sums.near = lane_add(sums.near, t, near);
        }
    }
    return sums;
}

LANE_INLINE void density_part(flow *f, const visco_constants *k, const cluster *c, uint32_t part,
                              visco_kernels kernels, int dim)
{
    size_t i = c->first + part;
    lane far = lane_set(0), near = lane_set(0);
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        density_sums of = sum_density(f, k, c, i, pass, kernels, dim);
        far = lane_gather(far, of.far);
        near = lane_gather(near, of.near);
    }
    lane_store_some(f->p.field[VISCO_FAR_PUSH] + i, far, c->count - part);
    lane_store_some(f->p.field[VISCO_NEAR_PUSH] + i, near, c->count - part);
}

LANE_INLINE void density_pass(flow *f, const visco_constants *k, size_t begin, size_t end,
                              visco_kernels kernels, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            density_part(f, k, &f->near.clusters[c], part, kernels, dim);
}

/* The densities know one core only: hybrid and squared kernels agree there. */
static void density(flow *f, const visco_constants *k, size_t begin, size_t end)
{
    if (k->kernels == VISCO_KERNELS_PAPER) {
        if (f->dim == 2)
            density_pass(f, k, begin, end, VISCO_KERNELS_PAPER, 2);
        else
            density_pass(f, k, begin, end, VISCO_KERNELS_PAPER, 3);
    } else if (f->dim == 2)
        density_pass(f, k, begin, end, VISCO_KERNELS_SQUARED, 2);
    else
        density_pass(f, k, begin, end, VISCO_KERNELS_SQUARED, 3);
}

/* ------------------------------------------------------------ displacements */

LANE_INLINE void sum_displacement(const flow *f, const visco_constants *k, const cluster *c,
                                  size_t i, int pass, lane sum[3], visco_kernels kernels, int dim)
{
    float *const *field = f->p.field;
    const float *far = field[VISCO_FAR_PUSH], *near = field[VISCO_NEAR_PUSH];
    const float *mass = field[VISCO_MASS];
    lane x_i[3], start_i[3];
    lane_load_vector(f->p.x, i, x_i, dim);
    lane_load_vector(&field[VISCO_START_X], i, start_i, dim);
    lane far_i = lane_load(far + i), near_i = lane_load(near + i), m_i = lane_load(mass + i);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        const float *shift = f->near.shift[span->image];
        lane at[3], from[3];
        lane_shift(x_i, shift, at, dim);
        lane_shift(start_i, shift, from, dim);
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            lane r[3], line[3];
            lane r2 = lane_offset(f->p.x, at, t, r, dim);
            lane q = lane_sqrt(r2) * lane_set(k->inv_h);
            lane line2 = lane_offset(&field[VISCO_START_X], from, t, line, dim);
            lane push = visco_lane_displacement(kernels, q, far_i + lane_of(far, t),
                                                near_i + lane_of(near, t));
            push = share_of(k, m_i, lane_of(mass, t)) * push * inverse_length(line2);
            for (int a = 0; a < dim; a++)
                sum[a] = lane_add(sum[a], t, push * line[a]);
        }
    }
}

LANE_INLINE void displace_part(flow *f, const visco_constants *k, const cluster *c, uint32_t part,
                               visco_kernels kernels, int dim)
{
    size_t i = c->first + part;
    lane all[3] = {lane_set(0), lane_set(0), lane_set(0)};
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        lane sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
        sum_displacement(f, k, c, i, pass, sum, kernels, dim);
        lane_gather_vector(all, sum, dim);
    }
    for (int a = 0; a < dim; a++)
        lane_store_some(f->p.field[VISCO_SHIFT_X + a] + i, all[a], c->count - part);
}

LANE_INLINE void displace_pass(flow *f, const visco_constants *k, size_t begin, size_t end,
                               visco_kernels kernels, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            displace_part(f, k, &f->near.clusters[c], part, kernels, dim);
}

LANE_INLINE void displace_by_kernel(flow *f, const visco_constants *k, size_t begin, size_t end,
                                    int dim)
{
    switch (k->kernels) {
    case VISCO_KERNELS_PAPER:
        displace_pass(f, k, begin, end, VISCO_KERNELS_PAPER, dim);
        break;
    case VISCO_KERNELS_HYBRID:
        displace_pass(f, k, begin, end, VISCO_KERNELS_HYBRID, dim);
        break;
    case VISCO_KERNELS_SQUARED:
        displace_pass(f, k, begin, end, VISCO_KERNELS_SQUARED, dim);
        break;
    }
}

static void displace(flow *f, const visco_constants *k, size_t begin, size_t end)
{
    if (f->dim == 2)
        displace_by_kernel(f, k, begin, end, 2);
    else
        displace_by_kernel(f, k, begin, end, 3);
}

const visco_passes LANE_SYMBOL(visco_passes_) = {drag, density, displace};
