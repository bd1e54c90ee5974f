/* A batch of springs of one particle: rest lengths give way, and what each spring displaces.
 * Clavet et al. 2005, Algorithms 3 and 4. Compiled once per instruction level; lanes over springs,
 * so that nothing is summed here. */
#include "method/viscoelastic_springs.h"

#include "lanes/lane.h"

LANE_INLINE lane length_of(float rows[3][SPRING_BATCH], uint32_t k)
{
    lane x = lane_load(rows[0] + k), y = lane_load(rows[1] + k), z = lane_load(rows[2] + k);
    return lane_sqrt(x * x + y * y + z * z);
}

/* Rest length after dt (Algorithm 4, lines 7 to 11). At most one of the two is positive. */
LANE_INLINE lane give_way(const spring_constants *c, lane length, lane r)
{
    lane zero = lane_set(0);
    lane stretched = lane_max(zero, r - length - lane_set(c->stretch_yield) * length);
    lane compressed = lane_max(zero, length - lane_set(c->compress_yield) * length - r);
    return length + lane_set(c->stretch) * stretched - lane_set(c->compress) * compressed;
}

static void pull(spring_batch *b, const spring_constants *c)
{
    for (uint32_t k = 0; k < b->count; k += WEIR_LANES) {
        lane r = length_of(b->offset, k), line = length_of(b->line, k);
        lane length = give_way(c, lane_load(b->length + k), r);
        lane strength = lane_set(c->pull) * lane_load(b->share + k) *
                        (lane_set(1) - length * lane_set(c->inv_h)) * (length - r);
        lane tiny = lane_set(1e-30f);
        strength = lane_select(line > tiny, strength / lane_max(line, tiny), lane_set(0));
        lane_store(b->length + k, length);
        lane_store(b->strength + k, strength);
    }
}

const spring_pass LANE_SYMBOL(spring_pass_) = pull;
