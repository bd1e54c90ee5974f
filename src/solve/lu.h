/* Small dense systems by LU with row exchanges. */
#ifndef WEIR_SOLVE_LU_H
#define WEIR_SOLVE_LU_H

#include <stdbool.h>

/* Factors the n × n matrix `a` (row by row) in place. Returns false when a pivot is smaller than
 * `smallest` times the largest element of `a`: then the matrix is singular as far as doubles
 * can tell, and `a` holds no factors. */
bool lu_factor(int n, double *a, int *exchange, double smallest);

/* Solves in place. */
void lu_solve(int n, const double *a, const int *exchange, double *x);

#endif
