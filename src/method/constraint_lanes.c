/* The loops of the constraint method over pairs. Of the Jacobian G_ij = −κV ∇_iW_ij the weights
 * W'/r are stored once a step: the products of a solve read them ten times and more, which takes
 * half the time of a root and the kernel for each pair. V is divided by the first
 * moment of ∇W in particles at rest, so that linear pressure gives its exact gradient: otherwise
 * all pressures, and with them buoyancy, come out up to 4 % too high. G_ii, the sum over all
 * neighbours and solids, is stored as the slope.
 *
 * Places are in units of h, so that no factor of the kernel is left in the loops: the compiler
 * drops products by 1. */
#include "kernel/kernel_lane.h"
#include "lanes/pair_loop.h"
#include "method/constraint.h"
#include "method/drag_lane.h"

static const kernel_constants UNIT = {1, 1, 1, 1, 1};

/* The image's shift in units of h. */
LANE_INLINE void find_place(const flow *f, const lane x_i[3], uint32_t image, lane at[3], int dim)
{
    const float *shift = f->near.shift[image];
    float inverse = f->kernel_factors.inv_h;
    for (int a = 0; a < dim; a++)
        at[a] = x_i[a] - lane_set(shift[a] * inverse);
}

/* W'/r as it is stored. Of kernels that grow without bound towards 0 the weight does not. */
LANE_INLINE lane round_weight(const constraint_constants *k, weir_kernel kernel, lane r2)
{
    lane units = kernel_lane_gradient(&UNIT, kernel, r2) * lane_set(k->weight_units);
    if (kernel == WEIR_KERNEL_SPIKY)
        units = lane_min(units, lane_set(UINT16_MAX));
    return units + lane_set(0.5f);
}

/* r_ij = x_i − x_j, and its square. */
LANE_INLINE lane find_offset(const lane x_i[3], const float x_j[3], lane r[3], int dim)
{
    r[0] = x_i[0] - lane_set(x_j[0]);
    lane r2 = r[0] * r[0];
    for (int a = 1; a < dim; a++) {
        r[a] = x_i[a] - lane_set(x_j[a]);
        r2 = r2 + r[a] * r[a];
    }
    return r2;
}

LANE_INLINE void weigh_part(flow *f, const constraint_constants *k, const cluster *c, uint32_t part,
                            weir_kernel kernel, int dim)
{
    size_t i = c->first + part, left = c->count - part;
    float **field = f->p.field;
    constraint_weight *weight = k->weights + CLUSTER_SIZE * c->base + part;
    lane x_i[3], slope[3] = {lane_set(0), lane_set(0), lane_set(0)};
    lane ratio = lane_set(0), squares = lane_set(0);
    lane_load_vector(&field[CONSTRAINT_PLACE_X], i, x_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        find_place(f, x_i, span->image, at, dim);
        for (uint32_t n = 0; n < span->count; n++, weight += CLUSTER_SIZE) {
            const constraint_point *j = &k->points[span->candidates[n]];
            lane r[3];
            lane r2 = find_offset(at, j->place, r, dim);
            lane factor = lane_store_short(weight, round_weight(k, kernel, r2));
            ratio = ratio + kernel_lane_value(&UNIT, kernel, r2);
            squares = squares + factor * factor * r2 * lane_set(j->inverse_mass);
            for (int a = 0; a < dim; a++)
                slope[a] = slope[a] + factor * r[a];
        }
    }
    lane gradient = lane_set(k->gradient);
    lane_store_some(field[CONSTRAINT_RATIO] + i, lane_set(k->value) * ratio, left);
    lane_store_some(field[CONSTRAINT_DIAGONAL] + i, gradient * (gradient * squares), left);
    for (int a = 0; a < dim; a++)
        lane_store_some(field[CONSTRAINT_SLOPE_X + a] + i, gradient * slope[a], left);
}

/* What drag_lanes.c does, with the weights that are there: XSPH by (W'/r)² in place of W/r², which
 * is much alike. */
