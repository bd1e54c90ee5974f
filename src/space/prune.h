/* Which particles near a cluster some member of it sees. Lists that are exact save every pass over
 * pairs a third of its work. */
#ifndef WEIR_SPACE_PRUNE_H
#define WEIR_SPACE_PRUNE_H

#include "space/neighbours.h"

/* Particles [begin, end). */
typedef struct stretch {
    uint32_t begin, end;
} stretch;

/* A list may be written so many entries farther than it is long. */
enum { PRUNE_ROOM = 8 };

typedef struct prune_passes {
    /* Lists those of the particles of `count` stretches that, moved by `shift`, lie within reach of
     * a member of the cluster, in order; returns how many. */
    uint32_t (*list)(const neighbours *n, const particles *p, const cluster *c, const float *shift,
                     const stretch *stretches, int count, uint32_t *list);
    /* The first particle from `from` on, before `end`, whose place along the row is at least `bin`.
     */
    uint32_t (*skip)(const uint32_t *bins, uint32_t from, uint32_t end, int64_t bin);
} prune_passes;

LANE_DECLARE(prune_passes, prune_passes_);

#endif
