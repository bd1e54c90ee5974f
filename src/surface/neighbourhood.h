/* What particles see around themselves: weighted sums over their neighbours, for eight particles of
 * a cell at a time. */
#ifndef WEIR_SURFACE_NEIGHBOURHOOD_H
#define WEIR_SURFACE_NEIGHBOURHOOD_H

#include "lanes/level.h"
#include "surface/bins.h"
#include "surface/kernels.h"

/* Particles that are computed together. Arrays for lanes are as much longer than what they hold. */
enum { GROUP_SIZE = 8 };

/* Particles in the order of their cells, so that those of a row of cells lie side by side. */
typedef struct sorted_particles {
    bins cells;
    float scale;    /* spacings per metre */
    float *at[3];   /* m */
    float *lean[3]; /* kernel_shape.lean of each, once known */
} sorted_particles;

/* The particles of a cell and of the cells around it, in contiguous memory. Positions are in
 * spacings from the cell's first particle. */
typedef struct neighbourhood {
    size_t count, capacity;
    size_t home; /* the first particle */
    float *at[3];
    float *lean[3];
    uint32_t *near; /* room for a selection of them */
} neighbourhood;

/* Some particles of the cell; a group that is not full repeats its last one. */
typedef struct group {
    int count;
    size_t first; /* in the order of the cells */
    float at[3][GROUP_SIZE];
    float lean[3][GROUP_SIZE];
} group;

/* Sums with w = 1 − (r/R)³ (Yu and Turk eq. 8), and of the density kernel (1 − (r/h)²)³. Products
 * are xx xy xz yy yz zz. */
typedef struct moments {
    float w[GROUP_SIZE], first[3][GROUP_SIZE], second[6][GROUP_SIZE], density[GROUP_SIZE];
} moments;

/* How moments turn into the axes of a kernel. Lengths in spacings. */
typedef struct ellipsoid_rules {
    int dim;
    float support, stretch;
    float spread;  /* variance of a full neighbourhood */
    float longest; /* axis, in supports */
} ellipsoid_rules;

typedef struct ellipsoids {
    float inverse[6][GROUP_SIZE], axes[6][GROUP_SIZE];
    float determinant[GROUP_SIZE]; /* of the axes in supports */
} ellipsoids;

typedef struct neighbourhood_passes {
    /* Lists the particles that may lie within reach of some of the group; returns how many. */
    uint32_t (*list)(const neighbourhood *n, const group *g, float reach, uint32_t *near);
    void (*find_moments)(const neighbourhood *n, const group *g, const uint32_t *near,
                         uint32_t count, float reach, float support, moments *out);
    /* The mean of the neighbours that lie alike: weights fall with the difference of leans, so that
     * a surface averages with itself and not with the layers below. */
    void (*mean_alike)(const neighbourhood *n, const group *g, const uint32_t *near, uint32_t count,
                       float reach, float mean[3][GROUP_SIZE]);
    /* Eqs. 9 to 16 of Yu and Turk; `blend` from 0, a ball, to 1. */
    void (*shape)(const ellipsoid_rules *rules, const moments *m, const float *blend,
                  ellipsoids *out);
} neighbourhood_passes;

LANE_DECLARE(neighbourhood_passes, neighbourhood_passes_);

/* Sorts into cells of the given size, in m. False when memory runs out; to be freed in any case. */
bool sorted_particles_build(sorted_particles *sorted, const surface_particles *particles,
                            double size, int threads);
void sorted_particles_free(sorted_particles *sorted);

/* Collects around cell number `cell`; with leans if asked for. False when memory runs out. */
bool neighbourhood_gather(neighbourhood *n, const sorted_particles *sorted, size_t cell,
                          bool with_leans);
void neighbourhood_free(neighbourhood *n);

/* `count` particles of the cell from `first` on, or as many of them as there is room for. */
void neighbourhood_group(const neighbourhood *n, const sorted_particles *sorted, size_t first,
                         size_t count, group *out);

#endif