LANE_INLINE void drag_part(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                           const cluster *c, uint32_t part, int dim, bool mixed)
{
    size_t i = c->first + part, left = c->count - part;
    const constraint_weight *weight = k->weights + CLUSTER_SIZE * c->base + part;
    lane x_i[3], v_i[3], sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
    lane mu_i, rho_i;
    drag_load_liquids(f, i, left, mixed, &mu_i, &rho_i);
    float by_mu = -drag->viscous, by_rho = 0.5f * drag->xsph * (float)dim;
    lane viscous = lane_set(by_mu) * (mu_i + mu_i), smooth = lane_set(by_rho) * (rho_i + rho_i);
    lane_load_vector(&f->p.field[CONSTRAINT_PLACE_X], i, x_i, dim);
    lane_load_vector(f->p.v, i, v_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        find_place(f, x_i, span->image, at, dim);
        for (uint32_t n = 0; n < span->count; n++, weight += CLUSTER_SIZE) {
            uint32_t j = span->candidates[n];
            lane_fetch_stream(weight);
            if (mixed) {
                const fluid *other = &f->fluids[f->p.fluid[j]];
                viscous = lane_set(by_mu) * (mu_i + lane_set((float)other->viscosity));
                smooth = lane_set(by_rho) * (rho_i + lane_set((float)other->density));
            }
            lane r[3], v[3], along = lane_set(0);
            for (int a = 0; a < dim; a++) {
                r[a] = at[a] - lane_set(k->points[j].place[a]);
                v[a] = lane_set(f->p.v[a][j]) - v_i[a];
                along = along + r[a] * v[a];
            }
            lane w = lane_load_short(weight);
            lane by_velocity = viscous * w, by_place = smooth * (w * w) * along;
            for (int a = 0; a < dim; a++)
                sum[a] = sum[a] + (by_velocity * v[a] + by_place * r[a]);
        }
    }
    for (int a = 0; a < dim; a++)
        lane_store_some(f->p.field[CONSTRAINT_WORK_X + a] + i, sum[a] / rho_i, left);
}

/* The ratio after a move to the places in `work`: pairs that only then come near are not in the
 * lists, where they begin, the kernel is 0 to the third order. */
LANE_INLINE void predict_part(flow *f, const constraint_constants *k, const cluster *c,
                              uint32_t part, weir_kernel kernel, int dim)
{
    size_t i = c->first + part, left = c->count - part;
    float *const *work = &f->p.field[CONSTRAINT_WORK_X];
    lane x_i[3], ratio = lane_set(0);
    lane_load_vector(work, i, x_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        find_place(f, x_i, span->image, at, dim);
        for (uint32_t n = 0; n < span->count; n++) {
            lane r[3];
            lane r2 = lane_offset(work, at, span->candidates[n], r, dim);
            ratio = ratio + kernel_lane_value(&UNIT, kernel, r2);
        }
    }
    lane_store_some(f->p.field[CONSTRAINT_RATIO] + i, lane_set(k->value) * ratio, left);
}

/* work_i = −(ν_i slope_i + Σ_j κV ν_j ∇_iW_ij)/m_i; the solids' part is in the slope. */
LANE_INLINE void push_part(flow *f, const constraint_constants *k, const float *nu,
                           const cluster *c, uint32_t part, int dim)
{
    size_t i = c->first + part, left = c->count - part;
    float **field = f->p.field;
    const constraint_weight *weight = k->weights + CLUSTER_SIZE * c->base + part;
    lane x_i[3], sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
    lane_load_vector(&field[CONSTRAINT_PLACE_X], i, x_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        find_place(f, x_i, span->image, at, dim);
        for (uint32_t n = 0; n < span->count; n++, weight += CLUSTER_SIZE) {
            uint32_t j = span->candidates[n];
            lane_fetch_stream(weight);
            lane push = lane_load_short(weight) * lane_set(nu[j]);
            for (int a = 0; a < dim; a++)
                sum[a] = sum[a] + push * (at[a] - lane_set(k->points[j].place[a]));
        }
    }
    lane nu_i = lane_load(nu + i), inverse_mass = lane_load(field[CONSTRAINT_INVERSE_MASS] + i);
    for (int a = 0; a < dim; a++) {
        lane own = nu_i * lane_load(field[CONSTRAINT_SLOPE_X + a] + i);
        lane_store_some(field[CONSTRAINT_WORK_X + a] + i,
                        lane_set(0) - inverse_mass * (own + lane_set(k->gradient) * sum[a]), left);
    }
}

