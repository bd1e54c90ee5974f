/* The loops of PBF over pairs: densities and gradients (eqs. 2, 8), position changes (eq. 14),
 * vorticity (eqs. 15, 16), and spin that is given back. Compiled once per instruction level. */
#include "lanes/pair_loop.h"

#include "method/pbf_pair.h"

/* The parts of a loop, its kernels and its dimension must be constants where they meet: a call or a
 * switch per pair would cost more than the pair. */
#define INLINE __attribute__((always_inline)) LANE_INLINE

/* The kernels of a loop, constants of its caller. */
typedef struct kernels {
    weir_kernel value, gradient;
} kernels;

/* What a lane of particles needs to meet its candidates; beside places what a loop asks for. */
typedef struct lane_self {
    size_t i, left;
    lane x[3], moved[3], v[3], number;
} lane_self;

LANE_INLINE lane_self load_self(const flow *f, const cluster *c, uint32_t part, int dim)
{
    lane_self me = {.i = c->first + part, .left = c->count - part};
    lane_load_vector(f->p.x, me.i, me.x, dim);
    return me;
}

LANE_INLINE void store_number(float *to, const lane_self *me, lane value)
{
    lane_store_some(to + me->i, value, me->left);
}

LANE_INLINE void store_vector(float *const to[3], const lane_self *me, const lane value[3], int dim)
{
    for (int a = 0; a < dim; a++)
        store_number(to[a], me, value[a]);
}

/* What particles and their candidates add to the sums of a loop. */
typedef void pair_function(const flow *f, const pbf_constants *k, const lane_self *me, lane_turn t,
                           lane *sums, kernels kernel, int dim);

enum { MOST_SUMS = 10 };

INLINE void sum_pairs(const flow *f, const pbf_constants *k, const cluster *c, const lane_self *me,
                      pair_function *add_pair, lane *sums, int count, kernels kernel, int dim)
{
    for (int n = 0; n < count; n++)
        sums[n] = lane_set(0);
    for (int pass = 0; pass < LANE_PASSES; pass++) {
        lane some[MOST_SUMS];
        for (int n = 0; n < count; n++)
            some[n] = lane_set(0);
        for (uint32_t s = 0; s < c->span_count; s++) {
            const candidate_span *span = &c->spans[s];
            lane_self seen = *me;
            lane_shift(me->x, f->near.shift[span->image], seen.x, dim);
            FOR_EACH_TURN(t, span->candidates, span->count, pass)
            add_pair(f, k, &seen, t, some, kernel, dim);
        }
        lane_gather_vector(sums, some, count);
    }
}

/* ------------------------------------------------------------------ density */

enum { RATIO, SQUARES, REACH, SLOPE, MEASURE_SUMS = SLOPE + 3 };

INLINE void measure_pair(const flow *f, const pbf_constants *k, const lane_self *me, lane_turn t,
                         lane *sums, kernels kernel, int dim)
{
    lane r[3];
    lane r2 = lane_offset(f->p.x, me->x, t, r, dim);
    lane factor = kernel_lane_gradient(&k->gradient, kernel.gradient, r2);
    lane value = kernel_lane_value(&k->density, kernel.value, r2);
    lane square = factor * factor * r2 * lane_of(f->p.field[PBF_INVERSE_MASS], t);
    sums[RATIO] = lane_add(sums[RATIO], t, value);
    sums[SQUARES] = lane_add(sums[SQUARES], t, square);
    sums[REACH] = lane_add(sums[REACH], t, lane_set(0) - factor * lane_sqrt(r2));
    for (int a = 0; a < dim; a++)
        sums[SLOPE + a] = lane_add(sums[SLOPE + a], t, factor * r[a]);
}

INLINE void measure_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                         kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field;
    lane sums[MEASURE_SUMS], volume = lane_set(k->volume);
    sum_pairs(f, k, c, &me, measure_pair, sums, SLOPE + dim, kernel, dim);
    for (int a = 0; a < dim; a++)
        sums[SLOPE + a] = volume * sums[SLOPE + a];
    store_number(field[PBF_DENSITY], &me, volume * sums[RATIO]);
    store_number(field[PBF_SQUARES], &me, volume * volume * sums[SQUARES]);
    store_number(field[PBF_REACH], &me, volume * sums[REACH]);
    store_vector(&field[PBF_MOVE_X], &me, &sums[SLOPE], dim);
}

