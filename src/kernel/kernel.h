/* SPH kernels, normalised, with support radius h: W(r, h) = 0 for r >= h.
 * Müller et al. 2003 (poly6, spiky), Monaghan (cubic spline), Wendland 1995 (C2).
 * These are the scalar, double precision forms for tables and tests; the loops use
 * kernel/kernel_lane.h, which is tested against them. */
#ifndef WEIR_KERNEL_KERNEL_H
#define WEIR_KERNEL_KERNEL_H

#include "weir/weir.h"

double kernel_value(weir_kernel kernel, int dim, double r, double h);
double kernel_derivative(weir_kernel kernel, int dim, double r, double h);

/* The viscosity kernel's Laplacian (Müller et al. 2003; in 2D with the factor that makes its
 * second moment right). */
double kernel_viscosity_laplacian(int dim, double r, double h);

/* What sums over particles at rest give, as the mean of two lattices of the same density: square
 * and hexagonal in 2D, cubic and face-centred in 3D. `weight` is summed over all sites. */
typedef double (*kernel_weight)(const void *context, double r);
double kernel_lattice_sum(int dim, double spacing, double h, kernel_weight weight,
                          const void *context);

/* Of gradients among particles at rest: Σ W'², and the first moment −Σ r W'/dim, which is the
 * number of particles per volume where the kernel is resolved well. */
double kernel_lattice_squares(weir_kernel kernel, int dim, double spacing, double h);
double kernel_lattice_moment(weir_kernel kernel, int dim, double spacing, double h);

/* The factor kappa on particle volumes that makes the density of particles at rest 1. */
double kernel_volume_factor(weir_kernel kernel, int dim, double spacing, double h);
/* The same for particles that rows keep from being too dense. They come to rest in places where
 * sums are small, so that they lie closer than a lattice: in 3D with h = 2.5 d by 0.05 % after a
 * dam break and 0.15 to 0.25 % after a long time, where the lattice with the smallest sum lies
 * closer by 0.34 %. Half of the way to that one (2D: seven tenths) is never far off. */
double kernel_settled_factor(weir_kernel kernel, int dim, double spacing, double h);

const char *kernel_name(weir_kernel kernel);

#endif
