#include "lanes/level.h"

#include "weir/weir.h"

#include <string.h>

static const char *const names[LANE_LEVEL_COUNT + 1] = {"scalar", "wide4", "avx2", NULL};
static const char *const names_without_avx2[] = {"scalar", "wide4", NULL};

const char *lane_level_name(lane_level level)
{
    return names[level];
}

lane_level lane_level_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return LANE_LEVEL_AVX2;
#endif
    return LANE_LEVEL_WIDE4;
}

lane_level lane_level_find(const char *name)
{
    if (!name)
        return lane_level_best();
    for (int level = 0; level <= (int)lane_level_best(); level++)
        if (strcmp(name, names[level]) == 0)
            return (lane_level)level;
    return LANE_LEVEL_COUNT;
}

const char *const *weir_simd_levels(void)
{
    return lane_level_best() == LANE_LEVEL_AVX2 ? names : names_without_avx2;
}