/* rows_i = slope_i · work_i − Σ_j κV ∇_iW_ij · work_j */
LANE_INLINE void pull_part(flow *f, const constraint_constants *k, float *rows, const cluster *c,
                           uint32_t part, int dim)
{
    size_t i = c->first + part, left = c->count - part;
    float **field = f->p.field, *const *work = &field[CONSTRAINT_WORK_X];
    const constraint_weight *weight = k->weights + CLUSTER_SIZE * c->base + part;
    lane x_i[3], sum = lane_set(0);
    lane_load_vector(&field[CONSTRAINT_PLACE_X], i, x_i, dim);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        find_place(f, x_i, span->image, at, dim);
        for (uint32_t n = 0; n < span->count; n++, weight += CLUSTER_SIZE) {
            uint32_t j = span->candidates[n];
            lane_fetch_stream(weight);
            lane along = (at[0] - lane_set(k->points[j].place[0])) * lane_set(work[0][j]);
            for (int a = 1; a < dim; a++)
                along = along + (at[a] - lane_set(k->points[j].place[a])) * lane_set(work[a][j]);
            sum = sum + lane_load_short(weight) * along;
        }
    }
    lane own = lane_set(0);
    for (int a = 0; a < dim; a++)
        own = own + lane_load(field[CONSTRAINT_SLOPE_X + a] + i) * lane_load(work[a] + i);
    lane_store_some(rows + i, own - lane_set(k->gradient) * sum, left);
}

/* --------------------------------------------- one loop per kernel and dimension */

LANE_INLINE void weigh_loop(flow *f, const constraint_constants *k, size_t begin, size_t end,
                            weir_kernel kernel, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            weigh_part(f, k, &f->near.clusters[c], part, kernel, dim);
}

LANE_INLINE void drag_loop(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                           size_t begin, size_t end, int dim, bool mixed)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            drag_part(f, k, drag, &f->near.clusters[c], part, dim, mixed);
}

LANE_INLINE void predict_loop(flow *f, const constraint_constants *k, size_t begin, size_t end,
                              weir_kernel kernel, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            predict_part(f, k, &f->near.clusters[c], part, kernel, dim);
}

LANE_INLINE void push_loop(flow *f, const constraint_constants *k, const float *nu, size_t begin,
                           size_t end, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            push_part(f, k, nu, &f->near.clusters[c], part, dim);
}

LANE_INLINE void pull_loop(flow *f, const constraint_constants *k, float *rows, size_t begin,
                           size_t end, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            pull_part(f, k, rows, &f->near.clusters[c], part, dim);
}

#define FOR_EACH_KERNEL(loop, ...)                                                                 \
    do {                                                                                           \
        if (k->kernel == WEIR_KERNEL_WENDLAND_C2)                                                  \
            loop(__VA_ARGS__, WEIR_KERNEL_WENDLAND_C2, dim);                                       \
        else if (k->kernel == WEIR_KERNEL_CUBIC)                                                   \
            loop(__VA_ARGS__, WEIR_KERNEL_CUBIC, dim);                                             \
        else if (k->kernel == WEIR_KERNEL_POLY6)                                                   \
            loop(__VA_ARGS__, WEIR_KERNEL_POLY6, dim);                                             \
        else                                                                                       \
            loop(__VA_ARGS__, WEIR_KERNEL_SPIKY, dim);                                             \
    } while (0)

LANE_INLINE void weigh_in(flow *f, const constraint_constants *k, size_t begin, size_t end, int dim)
{
    FOR_EACH_KERNEL(weigh_loop, f, k, begin, end);
}

LANE_INLINE void predict_in(flow *f, const constraint_constants *k, size_t begin, size_t end,
                            int dim)
{
    FOR_EACH_KERNEL(predict_loop, f, k, begin, end);
}

static void weigh(flow *f, const constraint_constants *k, size_t begin, size_t end)
{
    if (f->dim == 2)
        weigh_in(f, k, begin, end, 2);
    else
        weigh_in(f, k, begin, end, 3);
}

static void drag(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                 size_t begin, size_t end)
{
    if (f->fluid_count > 1)
        drag_loop(f, k, drag, begin, end, f->dim, true);
    else if (f->dim == 2)
        drag_loop(f, k, drag, begin, end, 2, false);
    else
        drag_loop(f, k, drag, begin, end, 3, false);
}

static void predict(flow *f, const constraint_constants *k, size_t begin, size_t end)
{
    if (f->dim == 2)
        predict_in(f, k, begin, end, 2);
    else
        predict_in(f, k, begin, end, 3);
}

static void push(flow *f, const constraint_constants *k, const float *nu, size_t begin, size_t end)
{
    if (f->dim == 2)
        push_loop(f, k, nu, begin, end, 2);
    else
        push_loop(f, k, nu, begin, end, 3);
}

static void pull(flow *f, const constraint_constants *k, float *rows, size_t begin, size_t end)
{
    if (f->dim == 2)
        pull_loop(f, k, rows, begin, end, 2);
    else
        pull_loop(f, k, rows, begin, end, 3);
}

const constraint_passes LANE_SYMBOL(constraint_passes_) = {weigh, drag, predict, push, pull};
