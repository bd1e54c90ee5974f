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

/* A candidate as some members of a cluster see it. */
typedef struct pair {
    uint32_t j;
    lane r[3], r2, root;
    lane_mask near;
    lane weight; /* W'/r as it is stored */
} pair;

/* Members as candidates of one image see them: where they are, and where the search saw them. */
typedef struct member_places {
    lane now[3], ahead[3];
} member_places;

LANE_INLINE member_places find_places(const flow *f, const member_places *of, uint32_t image,
                                      int dim)
{
    member_places places = *of;
    find_place(f, of->now, image, places.now, dim);
    find_place(f, of->ahead, image, places.ahead, dim);
    return places;
}

/* Pairs count where the search would have them in the lists of both: others may be in that of one,
 * beside a neighbour who sees them, and would act without being acted upon. */
LANE_INLINE pair see_pair(const constraint_constants *k, const member_places *at, uint32_t j,
                          bool looked_ahead, int dim)
{
    pair p = {.j = j};
    lane ahead[3], reach2 = lane_set(k->reach2);
    p.r2 = find_offset(at->now, k->points[j].place, p.r, dim);
    p.root = lane_sqrt(p.r2);
    p.near = p.r2 < reach2;
    if (looked_ahead)
        p.near = p.near & (find_offset(at->ahead, k->moments[j].vector, ahead, dim) < reach2);
    return p;
}

/* Whether there is drag in a loop, and whether each pair must be asked for its liquids. */
typedef enum drag_kind { DRAG_NONE, DRAG_OF_ONE, DRAG_OF_MANY } drag_kind;

/* Sums over the candidates, and what drag takes of the members and of a pair. */
typedef struct part_sums {
    lane ratio, squares, slope[3], drag[3];
    lane v_i[3], mu_i, rho_i, viscous, smooth;
} part_sums;

LANE_INLINE void begin_sums(part_sums *sums, const flow *f, const drag_pass_constants *drag,
                            size_t i, size_t left, int dim, drag_kind kind)
{
    memset(sums, 0, sizeof *sums);
    if (kind == DRAG_NONE)
        return;
    drag_load_liquids(f, i, left, kind == DRAG_OF_MANY, &sums->mu_i, &sums->rho_i);
    lane_load_vector(f->p.v, i, sums->v_i, dim);
    sums->viscous = lane_set(drag->viscous) * (sums->mu_i + sums->mu_i);
    sums->smooth = lane_set(-0.5f * drag->xsph * (float)dim) * (sums->rho_i + sums->rho_i);
}

/* Of kernels that grow without bound towards 0 the weight does not. */
LANE_INLINE void weigh_pair(part_sums *sums, const constraint_constants *k, pair *p,
                            constraint_weight *to, weir_kernel kernel)
{
    lane units = kernel_lane_gradient_at(&UNIT, kernel, p->r2, p->root) * lane_set(k->weight_units);
    if (kernel == WEIR_KERNEL_SPIKY)
        units = lane_min(units, lane_set(UINT16_MAX));
    p->weight = lane_store_short(to, lane_select(p->near, units + lane_set(0.5f), lane_set(0)));
    lane value = kernel_lane_value_at(&UNIT, kernel, p->r2, p->root);
    sums->ratio = sums->ratio + lane_select(p->near, value, lane_set(0));
}

/* What drag_lanes.c does, with the weights that are there: XSPH by (W'/r)² in place of W/r², which
 * is much alike. Velocities are subtracted as places are, so that both factors have the other sign.
 */
LANE_INLINE void drag_pair(part_sums *sums, const flow *f, const drag_pass_constants *drag,
                           const pair *p, int dim, drag_kind kind)
{
    if (kind == DRAG_OF_MANY) {
        const fluid *other = &f->fluids[f->p.fluid[p->j]];
        sums->viscous = lane_set(drag->viscous) * (sums->mu_i + lane_set((float)other->viscosity));
        sums->smooth = lane_set(-0.5f * drag->xsph * (float)dim) *
                       (sums->rho_i + lane_set((float)other->density));
    }
    lane v[3], w = p->weight;
    v[0] = sums->v_i[0] - lane_set(f->p.v[0][p->j]);
    lane along = p->r[0] * v[0];
    for (int a = 1; a < dim; a++) {
        v[a] = sums->v_i[a] - lane_set(f->p.v[a][p->j]);
        along = along + p->r[a] * v[a];
    }
    lane by_velocity = sums->viscous * w, by_place = sums->smooth * (w * w) * along;
    for (int a = 0; a < dim; a++)
        sums->drag[a] = sums->drag[a] + (by_velocity * v[a] + by_place * p->r[a]);
}

LANE_INLINE void add_pair(part_sums *sums, const flow *f, const constraint_constants *k,
                          const drag_pass_constants *drag, const pair *p, int dim, drag_kind kind)
{
    lane w = p->weight;
    sums->squares = sums->squares + w * w * p->r2 * lane_set(k->points[p->j].inverse_mass);
    for (int a = 0; a < dim; a++)
        sums->slope[a] = sums->slope[a] + w * p->r[a];
    if (kind != DRAG_NONE)
        drag_pair(sums, f, drag, p, dim, kind);
}

