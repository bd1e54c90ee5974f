#include "lanes/lane.h"
#include "solve/accelerated_passes.h"

enum {
    PARTS = ACCELERATED_GROUP / WEIR_LANES, /* of a group */
    BLOCK = 8                               /* groups whose residuals are summed as one */
};

/* For each row of a group: residuals summed over a block, and all else over many. */
typedef struct group_sums {
    lane common[PARTS], residual[PARTS], move[PARTS], mixed[PARTS], change[PARTS], uphill[PARTS],
        peak[PARTS];
} group_sums;

/* What the bounds leave of the gradient: its free and its chopped part (bounded.h). Masks: half the
 * rows of a splash lie on a bound, and branches on that would be guessed wrong. */
LANE_INLINE lane moving_part(const accelerated_vectors *v, size_t i, lane x, lane g)
{
    lane_mask falls = g > lane_set(0);
    lane_mask above = x > lane_load(v->lo + i), below = x < lane_load(v->hi + i);
    return lane_select((falls & above) | (~falls & below), g, lane_set(0));
}

LANE_INLINE void measure_group(const accelerated_vectors *v, size_t first, group_sums *sums)
{
    lane unit = lane_set(v->unit);
    for (size_t k = 0, i = first; k < PARTS; k++, i += WEIR_LANES) {
        lane g = lane_load(v->gradient + i) - lane_load(v->rhs + i);
        lane s = lane_load(v->moved + i) * unit, y = (g - lane_load(v->last + i)) * unit;
        lane part = moving_part(v, i, lane_load(v->x + i), g), scaled = part * unit;
        lane_store(v->gradient + i, g);
        sums->common[k] = sums->common[k] + scaled;
        sums->residual[k] = sums->residual[k] + scaled * scaled;
        sums->move[k] = sums->move[k] + s * s;
        sums->mixed[k] = sums->mixed[k] + s * y;
        sums->change[k] = sums->change[k] + y * y;
        sums->uphill[k] = sums->uphill[k] + s * (g * unit);
        sums->peak[k] = lane_max(lane_max(part, lane_set(0) - part), sums->peak[k]);
    }
}

/* The nearest value within the bounds, as bounded_clamp. */
LANE_INLINE lane clamp(const accelerated_vectors *v, size_t i, lane x)
{
    return lane_min(lane_max(x, lane_load(v->lo + i)), lane_load(v->hi + i));
}

LANE_INLINE void move_group(const accelerated_vectors *v, float step, float momentum, size_t first)
{
    for (size_t k = 0, i = first; k < PARTS; k++, i += WEIR_LANES) {
        lane x = lane_load(v->x + i);
        lane base = clamp(v, i, x - lane_set(step) * lane_load(v->gradient + i));
        lane on = lane_set(momentum) * (base - lane_load(v->base + i));
        lane to = clamp(v, i, base + on);
        lane_store(v->moved + i, to - x);
        lane_store(v->base + i, base);
        lane_store(v->x + i, to);
    }
}

/* -------------------------------------------------------- the rows that fill no group */

/* Copies of them, followed by rows of 0 that add nothing. */
typedef struct last_rows {
    float rhs[ACCELERATED_GROUP], lo[ACCELERATED_GROUP], hi[ACCELERATED_GROUP],
        x[ACCELERATED_GROUP];
    float moved[ACCELERATED_GROUP], base[ACCELERATED_GROUP];
    float gradient[ACCELERATED_GROUP], last[ACCELERATED_GROUP];
} last_rows;