INLINE void density_pair(const flow *f, const pbf_constants *k, const lane_self *me, lane_turn t,
                         lane *sums, kernels kernel, int dim)
{
    lane r[3];
    lane r2 = lane_offset(f->p.x, me->x, t, r, dim);
    sums[0] = lane_add(sums[0], t, kernel_lane_value(&k->density, kernel.value, r2));
}

/* The ratio alone, for where the particles have come to. */
INLINE void density_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                         kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    lane ratio;
    sum_pairs(f, k, c, &me, density_pair, &ratio, 1, kernel, dim);
    store_number(f->p.field[PBF_DENSITY], &me, lane_set(k->volume) * ratio);
}

/* -------------------------------------------------------------- corrections */

/* Lists hold everything within h of the predicted positions, and what else is near a cluster. A
 * pair that comes within h by its moves alone may be in one list and not in the other, and then
 * momentum is lost. Where moves are not small such pairs are left out, on both sides. */
INLINE void correct_pair(const flow *f, const pbf_constants *k, const lane_self *me, lane_turn t,
                         lane *sums, kernels kernel, int dim)
{
    float *const *moved = &f->p.field[PBF_SHIFT_X];
    lane r[3], step_i = me->number;
    lane r2 = lane_offset(f->p.x, me->x, t, r, dim);
    lane push = step_i + lane_of(f->p.field[PBF_STEP], t);
    if (k->artificial > 0)
        push = push + pbf_pair_artificial(k, kernel_lane_value(&k->density, kernel.value, r2));
    lane weight = push * kernel_lane_gradient(&k->gradient, kernel.gradient, r2);
    if (k->first_reach2 > 0)
        weight = lane_select(pbf_pair_first_distance(moved, me->moved, t, r, dim) <
                                 lane_set(k->first_reach2),
                             weight, lane_set(0));
    for (int a = 0; a < dim; a++)
        sums[a] = lane_add(sums[a], t, weight * r[a]);
}

/* move_i = −κV/m_i Σ (step_i + step_j + artificial) ∇W: central and opposite for i and j. */
INLINE void correct_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                         kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field;
    lane sum[3];
    me.number = lane_load(field[PBF_STEP] + me.i);
    lane_load_vector(&field[PBF_SHIFT_X], me.i, me.moved, dim);
    sum_pairs(f, k, c, &me, correct_pair, sum, dim, kernel, dim);
    lane scale = lane_set(-k->volume) * lane_load(field[PBF_INVERSE_MASS] + me.i);
    for (int a = 0; a < dim; a++)
        sum[a] = scale * sum[a];
    store_vector(&field[PBF_MOVE_X], &me, sum, dim);
}

/* ---------------------------------------------------------------- vorticity */

INLINE void curl_pair(const flow *f, const pbf_constants *k, const lane_self *me, lane_turn t,
                      lane *sums, kernels kernel, int dim)
{
    lane r[3], speed[3], turn[3];
    lane r2 = lane_offset(f->p.x, me->x, t, r, dim);
    lane factor = kernel_lane_gradient(&k->gradient, kernel.gradient, r2);
    for (int a = 0; a < dim; a++)
        speed[a] = lane_of(f->p.v[a], t) - me->v[a];
    pbf_cross(r, speed, turn, dim);
    for (int a = dim == 3 ? 0 : 2; a < 3; a++)
        sums[a] = lane_add(sums[a], t, factor * turn[a]);
}

/* ω_i = κV Σ ∇_iW × (v_j − v_i): this order of the product gives +2Ω for a rigid rotation. */
INLINE void curl_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                      kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field;
    lane sum[3];
    lane_load_vector(f->p.v, me.i, me.v, dim);
    sum_pairs(f, k, c, &me, curl_pair, sum, 3, kernel, dim);
    lane scale = lane_set(k->volume);
    for (int a = 0; a < 3; a++)
        sum[a] = scale * sum[a];
    lane length =
        dim == 3 ? lane_sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) : sum[2];
    store_number(field[PBF_CURL], &me, length);
    store_vector(&field[PBF_MOVE_X], &me, sum, dim);
}

