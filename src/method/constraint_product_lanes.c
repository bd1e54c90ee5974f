/* Products with the matrix of the constraint method's rows: the loops of a solve, over weights that
 * constraint_weigh_lanes.c has stored. */
#include "lanes/pair_loop.h"

#include "method/constraint.h"

/* The weights of so many candidates fill a line of the cache, fetched by one. */
enum { LINE = CANDIDATES_AT_ONCE };

/* Σ_j w_ij of moments: of their vectors, and in the last place of the scalars. */
enum { SCALAR = 3, MOMENT_NUMBERS };

LANE_INLINE void add_moments(const constraint_constants *k, const uint32_t *j,
                             const constraint_weight *weight, lane sums[MOMENT_NUMBERS], int dim)
{
    lane_quads numbers =
        lane_quads_of_two(k->moments[j[0]].vector, k->moments[j[LANE_HALVES - 1]].vector);
    lane w = lane_load_short(weight);
    for (int a = 0; a < dim; a++)
        sums[a] = sums[a] + w * lane_spread(numbers, a);
    sums[SCALAR] = sums[SCALAR] + w * lane_spread(numbers, SCALAR);
}

/* Of even and odd candidates apart, but in one pass, as additions wait for the one before. */
typedef lane pass_sums[LANE_PASSES][MOMENT_NUMBERS];

/* `fetch_far` is a constant of the caller: a branch for each line would cost a tenth. */
LANE_INLINE void add_lines(const constraint_constants *k, const candidate_span *span,
                           const constraint_weight *weight, pass_sums sums, int dim, bool fetch_far)
{
    const uint32_t *j = span->candidates;
    for (const uint32_t *end = j + span->slots; j < end; j += LINE, weight += LINE * CLUSTER_SIZE) {
        lane_fetch_stream(weight, fetch_far);
        for (int n = 0; n < LINE; n += LANE_HALVES)
            add_moments(k, j + n, weight + n * CLUSTER_SIZE, sums[n % LANE_PASSES], dim);
    }
}

/* Of one span, whose weights begin at `weight`. */
LANE_INLINE void sum_span(const constraint_constants *k, const candidate_span *span,
                          const constraint_weight *weight, lane all[MOMENT_NUMBERS], int dim)
{
    enum { OF_LIST = 16 }; /* candidates whose numbers fill a line of the cache */
    for (uint32_t n = 0; n < span->slots; n += OF_LIST)
        lane_fetch_stream(span->candidates + n, false);
    pass_sums sums;
    for (int pass = 0; pass < LANE_PASSES; pass++)
        for (int n = 0; n < MOMENT_NUMBERS; n++)
            sums[pass][n] = lane_set(0);
    if (k->fetch_far)
        add_lines(k, span, weight, sums, dim, true);
    else
        add_lines(k, span, weight, sums, dim, false);
    for (int n = 0; n < MOMENT_NUMBERS; n++)
        all[n] = lane_fold(sums[0][n]);
    for (int pass = 1; pass < LANE_PASSES; pass++)
        lane_gather_vector(all, sums[pass], MOMENT_NUMBERS);
}

/* Where members lie as seen from the origin of a span. One span alone is that of their own block:
 * places from its origin are at hand, and less is read. */
LANE_INLINE void find_local(const flow *f, const cluster *c, const candidate_span *span,
                            uint32_t part, lane at[3], int dim)
{
    float *const *field = f->p.field;
    if (c->span_count == 1) {
        lane_load_vector(&field[CONSTRAINT_LOCAL_X], c->first + part, at, dim);
        return;
    }
    const float *shift = f->near.shift[span->image], inv_h = f->kernel_factors.inv_h;
    lane_load_vector(&field[CONSTRAINT_PLACE_X], c->first + part, at, dim);
    for (int a = 0; a < dim; a++)
        at[a] = at[a] - lane_set(inv_h * (span->origin[a] + shift[a]));
}

/* Σ_j w_ij ν_j (x_i − x_j) */
LANE_INLINE void push_candidates(const flow *f, const constraint_constants *k, const cluster *c,
                                 uint32_t part, lane sum[3], int dim)
{
    const constraint_weight *weight = k->weights + CLUSTER_SIZE * c->base + part;
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane of[MOMENT_NUMBERS], at[3];
        sum_span(k, span, weight, of, dim);
        find_local(f, c, span, part, at, dim);
        for (int a = 0; a < dim; a++)
            sum[a] = sum[a] + (at[a] * of[SCALAR] - of[a]);
        weight += CLUSTER_SIZE * span->slots;
    }
}

/* Σ_j w_ij (x_i − x_j) · v_j */
LANE_INLINE lane pull_candidates(const flow *f, const constraint_constants *k, const cluster *c,
                                 uint32_t part, int dim)
{
    const constraint_weight *weight = k->weights + CLUSTER_SIZE * c->base + part;
    lane sum = lane_set(0);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane of[MOMENT_NUMBERS], at[3];
        sum_span(k, span, weight, of, dim);
        find_local(f, c, span, part, at, dim);
        lane along = at[0] * of[0];
        for (int a = 1; a < dim; a++)
            along = along + at[a] * of[a];
        sum = sum + (along - of[SCALAR]);
        weight += CLUSTER_SIZE * span->slots;
    }
    return sum;
}

