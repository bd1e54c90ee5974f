/* Distances of all members of a cluster to all particles of the rows around it, lanes over these.
 * A test of the cluster's box before them would spare half of the distances, but the branch after
 * it is not foreseen and costs more than they do. */
#define LANE_WHOLE

#include "lanes/lane_arrays.h"
#include "space/prune.h"

/* Distances are found in single precision, across a period with its rounding, too: with this much
 * more both ends of a pair within h list each other. */
static const double FILTER_MARGIN = 1 + 1e-3;

enum { MEMBER_ROOM = CLUSTER_SIZE < LANE_COUNT ? LANE_COUNT : CLUSTER_SIZE };

/* A bit per particle that lies within reach of a member of the cluster. A NaN counts as near, to be
 * reported later. */
LANE_INLINE uint32_t find_near(const lane x[3], float at[3][MEMBER_ROOM], float reach2, int dim)
{
    lane_flags far[2] = {lane_all_flags(), lane_all_flags()};
    for (uint32_t m = 0; m < CLUSTER_SIZE; m++) {
        lane d = lane_set(at[0][m]) - x[0], r2 = d * d;
        for (int a = 1; a < dim; a++) {
            d = lane_set(at[a][m]) - x[a];
            r2 = r2 + d * d;
        }
        far[m % 2] = lane_keep_larger(far[m % 2], r2, lane_set(reach2));
    }
    return lane_flag_bits(far[0] & far[1]) ^ LANE_ALL_BITS;
}

LANE_INLINE uint32_t list_stretch(const particles *p, float at[3][MEMBER_ROOM], float reach2,
                                  stretch from, uint32_t *list, int dim)
{
    uint32_t kept = 0;
    for (uint32_t start = from.begin; start < from.end; start += LANE_COUNT) {
        lane x[3];
        lane_load_vector(p->x, start, x, dim);
        uint32_t bits = find_near(x, at, reach2, dim);
        uint32_t left = from.end - start;
        bits &= (1u << (left < LANE_COUNT ? left : LANE_COUNT)) - 1;
        kept += lane_list_bits(list + kept, start, bits);
    }
    return kept;
}

LANE_INLINE uint32_t list_all(const neighbours *n, const particles *p, const cluster *c,
                              const float *shift, const stretch *stretches, int count, uint32_t *to,
                              int dim)
{
    float reach2 = (float)(n->h * n->h * FILTER_MARGIN);
    float at[3][MEMBER_ROOM]; /* a short cluster repeats its last particle */
    for (int a = 0; a < dim; a++) {
        for (uint32_t m = 0; m < CLUSTER_SIZE; m += LANE_COUNT)
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

/* The first particle from `from` on, before `end`, whose place along the row is at least `bin`.
 * Places rise along a row, so that the first of many at once tells it. From one cluster to the next
 * it is mostly among the first, which a processor foresees. */
LANE_INLINE uint32_t skip(const uint32_t *bins, uint32_t from, uint32_t end, int32_t bin)
{
    enum { AT_ONCE = LANE_COUNT > 1 ? PLACE_ROOM : 1 };
    for (; from < end; from += AT_ONCE) {
        uint32_t bits = 0;
        for (uint32_t k = 0; k < AT_ONCE; k += LANE_COUNT) {
            lane_mask places;
            memcpy(&places, bins + from + k, sizeof places);
            bits |= lane_bits_from(places, bin) << k;
        }
        if (bits != 0) {
            uint32_t found = from + (uint32_t)__builtin_ctz(bits);
            return found < end ? found : end;
        }
    }
    return end;
}

static void advance(const uint32_t *bins, int32_t from, int32_t to, const uint32_t *ends,
                    stretch *stretches, int count)
{
    for (int k = 0; k < count; k++) {
        stretch *s = &stretches[k];
        s->begin = skip(bins, s->begin, ends[k], from);
        s->end = skip(bins, s->end, ends[k], to);
    }
}

const prune_passes LANE_SYMBOL(prune_passes_) = {list, advance};