/* Weights, their sums, and drag while they are at hand. From a place over its root to the weight is
 * a long way, and a processor does not look far enough ahead to begin it for the next candidates:
 * each turn sees one candidate, weighs the one before and adds the one before that. No span is
 * empty. */
LANE_INLINE void weigh_part(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                            const cluster *c, uint32_t part, weir_kernel kernel, int dim,
                            drag_kind kind, bool looked_ahead)
{
    size_t i = c->first + part, left = c->count - part;
    float **field = f->p.field;
    constraint_weight *weight = k->weights + CLUSTER_SIZE * c->base + part;
    member_places places;
    part_sums sums;
    lane_load_vector(&field[CONSTRAINT_PLACE_X], i, places.now, dim);
    lane_load_vector(&field[CONSTRAINT_AHEAD_X], i, places.ahead, dim);
    begin_sums(&sums, f, drag, i, left, dim, kind);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const uint32_t *candidates = c->spans[s].candidates, last = c->spans[s].count - 1;
        member_places at = find_places(f, &places, c->spans[s].image, dim);
        pair here = see_pair(k, &at, candidates[0], looked_ahead, dim);
        pair next = see_pair(k, &at, candidates[last > 0], looked_ahead, dim);
        weigh_pair(&sums, k, &here, weight, kernel);
        weight += CLUSTER_SIZE;
        for (uint32_t n = 1; n <= last; n++, weight += CLUSTER_SIZE) {
            pair before = here;
            here = next;
            next = see_pair(k, &at, candidates[n < last ? n + 1 : last], looked_ahead, dim);
            weigh_pair(&sums, k, &here, weight, kernel);
            add_pair(&sums, f, k, drag, &before, dim, kind);
        }
        add_pair(&sums, f, k, drag, &here, dim, kind);
    }
    size_t slots = cluster_slot_count(c);
    for (size_t n = cluster_candidate_count(c); n < slots; n++) {
        lane_store_short(weight, lane_set(0));
        weight += CLUSTER_SIZE;
    }
    lane gradient = lane_set(k->gradient);
    lane_store_some(field[CONSTRAINT_RATIO] + i, lane_set(k->value) * sums.ratio, left);
    lane_store_some(field[CONSTRAINT_DIAGONAL] + i, gradient * (gradient * sums.squares), left);
    for (int a = 0; a < dim; a++)
        lane_store_some(field[CONSTRAINT_SLOPE_X + a] + i, gradient * sums.slope[a], left);
    for (int a = 0; kind != DRAG_NONE && a < dim; a++)
        lane_store_some(field[CONSTRAINT_WORK_X + a] + i, sums.drag[a] / sums.rho_i, left);
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
            lane value = kernel_lane_value(&UNIT, kernel, r2);
            ratio = ratio + lane_select(r2 < lane_set(k->reach2), value, lane_set(0));
        }
    }
    lane_store_some(f->p.field[CONSTRAINT_RATIO] + i, lane_set(k->value) * ratio, left);
}

/* The weights of so many candidates fill a line of the cache, fetched by one. */
enum { LINE = CANDIDATES_AT_ONCE };

/* --------------------------------------------------------- products, by moments */

LANE_INLINE void add_moment(const constraint_moment *m, const constraint_weight *weight,
                            lane vector[3], lane *scalar, int dim)
{
    lane w = lane_load_short(weight);
    for (int a = 0; a < dim; a++)
        vector[a] = vector[a] + w * lane_set(m->vector[a]);
    *scalar = *scalar + w * lane_set(m->scalar);
}

/* Σ_j w_ij of moments. */
typedef struct moment_sums {
    lane vector[3], scalar;
} moment_sums;

/* Of the candidates with even and with odd numbers: additions wait for the one before. */
typedef struct moment_halves {
    lane vector[2][3], scalar[2];
} moment_halves;

/* So many candidates, by lines. */
LANE_INLINE void add_lines(const constraint_constants *k, const uint32_t *j, uint32_t count,
                           const constraint_weight *weight, moment_halves *sums, int dim)
{
    for (const uint32_t *end = j + count; j < end; j += LINE, weight += LINE * CLUSTER_SIZE) {
        lane_fetch_stream(weight, k->fetch_far);
        for (int n = 0; n < LINE; n++)
            add_moment(&k->moments[j[n]], weight + n * CLUSTER_SIZE, sums->vector[n % 2],
                       &sums->scalar[n % 2], dim);
    }
}

