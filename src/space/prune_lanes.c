/* The distance to the cluster's box, for several particles at once, leaves a third more than its
 * members see, and every pass over pairs would pay for it: the true distances decide. */
#include "lanes/pair_loop.h"
#include "space/prune.h"

enum { PARTS = CLUSTER_SIZE / WEIR_LANES };

/* A bit per particle from `start` on that lies within reach of the box. A NaN counts as near, to be
 * reported later. */
LANE_INLINE uint32_t find_near_box(const particles *p, const cluster_box *box, const float *shift,
                                   uint32_t start, int dim)
{
    lane distance2 = lane_set(0);
    for (int a = 0; a < dim; a++) {
        lane x = lane_load(p->x[a] + start);
        lane below = lane_set(box->lo[a] - shift[a]) - x,
             above = x - lane_set(box->hi[a] - shift[a]);
        lane away = lane_select(below > above, below, above);
        away = lane_select(away <= lane_set(0), lane_set(0), away);
        distance2 = distance2 + away * away;
    }
    return lane_bits(distance2 > lane_set(box->reach2)) ^ LANE_ALL_BITS;
}

LANE_INLINE bool is_near_member(const particles *p, lane at[PARTS][3], uint32_t j, float reach2,
                                int dim)
{
    uint32_t far = LANE_ALL_BITS;
    for (int part = 0; part < PARTS; part++) {
        lane r[3];
        far &= lane_bits(lane_offset(p->x, at[part], j, r, dim) > lane_set(reach2));
    }
    return far != LANE_ALL_BITS;
}

LANE_INLINE uint32_t prune(const particles *p, const cluster *c, const cluster_box *box,
                           const float *shift, uint32_t begin, uint32_t end, uint32_t *list,
                           int dim)
{
    lane at[PARTS][3];
    for (int a = 0; a < dim; a++) {
        float members[CLUSTER_SIZE]; /* a short cluster repeats its last particle */
        for (uint32_t k = 0; k < CLUSTER_SIZE; k++)
            members[k] = p->x[a][c->first + (k < c->count ? k : c->count - 1)] - shift[a];
        for (int part = 0; part < PARTS; part++)
            at[part][a] = lane_load(members + part * WEIR_LANES);
    }
    uint32_t kept = 0;
    for (uint32_t start = begin; start < end; start += WEIR_LANES) {
        uint32_t bits = find_near_box(p, box, shift, start, dim);
        if (end - start < WEIR_LANES)
            bits &= (1u << (end - start)) - 1;
        for (; bits != 0; bits &= bits - 1) {
            uint32_t j = start + (uint32_t)__builtin_ctz(bits);
            list[kept] = j;
            kept += is_near_member(p, at, j, box->reach2, dim) ? 1u : 0u;
        }
    }
    return kept;
}

static uint32_t prune_2d(const particles *p, const cluster *c, const cluster_box *box,
                         const float *shift, uint32_t begin, uint32_t end, uint32_t *list)
{
    return prune(p, c, box, shift, begin, end, list, 2);
}

static uint32_t prune_3d(const particles *p, const cluster *c, const cluster_box *box,
                         const float *shift, uint32_t begin, uint32_t end, uint32_t *list)
{
    return prune(p, c, box, shift, begin, end, list, 3);
}

const prune_passes LANE_SYMBOL(prune_passes_) = {prune_2d, prune_3d};
