#include "lanes/level.h"

#include "weir/weir.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* What a machine has whose best level is this one. */
static const char *const names[LANE_LEVEL_COUNT][LANE_LEVEL_COUNT + 1] = {
    [LANE_LEVEL_SCALAR] = {"scalar", NULL},
    [LANE_LEVEL_WIDE4] = {"scalar", "wide4", NULL},
    [LANE_LEVEL_AVX2] = {"scalar", "wide4", "avx2", NULL},
    [LANE_LEVEL_AVX512] = {"scalar", "wide4", "avx2", "avx512", NULL}};

const char *const *weir_simd_levels(void)
{
    return names[lane_level_best()];
}

const char *lane_level_name(lane_level level)
{
    return names[LANE_LEVEL_COUNT - 1][level];
}

lane_level lane_level_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return LANE_LEVEL_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return LANE_LEVEL_AVX2;
#endif
    return LANE_LEVEL_WIDE4;
}

/* Measured with products of the constraint method from memory: 2 KB ahead into the first cache is
 * best on Intel's Sapphire Rapids and takes 5 to 10 % longer than this on Zen 4, which has few
 * fetches into its first cache under way at a time. */
bool lane_fetches_far(void)
{
#if defined(__x86_64__)
    return !__builtin_cpu_is("intel");
#else
    return true;
#endif
}

/* Products of the constraint method from the caches take a fifth less time by twos on Zen 5, and
 * mostly a tenth more on Sapphire Rapids, where all that puts numbers in place goes through one
 * port. Zen 4 computes 512 bits in two turns. */
bool lane_takes_two(void)
{
#if defined(__x86_64__)
    enum { EXTENDED = 15, ZEN_5 = 26 }; /* families */
    unsigned a, b, c, d;
    if (!__builtin_cpu_is("amd") || !__get_cpuid(1, &a, &b, &c, &d))
        return false;
    unsigned family = a >> 8 & 15;
    if (family == EXTENDED)
        family += a >> 20 & 255;
    return family >= ZEN_5;
#else
    return false;
#endif
}

lane_level lane_level_find(const char *name)
{
    if (!name)
        return lane_level_best();
    for (int level = 0; level <= (int)lane_level_best(); level++)
        if (strcmp(name, lane_level_name((lane_level)level)) == 0)
            return (lane_level)level;
    return LANE_LEVEL_COUNT;
}
