/* What a particle sees around itself: weighted sums over its neighbours. */
#ifndef WEIR_SURFACE_NEIGHBOURHOOD_H
#define WEIR_SURFACE_NEIGHBOURHOOD_H

#include "surface/bins.h"
#include "surface/kernels.h"

/* The particles of a cell and of the cells around it, in contiguous memory. Positions are in
 * spacings from the cell's first particle. */
typedef struct neighbourhood {
    size_t count, capacity;
    size_t home; /* the first particle */
    float *x, *y, *z;
    float *lean_x, *lean_y, *lean_z;
} neighbourhood;

/* Sums with w = 1 − (r/R)³ (Yu and Turk eq. 8), and of the density kernel (1 − (r/h)²)³. */
typedef struct moments {
    float w, wx, wy, wz, xx, xy, xz, yy, yz, zz, density;
} moments;

/* Collects around cell number `cell`; with leans if shapes are given. False when memory runs
 * out. */
bool neighbourhood_gather(neighbourhood *n, const bins *cells, size_t cell,
                          const surface_particles *particles, const kernel_shape *shapes);
void neighbourhood_free(neighbourhood *n);

/* Sums around particle i of the cell. */
moments neighbourhood_moments(const neighbourhood *n, const surface_particles *particles, size_t i,
                              float reach, float support);

/* The mean of the neighbours of particle i that lie alike: weights fall with the difference of
 * leans, so that a surface averages with itself and not with the layers below. */
void neighbourhood_mean_alike(const neighbourhood *n, const surface_particles *particles, size_t i,
                              const float lean[3], float reach, float mean[3]);

#endif
