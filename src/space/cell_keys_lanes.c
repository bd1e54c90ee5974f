/* Ranges and keys, in loops that the compiler turns into those of the instruction level. */
#define LANE_WHOLE

#include "space/cell_keys.h"

#include "lanes/lane.h"

enum { BATCH = 512 };

static void widen(key_range *range, const float *x, size_t count)
{
    lane lo = lane_set(range->lo), hi = lane_set(range->hi);
    lane_mask nan = lane_set(0) > lane_set(1);
    size_t i = 0;
    for (; i + LANE_COUNT <= count; i += LANE_COUNT) {
        lane here = lane_load(x + i);
        lo = lane_select(here < lo, here, lo);
        hi = lane_select(here > hi, here, hi);
        nan = nan | (here != here);
    }
    float los[LANE_COUNT], his[LANE_COUNT];
    lane_store(los, lo);
    lane_store(his, hi);
    range->has_nan = range->has_nan || lane_bits(nan) != 0;
    for (int k = 0; k < LANE_COUNT; k++) {
        range->lo = los[k] < range->lo ? los[k] : range->lo;
        range->hi = his[k] > range->hi ? his[k] : range->hi;
    }
    for (; i < count; i++) {
        range->lo = x[i] < range->lo ? x[i] : range->lo;
        range->hi = x[i] > range->hi ? x[i] : range->hi;
        range->has_nan = range->has_nan || x[i] != x[i];
    }
}

/* Cells from the first one in use on; there are fewer than 2³¹. */
static void find_cells(const neighbour_axis *axis, const float *restrict x, size_t count,
                       int32_t *restrict cells)
{
    const double origin = axis->origin, edge = axis->edge, first = (double)axis->lo;
    const double lo = axis->periodic ? 0 : (double)-axis->cells, hi = (double)axis->cells - 1;
    for (size_t i = 0; i < count; i++) {
        double cell = __builtin_floor(((double)x[i] - origin) / edge);
        cell = cell > lo ? cell : lo; /* a NaN goes to the first */
        cell = cell < hi ? cell : hi;
        cells[i] = (int32_t)(cell - first);
    }
}

static void make(const neighbours *n, const particles *p, size_t begin, size_t end, uint64_t *keys)
{
    int32_t cells[3][BATCH];
    for (size_t from = begin; from < end; from += BATCH) {
        size_t count = end - from < BATCH ? end - from : BATCH;
        for (int a = 0; a < n->dim; a++)
            find_cells(&n->axis[a], p->x[a] + from, count, cells[a]);
        uint64_t rows_y = (uint64_t)n->axis[1].count;
        for (size_t i = 0; i < count; i++) {
            uint64_t row = (uint64_t)cells[1][i];
            if (n->dim == 3)
                row += (uint64_t)cells[2][i] * rows_y;
            keys[from + i] = row << n->bin_bits | (uint64_t)cells[0][i];
        }
    }
}

const key_passes LANE_SYMBOL(key_passes_) = {widen, make};