INLINE void curl_slope_pair(const flow *f, const pbf_constants *k, const lane_self *me, lane_turn t,
                            lane *sums, kernels kernel, int dim)
{
    lane r[3], own = me->number, other = lane_of(f->p.field[PBF_CURL], t);
    lane r2 = lane_offset(f->p.x, me->x, t, r, dim);
    lane weight = kernel_lane_gradient(&k->gradient, kernel.gradient, r2) *
                  (lane_max(other, lane_set(0) - other) - own);
    for (int a = 0; a < dim; a++)
        sums[a] = lane_add(sums[a], t, weight * r[a]);
}

/* η_i = κV Σ (|ω_j| − |ω_i|) ∇W (eq. 16's gradient). */
INLINE void curl_slope_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                            kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    lane own = lane_load(f->p.field[PBF_CURL] + me.i), sum[3];
    me.number = lane_max(own, lane_set(0) - own);
    sum_pairs(f, k, c, &me, curl_slope_pair, sum, dim, kernel, dim);
    for (int a = 0; a < dim; a++)
        sum[a] = lane_set(k->volume) * sum[a];
    store_vector(&f->p.field[PBF_SHIFT_X], &me, sum, dim);
}

/* --------------------------------------------------------------------- spin */

/* Weights of the spin's passes are those at the predicted positions, where the lists of both
 * particles of a pair have each other. */
enum { WEIGHT, FIRST, OWN = FIRST + 3, MIXED = OWN + 3, MOMENT_SUMS = MIXED + 3 };

INLINE void moments_pair(const flow *f, const pbf_constants *k, const lane_self *me, lane_turn t,
                         lane *sums, kernels kernel, int dim)
{
    float *const *moved = &f->p.field[PBF_SHIFT_X];
    lane r[3];
    lane_offset(f->p.x, me->x, t, r, dim);
    lane w = pbf_pair_weight(k, kernel.value, pbf_pair_first_distance(moved, me->moved, t, r, dim));
    sums[WEIGHT] = lane_add(sums[WEIGHT], t, w);
    for (int a = 0; a < dim; a++) {
        int b = a + 1 < dim ? a + 1 : 0;
        lane along = r[a] * lane_set(k->density.inv_h);
        lane across = r[b] * lane_set(k->density.inv_h);
        sums[FIRST + a] = lane_add(sums[FIRST + a], t, lane_set(0) - w * along);
        sums[OWN + a] = lane_add(sums[OWN + a], t, w * along * along);
        sums[MIXED + a] = lane_add(sums[MIXED + a], t, w * along * across);
    }
}

/* Moments of the neighbours' weights about particle i: ΣW, ΣW(x_j − x_i), and the second ones
 * xx, yy, zz in `last shift`, xy, yz, zx in `last twist`, with h as the unit of length. */
INLINE void moments_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                         kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field;
    lane sums[MOMENT_SUMS];
    lane_load_vector(&field[PBF_SHIFT_X], me.i, me.moved, dim);
    sum_pairs(f, k, c, &me, moments_pair, sums, MOMENT_SUMS, kernel, dim);
    store_number(field[PBF_STEP], &me, sums[WEIGHT]);
    store_vector(&field[PBF_MOVE_X], &me, &sums[FIRST], dim);
    store_vector(&field[PBF_LAST_SHIFT_X], &me, &sums[OWN], dim);
    store_vector(&field[PBF_LAST_TWIST_X], &me, &sums[MIXED], dim);
}

INLINE void give_spin_pair(const flow *f, const pbf_constants *k, const lane_self *me, lane_turn t,
                           lane *sums, kernels kernel, int dim)
{
    float *const *field = f->p.field, *const *spin = &field[PBF_MOVE_X];
    float *const *centre = &field[PBF_LAST_TWIST_X], *const *moved = &field[PBF_SHIFT_X];
    lane r[3], turn[3], spin_j[3];
    lane_offset(f->p.x, me->x, t, r, dim);
    lane w = pbf_pair_weight(k, kernel.value, pbf_pair_first_distance(moved, me->moved, t, r, dim));
    for (int a = 0; a < dim; a++)
        r[a] = r[a] - lane_of(centre[a], t);
    for (int a = dim == 3 ? 0 : 2; a < 3; a++)
        spin_j[a] = lane_of(spin[a], t);
    pbf_turn(spin_j, r, turn, dim);
    for (int a = 0; a < dim; a++)
        sums[a] = lane_add(sums[a], t, w * turn[a]);
}

