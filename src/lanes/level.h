/* The instruction levels of this build, and which of them the CPU can run. */
#ifndef WEIR_LANES_LEVEL_H
#define WEIR_LANES_LEVEL_H

#include <stdbool.h>

typedef enum lane_level {
    LANE_LEVEL_SCALAR, /* one lane */
    LANE_LEVEL_WIDE4,  /* four lanes: SSE2, NEON, WASM */
    LANE_LEVEL_AVX2,   /* eight lanes */
    LANE_LEVEL_AVX512, /* eight lanes; one number in all of them is part of an operation, where AVX2
                        * spends an instruction on it */
    LANE_LEVEL_AVX512X2, /* sixteen in loops over pairs, of eight particles and two candidates, and
                          * in the search, of candidates */
    LANE_LEVEL_COUNT,
} lane_level;

const char *lane_level_name(lane_level level);
/* The last one that this machine can run, and the one that is fastest on it. */
lane_level lane_level_last(void);
lane_level lane_level_best(void);

/* Whether lane_fetch_stream is to fetch far ahead on this machine. */
bool lane_fetches_far(void);

/* The level of that name (NULL: the best); LANE_LEVEL_COUNT when this machine lacks it. */
lane_level lane_level_find(const char *name);

/* The passes of all levels, which their files define (LANE_SYMBOL in lanes/lane.h). */
#define LANE_DECLARE(type, prefix)                                                                 \
    extern const type prefix##scalar, prefix##wide4, prefix##avx2, prefix##avx512, prefix##avx512x2

/* A table of them by level. */
#if defined(__x86_64__)
#define LANE_TABLE(prefix)                                                                         \
    {                                                                                              \
        &prefix##scalar, &prefix##wide4, &prefix##avx2, &prefix##avx512, &prefix##avx512x2         \
    }
#else
#define LANE_TABLE(prefix)                                                                         \
    {                                                                                              \
        &prefix##scalar, &prefix##wide4, &prefix##wide4, &prefix##wide4, &prefix##wide4            \
    }
#endif

#endif
