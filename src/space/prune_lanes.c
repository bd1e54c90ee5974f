/* Distances of all members of a cluster to all particles of the rows around it, lanes over these.
 * A test of the cluster's box before them would spare half of the distances, but the branch after
 * it is not foreseen and costs more than they do. */
#include "lanes/lane_arrays.h"
#include "space/prune.h"

/* Distances are found in single precision, across a period with its rounding, too: with this much
 * more both ends of a pair within h list each other. */
static const double FILTER_MARGIN = 1 + 1e-3;

/* A bit per particle that lies within reach of a member of the cluster. A NaN counts as near, to be
 * reported later. */
LANE_INLINE uint32_t find_near(const lane x[3], float at[3][CLUSTER_SIZE], float reach2, int dim)
{
    lane_mask far = lane_set(1) > lane_set(0);
    for (uint32_t m = 0; m < CLUSTER_SIZE; m++) {
        lane d = lane_set(at[0][m]) - x[0], r2 = d * d;
        for (int a = 1; a < dim; a++) {
            d = lane_set(at[a][m]) - x[a];
            r2 = r2 + d * d;
        }
        far = far & (r2 > lane_set(reach2));
    }
    return lane_bits(far) ^ LANE_ALL_BITS;
}

LANE_INLINE uint32_t list_stretch(const particles *p, float at[3][CLUSTER_SIZE], float reach2,
                                  stretch from, uint32_t *list, int dim)
{
    uint32_t kept = 0;
    for (uint32_t start = from.begin; start < from.end; start += WEIR_LANES) {
        lane x[3];
        lane_load_vector(p->x, start, x, dim);
        uint32_t bits = find_near(x, at, reach2, dim);
        if (from.end - start < WEIR_LANES)
            bits &= (1u << (from.end - start)) - 1;
        kept += lane_list_bits(list + kept, start, bits);
    }
    return kept;
}

LANE_INLINE uint32_t list_all(const neighbours *n, const particles *p, const cluster *c,
                              const float *shift, const stretch *stretches, int count, uint32_t *to,
                              int dim)
{
    float reach2 = (float)(n->h * n->h * FILTER_MARGIN);
    float at[3][CLUSTER_SIZE]; /* a short cluster repeats its last particle */
    for (int a = 0; a < dim; a++) {
        for (uint32_t m = 0; m < CLUSTER_SIZE; m += WEIR_LANES)
            lane_store(&at[a][m], lane_load(p->x[a] + c->first + m) - lane_set(shift[a]));
        for (uint32_t m = c->count; m < CLUSTER_SIZE; m++)
            at[a][m] = at[a][c->count - 1];
    }
    uint32_t kept = 0;
    for (int s = 0; s < count; s++)
        kept += list_stretch(p, at, reach2, stretches[s], to + kept, dim);
    return kept;
}

static uint32_t list(const neighbours *n, const particles *p, const cluster *c, const float *shift,
                     const stretch *stretches, int count, uint32_t *to)
{
    return n->dim == 2 ? list_all(n, p, c, shift, stretches, count, to, 2)
                       : list_all(n, p, c, shift, stretches, count, to, 3);
}

/* Places rise along a row: how many of the next are too small is how far to go. From one cluster to
 * the next it is mostly less than two lanes of them, which a processor foresees. */
static uint32_t skip(const uint32_t *bins, uint32_t from, uint32_t end, int64_t bin)
{
#if WEIR_LANES > 1
    enum { STEP = 2 * WEIR_LANES };
    lane_mask least;
    int32_t to = bin < 0 ? 0 : (int32_t)bin; /* places are below 2²⁴ */
    for (int k = 0; k < WEIR_LANES; k++)
        least[k] = to;
    while (from + STEP <= end) {
        lane_mask next, beyond;
        memcpy(&next, bins + from, sizeof next);
        memcpy(&beyond, bins + from + WEIR_LANES, sizeof beyond);
        uint32_t bits = lane_bits(next < least) | lane_bits(beyond < least) << WEIR_LANES;
        if (bits != (1u << STEP) - 1)
            return from + (uint32_t)__builtin_ctz(~bits);
        from += STEP;
    }
#endif
    while (from < end && (int64_t)bins[from] < bin)
        from++;
    return from;
}

const prune_passes LANE_SYMBOL(prune_passes_) = {list, skip};