/* change_i = Σ_j W_ij spin_j × (x_i − centre_j), with spins in `move`, the centres relative to
 * their particles in `last twist`, the changes in `last shift`. */
INLINE void give_spin_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                           kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    lane sum[3];
    lane_load_vector(&f->p.field[PBF_SHIFT_X], me.i, me.moved, dim);
    sum_pairs(f, k, c, &me, give_spin_pair, sum, dim, kernel, dim);
    store_vector(&f->p.field[PBF_LAST_SHIFT_X], &me, sum, dim);
}

/* -------------------------------------- one loop per pair of kernels and dimension */

typedef void part_function(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                           kernels kernel, int dim);

/* Inlined with a constant function and constant kernels, so that each is a loop of its own. */
INLINE void visit(flow *f, const pbf_constants *k, size_t begin, size_t end, kernels kernel,
                  part_function *part)
{
    int dim = f->dim;
    for (size_t c = begin; c < end; c++)
        for (uint32_t first = 0; first < f->near.clusters[c].count; first += WEIR_LANES) {
            if (dim == 2)
                part(f, k, &f->near.clusters[c], first, kernel, 2);
            else
                part(f, k, &f->near.clusters[c], first, kernel, 3);
        }
}

INLINE void visit_with_kernels(flow *f, const pbf_constants *k, size_t begin, size_t end,
                               part_function *part)
{
    bool spiky = k->gradient_kernel == WEIR_KERNEL_SPIKY;
    switch (k->density_kernel) {
    case WEIR_KERNEL_WENDLAND_C2:
        if (spiky)
            visit(f, k, begin, end, (kernels){WEIR_KERNEL_WENDLAND_C2, WEIR_KERNEL_SPIKY}, part);
        else
            visit(f, k, begin, end, (kernels){WEIR_KERNEL_WENDLAND_C2, WEIR_KERNEL_WENDLAND_C2},
                  part);
        break;
    case WEIR_KERNEL_CUBIC:
        if (spiky)
            visit(f, k, begin, end, (kernels){WEIR_KERNEL_CUBIC, WEIR_KERNEL_SPIKY}, part);
        else
            visit(f, k, begin, end, (kernels){WEIR_KERNEL_CUBIC, WEIR_KERNEL_CUBIC}, part);
        break;
    case WEIR_KERNEL_POLY6:
        if (spiky)
            visit(f, k, begin, end, (kernels){WEIR_KERNEL_POLY6, WEIR_KERNEL_SPIKY}, part);
        else
            visit(f, k, begin, end, (kernels){WEIR_KERNEL_POLY6, WEIR_KERNEL_POLY6}, part);
        break;
    case WEIR_KERNEL_SPIKY:
        visit(f, k, begin, end, (kernels){WEIR_KERNEL_SPIKY, WEIR_KERNEL_SPIKY}, part);
        break;
    }
}

static void measure(flow *f, const pbf_constants *k, size_t begin, size_t end)
{
    visit_with_kernels(f, k, begin, end, measure_part);
}

static void density(flow *f, const pbf_constants *k, size_t begin, size_t end)
{
    visit_with_kernels(f, k, begin, end, density_part);
}

static void correct(flow *f, const pbf_constants *k, size_t begin, size_t end)
{
    visit_with_kernels(f, k, begin, end, correct_part);
}

static void curl(flow *f, const pbf_constants *k, size_t begin, size_t end)
{
    visit_with_kernels(f, k, begin, end, curl_part);
}

static void curl_slope(flow *f, const pbf_constants *k, size_t begin, size_t end)
{
    visit_with_kernels(f, k, begin, end, curl_slope_part);
}

static void moments(flow *f, const pbf_constants *k, size_t begin, size_t end)
{
    visit_with_kernels(f, k, begin, end, moments_part);
}

static void give_spin(flow *f, const pbf_constants *k, size_t begin, size_t end)
{
    visit_with_kernels(f, k, begin, end, give_spin_part);
}

const pbf_passes LANE_SYMBOL(pbf_passes_) = {measure,    density, correct,  curl,
                                             curl_slope, moments, give_spin};
