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

/* What a lane of particles needs to meet its candidates. */
typedef struct lane_self {
    size_t i, left;
    lane x[3];
} lane_self;

LANE_INLINE lane_self load_self(const flow *f, const cluster *c, uint32_t part, int dim)
{
    lane_self me = {.i = c->first + part, .left = c->count - part};
    lane_load_vector(f->p.x, me.i, me.x, dim);
    return me;
}

LANE_INLINE void clear(lane sum[3])
{
    sum[0] = sum[1] = sum[2] = lane_set(0);
}

LANE_INLINE void store_vector(float *const to[3], const lane_self *me, const lane value[3], int dim)
{
    for (int a = 0; a < dim; a++)
        lane_store_some(to[a] + me->i, value[a], me->left);
}

/* ------------------------------------------------------------------ density */

INLINE void measure_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                         kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field;
    const float *inverse_mass = field[PBF_INVERSE_MASS];
    lane ratio = lane_set(0), squares = lane_set(0), reach = lane_set(0), slope[3];
    clear(slope);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(me.x, f->near.shift[span->image], at, dim);
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3];
            lane r2 = lane_offset(f->p.x, at, j, r, dim);
            lane factor = kernel_lane_gradient(&k->gradient, kernel.gradient, r2);
            ratio = ratio + kernel_lane_value(&k->density, kernel.value, r2);
            squares = squares + factor * factor * r2 * lane_set(inverse_mass[j]);
            reach = reach - factor * lane_sqrt(r2);
            for (int a = 0; a < dim; a++)
                slope[a] = slope[a] + factor * r[a];
        }
    }
    lane volume = lane_set(k->volume);
    for (int a = 0; a < dim; a++)
        slope[a] = volume * slope[a];
    lane_store_some(field[PBF_DENSITY] + me.i, volume * ratio, me.left);
    lane_store_some(field[PBF_SQUARES] + me.i, volume * volume * squares, me.left);
    lane_store_some(field[PBF_REACH] + me.i, volume * reach, me.left);
    store_vector(&field[PBF_MOVE_X], &me, slope, dim);
}

/* The ratio alone, for where the particles have come to. */
INLINE void density_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                         kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    lane ratio = lane_set(0);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(me.x, f->near.shift[span->image], at, dim);
        for (uint32_t n = 0; n < span->count; n++) {
            lane r[3];
            lane r2 = lane_offset(f->p.x, at, span->candidates[n], r, dim);
            ratio = ratio + kernel_lane_value(&k->density, kernel.value, r2);
        }
    }
    lane_store_some(f->p.field[PBF_DENSITY] + me.i, lane_set(k->volume) * ratio, me.left);
}

/* -------------------------------------------------------------- corrections */

/* move_i = −κV/m_i Σ (step_i + step_j + artificial) ∇W: central and opposite for i and j.
 *
 * Lists hold everything within h of the predicted positions, and what else is near a cluster. A
 * pair that comes within h by its moves alone may be in one list and not in the other, and then
 * momentum is lost. Where moves are not small such pairs are left out, on both sides. */
INLINE void correct_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                         kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field;
    const float *step = field[PBF_STEP];
    float *const *moved = &field[PBF_SHIFT_X];
    lane step_i = lane_load(step + me.i), moved_i[3], sum[3];
    lane_load_vector(moved, me.i, moved_i, dim);
    clear(sum);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(me.x, f->near.shift[span->image], at, dim);
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3];
            lane r2 = lane_offset(f->p.x, at, j, r, dim);
            lane push = step_i + lane_set(step[j]);
            if (k->artificial > 0)
                push =
                    push + pbf_pair_artificial(k, kernel_lane_value(&k->density, kernel.value, r2));
            lane weight = push * kernel_lane_gradient(&k->gradient, kernel.gradient, r2);
            if (k->first_reach2 > 0)
                weight = lane_select(pbf_pair_first_distance(moved, moved_i, j, r, dim) <
                                         lane_set(k->first_reach2),
                                     weight, lane_set(0));
            for (int a = 0; a < dim; a++)
                sum[a] = sum[a] + weight * r[a];
        }
    }
    lane scale = lane_set(-k->volume) * lane_load(field[PBF_INVERSE_MASS] + me.i);
    for (int a = 0; a < dim; a++)
        sum[a] = scale * sum[a];
    store_vector(&field[PBF_MOVE_X], &me, sum, dim);
}

/* ---------------------------------------------------------------- vorticity */

