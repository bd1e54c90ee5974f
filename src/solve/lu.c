/* LU with partial pivoting, row by row (Golub and Van Loan, Matrix Computations, §3.4). */
#include "solve/lu.h"

#include <math.h>
#include <stddef.h>

static void exchange_rows(int n, double *a, int i, int j)
{
    double *x = a + (ptrdiff_t)i * n, *y = a + (ptrdiff_t)j * n;
    for (int c = 0; c < n; c++) {
        double t = x[c];
        x[c] = y[c];
        y[c] = t;
    }
}

static double largest(int n, const double *a)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n; i++)
        most = fabs(a[i]) > most ? fabs(a[i]) : most;
    return most;
}

bool lu_factor(int n, double *a, int *exchange, double smallest)
{
    double floor = smallest * largest(n, a);
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[(ptrdiff_t)i * n + k]) > fabs(a[(ptrdiff_t)best * n + k]))
                best = i;
        exchange[k] = best;
        if (best != k)
            exchange_rows(n, a, k, best);
        const double *pivot_row = a + (ptrdiff_t)k * n;
        if (!(fabs(pivot_row[k]) > floor))
            return false;
        double inverse = 1 / pivot_row[k];
        int end = n; /* few bodies touch each other: most rows end early */
        while (pivot_row[end - 1] == 0)
            end--;
        for (int i = k + 1; i < n; i++) {
            double *row = a + (ptrdiff_t)i * n;
            if (row[k] == 0)
                continue;
            double factor = row[k] *= inverse;
            for (int j = k + 1; j < end; j++)
                row[j] -= factor * pivot_row[j];
        }
    }
    return true;
}

void lu_solve(int n, const double *a, const int *exchange, double *x)
{
    for (int i = 0; i < n; i++) {
        double t = x[exchange[i]];
        x[exchange[i]] = x[i];
        x[i] = t;
    }
    for (int i = 0; i < n; i++) {
        const double *row = a + (ptrdiff_t)i * n;
        for (int j = 0; j < i; j++)
            x[i] -= row[j] * x[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = a + (ptrdiff_t)i * n;
        for (int j = i + 1; j < n; j++)
            x[i] -= row[j] * x[j];
        x[i] /= row[i];
    }
}
