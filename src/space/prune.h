/* Which particles near a cluster some member of it sees. Lists that are exact save every pass over
 * pairs a third of its work. */
#ifndef WEIR_SPACE_PRUNE_H
#define WEIR_SPACE_PRUNE_H

#include "space/neighbours.h"

/* Particles [begin, end). */
typedef struct stretch {
    uint32_t begin, end;
} stretch;

/* A list may be written so many entries farther than it is long, and places may be read so many
 * farther than there are particles. */
enum { PRUNE_ROOM = 16, PLACE_ROOM = 16 };

typedef struct prune_passes {
    /* Lists those of the particles of `count` stretches that, moved by `shift`, lie within reach of
     * a member of the cluster, in order; returns how many. */
    uint32_t (*list)(const neighbours *n, const particles *p, const cluster *c, const float *shift,
                     const stretch *stretches, int count, uint32_t *list);
    /* Moves stretches forward, each in a row that ends at one of `ends`, to the particles whose
     * places along the row are in [from, to). */
    void (*advance)(const uint32_t *bins, int32_t from, int32_t to, const uint32_t *ends,
                    stretch *stretches, int count);
} prune_passes;

LANE_DECLARE(prune_passes, prune_passes_);

#endif