/* ω_i = κV Σ ∇_iW × (v_j − v_i): this order of the product gives +2Ω for a rigid rotation. */
INLINE void curl_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                      kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field;
    lane v_i[3], sum[3];
    lane_load_vector(f->p.v, me.i, v_i, dim);
    clear(sum);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(me.x, f->near.shift[span->image], at, dim);
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3], speed[3], turn[3];
            lane r2 = lane_offset(f->p.x, at, j, r, dim);
            lane factor = kernel_lane_gradient(&k->gradient, kernel.gradient, r2);
            for (int a = 0; a < dim; a++)
                speed[a] = lane_set(f->p.v[a][j]) - v_i[a];
            pbf_cross(r, speed, turn, dim);
            for (int a = dim == 3 ? 0 : 2; a < 3; a++)
                sum[a] = sum[a] + factor * turn[a];
        }
    }
    lane scale = lane_set(k->volume);
    for (int a = 0; a < 3; a++)
        sum[a] = scale * sum[a];
    lane length =
        dim == 3 ? lane_sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) : sum[2];
    lane_store_some(field[PBF_CURL] + me.i, length, me.left);
    store_vector(&field[PBF_MOVE_X], &me, sum, dim);
}

/* η_i = κV Σ (|ω_j| − |ω_i|) ∇W (eq. 16's gradient). */
INLINE void curl_slope_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                            kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    const float *curl = f->p.field[PBF_CURL];
    lane own = lane_load(curl + me.i), sum[3];
    own = lane_max(own, lane_set(0) - own);
    clear(sum);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(me.x, f->near.shift[span->image], at, dim);
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3];
            lane r2 = lane_offset(f->p.x, at, j, r, dim);
            lane weight = kernel_lane_gradient(&k->gradient, kernel.gradient, r2) *
                          (lane_set(__builtin_fabsf(curl[j])) - own);
            for (int a = 0; a < dim; a++)
                sum[a] = sum[a] + weight * r[a];
        }
    }
    for (int a = 0; a < dim; a++)
        sum[a] = lane_set(k->volume) * sum[a];
    store_vector(&f->p.field[PBF_SHIFT_X], &me, sum, dim);
}

/* --------------------------------------------------------------------- spin */

/* Weights of the spin's passes are those at the predicted positions, where the lists of both
 * particles of a pair have each other.
 *
 * Moments of the neighbours' weights about particle i: ΣW, ΣW(x_j − x_i), and the second ones
 * xx, yy, zz in `last shift`, xy, yz, zx in `last twist`, with h as the unit of length. */
INLINE void moments_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                         kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field, *const *moved = &field[PBF_SHIFT_X];
    lane moved_i[3];
    lane_load_vector(moved, me.i, moved_i, dim);
    lane weight = lane_set(0), first[3], own[3], mixed[3];
    clear(first);
    clear(own);
    clear(mixed);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(me.x, f->near.shift[span->image], at, dim);
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3];
            lane_offset(f->p.x, at, j, r, dim);
            lane w = pbf_pair_weight(k, kernel.value,
                                     pbf_pair_first_distance(moved, moved_i, j, r, dim));
            weight = weight + w;
            for (int a = 0; a < dim; a++) {
                int b = a + 1 < dim ? a + 1 : 0;
                lane along = r[a] * lane_set(k->density.inv_h);
                first[a] = first[a] - w * along;
                own[a] = own[a] + w * along * along;
                mixed[a] = mixed[a] + w * along * (r[b] * lane_set(k->density.inv_h));
            }
        }
    }
    lane_store_some(field[PBF_STEP] + me.i, weight, me.left);
    store_vector(&field[PBF_MOVE_X], &me, first, dim);
    store_vector(&field[PBF_LAST_SHIFT_X], &me, own, dim);
    store_vector(&field[PBF_LAST_TWIST_X], &me, mixed, dim);
}

/* change_i = Σ_j W_ij spin_j × (x_i − centre_j), with spins in `move`, the centres relative to
 * their particles in `last twist`, the changes in `last shift`. */
INLINE void give_spin_part(flow *f, const pbf_constants *k, const cluster *c, uint32_t part,
                           kernels kernel, int dim)
{
    lane_self me = load_self(f, c, part, dim);
    float **field = f->p.field, *const *spin = &field[PBF_MOVE_X];
    float *const *centre = &field[PBF_LAST_TWIST_X], *const *moved = &field[PBF_SHIFT_X];
    lane moved_i[3], sum[3];
    lane_load_vector(moved, me.i, moved_i, dim);
    clear(sum);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        lane at[3];
        lane_shift(me.x, f->near.shift[span->image], at, dim);
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3], turn[3], spin_j[3];
            lane_offset(f->p.x, at, j, r, dim);
            lane w = pbf_pair_weight(k, kernel.value,
                                     pbf_pair_first_distance(moved, moved_i, j, r, dim));
            for (int a = 0; a < dim; a++)
                r[a] = r[a] - lane_set(centre[a][j]);
            for (int a = dim == 3 ? 0 : 2; a < 3; a++)
                spin_j[a] = lane_set(spin[a][j]);
            pbf_turn(spin_j, r, turn, dim);
            for (int a = 0; a < dim; a++)
                sum[a] = sum[a] + w * turn[a];
        }
    }
    store_vector(&field[PBF_LAST_SHIFT_X], &me, sum, dim);
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
