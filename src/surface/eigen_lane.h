/* Eigenvalues and eigenvectors of symmetric 3 × 3 matrices, one a lane, by cyclic Jacobi rotations
 * (Golub and Van Loan, Matrix Computations, §8.5): exact to rounding, also where values are equal
 * and closed formulas cancel. Each sweep squares what is left off the diagonal, so that a fixed
 * number of them serves all lanes. */
#ifndef WEIR_SURFACE_EIGEN_LANE_H
#define WEIR_SURFACE_EIGEN_LANE_H

#include "lanes/lane.h"

enum { EIGEN_SWEEPS = 5 };

typedef struct eigen_lanes {
    lane m[3][3];       /* upper triangle; in the end the values are on its diagonal */
    lane vectors[3][3]; /* rows */
} eigen_lanes;

/* Rotates rows and columns p < q so that m[p][q] becomes 0. */
LANE_INLINE void eigen_rotate(eigen_lanes *e, int p, int q)
{
    int r = 3 - p - q;
    lane zero = lane_set(0), one = lane_set(1);
    lane *pr = p < r ? &e->m[p][r] : &e->m[r][p], *qr = q < r ? &e->m[q][r] : &e->m[r][q];
    lane off = e->m[p][q], twice = off + off, gap = e->m[q][q] - e->m[p][p];
    lane size = lane_max(gap, zero - gap);
    /* tan of the smaller angle; 0 where both are 0. */
    lane below = size + lane_sqrt(gap * gap + twice * twice);
    lane t = lane_select(gap < zero, zero - twice, twice) / lane_max(below, lane_set(1e-30f));
    lane c = one / lane_sqrt(t * t + one), s = t * c, old = *pr;
    e->m[p][p] = e->m[p][p] - t * off;
    e->m[q][q] = e->m[q][q] + t * off;
    e->m[p][q] = zero;
    *pr = c * old - s * *qr;
    *qr = s * old + c * *qr;
    for (int k = 0; k < 3; k++) {
        lane vp = e->vectors[p][k], vq = e->vectors[q][k];
        e->vectors[p][k] = c * vp - s * vq;
        e->vectors[q][k] = s * vp + c * vq;
    }
}

LANE_INLINE void eigen_solve_lanes(eigen_lanes *e)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            e->vectors[i][j] = lane_set(i == j);
    for (int sweep = 0; sweep < EIGEN_SWEEPS; sweep++) {
        eigen_rotate(e, 0, 1);
        eigen_rotate(e, 0, 2);
        eigen_rotate(e, 1, 2);
    }
}

#endif
