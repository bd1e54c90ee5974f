/* The loops of the constraint method that see pairs: weights, densities and drag, and densities
 * after a move. Of the Jacobian G_ij = −κV ∇_iW_ij the weights W'/r are stored once a step: the
 * products of a solve (constraint_product_lanes.c) read them ten times and more, which takes half
 * the time of a root and the kernel for each pair. V is divided by the first moment of ∇W in
 * particles at rest, so that linear pressure gives its exact gradient: otherwise all pressures, and
 * with them buoyancy, come out up to 4 % too high. G_ii, the sum over all neighbours and solids, is
 * stored as the slope.
 *
 * Places are in units of h, so that no factor of the kernel is left in the loops: the compiler
 * drops products by 1. */
#include "lanes/pair_loop.h"

#include "kernel/kernel_lane.h"
#include "method/constraint.h"
#include "method/drag_lane.h"

static const kernel_constants UNIT = {1, 1, 1, 1, 1};

/* x_i as candidates of a periodic image see it, in units of h. */
LANE_INLINE void find_place(const flow *f, const lane x_i[3], uint32_t image, lane at[3], int dim)
{
    const float *shift = f->near.shift[image];
    float inverse = f->kernel_factors.inv_h;
    for (int a = 0; a < dim; a++)
        at[a] = x_i[a] - lane_set(shift[a] * inverse);
}

/* r_ij = x_i − x_j, where three of four numbers of the candidates are x_j; and its square. */
LANE_INLINE lane find_offset(const lane x_i[3], lane_quads x_j, lane r[3], int dim)
{
    for (int a = 0; a < dim; a++)
        r[a] = x_i[a] - lane_spread(x_j, a);
    lane r2 = r[0] * r[0];
    for (int a = 1; a < dim; a++)
        r2 = r2 + r[a] * r[a];
    return r2;
}

/* Members as candidates of one image see them: where they are, and where the search saw them. */
typedef struct member_places {
    lane now[3], ahead[3];
} member_places;

LANE_INLINE member_places find_places(const flow *f, const member_places *of, uint32_t image,
                                      int dim)
{
    member_places places;
    find_place(f, of->now, image, places.now, dim);
    find_place(f, of->ahead, image, places.ahead, dim);
    return places;
}

LANE_INLINE lane_quads point_of(const constraint_constants *k, lane_turn t)
{
    return lane_quads_of_two(k->points[t.j[0]].place, k->points[t.j[LANE_HALVES - 1]].place);
}

LANE_INLINE lane_quads ahead_of(const constraint_constants *k, lane_turn t)
{
    return lane_quads_of_two(k->moments[t.j[0]].vector, k->moments[t.j[LANE_HALVES - 1]].vector);
}

/* How far candidates are from members of a cluster, and whether they count. */
typedef struct distance {
    lane r2, root;
    lane_mask near;
} distance;

/* Pairs count where the search would have them in the lists of both: others may be in that of one,
 * beside a neighbour who sees them, and would act without being acted upon. */
LANE_INLINE distance find_distance(const constraint_constants *k, const member_places *at,
                                   lane_turn t, bool looked_ahead, int dim)
{
    lane r[3], reach2 = lane_set(k->reach2);
    lane r2 = find_offset(at->now, point_of(k, t), r, dim);
    lane_mask near = lane_keep(t, r2 < reach2);
    if (looked_ahead)
        near = near & (find_offset(at->ahead, ahead_of(k, t), r, dim) < reach2);
    distance d = {r2, lane_sqrt(r2), near};
    return d;
}

/* Stores weights and returns the sum of the kernel's values. From a place over its root to the
 * weight is a long way, and a processor does not look far enough ahead to begin it for the next
 * candidates: each turn finds the distance of the candidates after those that it weighs. Of kernels
 * that grow without bound towards 0 the weight does not. */
