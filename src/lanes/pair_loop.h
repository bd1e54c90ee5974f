/* Loading, offsets and stores that every loop over pairs in lanes shares. For *_lanes.c files. */
#ifndef WEIR_LANES_PAIR_LOOP_H
#define WEIR_LANES_PAIR_LOOP_H

#include "lanes/lane.h"

#include <stddef.h>

/* `dim` rows of a structure of arrays, from element i on. */
LANE_INLINE void lane_load_vector(float *const arrays[3], size_t i, lane out[3], int dim)
{
    for (int a = 0; a < dim; a++)
        out[a] = lane_load(arrays[a] + i);
}

/* x_i as candidates of a periodic image see it, so that their own positions serve as they are. */
LANE_INLINE void lane_shift(const lane x_i[3], const float *shift, lane out[3], int dim)
{
    for (int a = 0; a < dim; a++)
        out[a] = x_i[a] - lane_set(shift[a]);
}

/* r_ij = x_i − x_j, and its square. */
LANE_INLINE lane lane_offset(float *const x[3], const lane x_i[3], size_t j, lane r[3], int dim)
{
    r[0] = x_i[0] - lane_set(x[0][j]);
    lane r2 = r[0] * r[0];
    for (int a = 1; a < dim; a++) {
        r[a] = x_i[a] - lane_set(x[a][j]);
        r2 = r2 + r[a] * r[a];
    }
    return r2;
}

/* Stores the first `count` lanes. */
LANE_INLINE void lane_store_some(float *to, lane value, size_t count)
{
    float lanes[WEIR_LANES];
    if (count >= WEIR_LANES) {
        lane_store(to, value);
        return;
    }
    lane_store(lanes, value);
    for (size_t k = 0; k < WEIR_LANES && k < count; k++)
        to[k] = lanes[k];
}

/* Adds to the first `count` elements: others may be those of another thread. */
LANE_INLINE void lane_add_some(float *to, lane value, size_t count)
{
    float lanes[WEIR_LANES];
    if (count >= WEIR_LANES) {
        lane_store(to, lane_load(to) + value);
        return;
    }
    lane_store(lanes, value);
    for (size_t k = 0; k < WEIR_LANES && k < count; k++)
        to[k] += lanes[k];
}

#endif
