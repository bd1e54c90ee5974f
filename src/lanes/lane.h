/* The SIMD type: floats that are computed together, of WEIR_LANES particles. The only file that
 * knows an instruction set. Files named *_lanes.c are compiled once per level with their own
 * WEIR_LANES and WEIR_LEVEL; with one lane the same source is plain scalar code.
 *
 * Some levels have registers of twice as many floats. In loops over pairs (lanes/pair_loop.h) they
 * hold two halves, with the same particles in both, which meet a candidate each. Files that define
 * LANE_WHOLE before they include this have other particles in the second half; to all others such a
 * level is like the one below it.
 *
 * Every operation is an IEEE operation per lane and nothing sums across lanes but halves, which
 * other levels sum one after the other, so that all widths give the same bits. */
#ifndef WEIR_LANES_LANE_H
#define WEIR_LANES_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if WEIR_LANES > 1 && defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(LANE_OF_PAIRS) && defined(WEIR_HALVES)
enum { LANE_HALVES = 2 };
#define LANE_WIDTH (2 * WEIR_LANES)
#define LANE_COUNT WEIR_LANES /* particles in a lane */
#elif defined(LANE_WHOLE) && defined(WEIR_HALVES)
enum { LANE_HALVES = 1 };
#define LANE_WIDTH (2 * WEIR_LANES)
#define LANE_COUNT LANE_WIDTH
#else
enum { LANE_HALVES = 1 };
#define LANE_WIDTH WEIR_LANES
#define LANE_COUNT LANE_WIDTH
#endif

#if LANE_WIDTH == 1
typedef float lane;
typedef int32_t lane_mask;
#else
typedef float lane __attribute__((vector_size(4 * LANE_WIDTH)));
typedef int32_t lane_mask __attribute__((vector_size(4 * LANE_WIDTH)));
typedef uint16_t lane_short __attribute__((vector_size(2 * LANE_WIDTH), aligned(2)));
#endif

/* Loops over pairs are written once with the kernel and the dimension as arguments; they are fast
 * only where the compiler sees both as constants. */
#define LANE_INLINE static inline __attribute__((always_inline))

#define LANE_PASTE(a, b) a##b
#define LANE_PASTE_EXPANDED(a, b) LANE_PASTE(a, b)
/* The name of a symbol of this level: LANE_SYMBOL(sph_passes_) is sph_passes_avx2 there. */
#define LANE_SYMBOL(prefix) LANE_PASTE_EXPANDED(prefix, WEIR_LEVEL)

LANE_INLINE lane lane_set(float value)
{
#if LANE_WIDTH == 1
    return value;
#elif LANE_WIDTH == 4
    return (lane){value, value, value, value};
#elif LANE_WIDTH == 8
    return (lane){value, value, value, value, value, value, value, value};
#else
    return (lane)_mm512_set1_ps(value);
#endif
}

/* The numbers of LANE_COUNT particles, in each half. */
LANE_INLINE lane lane_load(const float *from)
{
#if LANE_WIDTH == 2 * LANE_COUNT
    return (lane)_mm512_broadcast_f32x8(_mm256_loadu_ps(from));
#else
    lane value;
    memcpy(&value, from, sizeof value);
    return value;
#endif
}

/* Of two halves the first. */
LANE_INLINE void lane_store(float *to, lane value)
{
    memcpy(to, &value, 4 * LANE_COUNT);
}

#if LANE_WIDTH == 16
#define LANE_FIRST_HALF(value) _mm512_castps512_ps256((__m512)(value))
#elif WEIR_LANES == 8 && defined(__AVX__)
#define LANE_FIRST_HALF(value) ((__m256)(value))
#endif

/* Stores the first `count` of LANE_COUNT: others may be those of another thread. */
LANE_INLINE void lane_store_some(float *to, lane value, size_t count)
{
#if LANE_COUNT == 8 && defined(__AVX512VL__)
    _mm256_mask_storeu_ps(to, (__mmask8)(count < 8 ? (1u << count) - 1 : 0xff),
                          LANE_FIRST_HALF(value));
#else
    float lanes[LANE_COUNT];
    if (count >= LANE_COUNT) {
        lane_store(to, value);
        return;
    }
    lane_store(lanes, value);
    for (size_t k = 0; k < LANE_COUNT && k < count; k++)
        to[k] = lanes[k];
#endif
}

