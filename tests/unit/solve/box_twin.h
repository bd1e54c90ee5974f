/* A twin for solvers of bounded quadratic problems: minimise ½ xᵀAx − bᵀx with lo <= x <= hi by
 * trying every set of variables on their bounds. */
#ifndef WEIR_TESTS_BOX_TWIN_H
#define WEIR_TESTS_BOX_TWIN_H

#include "base/random.h"
#include "support/unit.h"

enum { TWIN_MOST = 8 };

typedef struct box_problem {
    int n;
    double a[TWIN_MOST][TWIN_MOST], b[TWIN_MOST], lo[TWIN_MOST], hi[TWIN_MOST];
} box_problem;

static inline double box_objective(const box_problem *p, const double *x)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        double ax = 0;
        for (int k = 0; k < p->n; k++)
            ax += p->a[i][k] * x[k];
        sum += x[i] * (ax / 2 - p->b[i]);
    }
    return sum;
}

/* Largest violation of the conditions of a minimum: feasible, and the gradient points outwards
 * where x lies on a bound and is 0 elsewhere. */
static inline double box_violation(const box_problem *p, const double *x, double slack)
{
    double worst = 0;
    for (int i = 0; i < p->n; i++) {
        double g = -p->b[i];
        for (int k = 0; k < p->n; k++)
            g += p->a[i][k] * x[k];
        worst = fmax(worst, fmax(p->lo[i] - x[i], x[i] - p->hi[i]));
        if (x[i] <= p->lo[i] + slack)
            g = fmin(g, 0);
        else if (x[i] >= p->hi[i] - slack)
            g = fmax(g, 0);
        worst = fmax(worst, fabs(g));
    }
    return worst;
}

/* Solves for the free variables by elimination; false when their block is singular. */
static inline bool twin_solve_free(const box_problem *p, const int *place, double *x)
{
    int index[TWIN_MOST], m = 0;
    double a[TWIN_MOST][TWIN_MOST + 1];
    for (int i = 0; i < p->n; i++)
        if (place[i] == 2)
            index[m++] = i;
    for (int r = 0; r < m; r++) {
        a[r][m] = p->b[index[r]];
        for (int k = 0; k < p->n; k++)
            if (place[k] != 2)
                a[r][m] -= p->a[index[r]][k] * x[k];
        for (int c = 0; c < m; c++)
            a[r][c] = p->a[index[r]][index[c]];
    }
    for (int c = 0; c < m; c++) {
        int pivot = c;
        for (int r = c + 1; r < m; r++)
            pivot = fabs(a[r][c]) > fabs(a[pivot][c]) ? r : pivot;
        if (fabs(a[pivot][c]) < 1e-9)
            return false;
        for (int k = 0; k <= m; k++) {
            double kept = a[c][k];
            a[c][k] = a[pivot][k];
            a[pivot][k] = kept;
        }
        for (int r = 0; r < m; r++)
            for (int k = m; r != c && k >= c; k--)
                a[r][k] -= a[r][c] / a[c][c] * a[c][k];
    }
    for (int r = 0; r < m; r++)
        x[index[r]] = a[r][m] / a[r][r];
    return true;
}

/* Finds a minimum; false when there is none with a regular set of free variables. */
static inline bool box_solve_brute(const box_problem *p, double *x)
{
    int sets = 1, place[TWIN_MOST];
    for (int i = 0; i < p->n; i++)
        sets *= 3;
    for (int s = 0; s < sets; s++) {
        bool possible = true;
        for (int i = 0, rest = s; i < p->n; i++, rest /= 3) {
            place[i] = rest % 3;
            x[i] = place[i] == 0 ? p->lo[i] : p->hi[i];
            possible = possible && (place[i] == 2 || isfinite(x[i]));
        }
        if (possible && twin_solve_free(p, place, x) && box_violation(p, x, 1e-9) < 1e-7)
            return true;
    }
    return false;
}

/* Uniform in [−1, 1). */
static inline double twin_random(uint64_t seed, uint64_t *counter)
{
    return 2 * random_unit(seed, (*counter)++) - 1;
}

/* A = GGᵀ of the given rank with a diagonal of 1; bounds of all kinds. With `closed` all bounds are
 * finite, so that a semidefinite problem has a minimum. */
static inline box_problem make_box_problem(uint64_t seed, int n, int rank, bool closed)
{
    box_problem p = {.n = n};
    uint64_t counter = 0;
    double g[TWIN_MOST][TWIN_MOST];
    for (int i = 0; i < n; i++) {
        double length = 0;
        for (int k = 0; k < rank; k++) {
            g[i][k] = twin_random(seed, &counter);
            length += g[i][k] * g[i][k];
        }
        for (int k = 0; k < rank; k++)
            g[i][k] /= sqrt(length);
        p.b[i] = 2 * twin_random(seed, &counter);
        int kind = (int)(4 * random_unit(seed, counter++));
        p.lo[i] = kind == 0 && !closed ? -INFINITY : -0.5 * random_unit(seed, counter++);
        p.hi[i] = kind < 2 && !closed ? INFINITY : 0.5 * random_unit(seed, counter++);
        if (kind == 3)
            p.lo[i] = 0;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int c = 0; c < rank; c++)
                p.a[i][k] += g[i][c] * g[k][c];
    return p;
}

#endif
