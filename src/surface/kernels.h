/* The kernel of each particle: where it is centred, its shape, its weight. */
#ifndef WEIR_SURFACE_KERNELS_H
#define WEIR_SURFACE_KERNELS_H

#include "surface/surface.h"

/* Lengths are in spacings. Matrices are symmetric: xx xy xz yy yz zz. */
typedef struct kernel_shape {
    float shift[3];   /* of the centre from the particle */
    float inverse[6]; /* G: the kernel is a function of |G d| */
    float axes[6];    /* G⁻¹: maps the unit ball to the support */
    float weight;
    float lean[3];  /* from the particle to the mean of its neighbourhood: 0 deep inside */
    float fullness; /* neighbours against those inside a fluid: 1 deep inside, near 0 alone */
    bool exposed;   /* the surface may be near */
} kernel_shape;

/* Checks particles and settings, and gives the settings' zeros their values (all but level). */
bool kernels_check(const surface_particles *particles, surface_settings *settings,
                   weir_error *error);

/* Fills one shape per particle. */
bool kernels_build(kernel_shape *shapes, const surface_particles *particles,
                   const surface_settings *settings, weir_error *error);

/* 0 for a particle alone, whose kernel is a ball, to 1 for one with enough neighbours to shape it.
 */
float kernels_blend(float fullness);

/* How many threads the settings ask for. */
int kernels_threads(const surface_settings *settings);

/* Gives lonely particles the size of a drop of one particle's volume, once the level is known. */
void kernels_shrink_lonely(kernel_shape *shapes, size_t count, int dim,
                           const surface_settings *settings);

#endif
