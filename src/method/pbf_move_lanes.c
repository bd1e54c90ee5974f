/* The motion of particles in an iteration of PBF, lanes over particles: every array of the
 * iteration passes through here, so that scalar code would take as long as the loop over pairs
 * before it. */
#include "lanes/lane_arrays.h"
#include "method/pbf.h"

LANE_INLINE void put(float *to, lane value, size_t left)
{
    if (left == WEIR_LANES)
        lane_store(to, value);
    else
        lane_store_some(to, value, left);
}

/* One component of what the iterations build up: goes on as it went, and takes the new part. */
LANE_INLINE lane carry_on(float *value, float *last, size_t i, size_t left, lane momentum,
                          lane change)
{
    lane now = lane_load(value + i), by = momentum * (now - lane_load(last + i)) + change;
    put(last + i, now, left);
    put(value + i, now + by, left);
    return by;
}

/* The twist is the sum of shift × move: what an iteration's moves, which are central where they
 * were found, turn the fluid about the place where it started. */
LANE_INLINE void move_part(flow *f, float most, float momentum, size_t i, size_t left, int dim)
{
    float **field = f->p.field;
    lane s[3], m[3], carried = lane_set(momentum), length2 = lane_set(0);
    lane_load_vector(&field[PBF_SHIFT_X], i, s, dim);
    lane_load_vector(&field[PBF_MOVE_X], i, m, dim);
    for (int a = 0; a < dim; a++)
        length2 = length2 + m[a] * m[a];
    lane scale = lane_select(length2 > lane_set(most * most), lane_set(most) / lane_sqrt(length2),
                             lane_set(1));
    for (int a = 0; a < dim; a++) {
        m[a] = m[a] * scale;
        put(field[PBF_MOVE_X + a] + i, m[a], left);
    }
    for (int a = dim == 3 ? 0 : 2; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        carry_on(field[PBF_TWIST_X + a], field[PBF_LAST_TWIST_X + a], i, left, carried,
                 s[b] * m[c] - s[c] * m[b]);
    }
    for (int a = 0; a < dim; a++) {
        lane by =
            carry_on(field[PBF_SHIFT_X + a], field[PBF_LAST_SHIFT_X + a], i, left, carried, m[a]);
        put(f->p.x[a] + i, lane_load(f->p.x[a] + i) + by, left);
    }
}

LANE_INLINE void move_all(flow *f, float most, float momentum, size_t begin, size_t end, int dim)
{
    size_t i = begin;
    for (; i + WEIR_LANES <= end; i += WEIR_LANES)
        move_part(f, most, momentum, i, WEIR_LANES, dim);
    if (i < end)
        move_part(f, most, momentum, i, end - i, dim);
}

static void move(flow *f, float most, float momentum, size_t begin, size_t end)
{
    if (f->dim == 2)
        move_all(f, most, momentum, begin, end, 2);
    else
        move_all(f, most, momentum, begin, end, 3);
}

const pbf_move_pass LANE_SYMBOL(pbf_move_pass_) = move;
