/* Cells of particles as keys to sort by. */
#ifndef WEIR_SPACE_CELL_KEYS_H
#define WEIR_SPACE_CELL_KEYS_H

#include "space/neighbours.h"

/* The cell of a coordinate. Cells rise with it; a NaN is in the first one, to be reported later. */
static inline int64_t find_cell(const neighbour_axis *axis, float x)
{
    double cell = __builtin_floor(((double)x - axis->origin) / axis->edge);
    double lo = axis->periodic ? 0 : (double)-axis->cells;
    double hi = (double)axis->cells - 1;
    return (int64_t)(cell > lo ? (cell < hi ? cell : hi) : lo);
}

/* Extent of coordinates. */
typedef struct key_range {
    float lo, hi; /* INFINITY and -INFINITY where there are none */
    bool has_nan;
} key_range;

typedef struct key_passes {
    /* Widens a range by x[0..count). */
    void (*widen)(key_range *range, const float *x, size_t count);
    /* Keys of the particles [begin, end): row of cells, then place along the row. */
    void (*make)(const neighbours *n, const particles *p, size_t begin, size_t end, uint64_t *keys);
} key_passes;

/* Sorts the particles by row and place along the row, and sets the range of each axis. The sort
 * must have room. Returns how many bits the keys had. */
int cell_sort(neighbours *n, particles *p);

LANE_DECLARE(key_passes, key_passes_);

#endif
