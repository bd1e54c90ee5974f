/* Contacts by Newton's method on the velocities of the bodies.
 *
 * For D + U Uᵀ and q the solution z is known row by row, or point by point, once y = Uᵀz is: it
 * solves the small problem of D and v = q + U y, which has a positive definite D. So y is a zero
 * of G(y) = y − Uᵀz(y), with as many unknowns as the bodies have degrees of freedom, and G is the
 * gradient of the convex, piecewise quadratic function ½ y² − ½ Σ v z(y). Newton's method on it
 * (semi-smooth: Qi and Sun 1993) with a line search cannot wander: it is the remedy where many
 * redundant contacts send block pivoting from set to set. Its Jacobian is the matrix that
 * lcp_basis.c has anyway, I + U_Fᵀ D_FF⁻¹ U_F for F = {z > 0}. */
#include "solve/lcp_newton.h"

#include "solve/lu.h"

#include <math.h>
#include <string.h>

static const double ENTER = 1e-15; /* a w below -ENTER makes its row positive in z */
enum { STEPS = 100, SEARCHES = 30, BLOCK_TRIALS = 4, LOCAL_TRIALS = 200 };

bool lcp_newton_take(lcp_newton *newton, const lcp_islands *islands, lcp_workspace *work)
{
    int columns = islands->max_columns;
    *newton = (lcp_newton){
        .y = lcp_take_doubles(work, columns),
        .trial = lcp_take_doubles(work, columns),
        .direction = lcp_take_doubles(work, columns),
        .gradient = lcp_take_doubles(work, columns),
        .v = lcp_take_doubles(work, islands->max_rows),
        .z = lcp_take_doubles(work, islands->max_rows),
        .before = lcp_take(work, islands->max_rows, sizeof(bool)),
    };
    return !work->failed;
}

void lcp_newton_begin(lcp_newton *t, const lcp_island *island)
{
    memset(t->y, 0, (size_t)island->columns * sizeof *t->y);
}

/* z (in F) or w (outside) of row i for the group's set. */
static double local_value(const lcp_basis *b, int first, int end, int i, const double *v)
{
    double sum = 0;
    for (int j = first; j < end; j++)
        if (b->swept[j])
            sum -= *lcp_basis_local(b, i, j) * v[j];
    return b->swept[i] ? sum : v[i] + sum;
}

/* The small problem of one point: all rows of the wrong sign change sides, after a few trials only
 * the last of them does (Murty 1974). */
static void solve_group(lcp_basis *b, int group, const double *v, double *z)
{
    int first = b->island->group_start[group], end = b->island->group_start[group + 1];
    for (int trial = 0; trial < LOCAL_TRIALS; trial++) {
        int last = -1;
        for (int i = first; i < end; i++) {
            z[i] = local_value(b, first, end, i, v);
            if (z[i] < (b->in[i] ? 0 : -ENTER))
                last = i;
        }
        if (last < 0)
            break;
        for (int i = first; i < end; i++)
            if (z[i] < (b->in[i] ? 0 : -ENTER) && (trial < BLOCK_TRIALS || i == last))
                b->in[i] = !b->in[i];
        lcp_basis_sweep_group(b, group);
    }
    for (int i = first; i < end; i++)
        z[i] = b->swept[i] ? fmax(z[i], 0) : 0;
}

/* A row alone on its point needs no trial. */
static void solve_row(lcp_basis *b, int i, double v, double *z)
{
    bool in = v < 0;
    if (in != b->in[i]) {
        b->in[i] = in;
        lcp_basis_sweep_group(b, b->island->rows[i].group);
    }
    z[i] = in ? -v * *lcp_basis_local(b, i, i) : 0;
}

/* F and z for y, and the gradient. */
static void evaluate(lcp_newton *t, lcp_basis *b, const double *q, const double *y)
{
    const lcp_island *island = b->island;
    memcpy(t->gradient, y, (size_t)island->columns * sizeof *y);
    for (int i = 0; i < island->n; i++)
        t->v[i] = q[i] + lcp_row_dot(&island->rows[i], y);
    for (int group = 0; group < island->groups; group++) {
        int first = island->group_start[group];
        if (island->group_start[group + 1] - first == 1)
            solve_row(b, first, t->v[first], t->z);
        else
            solve_group(b, group, t->v, t->z);
    }
    for (int i = 0; i < island->n; i++)
        if (t->z[i] > 0)
            lcp_row_add(&island->rows[i], -t->z[i], t->gradient);
    *b->row_visits += island->n;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Goes along the direction to where the slope has at most half its size. The slope grows with the
 * step, as the function is convex, so a bracket and the false position find it. Returns whether
 * the whole step was taken. */
static bool search(lcp_newton *t, lcp_basis *b, const double *q)
{
    int columns = b->island->columns;
    double low = 0, high = 1, low_slope = dot(columns, t->gradient, t->direction);
    double enough = 0.5 * fabs(low_slope), high_slope = 0, step = 1;
    for (int k = 0; k < SEARCHES; k++) {
        for (int c = 0; c < columns; c++)
            t->trial[c] = t->y[c] + step * t->direction[c];
        evaluate(t, b, q, t->trial);
        double slope = dot(columns, t->gradient, t->direction);
        if (slope <= enough && (slope >= -enough || k == 0))
            break;
        /* Halving the slope of the other end moves both ends of the bracket. */
        if (slope > 0) {
            high = step;
            high_slope = slope;
            low_slope *= k > 0 ? 0.5 : 1;
        } else {
            low = step;
            low_slope = slope;
            high_slope *= 0.5;
        }
        double position = low_slope / (low_slope - high_slope);
        step = low + (high - low) * fmin(fmax(position, 0.05), 0.95);
    }
    memcpy(t->y, t->trial, (size_t)columns * sizeof *t->y);
    return step == 1;
}

bool lcp_newton_find_set(lcp_newton *t, lcp_basis *b, const double *q)
{
    int columns = b->island->columns;
    size_t bytes = (size_t)b->island->n * sizeof *b->in;
    if (!lcp_basis_build(b))
        return false;
    evaluate(t, b, q, t->y);
    for (int step = 0; step < STEPS; step++) {
        if (!lcp_basis_build(b))
            return false;
        memcpy(t->before, b->in, bytes);
        for (int c = 0; c < columns; c++)
            t->direction[c] = -t->gradient[c];
        lu_solve(columns, b->small, b->exchanges, t->direction);
        if (!(dot(columns, t->gradient, t->direction) < 0))
            return true;
        /* A whole step inside one piece of the quadratic function ends at its minimum. */
        if (search(t, b, q) && memcmp(t->before, b->in, bytes) == 0)
            return true;
    }
    return false;
}
