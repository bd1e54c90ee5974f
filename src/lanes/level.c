#include "lanes/level.h"

#include "weir/weir.h"

#include <string.h>

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

lane_level lane_level_find(const char *name)
{
    if (!name)
        return lane_level_best();
    for (int level = 0; level <= (int)lane_level_best(); level++)
        if (strcmp(name, lane_level_name((lane_level)level)) == 0)
            return (lane_level)level;
    return LANE_LEVEL_COUNT;
}
