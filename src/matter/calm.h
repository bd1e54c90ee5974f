/* Which fluid is at rest. Particles of calm water jitter, at up to two spacings a second, and
 * slowly change places: what a single one does tells nothing. Blocks of particles tell it, by how
 * far they have gone as a whole from where their rest began, next to how far their particles
 * scatter. */
#ifndef WEIR_MATTER_CALM_H
#define WEIR_MATTER_CALM_H

#include "matter/flow.h"

/* Some fluid of one pool in one cell of a grid. */
typedef struct calm_block {
    uint32_t pool;
    int32_t at[3];
    uint32_t count;
    bool moves;
    double way[3], squares; /* sums over its particles, in spacings */
    double age;             /* s since the windows began, likewise */
} calm_block;

typedef struct calm_memory {
    calm_block *blocks;
    size_t block_count, block_capacity;
    uint32_t *slots; /* hash table of blocks: number + 1, 0 = empty */
    size_t slot_capacity, slot_mask;
    uint32_t *block_of; /* particle */
    size_t particle_capacity;
} calm_memory;

void calm_memory_free(calm_memory *c, memory *m);

/* How far anything at rest may be from where its rest began, in spacings. */
extern const double CALM_BODY_WAY;

/* Compares the awake particles with where their rest began. Blocks that have moved begin anew
 * there, those that have not have rested for `elapsed` s more: into p.still and p.still_time. What
 * has rested for a `window`, in s, is compared with where it was then, and so on.
 * `pool_of` tells particles apart that do not hang together. False: no memory. */
bool calm_update(calm_memory *c, flow *f, const uint32_t *pool_of, double elapsed, double window);

#endif
