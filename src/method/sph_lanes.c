/* The loops of SPH over pairs: density and its rate, forces, surface tension. Compiled once per
 * instruction level. Reads positions, velocities and the lists; writes the method's fields. */
#include "method/sph_pair.h"

/* Position and velocity of a lane of particles. */
typedef struct lane_particle {
    lane x[3], v[3];
} lane_particle;

static inline lane_particle load_particle(const flow *f, size_t i, int dim)
{
    lane_particle it;
    for (int a = 0; a < dim; a++) {
        it.x[a] = lane_load(f->p.x[a] + i);
        it.v[a] = lane_load(f->p.v[a] + i);
    }
    return it;
}

/* r_ij with the image's shift, and its square. */
static inline lane offset(const flow *f, const lane_particle *i, size_t j, const float *shift,
                          lane r[3], int dim)
{
    lane r2 = lane_set(0);
    for (int a = 0; a < dim; a++) {
        r[a] = i->x[a] - lane_set(f->p.x[a][j] + shift[a]);
        r2 = r2 + r[a] * r[a];
    }
    return r2;
}

/* Stores the first `count` lanes. */
static inline void store_some(float *to, lane value, uint32_t count)
{
    float lanes[WEIR_LANES];
    lane_store(lanes, value);
    for (uint32_t k = 0; k < WEIR_LANES && k < count; k++)
        to[k] = lanes[k];
}

/* ------------------------------------------------------------------ density */

/* δ_i = κV Σ W_ij, and its rate κV Σ (v_i − v_j)·∇W_ij. */
static inline void sum_density(flow *f, const sph_constants *k, const cluster *c, uint32_t part,
                               weir_kernel kernel, int dim)
{
    size_t i = c->first + part;
    lane_particle me = load_particle(f, i, dim);
    lane ratio = lane_set(0), rate = lane_set(0);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        const float *shift = f->near.shift[span->image];
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3];
            lane r2 = offset(f, &me, j, shift, r, dim);
            ratio = ratio + kernel_lane_value(&k->density, kernel, r2);
            lane approach = lane_set(0);
            for (int a = 0; a < dim; a++)
                approach = approach + (me.v[a] - lane_set(f->p.v[a][j])) * r[a];
            rate = rate + kernel_lane_gradient(&k->density, kernel, r2) * approach;
        }
    }
    store_some(f->p.field[SPH_RATIO] + i, lane_set(k->volume) * ratio, c->count - part);
    store_some(f->p.field[SPH_RATE] + i, lane_set(k->volume) * rate, c->count - part);
}

static inline void density_pass(flow *f, const sph_constants *k, size_t begin, size_t end,
                                weir_kernel kernel, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            sum_density(f, k, &f->near.clusters[c], part, kernel, dim);
}

static inline void density_by_kernel(flow *f, const sph_constants *k, size_t begin, size_t end,
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

/* Σ of pressure and viscosity, times κV; the division by ρ0 and the solids come after. */
static inline void sum_force(flow *f, const sph_constants *k, const cluster *c, uint32_t part,
                             weir_kernel kernel, int dim)
{
    size_t i = c->first + part;
    lane_particle me = load_particle(f, i, dim);
    const float *pressure = f->p.field[SPH_PRESSURE], *inverse = f->p.field[SPH_INVERSE];
    const float *viscosity = f->p.field[SPH_VISCOSITY];
    lane p_i = lane_load(pressure + i), inverse_i = lane_load(inverse + i);
    lane mu_i = lane_load(viscosity + i);
    lane sum[3] = {lane_set(0), lane_set(0), lane_set(0)};
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        const float *shift = f->near.shift[span->image];
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3];
            lane r2 = offset(f, &me, j, shift, r, dim);
            lane gradient = kernel_lane_gradient(&k->pressure, kernel, r2);
            lane inverse_j = lane_set(inverse[j]);
            lane push = sph_pair_pressure(k->mueller_form, p_i, inverse_i, lane_set(pressure[j]),
                                          inverse_j) *
                        gradient;
            lane drag = sph_pair_viscosity(k, gradient, r2, mu_i, inverse_i, lane_set(viscosity[j]),
                                           inverse_j);
            for (int a = 0; a < dim; a++)
                sum[a] = sum[a] + (drag * (lane_set(f->p.v[a][j]) - me.v[a]) - push * r[a]);
        }
    }
    for (int a = 0; a < dim; a++)
        store_some(f->p.field[SPH_ACCELERATION_X + a] + i, lane_set(k->volume) * sum[a],
                   c->count - part);
}