#ifdef LANE_HAS_TWO
/* The same numbers, two candidates at a time. */
LANE_INLINE void add_lines_by_two(const constraint_constants *k, const uint32_t *j, uint32_t count,
                                  const constraint_weight *weight, moment_halves *sums, int dim)
{
    lane_two vector[3] = {{0}, {0}, {0}}, scalar = {0};
    for (const uint32_t *end = j + count; j < end; j += LINE, weight += LINE * CLUSTER_SIZE) {
        lane_fetch_stream(weight, k->fetch_far);
        for (int n = 0; n < LINE; n += 2) {
            lane_two w = lane_two_load_short(weight + n * CLUSTER_SIZE);
            lane_two m = lane_two_quads(k->moments[j[n]].vector, k->moments[j[n + 1]].vector);
            vector[0] = vector[0] + w * LANE_TWO_SPREAD(m, 0);
            vector[1] = vector[1] + w * LANE_TWO_SPREAD(m, 1);
            if (dim == 3)
                vector[2] = vector[2] + w * LANE_TWO_SPREAD(m, 2);
            scalar = scalar + w * LANE_TWO_SPREAD(m, 3);
        }
    }
    for (int a = 0; a < dim; a++)
        lane_two_split(vector[a], &sums->vector[0][a], &sums->vector[1][a]);
    lane_two_split(scalar, &sums->scalar[0], &sums->scalar[1]);
}
#endif

/* Of one span, whose weights begin at `weight`. */
LANE_INLINE moment_sums add_moments(const constraint_constants *k, const candidate_span *span,
                                    const constraint_weight *weight, int dim)
{
    enum { OF_LIST = 16 }; /* candidates whose numbers fill a line of the cache */
    const uint32_t *j = span->candidates;
    for (uint32_t n = 0; n < span->slots; n += OF_LIST)
        lane_fetch_stream(j + n, false);
    lane zero = lane_set(0);
    moment_halves halves = {{{zero, zero, zero}, {zero, zero, zero}}, {zero, zero}};
    uint32_t in_lines = span->slots / LINE * LINE;
#ifdef LANE_HAS_TWO
    if (k->by_two)
        add_lines_by_two(k, j, in_lines, weight, &halves, dim);
    else
#endif
        add_lines(k, j, in_lines, weight, &halves, dim);
    for (uint32_t n = in_lines; n < span->slots; n++)
        add_moment(&k->moments[j[n]], weight + n * CLUSTER_SIZE, halves.vector[0],
                   &halves.scalar[0], dim);
    moment_sums sums = {.scalar = halves.scalar[0] + halves.scalar[1]};
    for (int a = 0; a < dim; a++)
        sums.vector[a] = halves.vector[0][a] + halves.vector[1][a];
    return sums;
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
        moment_sums of = add_moments(k, span, weight, dim);
        lane at[3];
        find_local(f, c, span, part, at, dim);
        for (int a = 0; a < dim; a++)
            sum[a] = sum[a] + (at[a] * of.scalar - of.vector[a]);
        weight += CLUSTER_SIZE * span->count;
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
        moment_sums of = add_moments(k, span, weight, dim);
        lane at[3];
        find_local(f, c, span, part, at, dim);
        lane along = at[0] * of.vector[0];
        for (int a = 1; a < dim; a++)
            along = along + at[a] * of.vector[a];
        sum = sum + (along - of.scalar);
        weight += CLUSTER_SIZE * span->count;
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

/* --------------------------------------------- one loop per kernel and dimension */

LANE_INLINE void weigh_loop(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                            size_t begin, size_t end, drag_kind kind, weir_kernel kernel, int dim)
{
    for (size_t n = begin; n < end; n++) {
        const cluster *c = &f->near.clusters[n];
        for (uint32_t part = 0; part < c->count; part += WEIR_LANES) {
            if (k->looked_ahead)
                weigh_part(f, k, drag, c, part, kernel, dim, kind, true);
            else
                weigh_part(f, k, drag, c, part, kernel, dim, kind, false);
        }
    }
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
            push_part(f, k, nu, c, part, dim);
}

LANE_INLINE void pull_loop(flow *f, const constraint_constants *k, float *rows, size_t begin,
                           size_t end, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            pull_part(f, k, rows, c, part, dim);
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

LANE_INLINE void weigh_in(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                          size_t begin, size_t end, int dim)
{
    /* The usual case is a loop of its own. */
    if (drag && f->fluid_count == 1)
        FOR_EACH_KERNEL(weigh_loop, f, k, drag, begin, end, DRAG_OF_ONE);
    else
        FOR_EACH_KERNEL(weigh_loop, f, k, drag, begin, end, drag ? DRAG_OF_MANY : DRAG_NONE);
}

LANE_INLINE void predict_in(flow *f, const constraint_constants *k, size_t begin, size_t end,
                            int dim)
{
    FOR_EACH_KERNEL(predict_loop, f, k, begin, end);
}

static void weigh(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                  size_t begin, size_t end)
{
    if (f->dim == 2)
        weigh_in(f, k, drag, begin, end, 2);
    else
        weigh_in(f, k, drag, begin, end, 3);
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

const constraint_passes LANE_SYMBOL(constraint_passes_) = {weigh, predict,      push_moments,
                                                           push,  pull_moments, pull};
