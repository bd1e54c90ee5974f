/* Eigenvalues and eigenvectors of a symmetric 3 × 3 matrix. */
#ifndef WEIR_SURFACE_EIGEN_H
#define WEIR_SURFACE_EIGEN_H

typedef struct symmetric3 {
    double xx, xy, xz, yy, yz, zz;
} symmetric3;

/* matrix = Σ_k values[k] · vectors[k] vectors[k]ᵀ; the vectors are orthonormal, the values
 * descend. */
void eigen_solve(const symmetric3 *matrix, double values[3], double vectors[3][3]);

#endif
