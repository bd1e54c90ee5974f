/* Checks of LCP solutions from M and q alone, without the solvers' own units. */
#ifndef WEIR_TEST_LCP_CHECK_H
#define WEIR_TEST_LCP_CHECK_H

#include "solve/lcp.h"

#include <math.h>

static inline double check_largest(int n, const double *x)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* The worst of: w ≠ M z + q, w < 0, w relative to max |q|; z < 0, relative to max z; z w, relative
 * to both. */
static inline double check_residual(const lcp_dense *p, const double *z, const double *w)
{
    double size_q = check_largest(p->n, p->q), size_z = check_largest(p->n, z), worst = 0;
    if (size_q == 0)
        size_q = 1;
    if (size_z == 0)
        size_z = 1;
    for (int i = 0; i < p->n; i++) {
        double exact = p->q[i];
        for (int j = 0; j < p->n; j++)
            exact += p->m[(ptrdiff_t)i * p->n + j] * z[j];
        worst = fmax(worst, fabs(exact - w[i]) / size_q);
        worst = fmax(worst, -exact / size_q);
        worst = fmax(worst, -z[i] / size_z);
        worst = fmax(worst, fabs(z[i] * exact) / (size_q * size_z));
        if (!isfinite(exact))
            return INFINITY;
    }
    return worst;
}

static inline double check_distance(int n, const double *x, const double *y)
{
    double distance = 0;
    for (int i = 0; i < n; i++)
        distance = fmax(distance, fabs(x[i] - y[i]));
    return distance;
}

#endif
