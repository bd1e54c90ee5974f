/* Integrals of a kernel over a half-space, as tables over s = d/h in [-1, 1].
 *   Phi(s) = int_s^1 w(t) dt: the part of the kernel that lies in a solid whose flat surface is
 *   at distance s; w(t) = 2 pi int_|t|^1 W(q) q dq in 3D, 2 int_|t|^1 W(q) q/sqrt(q^2-t^2) dq in
 *   2D, with W for h = 1. */
#ifndef WEIR_KERNEL_HALF_SPACE_H
#define WEIR_KERNEL_HALF_SPACE_H

#include "kernel/kernel.h"

enum { HALF_SPACE_INTERVALS = 256 };

typedef struct half_space_table {
    double volume[HALF_SPACE_INTERVALS + 1]; /* Phi */
    double slope[HALF_SPACE_INTERVALS + 1];  /* dPhi/ds = -w */
} half_space_table;

void half_space_table_fill(half_space_table *t, weir_kernel kernel, int dim);

/* Phi(s); 0 beyond s = 1 and 1 below s = -1. `derivative` (may be NULL) gets dPhi/ds, the exact
 * derivative of the returned interpolant. */
double half_space_volume(const half_space_table *t, double s, double *derivative);

/* The first moment of a Laplacian weight over a half-space, for walls where fluid sticks:
 *   Psi(s) = int_s^1 t M(t) dt, with M the marginal of L (as w above, L in place of W). */
typedef struct wall_moment_table {
    double moment[HALF_SPACE_INTERVALS + 1];
    double slope[HALF_SPACE_INTERVALS + 1]; /* dPsi/ds = -s M(s) */
} wall_moment_table;

/* `weight` is L(q) for q = r/h in [0, 1] with h = 1: bounded, and 0 at q = 1. */
void wall_moment_table_fill(wall_moment_table *t, int dim, kernel_weight weight,
                            const void *context);

/* Psi(s); 0 beyond s = 1, and for s < -1 the value at -1. */
double wall_moment(const wall_moment_table *t, double s);

#endif
