/* Sums over neighbours and the ellipsoids they make. Lanes are particles and each adds up its own
 * neighbours in their order, so that all levels give the same bits. */
#include "surface/neighbourhood.h"

#include "surface/eigen_lane.h"

/* Difference of leans, in reaches, at which a neighbour counts a quarter. In a half-space the last
 * layer leans by 0.26, the second by 0.1. */
static const float alike = 0.14f;

/* ----------------------------------------------------------------- listing */

static void find_box(const group *g, float low[3], float high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = high[a] = g->at[a][0];
        for (int k = 1; k < g->count; k++) {
            low[a] = g->at[a][k] < low[a] ? g->at[a][k] : low[a];
            high[a] = g->at[a][k] > high[a] ? g->at[a][k] : high[a];
        }
    }
}

/* By the distance from the box around the group; a little more than the reach for its rounding. */
static uint32_t list(const neighbourhood *n, const group *g, float reach, uint32_t *near)
{
    float low[3], high[3];
    uint32_t kept = 0;
    lane limit = lane_set(reach * reach * 1.0001f);
    find_box(g, low, high);
    for (size_t k = 0; k < n->count; k += WEIR_LANES) {
        lane r2 = lane_set(0);
        for (int a = 0; a < 3; a++) {
            lane x = lane_load(n->at[a] + k);
            lane d = lane_max(lane_max(lane_set(low[a]) - x, x - lane_set(high[a])), lane_set(0));
            r2 = r2 + d * d;
        }
        uint32_t bits = lane_bits(r2 <= limit);
        if (n->count - k < WEIR_LANES)
            bits &= (1u << (n->count - k)) - 1;
        kept += lane_list_bits(near + kept, (uint32_t)k, bits);
    }
    return kept;
}

/* -------------------------------------------------------------------- sums */