/* Four vectors as LANE_COUNT groups of four numbers. */
LANE_INLINE void lane_store_quads(float *to, lane a, lane b, lane c, lane d)
{
#if LANE_COUNT == 8 && defined(__AVX__)
    __m256 ab_low = _mm256_unpacklo_ps(LANE_FIRST_HALF(a), LANE_FIRST_HALF(b));
    __m256 ab_high = _mm256_unpackhi_ps(LANE_FIRST_HALF(a), LANE_FIRST_HALF(b));
    __m256 cd_low = _mm256_unpacklo_ps(LANE_FIRST_HALF(c), LANE_FIRST_HALF(d));
    __m256 cd_high = _mm256_unpackhi_ps(LANE_FIRST_HALF(c), LANE_FIRST_HALF(d));
    __m256 at_0 = _mm256_shuffle_ps(ab_low, cd_low, 0x44); /* groups 0 and 4 */
    __m256 at_1 = _mm256_shuffle_ps(ab_low, cd_low, 0xee);
    __m256 at_2 = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
    __m256 at_3 = _mm256_shuffle_ps(ab_high, cd_high, 0xee);
    _mm256_storeu_ps(to, _mm256_permute2f128_ps(at_0, at_1, 0x20));
    _mm256_storeu_ps(to + 8, _mm256_permute2f128_ps(at_2, at_3, 0x20));
    _mm256_storeu_ps(to + 16, _mm256_permute2f128_ps(at_0, at_1, 0x31));
    _mm256_storeu_ps(to + 24, _mm256_permute2f128_ps(at_2, at_3, 0x31));
#else
    float columns[4][LANE_COUNT];
    lane_store(columns[0], a);
    lane_store(columns[1], b);
    lane_store(columns[2], c);
    lane_store(columns[3], d);
    for (int k = 0; k < LANE_COUNT; k++)
        for (int n = 0; n < 4; n++)
            to[4 * k + n] = columns[n][k];
#endif
}

/* Whole numbers below 65536, in half the memory of floats; those of the second half lie behind. */
LANE_INLINE lane lane_load_short(const uint16_t *from)
{
#if LANE_WIDTH == 1
    return (float)*from;
#elif LANE_WIDTH == 16
    __m256i value = _mm256_loadu_si256((const __m256i *)(const void *)from);
    return (lane)_mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(value));
#elif LANE_WIDTH == 8 && defined(__AVX2__)
    __m128i value = _mm_loadu_si128((const __m128i *)(const void *)from);
    return (lane)_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(value));
#else
    lane_short value;
    memcpy(&value, from, sizeof value);
    return __builtin_convertvector(__builtin_convertvector(value, lane_mask), lane);
#endif
}

/* Stores the whole parts of values in 0 … 65535, and returns them. As an assignment, not by memcpy,
 * which might change anything that a loop has read, as far as a compiler knows. */
LANE_INLINE lane lane_store_short(uint16_t *to, lane value)
{
#if LANE_WIDTH == 1
    *to = (uint16_t)(int32_t)value;
    return (float)*to;
#else
    lane_mask whole = __builtin_convertvector(value, lane_mask);
    *(lane_short *)to = __builtin_convertvector(whole, lane_short);
    return __builtin_convertvector(whole, lane);
#endif
}

/* Fetches a line of the cache that a stream will read soon: `far` ahead into the second cache, or
 * nearer into the first (lane_fetches_far). */
LANE_INLINE void lane_fetch_stream(const void *from, bool far)
{
    enum { NEAR_AHEAD = 2048, FAR_AHEAD = 8192 }; /* bytes, measured */
    if (far)
        __builtin_prefetch((const char *)from + FAR_AHEAD, 0, 1);
    else
        __builtin_prefetch((const char *)from + NEAR_AHEAD, 0, 3);
}

/* mask ? a : b, per lane. Comparisons of lanes give masks of all ones or zeros. */
LANE_INLINE lane lane_select(lane_mask mask, lane a, lane b)
{
#if LANE_WIDTH == 1
    return mask ? a : b;
#else
    return (lane)((mask & (lane_mask)a) | (~mask & (lane_mask)b));
#endif
}

#if LANE_WIDTH == LANE_COUNT
/* One bit per lane that a mask is set in, the first lane lowest. */
LANE_INLINE uint32_t lane_bits(lane_mask mask)
{
#if LANE_WIDTH == 16
    return _mm512_movepi32_mask((__m512i)mask);
#elif LANE_WIDTH == 8 && defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif LANE_WIDTH == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif LANE_WIDTH == 1
    return mask ? 1u : 0u;
#else
    uint32_t bits = 0;
    for (int i = 0; i < LANE_WIDTH; i++)
        bits |= (mask[i] ? 1u : 0u) << i;
    return bits;
#endif
}

enum { LANE_ALL_BITS = (1 << LANE_COUNT) - 1 };