LANE_INLINE lane weigh_span(const constraint_constants *k, const member_places *at,
                            const candidate_span *span, int pass, constraint_weight *weight,
                            weir_kernel kernel, int dim, bool looked_ahead)
{
    lane ratio = lane_set(0), units = lane_set(k->weight_units), zero = lane_set(0);
    lane_turn t = lane_first_turn(span->candidates, span->count, pass);
    if (lane_is_over(t))
        return ratio;
    distance next = find_distance(k, at, t, looked_ahead, dim);
    for (; !lane_is_over(t); t = lane_next_turn(t), weight += 2 * CLUSTER_SIZE) {
        distance d = next;
        next = find_distance(k, at, lane_next_or_last_turn(t), looked_ahead, dim);
        lane w = kernel_lane_gradient_at(&UNIT, kernel, d.r2, d.root) * units;
        if (kernel == WEIR_KERNEL_SPIKY)
            w = lane_min(w, lane_set(UINT16_MAX));
        lane_store_short(weight, lane_select(d.near, w + lane_set(0.5f), zero));
        lane value = kernel_lane_value_at(&UNIT, kernel, d.r2, d.root);
        ratio = ratio + lane_select(d.near, value, zero);
    }
    return ratio;
}

/* Whether there is drag in a loop, and whether each pair must be asked for its liquids. */
typedef enum drag_kind { DRAG_NONE, DRAG_OF_ONE, DRAG_OF_MANY } drag_kind;

/* What drag takes of the members. */
typedef struct member_drag {
    lane v[3], mu, rho;
} member_drag;

LANE_INLINE member_drag load_drag(const flow *f, size_t i, size_t left, int dim, drag_kind kind)
{
    lane zero = lane_set(0);
    member_drag of = {{zero, zero, zero}, zero, zero};
    if (kind != DRAG_NONE) {
        drag_load_liquids(f, i, left, kind == DRAG_OF_MANY, &of.mu, &of.rho);
        lane_load_vector(f->p.v, i, of.v, dim);
    }
    return of;
}

/* Sums over the candidates. */
typedef struct part_sums {
    lane ratio, squares, slope[3], drag[3];
} part_sums;

/* Not by memset, for which sums must lie in memory. */
LANE_INLINE part_sums no_sums(void)
{
    lane zero = lane_set(0);
    part_sums sums = {zero, zero, {zero, zero, zero}, {zero, zero, zero}};
    return sums;
}

LANE_INLINE void gather(part_sums *all, const part_sums *of_pass, int dim)
{
    all->ratio = lane_gather(all->ratio, of_pass->ratio);
    all->squares = lane_gather(all->squares, of_pass->squares);
    lane_gather_vector(all->slope, of_pass->slope, dim);
    lane_gather_vector(all->drag, of_pass->drag, dim);
}

/* What drag_lanes.c does, with the weights that are there: XSPH by (W'/r)² in place of W/r², which
 * is much alike. Velocities are subtracted as places are, so that both factors have the other sign.
 */
LANE_INLINE void add_drag(part_sums *sums, const flow *f, const drag_pass_constants *drag,
                          const member_drag *of, lane_turn t, lane w, const lane r[3], int dim,
                          drag_kind kind)
{
    bool many = kind == DRAG_OF_MANY;
    lane viscous = lane_set(drag->viscous) * (of->mu + (many ? drag_viscosity_of(f, t) : of->mu));
    lane smooth = lane_set(-0.5f * drag->xsph * (float)dim) *
                  (of->rho + (many ? drag_density_of(f, t) : of->rho));
    lane v[3];
    v[0] = of->v[0] - lane_of(f->p.v[0], t);
    lane along = r[0] * v[0];
    for (int a = 1; a < dim; a++) {
        v[a] = of->v[a] - lane_of(f->p.v[a], t);
        along = along + r[a] * v[a];
    }
    lane by_velocity = viscous * w, by_place = smooth * (w * w) * along;
    for (int a = 0; a < dim; a++)
        sums->drag[a] = sums->drag[a] + (by_velocity * v[a] + by_place * r[a]);
}

/* Sums by the weights; what does not count weighs nothing. */
LANE_INLINE void add_span(part_sums *sums, const flow *f, const constraint_constants *k,
                          const drag_pass_constants *drag, const lane at[3], const member_drag *of,
                          const candidate_span *span, int pass, const constraint_weight *weight,
                          int dim, drag_kind kind)
{
    FOR_EACH_TURN(t, span->candidates, span->count, pass)
    {
        lane_quads point = point_of(k, t);
        lane r[3], w = lane_load_short(weight);
        lane r2 = find_offset(at, point, r, dim);
        sums->squares = sums->squares + w * w * r2 * lane_spread(point, 3);
        for (int a = 0; a < dim; a++)
            sums->slope[a] = sums->slope[a] + w * r[a];
        if (kind != DRAG_NONE)
            add_drag(sums, f, drag, of, t, w, r, dim, kind);
        weight += 2 * CLUSTER_SIZE;
    }
}

