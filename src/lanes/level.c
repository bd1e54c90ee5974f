#include "lanes/level.h"

#include "weir/weir.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* What a machine has whose last level is this one. */
static const char *const names[LANE_LEVEL_COUNT][LANE_LEVEL_COUNT + 1] = {
    [LANE_LEVEL_SCALAR] = {"scalar", NULL},
    [LANE_LEVEL_WIDE4] = {"scalar", "wide4", NULL},
    [LANE_LEVEL_AVX2] = {"scalar", "wide4", "avx2", NULL},
    [LANE_LEVEL_AVX512X2] = {"scalar", "wide4", "avx2", "avx512", "avx512x2", NULL}};

const char *lane_level_name(lane_level level)
{
    return names[LANE_LEVEL_AVX512X2][level];
}

lane_level lane_level_last(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return LANE_LEVEL_AVX512X2;
    if (__builtin_cpu_supports("avx2"))
        return LANE_LEVEL_AVX2;
#endif
    return LANE_LEVEL_WIDE4;
}

/* Whether a processor computes 512 bits at once, roots and what puts numbers in place, too. Loops
 * over pairs take a half to two thirds of the time with them on Zen 5. Zen 4 computes them in two
 * turns, and Sapphire Rapids puts numbers in place through one port: products of the constraint
 * method mostly take a tenth longer there. */
static bool is_wide(void)
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

/* The fastest last. */
const char *const *weir_simd_levels(void)
{
    static const char *const not_wide[] = {"scalar", "wide4", "avx2", "avx512x2", "avx512", NULL};
    lane_level last = lane_level_last();
    return last == LANE_LEVEL_AVX512X2 && !is_wide() ? not_wide : names[last];
}

lane_level lane_level_best(void)
{
    lane_level last = lane_level_last();
    return last == LANE_LEVEL_AVX512X2 && !is_wide() ? LANE_LEVEL_AVX512 : last;
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

lane_level lane_level_find(const char *name)
{
    if (!name)
        return lane_level_best();
    for (int level = 0; level <= (int)lane_level_last(); level++)
        if (strcmp(name, lane_level_name((lane_level)level)) == 0)
            return (lane_level)level;
    return LANE_LEVEL_COUNT;
}