/* One bit per lane in which a whole number is at least so large. */
LANE_INLINE uint32_t lane_bits_from(lane_mask numbers, int32_t least)
{
#if LANE_WIDTH == 16
    return _mm512_cmpge_epi32_mask((__m512i)numbers, _mm512_set1_epi32(least));
#else
    return lane_bits(numbers >= (lane_mask){0} + least);
#endif
}

/* Which lanes all of some comparisons hold for, in the form that takes another one soonest. */
#if LANE_WIDTH == 16
typedef uint32_t lane_flags;
#else
typedef lane_mask lane_flags;
#endif

LANE_INLINE lane_flags lane_all_flags(void)
{
#if LANE_WIDTH == 16
    return LANE_ALL_BITS;
#else
    return lane_set(1) > lane_set(0);
#endif
}

/* Those of the lanes in which also a > b. */
LANE_INLINE lane_flags lane_keep_larger(lane_flags flags, lane a, lane b)
{
#if LANE_WIDTH == 16
    return _mm512_mask_cmp_ps_mask((__mmask16)flags, (__m512)a, (__m512)b, _CMP_GT_OQ);
#else
    return flags & (a > b);
#endif
}

LANE_INLINE uint32_t lane_flag_bits(lane_flags flags)
{
#if LANE_WIDTH == 16
    return flags;
#else
    return lane_bits(flags);
#endif
}

/* Writes `start` plus the place of each bit and returns how many there are, without a loop over the
 * bits, whose end no processor foresees. As many words as lanes are written in any case. */
LANE_INLINE uint32_t lane_list_bits(uint32_t *to, uint32_t start, uint32_t bits)
{
#if LANE_WIDTH == 1
    *to = start;
    return bits;
#elif LANE_WIDTH == 16
    __m512i places =
        _mm512_add_epi32(_mm512_set1_epi32((int32_t)start),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    places = _mm512_maskz_compress_epi32((__mmask16)bits, places);
    memcpy(to, &places, sizeof places);
    return (uint32_t)__builtin_popcount(bits);
#elif LANE_WIDTH == 8 && defined(__AVX512VL__)
    __m256i places = _mm256_add_epi32(_mm256_set1_epi32((int32_t)start),
                                      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    places = _mm256_maskz_compress_epi32((__mmask8)bits, places);
    memcpy(to, &places, sizeof places);
    return (uint32_t)__builtin_popcount(bits);
#else
    typedef uint32_t four __attribute__((vector_size(16)));
    static const uint32_t places[16][4] = {
        {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
        {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    static const uint8_t counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    uint32_t kept = 0;
    for (uint32_t part = 0; part < LANE_WIDTH; part += 4) {
        uint32_t some = bits >> part & 15, first = start + part;
        four numbers;
        memcpy(&numbers, places[some], sizeof numbers);
        numbers += (four){first, first, first, first};
        memcpy(to + kept, &numbers, sizeof numbers);
        kept += counts[some];
    }
    return kept;
#endif
}
#endif

LANE_INLINE lane lane_min(lane a, lane b)
{
#if LANE_WIDTH == 16
    return (lane)_mm512_min_ps((__m512)a, (__m512)b);
#elif LANE_WIDTH == 8 && defined(__AVX__)
    return (lane)_mm256_min_ps((__m256)a, (__m256)b);
#elif LANE_WIDTH == 4 && defined(__SSE2__)
    return (lane)_mm_min_ps((__m128)a, (__m128)b);
#else
    return lane_select(a < b, a, b);
#endif
}

LANE_INLINE lane lane_max(lane a, lane b)
{
#if LANE_WIDTH == 16
    return (lane)_mm512_max_ps((__m512)a, (__m512)b);
#elif LANE_WIDTH == 8 && defined(__AVX__)
    return (lane)_mm256_max_ps((__m256)a, (__m256)b);
#elif LANE_WIDTH == 4 && defined(__SSE2__)
    return (lane)_mm_max_ps((__m128)a, (__m128)b);
#else
    return lane_select(a > b, a, b);
#endif
}

LANE_INLINE lane lane_sqrt(lane a)
{
#if LANE_WIDTH == 16
    return (lane)_mm512_sqrt_ps((__m512)a);
#elif LANE_WIDTH == 8 && defined(__AVX__)
    return (lane)_mm256_sqrt_ps((__m256)a);
#elif LANE_WIDTH == 4 && defined(__SSE2__)
    return (lane)_mm_sqrt_ps((__m128)a);
#elif LANE_WIDTH == 1
    return __builtin_sqrtf(a);
#else
    for (int i = 0; i < LANE_WIDTH; i++)
        a[i] = __builtin_sqrtf(a[i]);
    return a;
#endif
}

#endif
