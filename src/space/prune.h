/* Which particles of a stretch some member of a cluster sees. Lists that are exact save every pass
 * over pairs a third of its work. */
#ifndef WEIR_SPACE_PRUNE_H
#define WEIR_SPACE_PRUNE_H

#include "space/neighbours.h"

typedef struct cluster_box {
    float lo[3], hi[3];
    float reach2; /* m² */
} cluster_box;

/* Lists those of the particles [begin, end) that, moved by `shift`, lie within reach of a member of
 * the cluster, whose box is given; returns how many. */
typedef uint32_t (*prune_pass)(const particles *p, const cluster *c, const cluster_box *box,
                               const float *shift, uint32_t begin, uint32_t end, uint32_t *list);

typedef struct prune_passes {
    prune_pass in_2d, in_3d;
} prune_passes;

extern const prune_passes prune_passes_scalar, prune_passes_wide4, prune_passes_avx2;

#endif
