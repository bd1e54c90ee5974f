/* How deep the fluid is, along the uniform force: what its own weight can press with, which limits
 * the steps of methods that keep the density. */
#ifndef WEIR_MATTER_DEPTH_H
#define WEIR_MATTER_DEPTH_H

#include "matter/flow.h"

/* A cluster, and what it hangs together with. */
typedef struct depth_part {
    _Atomic uint32_t parent; /* itself: the root of its pool; else one before it */
    bool full;               /* of those that carry: no spray, no thin sheet */
    float top, bottom;
} depth_part;

typedef struct depth_memory {
    depth_part *parts;
    size_t part_capacity;
    uint32_t *cluster_of; /* particle */
    size_t particle_capacity;
} depth_memory;

void depth_memory_free(depth_memory *d, memory *m);

/* m, from the highest to the lowest of particles [begin, end); a spacing at least. */
double depth_of_range(const flow *f, size_t begin, size_t end);

/* Measures anew, by the lists of the last search: the deepest pool that hangs together. Spray and
 * thin sheets, that reach high and press on nothing, do not count. False: no memory. */
bool depth_update(depth_memory *d, flow *f);

#endif
