/* What every loop over pairs in lanes shares: how a cluster's particles meet its candidates. To be
 * included before all else, as it decides how wide lanes are.
 *
 * Candidates with even and with odd numbers are summed apart, and the sums added at the end: where
 * registers hold two halves a turn of a loop meets one of each, and elsewhere all odd ones follow
 * in a second pass. Both give the same bits. */
#ifndef WEIR_LANES_PAIR_LOOP_H
#define WEIR_LANES_PAIR_LOOP_H

#ifdef WEIR_LANES_LANE_H
#error "lanes/pair_loop.h must come before lanes/lane.h"
#endif
#define LANE_OF_PAIRS

#include "lanes/lane_arrays.h"

enum { LANE_PASSES = 2 / LANE_HALVES };

/* -------------------------------------------------------------------- turns */

/* The candidates that a turn meets, and where the list ends. */
typedef struct lane_turn {
    const uint32_t *j, *end;
} lane_turn;

/* The turns of one pass through a list. */
LANE_INLINE lane_turn lane_first_turn(const uint32_t *list, uint32_t count, int pass)
{
    return (lane_turn){list + pass, list + count};
}

LANE_INLINE bool lane_is_over(lane_turn t)
{
    return t.j >= t.end;
}

LANE_INLINE lane_turn lane_next_turn(lane_turn t)
{
    return (lane_turn){t.j + 2, t.end};
}

LANE_INLINE lane_turn lane_next_or_last_turn(lane_turn t)
{
    return (lane_turn){t.j + (t.end - t.j > 2 ? 2 : 0), t.end};
}

#define FOR_EACH_TURN(turn, list, count, pass)                                                     \
    for (lane_turn turn = lane_first_turn(list, count, pass); !lane_is_over(turn);                 \
         (turn) = lane_next_turn(turn))

/* Two numbers, one for each half; the first alone where there are no halves. */
LANE_INLINE lane lane_of_two(const float *first, const float *second)
{
#if LANE_WIDTH == 16
    __m512 both = _mm512_set1_ps(*first);
    return (lane)_mm512_mask_broadcastss_ps(both, 0xff00, _mm_load_ss(second));
#else
    (void)second;
    return lane_set(*first);
#endif
}

/* A number of each candidate. What lies behind an odd list is read, and not kept. */
LANE_INLINE lane lane_of(const float *numbers, lane_turn t)
{
    return lane_of_two(numbers + t.j[0], numbers + t.j[LANE_HALVES - 1]);
}

/* Adds what the candidates give. */
LANE_INLINE lane lane_add(lane sum, lane_turn t, lane value)
{
#if LANE_WIDTH == 16
    __mmask16 kept = t.end - t.j > 1 ? 0xffff : 0x00ff;
    return (lane)_mm512_mask_add_ps((__m512)sum, kept, (__m512)sum, (__m512)value);
#else
    (void)t;
    return sum + value;
#endif
}

/* Clears a mask for what lies behind the list. */
LANE_INLINE lane_mask lane_keep(lane_turn t, lane_mask mask)
{
#if LANE_WIDTH == 16
    return mask & (lane_mask)_mm512_movm_epi32(t.end - t.j > 1 ? 0xffff : 0x00ff);
#else
    (void)t;
    return mask;
#endif
}

/* The sum of both halves, in both. */
LANE_INLINE lane lane_fold(lane sum)
{
#if LANE_WIDTH == 16
    return sum + (lane)_mm512_shuffle_f32x4((__m512)sum, (__m512)sum, 0x4e);
#else
    return sum;
#endif
}

/* Adds the sum of a pass to that of all. */
LANE_INLINE lane lane_gather(lane all, lane pass)
{
    return all + lane_fold(pass);
}

LANE_INLINE void lane_gather_vector(lane all[3], const lane pass[3], int count)
{
    for (int a = 0; a < count; a++)
        all[a] = lane_gather(all[a], pass[a]);
}

/* ---------------------------------------------------------------- quadruples */

/* Four numbers of each candidate that lie side by side. */
#if LANE_WIDTH == 16
typedef lane lane_quads;
#else
typedef const float *lane_quads;
#endif

LANE_INLINE lane_quads lane_quads_of_two(const float *first, const float *second)
{
#if LANE_WIDTH == 16
    __m512 both = _mm512_broadcast_f32x4(_mm_loadu_ps(first));
    return (lane)_mm512_mask_broadcast_f32x4(both, 0xff00, _mm_loadu_ps(second));
#else
    (void)second;
    return first;
#endif
}

/* The n-th of the four, a constant. */
LANE_INLINE lane lane_spread(lane_quads quads, int n)
{
#if LANE_WIDTH == 16
    switch (n) {
    case 0:
        return (lane)_mm512_permute_ps((__m512)quads, 0x00);
    case 1:
        return (lane)_mm512_permute_ps((__m512)quads, 0x55);
    case 2:
        return (lane)_mm512_permute_ps((__m512)quads, 0xaa);
    default:
        return (lane)_mm512_permute_ps((__m512)quads, 0xff);
    }
#else
    return lane_set(quads[n]);
#endif
}

/* ------------------------------------------------------------------- places */

/* x_i as candidates of a periodic image see it, so that their own positions serve as they are. */
LANE_INLINE void lane_shift(const lane x_i[3], const float *shift, lane out[3], int dim)
{
    for (int a = 0; a < dim; a++)
        out[a] = x_i[a] - lane_set(shift[a]);
}

/* r_ij = x_i − x_j, and its square. */
LANE_INLINE lane lane_offset(float *const x[3], const lane x_i[3], lane_turn t, lane r[3], int dim)
{
    r[0] = x_i[0] - lane_of(x[0], t);
    lane r2 = r[0] * r[0];
    for (int a = 1; a < dim; a++) {
        r[a] = x_i[a] - lane_of(x[a], t);
        r2 = r2 + r[a] * r[a];
    }
    return r2;
}

#endif
