/* Lanes of particles in structures of arrays, the last of which may be short. For *_lanes.c files.
 */
#ifndef WEIR_LANES_LANE_ARRAYS_H
#define WEIR_LANES_LANE_ARRAYS_H

#include "lanes/lane.h"

#include <stddef.h>

/* `dim` rows of a structure of arrays, from element i on. */
LANE_INLINE void lane_load_vector(float *const arrays[3], size_t i, lane out[3], int dim)
{
    for (int a = 0; a < dim; a++)
        out[a] = lane_load(arrays[a] + i);
}

/* Adds to the first `count` elements: others may be those of another thread. */
LANE_INLINE void lane_add_some(float *to, lane value, size_t count)
{
    float lanes[LANE_COUNT];
    if (count >= LANE_COUNT) {
        lane_store(to, lane_load(to) + value);
        return;
    }
    lane_store(lanes, value);
    for (size_t k = 0; k < LANE_COUNT && k < count; k++)
        to[k] += lanes[k];
}

#endif
