/* A box around eight particles sees about a third more than they do themselves, and every pass over
 * pairs would pay for it: one look at the true distances here is cheaper. */
#include "lanes/pair_loop.h"
#include "space/prune.h"

enum { PARTS = CLUSTER_SIZE / WEIR_LANES };

LANE_INLINE uint32_t prune(const particles *p, const cluster *c, const float *shift, float reach2,
                           uint32_t *candidates, uint32_t count, int dim)
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
    for (uint32_t n = 0; n < count; n++) {
        uint32_t j = candidates[n];
        bool near = false;
        for (int part = 0; part < PARTS; part++) {
            lane r[3];
            /* A NaN counts as near, to be reported later. */
            near |= !lane_all(lane_offset(p->x, at[part], j, r, dim) > lane_set(reach2));
        }
        candidates[kept] = j;
        kept += near ? 1u : 0u;
    }
    return kept;
}

static uint32_t prune_2d(const particles *p, const cluster *c, const float *shift, float reach2,
                         uint32_t *candidates, uint32_t count)
{
    return prune(p, c, shift, reach2, candidates, count, 2);
}

static uint32_t prune_3d(const particles *p, const cluster *c, const float *shift, float reach2,
                         uint32_t *candidates, uint32_t count)
{
    return prune(p, c, shift, reach2, candidates, count, 3);
}

const prune_passes LANE_SYMBOL(prune_passes_) = {prune_2d, prune_3d};
