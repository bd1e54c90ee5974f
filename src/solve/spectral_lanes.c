#include "lanes/lane.h"
#include "solve/spectral_passes.h"

enum {
    PARTS = SPECTRAL_GROUP / WEIR_LANES, /* of a group */
    BLOCK = 8                            /* groups whose residuals are summed as one */
};

/* For each row of a group: residuals summed over a block, and all else over many. */
typedef struct group_sums {
    lane common[PARTS], residual[PARTS], move[PARTS], mixed[PARTS], change[PARTS], peak[PARTS];
} group_sums;

/* What the bounds leave of the gradient: its free and its chopped part (bounded.h). Masks: half the
 * rows of a splash lie on a bound, and branches on that would be guessed wrong. */
LANE_INLINE lane moving_part(const spectral_vectors *v, size_t i, lane x, lane g)
{
    lane_mask falls = g > lane_set(0);
    lane_mask above = x > lane_load(v->lo + i), below = x < lane_load(v->hi + i);
    return lane_select((falls & above) | (~falls & below), g, lane_set(0));
}

LANE_INLINE void measure_group(const spectral_vectors *v, size_t first, group_sums *sums)
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
        sums->peak[k] = lane_max(lane_max(part, lane_set(0) - part), sums->peak[k]);
    }
}

/* x := P(x − step·gradient), as bounded_clamp. */
LANE_INLINE void move_group(const spectral_vectors *v, float step, size_t first)
{
    for (size_t k = 0, i = first; k < PARTS; k++, i += WEIR_LANES) {
        lane x = lane_load(v->x + i);
        lane to = lane_max(x - lane_set(step) * lane_load(v->gradient + i), lane_load(v->lo + i));
        to = lane_min(to, lane_load(v->hi + i));
        lane_store(v->moved + i, to - x);
        lane_store(v->x + i, to);
    }
}

/* -------------------------------------------------------- the rows that fill no group */

/* Copies of them, followed by rows of 0 that add nothing. */
typedef struct last_rows {
    float rhs[SPECTRAL_GROUP], lo[SPECTRAL_GROUP], hi[SPECTRAL_GROUP], x[SPECTRAL_GROUP];
    float moved[SPECTRAL_GROUP], gradient[SPECTRAL_GROUP], last[SPECTRAL_GROUP];
} last_rows;

static spectral_vectors copy_last_rows(const spectral_vectors *v, size_t first, last_rows *rows)
{
    size_t bytes = (v->count - first) * sizeof(float);
    memset(rows, 0, sizeof *rows);
    memcpy(rows->rhs, v->rhs + first, bytes);
    memcpy(rows->lo, v->lo + first, bytes);
    memcpy(rows->hi, v->hi + first, bytes);
    memcpy(rows->x, v->x + first, bytes);
    memcpy(rows->moved, v->moved + first, bytes);
    memcpy(rows->gradient, v->gradient + first, bytes);
    memcpy(rows->last, v->last + first, bytes);
    return (spectral_vectors){v->count - first, rows->rhs,      rows->lo,   rows->hi, rows->x,
                              rows->moved,      rows->gradient, rows->last, v->unit};
}

static void measure_last_rows(const spectral_vectors *v, size_t first, group_sums *sums)
{
    last_rows rows;
    spectral_vectors few = copy_last_rows(v, first, &rows);
    measure_group(&few, 0, sums);
    memcpy(v->gradient + first, rows.gradient, few.count * sizeof(float));
}

static void move_last_rows(const spectral_vectors *v, float step, size_t first)
{
    last_rows rows;
    spectral_vectors few = copy_last_rows(v, first, &rows);
    move_group(&few, step, 0);
    memcpy(v->moved + first, rows.moved, few.count * sizeof(float));
    memcpy(v->x + first, rows.x, few.count * sizeof(float));
}

/* ------------------------------------------------------------------------------ loops */

LANE_INLINE double fold(const lane parts[PARTS])
{
    float of[SPECTRAL_GROUP];
    memcpy(of, parts, sizeof of);
    return ((of[0] + of[4]) + (of[2] + of[6])) + ((of[1] + of[5]) + (of[3] + of[7]));
}

LANE_INLINE double find_peak(const lane parts[PARTS], double peak)
{
    float of[SPECTRAL_GROUP];
    memcpy(of, parts, sizeof of);
    for (int k = 0; k < SPECTRAL_GROUP; k++)
        peak = of[k] > peak ? of[k] : peak;
    return peak;
}

/* Floats are enough within a chunk: a sum of so many squares as that has groups is off by less than
 * the tolerance is coarse, and steps need not be exact. */
static void measure(const spectral_vectors *v, size_t begin, size_t end, double *sums, double *peak)
{
    size_t whole = v->count / SPECTRAL_GROUP;
    group_sums chunk;
    memset(&chunk, 0, sizeof chunk);
    for (size_t first = begin; first < end; first += BLOCK) {
        size_t last = first + BLOCK < end ? first + BLOCK : end;
        memset(chunk.common, 0, sizeof chunk.common);
        for (size_t group = first; group < last && group < whole; group++)
            measure_group(v, SPECTRAL_GROUP * group, &chunk);
        if (last > whole)
            measure_last_rows(v, SPECTRAL_GROUP * whole, &chunk);
        double common = fold(chunk.common);
        sums[SPECTRAL_SMOOTH] += common * common / (BLOCK * SPECTRAL_GROUP);
    }
    sums[SPECTRAL_RESIDUAL] += fold(chunk.residual);
    sums[SPECTRAL_MOVE] += fold(chunk.move);
    sums[SPECTRAL_MIXED] += fold(chunk.mixed);
    sums[SPECTRAL_CHANGE] += fold(chunk.change);
    *peak = find_peak(chunk.peak, *peak);
}

static void move(const spectral_vectors *v, float step, size_t begin, size_t end)
{
    size_t whole = v->count / SPECTRAL_GROUP;
    for (size_t group = begin; group < end && group < whole; group++)
        move_group(v, step, SPECTRAL_GROUP * group);
    if (end > whole)
        move_last_rows(v, step, SPECTRAL_GROUP * whole);
}

const spectral_passes LANE_SYMBOL(spectral_passes_) = {measure, move};