LANE_INLINE lane find_offset(const neighbourhood *n, uint32_t j, const lane at[3], lane d[3])
{
    for (int a = 0; a < 3; a++)
        d[a] = lane_set(n->at[a][j]) - at[a];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* 1 − (r/R)³, or 0 beyond R. */
LANE_INLINE lane near_weight(lane r2, float cube)
{
    return lane_max(lane_set(1) - r2 * lane_sqrt(r2) * lane_set(cube), lane_set(0));
}

LANE_INLINE void sum_moments(const neighbourhood *n, const group *g, int first,
                             const uint32_t *near, uint32_t count, float reach, float support,
                             moments *out)
{
    lane zero = lane_set(0), w = zero, density = zero, m[3] = {zero, zero, zero};
    lane mm[6] = {zero, zero, zero, zero, zero, zero};
    const lane at[3] = {lane_load(g->at[0] + first), lane_load(g->at[1] + first),
                        lane_load(g->at[2] + first)};
    float cube = 1 / (reach * reach * reach), square = 1 / (support * support);
    for (uint32_t k = 0; k < count; k++) {
        lane d[3], r2 = find_offset(n, near[k], at, d), weight = near_weight(r2, cube);
        lane close = lane_max(lane_set(1) - r2 * lane_set(square), zero);
        density = density + close * close * close;
        w = w + weight;
        for (int a = 0, i = 0; a < 3; a++) {
            lane wd = weight * d[a];
            m[a] = m[a] + wd;
            for (int c = a; c < 3; c++, i++)
                mm[i] = mm[i] + wd * d[c];
        }
    }
    lane_store(out->w + first, w);
    lane_store(out->density + first, density);
    for (int a = 0; a < 3; a++)
        lane_store(out->first[a] + first, m[a]);
    for (int i = 0; i < 6; i++)
        lane_store(out->second[i] + first, mm[i]);
}

static void find_moments(const neighbourhood *n, const group *g, const uint32_t *near,
                         uint32_t count, float reach, float support, moments *out)
{
    for (int first = 0; first < GROUP_SIZE; first += WEIR_LANES)
        sum_moments(n, g, first, near, count, reach, support, out);
}

LANE_INLINE void sum_alike(const neighbourhood *n, const group *g, int first, const uint32_t *near,
                           uint32_t count, float reach, float mean[3][GROUP_SIZE])
{
    lane zero = lane_set(0), w = zero, sums[3] = {zero, zero, zero}, at[3], lean[3];
    float cube = 1 / (reach * reach * reach), scale = 1 / (alike * alike * reach * reach);
    for (int a = 0; a < 3; a++) {
        at[a] = lane_load(g->at[a] + first);
        lean[a] = lane_load(g->lean[a] + first);
    }
    for (uint32_t k = 0; k < count; k++) {
        lane d[3], e[3], weight = near_weight(find_offset(n, near[k], at, d), cube);
        for (int a = 0; a < 3; a++)
            e[a] = lane_set(n->lean[a][near[k]]) - lean[a];
        lane unlike = lane_set(1) + (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) * lane_set(scale);
        weight = weight / (unlike * unlike);
        w = w + weight;
        for (int a = 0; a < 3; a++)
            sums[a] = sums[a] + weight * d[a];
    }
    for (int a = 0; a < 3; a++)
        lane_store(mean[a] + first, sums[a] / w);
}

static void mean_alike(const neighbourhood *n, const group *g, const uint32_t *near, uint32_t count,
                       float reach, float mean[3][GROUP_SIZE])
{
    for (int first = 0; first < GROUP_SIZE; first += WEIR_LANES)
        sum_alike(n, g, first, near, count, reach, mean);
}

/* -------------------------------------------------------------- ellipsoids */

/* The covariance of a neighbourhood (eq. 9). */
LANE_INLINE void find_covariance(const moments *m, int first, lane c[3][3])
{
    lane w = lane_load(m->w + first), lean[3];
    for (int a = 0; a < 3; a++)
        lean[a] = lane_load(m->first[a] + first) / w;
    for (int a = 0, i = 0; a < 3; a++)
        for (int b = a; b < 3; b++, i++)
            c[a][b] = lane_load(m->second[i] + first) / w - lean[a] * lean[b];
}

/* Half-axes in supports along the eigenvectors (eqs. 15 and 16): none too short or too long. */
LANE_INLINE void find_axes(const ellipsoid_rules *rules, const eigen_lanes *e, lane blend,
                           lane axes[3])
{
    lane scale = lane_set(1 / rules->spread), one = lane_set(1);
    lane largest = lane_max(lane_max(e->m[0][0], e->m[1][1]), e->m[2][2]) * scale;
    largest = lane_min(largest, lane_set(rules->longest));
    for (int k = 0; k < 3; k++) {
        lane least = largest * lane_set(1 / rules->stretch);
        lane value = lane_min(lane_max(e->m[k][k] * scale, least), largest);
        axes[k] = blend * value + (one - blend);
    }
}

/* Symmetric matrices with the given values along the rows of `vectors`. */
LANE_INLINE void put_together(lane vectors[3][3], const lane values[3], int first,
                              float out[6][GROUP_SIZE])
{
    for (int i = 0, n = 0; i < 3; i++)
        for (int j = i; j < 3; j++, n++) {
            lane sum = lane_set(0);
            for (int k = 0; k < 3; k++)
                sum = sum + vectors[k][i] * vectors[k][j] * values[k];
            lane_store(out[n] + first, sum);
        }
}

static void shape(const ellipsoid_rules *rules, const moments *m, const float *blend,
                  ellipsoids *out)
{
    for (int first = 0; first < GROUP_SIZE; first += WEIR_LANES) {
        eigen_lanes e;
        lane axes[3], inverse[3], determinant = lane_set(1), support = lane_set(rules->support);
        find_covariance(m, first, e.m);
        eigen_solve_lanes(&e);
        find_axes(rules, &e, lane_load(blend + first), axes);
        for (int k = 0; k < 3; k++) {
            /* In 2D the last axis is z, which no rotation touches, and plays no part. */
            determinant = k < rules->dim ? determinant * axes[k] : determinant;
            axes[k] = axes[k] * support;
            inverse[k] = lane_set(1) / axes[k];
        }
        put_together(e.vectors, axes, first, out->axes);
        put_together(e.vectors, inverse, first, out->inverse);
        lane_store(out->determinant + first, determinant);
    }
}

const neighbourhood_passes LANE_SYMBOL(neighbourhood_passes_) = {list, find_moments, mean_alike,
                                                                 shape};