/* The candidates that are repeated weigh nothing. */
LANE_INLINE void clear_repeated(const candidate_span *span, constraint_weight *weight)
{
    for (uint32_t n = span->count; n < span->slots; n++)
        memset(weight + CLUSTER_SIZE * n, 0, WEIR_LANES * sizeof *weight);
}

LANE_INLINE void weigh_part(flow *f, const constraint_constants *k, const drag_pass_constants *drag,
                            const cluster *c, uint32_t part, weir_kernel kernel, int dim,
                            drag_kind kind, bool looked_ahead)
{
    size_t i = c->first + part, left = c->count - part;
    float **field = f->p.field;
    member_places places;
    member_drag of = load_drag(f, i, left, dim, kind);
    lane_load_vector(&field[CONSTRAINT_PLACE_X], i, places.now, dim);
    lane_load_vector(&field[CONSTRAINT_AHEAD_X], i, places.ahead, dim);
    part_sums all = no_sums();
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        constraint_weight *weight = k->weights + CLUSTER_SIZE * c->base + part;
        part_sums sums = no_sums();
        for (uint32_t s = 0; s < c->span_count; s++) {
            const candidate_span *span = &c->spans[s];
            member_places at = find_places(f, &places, span->image, dim);
            constraint_weight *first = weight + CLUSTER_SIZE * pass;
            sums.ratio =
                sums.ratio + weigh_span(k, &at, span, pass, first, kernel, dim, looked_ahead);
            add_span(&sums, f, k, drag, at.now, &of, span, pass, first, dim, kind);
            clear_repeated(span, weight);
            weight += CLUSTER_SIZE * span->slots;
        }
        gather(&all, &sums, dim);
    }
    lane gradient = lane_set(k->gradient);
    lane_store_some(field[CONSTRAINT_RATIO] + i, lane_set(k->value) * all.ratio, left);
    lane_store_some(field[CONSTRAINT_DIAGONAL] + i, gradient * (gradient * all.squares), left);
    for (int a = 0; a < dim; a++)
        lane_store_some(field[CONSTRAINT_SLOPE_X + a] + i, gradient * all.slope[a], left);
    for (int a = 0; kind != DRAG_NONE && a < dim; a++)
        lane_store_some(field[CONSTRAINT_WORK_X + a] + i, all.drag[a] / of.rho, left);
}

LANE_INLINE lane sum_values(const flow *f, const constraint_constants *k, const cluster *c,
                            const lane x_i[3], int pass, weir_kernel kernel, int dim)
{
    lane ratio = lane_set(0);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        find_place(f, x_i, span->image, at, dim);
        FOR_EACH_TURN(t, span->candidates, span->count, pass)
        {
            lane r[3];
            lane r2 = lane_offset(&f->p.field[CONSTRAINT_WORK_X], at, t, r, dim);
            lane value = kernel_lane_value(&UNIT, kernel, r2);
            lane_mask near = lane_keep(t, r2 < lane_set(k->reach2));
            ratio = ratio + lane_select(near, value, lane_set(0));
        }
    }
    return ratio;
}

/* The ratio after a move to the places in `work`: pairs that only then come near are not in the
 * lists, where they begin, the kernel is 0 to the third order. */
LANE_INLINE void predict_part(flow *f, const constraint_constants *k, const cluster *c,
                              uint32_t part, weir_kernel kernel, int dim)
{
    size_t i = c->first + part;
    lane x_i[3], ratio = lane_set(0);
    lane_load_vector(&f->p.field[CONSTRAINT_WORK_X], i, x_i, dim);
    for (int pass = 0; pass < LANE_PASSES; pass++)
        ratio = lane_gather(ratio, sum_values(f, k, c, x_i, pass, kernel, dim));
    lane_store_some(f->p.field[CONSTRAINT_RATIO] + i, lane_set(k->value) * ratio, c->count - part);
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
    if (!drag)
        FOR_EACH_KERNEL(weigh_loop, f, k, drag, begin, end, DRAG_NONE);
    else if (f->fluid_count == 1)
        FOR_EACH_KERNEL(weigh_loop, f, k, drag, begin, end, DRAG_OF_ONE);
    else
        FOR_EACH_KERNEL(weigh_loop, f, k, drag, begin, end, DRAG_OF_MANY);
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

const constraint_weigh_passes LANE_SYMBOL(constraint_weigh_passes_) = {weigh, predict};