static inline void force_pass(flow *f, const sph_constants *k, size_t begin, size_t end,
                              weir_kernel kernel, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            sum_force(f, k, &f->near.clusters[c], part, kernel, dim);
}

static inline void force_by_kernel(flow *f, const sph_constants *k, size_t begin, size_t end,
                                   int dim)
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

/* ---------------------------------------------------------- surface tension */

/* Müller's colour field: n = Σ V_j/δ_j ∇W, ∇²c = Σ V_j/δ_j ∇²W; where |n| is above the threshold
 * a = −(σ/ρ) ∇²c n/|n|. Solids count as more of the same colour. Adds to the acceleration. */
static inline void sum_tension(flow *f, const sph_constants *k, const cluster *c, uint32_t part,
                               weir_kernel kernel, int dim)
{
    size_t i = c->first + part;
    lane_particle me = load_particle(f, i, dim);
    const float *inverse = f->p.field[SPH_INVERSE];
    lane normal[3] = {lane_set(0), lane_set(0), lane_set(0)};
    lane curvature = lane_set(0);
    for (uint32_t s = 0; s < c->span_count; s++) {
        const candidate_span *span = &c->spans[s];
        const float *shift = f->near.shift[span->image];
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            lane r[3];
            lane r2 = offset(f, &me, j, shift, r, dim);
            lane weight = lane_set(k->volume * inverse[j]);
            lane gradient = weight * kernel_lane_gradient(&k->density, kernel, r2);
            curvature = curvature + weight * kernel_lane_laplacian(&k->density, kernel, dim, r2);
            for (int a = 0; a < dim; a++)
                normal[a] = normal[a] + gradient * r[a];
        }
    }
    float n[3][WEIR_LANES], laplacian[WEIR_LANES];
    for (int a = 0; a < dim; a++)
        lane_store(n[a], normal[a]);
    lane_store(laplacian, curvature);
    for (uint32_t l = 0; l < WEIR_LANES && l < c->count - part; l++) {
        const wall_span *solids = &f->walls.spans[i + l];
        float length2 = 0;
        for (int a = 0; a < dim; a++) {
            for (uint32_t w = 0; w < solids->count; w++)
                n[a][l] += solids->contacts[w].gradient[a];
            length2 += n[a][l] * n[a][l];
        }
        float length = __builtin_sqrtf(length2);
        if (!(length > k->tension_threshold))
            continue;
        const fluid *liquid = &f->fluids[f->p.fluid[i + l]];
        float strength = (float)(liquid->surface_tension / liquid->density) * inverse[i + l] *
                         laplacian[l] / length;
        for (int a = 0; a < dim; a++)
            f->p.field[SPH_ACCELERATION_X + a][i + l] -= strength * n[a][l];
    }
}

static inline void tension_pass(flow *f, const sph_constants *k, size_t begin, size_t end,
                                weir_kernel kernel, int dim)
{
    for (size_t c = begin; c < end; c++)
        for (uint32_t part = 0; part < f->near.clusters[c].count; part += WEIR_LANES)
            sum_tension(f, k, &f->near.clusters[c], part, kernel, dim);
}

static inline void tension_by_kernel(flow *f, const sph_constants *k, size_t begin, size_t end,
                                     int dim)
{
    switch (k->density_kernel) {
    case WEIR_KERNEL_WENDLAND_C2:
        tension_pass(f, k, begin, end, WEIR_KERNEL_WENDLAND_C2, dim);
        break;
    case WEIR_KERNEL_CUBIC:
        tension_pass(f, k, begin, end, WEIR_KERNEL_CUBIC, dim);
        break;
    case WEIR_KERNEL_POLY6:
        tension_pass(f, k, begin, end, WEIR_KERNEL_POLY6, dim);
        break;
    case WEIR_KERNEL_SPIKY:
        tension_pass(f, k, begin, end, WEIR_KERNEL_SPIKY, dim);
        break;
    }
}

static void tension(flow *f, const sph_constants *k, size_t begin, size_t end)
{
    if (f->dim == 2)
        tension_by_kernel(f, k, begin, end, 2);
    else
        tension_by_kernel(f, k, begin, end, 3);
}

const sph_passes LANE_SYMBOL(sph_passes_) = {density, force, tension};
