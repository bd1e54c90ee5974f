/* Eigenvalues and eigenvectors of a symmetric 3 × 3 matrix in double precision, to the last bit
 * that Jacobi rotations give (Golub and Van Loan, Matrix Computations, §8.5): the twin of those in
 * lanes.
 */
#ifndef WEIR_TESTS_SURFACE_EIGEN_TWIN_H
#define WEIR_TESTS_SURFACE_EIGEN_TWIN_H

#include <math.h>

typedef struct symmetric3 {
    double xx, xy, xz, yy, yz, zz;
} symmetric3;

enum { EIGEN_MAX_SWEEPS = 12 };

/* Rotates rows and columns p and q of `a` so that a[p][q] becomes 0. */
static inline void eigen_rotate(double a[3][3], double vectors[3][3], int p, int q)
{
    if (a[p][q] == 0)
        return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    int r = 3 - p - q;
    double pr = a[p][r], qr = a[q][r];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0;
    a[p][r] = a[r][p] = c * pr - s * qr;
    a[q][r] = a[r][q] = s * pr + c * qr;
    for (int k = 0; k < 3; k++) {
        double vp = vectors[p][k], vq = vectors[q][k];
        vectors[p][k] = c * vp - s * vq;
        vectors[q][k] = s * vp + c * vq;
    }
}

static inline void eigen_swap_if_ascending(double values[3], double vectors[3][3], int i, int j)
{
    if (values[i] >= values[j])
        return;
    double value = values[i];
    values[i] = values[j];
    values[j] = value;
    for (int k = 0; k < 3; k++) {
        double component = vectors[i][k];
        vectors[i][k] = vectors[j][k];
        vectors[j][k] = component;
    }
}

/* matrix = Σ_k values[k] · vectors[k] vectors[k]ᵀ; the vectors are orthonormal, the values
 * descend. */
static inline void eigen_solve(const symmetric3 *m, double values[3], double vectors[3][3])
{
    double a[3][3] = {{m->xx, m->xy, m->xz}, {m->xy, m->yy, m->yz}, {m->xz, m->yz, m->zz}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            vectors[i][j] = i == j;
    double scale = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]) + fabs(a[0][1]) + fabs(a[0][2]) +
                   fabs(a[1][2]);
    for (int sweep = 0; sweep < EIGEN_MAX_SWEEPS; sweep++) {
        if (fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]) <= 1e-15 * scale)
            break;
        eigen_rotate(a, vectors, 0, 1);
        eigen_rotate(a, vectors, 0, 2);
        eigen_rotate(a, vectors, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        values[i] = a[i][i];
    eigen_swap_if_ascending(values, vectors, 0, 1);
    eigen_swap_if_ascending(values, vectors, 1, 2);
    eigen_swap_if_ascending(values, vectors, 0, 1);
}

#endif