/* work_i = −(ν_i slope_i + Σ_j κV ν_j ∇_iW_ij)/m_i; the solids' part is in the slope. */
LANE_INLINE void push_part(flow *f, const constraint_constants *k, const float *nu, size_t number,
                           uint32_t part, int dim)
{
    const cluster *c = &f->near.clusters[number];
    size_t i = c->first + part, left = c->count - part;
    float **field = f->p.field;
    lane sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
    push_candidates(f, k, c, part, sum, dim);
    lane nu_i = lane_load(nu + i), inverse_mass = lane_load(field[CONSTRAINT_INVERSE_MASS] + i);
    for (int a = 0; a < dim; a++) {
        lane own = nu_i * lane_load(field[CONSTRAINT_SLOPE_X + a] + i);
        lane_store_some(field[CONSTRAINT_WORK_X + a] + i,
                        lane_set(0) - inverse_mass * (own + lane_set(k->gradient) * sum[a]), left);
    }
}

/* rows_i = slope_i · work_i − Σ_j κV ∇_iW_ij · work_j */
LANE_INLINE void pull_part(flow *f, const constraint_constants *k, float *rows, size_t number,
                           uint32_t part, int dim)
{
    const cluster *c = &f->near.clusters[number];
    size_t i = c->first + part, left = c->count - part;
    float **field = f->p.field, *const *work = &field[CONSTRAINT_WORK_X];
    lane sum = pull_candidates(f, k, c, part, dim);
    lane own = lane_set(0);
    for (int a = 0; a < dim; a++)
        own = own + lane_load(field[CONSTRAINT_SLOPE_X + a] + i) * lane_load(work[a] + i);
    lane_store_some(rows + i, own - lane_set(k->gradient) * sum, left);
}

/* Of whole lanes: what lies behind the last particle is room. */
LANE_INLINE void push_moments_in(flow *f, const constraint_constants *k, const float *nu,
                                 size_t begin, size_t end, int dim)
{
    for (size_t i = begin; i < end; i += WEIR_LANES) {
        lane x[3] = {lane_set(0), lane_set(0), lane_set(0)}, nu_i = lane_load(nu + i);
        lane_load_vector(&f->p.field[CONSTRAINT_LOCAL_X], i, x, dim);
        lane_store_quads(k->moments[i].vector, nu_i * x[0], nu_i * x[1], nu_i * x[2], nu_i);
    }
}

LANE_INLINE void pull_moments_in(flow *f, const constraint_constants *k, size_t begin, size_t end,
                                 int dim)
{
    for (size_t i = begin; i < end; i += WEIR_LANES) {
        lane x[3], v[3] = {lane_set(0), lane_set(0), lane_set(0)};
        lane_load_vector(&f->p.field[CONSTRAINT_LOCAL_X], i, x, dim);
        lane_load_vector(&f->p.field[CONSTRAINT_WORK_X], i, v, dim);
        lane along = x[0] * v[0];
        for (int a = 1; a < dim; a++)
            along = along + x[a] * v[a];
        lane_store_quads(k->moments[i].vector, v[0], v[1], v[2], along);
    }
}

LANE_INLINE void push_loop(flow *f, const constraint_constants *k, const float *nu, size_t begin,
                           size_t end, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            push_part(f, k, nu, c, part, dim);
}

LANE_INLINE void pull_loop(flow *f, const constraint_constants *k, float *rows, size_t begin,
                           size_t end, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            pull_part(f, k, rows, c, part, dim);
}

static void push(flow *f, const constraint_constants *k, const float *nu, size_t begin, size_t end)
{
    if (f->dim == 2)
        push_loop(f, k, nu, begin, end, 2);
    else
        push_loop(f, k, nu, begin, end, 3);
}

static void push_moments(flow *f, const constraint_constants *k, const float *nu, size_t begin,
                         size_t end)
{
    if (f->dim == 2)
        push_moments_in(f, k, nu, begin, end, 2);
    else
        push_moments_in(f, k, nu, begin, end, 3);
}

static void pull_moments(flow *f, const constraint_constants *k, size_t begin, size_t end)
{
    if (f->dim == 2)
        pull_moments_in(f, k, begin, end, 2);
    else
        pull_moments_in(f, k, begin, end, 3);
}

static void pull(flow *f, const constraint_constants *k, float *rows, size_t begin, size_t end)
{
    if (f->dim == 2)
        pull_loop(f, k, rows, begin, end, 2);
    else
        pull_loop(f, k, rows, begin, end, 3);
}

const constraint_passes LANE_SYMBOL(constraint_passes_) = {push_moments, push, pull_moments, pull};