static accelerated_vectors copy_last_rows(const accelerated_vectors *v, size_t first,
                                          last_rows *rows)
{
    size_t bytes = (v->count - first) * sizeof(float);
    memset(rows, 0, sizeof *rows);
    memcpy(rows->rhs, v->rhs + first, bytes);
    memcpy(rows->lo, v->lo + first, bytes);
    memcpy(rows->hi, v->hi + first, bytes);
    memcpy(rows->x, v->x + first, bytes);
    memcpy(rows->moved, v->moved + first, bytes);
    memcpy(rows->base, v->base + first, bytes);
    memcpy(rows->gradient, v->gradient + first, bytes);
    memcpy(rows->last, v->last + first, bytes);
    return (accelerated_vectors){v->count - first, rows->rhs,  rows->lo,       rows->hi,   rows->x,
                                 rows->moved,      rows->base, rows->gradient, rows->last, v->unit};
}

static void measure_last_rows(const accelerated_vectors *v, size_t first, group_sums *sums)
{
    last_rows rows;
    accelerated_vectors few = copy_last_rows(v, first, &rows);
    measure_group(&few, 0, sums);
    memcpy(v->gradient + first, rows.gradient, few.count * sizeof(float));
}

static void move_last_rows(const accelerated_vectors *v, float step, float momentum, size_t first)
{
    last_rows rows;
    accelerated_vectors few = copy_last_rows(v, first, &rows);
    move_group(&few, step, momentum, 0);
    memcpy(v->moved + first, rows.moved, few.count * sizeof(float));
    memcpy(v->base + first, rows.base, few.count * sizeof(float));
    memcpy(v->x + first, rows.x, few.count * sizeof(float));
}

/* ------------------------------------------------------------------------------ loops */

/* By halves of a group, side by side: chunks are a few groups long, so that this counts. */
LANE_INLINE double fold(const lane parts[PARTS])
{
    typedef float four __attribute__((vector_size(16)));
    four half[2];
    memcpy(half, parts, sizeof half);
    four sums = half[0] + half[1];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

LANE_INLINE double find_peak(const lane parts[PARTS], double peak)
{
    float of[ACCELERATED_GROUP];
    memcpy(of, parts, sizeof of);
    for (int k = 0; k < ACCELERATED_GROUP; k++)
        peak = of[k] > peak ? of[k] : peak;
    return peak;
}

/* Floats are enough within a chunk: a sum of so many squares as that has groups is off by less than
 * the tolerance is coarse, and steps need not be exact. */
static void measure(const accelerated_vectors *v, size_t begin, size_t end, double *sums,
                    double *peak)
{
    size_t whole = v->count / ACCELERATED_GROUP;
    group_sums chunk;
    memset(&chunk, 0, sizeof chunk);
    for (size_t first = begin; first < end; first += BLOCK) {
        size_t last = first + BLOCK < end ? first + BLOCK : end;
        memset(chunk.common, 0, sizeof chunk.common);
        for (size_t group = first; group < last && group < whole; group++)
            measure_group(v, ACCELERATED_GROUP * group, &chunk);
        if (last > whole)
            measure_last_rows(v, ACCELERATED_GROUP * whole, &chunk);
        double common = fold(chunk.common);
        sums[ACCELERATED_SMOOTH] += common * common / (BLOCK * ACCELERATED_GROUP);
    }
    sums[ACCELERATED_RESIDUAL] += fold(chunk.residual);
    sums[ACCELERATED_MOVE] += fold(chunk.move);
    sums[ACCELERATED_MIXED] += fold(chunk.mixed);
    sums[ACCELERATED_CHANGE] += fold(chunk.change);
    sums[ACCELERATED_UPHILL] += fold(chunk.uphill);
    *peak = find_peak(chunk.peak, *peak);
}

static void move(const accelerated_vectors *v, float step, float momentum, size_t begin, size_t end)
{
    size_t whole = v->count / ACCELERATED_GROUP;
    for (size_t group = begin; group < end && group < whole; group++)
        move_group(v, step, momentum, ACCELERATED_GROUP * group);
    if (end > whole)
        move_last_rows(v, step, momentum, ACCELERATED_GROUP * whole);
}

const accelerated_passes LANE_SYMBOL(accelerated_passes_) = {measure, move};
