/* Takes from a cluster's candidates those that are out of reach of every one of its particles. */
#ifndef WEIR_SPACE_PRUNE_H
#define WEIR_SPACE_PRUNE_H

#include "lanes/level.h"
#include "space/neighbours.h"

/* Keeps the order; returns how many stay. */
typedef uint32_t (*prune_pass)(const particles *p, const cluster *c, const float *shift,
                               float reach2, uint32_t *candidates, uint32_t count);

/* One per instruction level. */
typedef struct prune_passes {
    prune_pass in_2d, in_3d;
} prune_passes;

extern const prune_passes prune_passes_scalar, prune_passes_wide4, prune_passes_avx2;

#endif
