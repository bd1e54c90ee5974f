/* Cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, §8.5). For 3 × 3 they are as
 * fast as closed formulas, and exact to rounding where those cancel (equal eigenvalues). */
#include "surface/eigen.h"

#include <math.h>

enum { MAX_SWEEPS = 12 };

/* Rotates rows and columns p and q of `a` so that a[p][q] becomes 0. */
static void rotate(double a[3][3], double vectors[3][3], int p, int q)
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

static void swap_if_ascending(double values[3], double vectors[3][3], int i, int j)
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

void eigen_solve(const symmetric3 *m, double values[3], double vectors[3][3])
{
    double a[3][3] = {{m->xx, m->xy, m->xz}, {m->xy, m->yy, m->yz}, {m->xz, m->yz, m->zz}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            vectors[i][j] = i == j;
    double scale = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]) + fabs(a[0][1]) + fabs(a[0][2]) +
                   fabs(a[1][2]);
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        if (fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]) <= 1e-15 * scale)
            break;
        rotate(a, vectors, 0, 1);
        rotate(a, vectors, 0, 2);
        rotate(a, vectors, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        values[i] = a[i][i];
    swap_if_ascending(values, vectors, 0, 1);
    swap_if_ascending(values, vectors, 1, 2);
    swap_if_ascending(values, vectors, 0, 1);
}
