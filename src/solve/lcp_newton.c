/* Contacts by Newton's method on the velocities of the bodies.
 *
 * For M = D + U Uᵀ and q the solution z is known row by row, or point by point, once y = Uᵀz is:
 * it solves the small problem of D and v = q + U y, which has a positive definite D. So y is a
 * zero of G(y) = y − Uᵀz(y), with as many unknowns as the bodies have degrees of freedom, and G is
 * the gradient of a convex, piecewise quadratic function. With F = {z(y) > 0} it is
 * G = H y + c, H = I + U_Fᵀ D_FF⁻¹ U_F, c = U_Fᵀ D_FF⁻¹ q_F; both sums are kept, and only rows that
 * enter or leave F change them. Newton's method (semi-smooth: Qi and Sun 1993) with whole steps is
 * block principal pivoting; with a line search it cannot wander from set to set, as that does
 * where many contacts are redundant. */
#include "solve/lcp_newton.h"

#include "solve/lu.h"

#include <math.h>
#include <string.h>

static const double ENTER = 1e-15;    /* a w below -ENTER makes its row positive in z */
static const double ROUNDING = 4e-15; /* a step that is shorter, relative to y, is none */
enum { PATIENCE = 3, STEPS = 60, SEARCHES = 30, BLOCK_TRIALS = 4, LOCAL_TRIALS = 200 };

bool lcp_newton_take(lcp_newton *newton, const lcp_islands *islands, lcp_workspace *work)
{
    int columns = islands->max_columns;
    *newton = (lcp_newton){
        .y = lcp_take_doubles(work, columns),
        .home = lcp_take_doubles(work, columns),
        .trial = lcp_take_doubles(work, columns),
        .direction = lcp_take_doubles(work, columns),
        .gradient = lcp_take_doubles(work, columns),
        .matrix = lcp_take_doubles(work, (ptrdiff_t)columns * columns),
        .exchanges = lcp_take(work, columns, sizeof(int)),
        .v = lcp_take_doubles(work, islands->max_rows),
        .values = lcp_take_doubles(work, islands->max_rows),
        .was = lcp_take(work, islands->max_rows, sizeof(bool)),
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

/* Changes the group's F where values have the wrong sign; false: nowhere. All rows at once, or only
 * the last of them, which ends for certain (Murty 1974). */
static bool correct_group(lcp_newton *t, lcp_basis *b, int first, int end, bool at_once)
{
    int last = -1;
    for (int i = first; i < end; i++) {
        t->values[i] = local_value(b, first, end, i, t->v);
        if (t->values[i] < (b->in[i] ? 0 : -ENTER))
            last = i;
    }
    if (last < 0)
        return false;
    for (int i = at_once ? first : last; i <= last; i++)
        if (t->values[i] < (b->in[i] ? 0 : -ENTER))
            b->in[i] = !b->in[i];
    return true;
}

/* The small problem of one point. Returns how many of its rows changed sides. */
static int solve_group(lcp_newton *t, lcp_basis *b, int group)
{
    int first = b->island->group_start[group], end = b->island->group_start[group + 1];
    memcpy(t->was, b->in + first, (size_t)(end - first) * sizeof *b->in);
    if (!correct_group(t, b, first, end, true))
        return 0;
    lcp_basis_add_group(b, group, -1);
    int trial = 0;
    do
        lcp_basis_sweep_group(b, group);
    while (++trial < LOCAL_TRIALS && correct_group(t, b, first, end, trial < BLOCK_TRIALS));
    lcp_basis_add_group(b, group, 1);
    int changed = 0;
    for (int i = first; i < end; i++)
        changed += b->in[i] != t->was[i - first];
    return changed;
}

/* A row alone on its point needs no trial. */
static int solve_row(lcp_newton *t, lcp_basis *b, int group, int i)
{
    bool in = t->v[i] < 0;
    if (in == b->in[i])
        return 0;
    lcp_basis_add_group(b, group, -1);
    b->in[i] = in;
    lcp_basis_sweep_group(b, group);
    lcp_basis_add_group(b, group, 1);
    return 1;
}

/* F and the gradient for y. Returns how many rows changed sides. */
static int evaluate(lcp_newton *t, lcp_basis *b, const double *q, const double *y)
{
    const lcp_island *island = b->island;
    int columns = island->columns, changed = 0;
    for (int i = 0; i < island->n; i++)
        t->v[i] = q[i] + lcp_row_dot(island, i, y);
    for (int group = 0; group < island->groups; group++) {
        int first = island->group_start[group], size = island->group_start[group + 1] - first;
        changed += size == 1 ? solve_row(t, b, group, first) : solve_group(t, b, group);
    }
    for (int r = 0; r < columns; r++) {
        double sum = b->cover_sum[r];
        for (int c = 0; c < columns; c++)
            sum += b->capacity[(ptrdiff_t)r * columns + c] * y[c];
        t->gradient[r] = sum;
    }
    *b->row_visits += island->n;
    return changed;
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
 * the whole step was taken and F stayed: then y is the minimum. */
static bool search(lcp_newton *t, lcp_basis *b, const double *q)
{
    int columns = b->island->columns;
    double low = 0, high = 1, low_slope = dot(columns, t->gradient, t->direction);
    double enough = 0.5 * fabs(low_slope), high_slope = 0, step = 1;
    bool changed = false;
    for (int k = 0; k < SEARCHES; k++) {
        for (int c = 0; c < columns; c++)
            t->trial[c] = t->y[c] + step * t->direction[c];
        changed = evaluate(t, b, q, t->trial) > 0 || k > 0;
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
    return !changed;
}

/* The direction from y to the minimum of the piece of F. False: y is there, as far as doubles can
 * tell; then rows may still change sides by rounding, and the exact solve of the set decides. */
static bool find_direction(lcp_newton *t, const lcp_basis *b)
{
    int columns = b->island->columns;
    memcpy(t->matrix, b->capacity, (size_t)columns * (size_t)columns * sizeof *t->matrix);
    for (int c = 0; c < columns; c++)
        t->direction[c] = -b->cover_sum[c];
    if (!lu_factor(columns, t->matrix, t->exchanges, 0)) {
        memset(t->direction, 0, (size_t)columns * sizeof *t->direction);
        return false;
    }
    lu_solve(columns, t->matrix, t->exchanges, t->direction);
    double size = dot(columns, t->direction, t->direction);
    for (int c = 0; c < columns; c++)
        t->direction[c] -= t->y[c];
    return dot(columns, t->direction, t->direction) > ROUNDING * ROUNDING * size;
}

/* Whole steps, as long as ever fewer rows change sides. True: none did. */
static bool leap(lcp_newton *t, lcp_basis *b, const double *q)
{
    int fewest = b->island->n + 1, patience = PATIENCE;
    while (patience >= 0) {
        bool moves = find_direction(t, b);
        for (int c = 0; c < b->island->columns; c++)
            t->y[c] += t->direction[c];
        int changed = evaluate(t, b, q, t->y);
        if (changed == 0 || !moves)
            return true;
        patience = changed < fewest ? PATIENCE : patience - 1;
        fewest = changed < fewest ? changed : fewest;
    }
    return false;
}

bool lcp_newton_find_set(lcp_newton *t, lcp_basis *b, const double *q)
{
    b->cover = q;
    b->missing = -1;
    if (!lcp_basis_build(b))
        return false;
    size_t bytes = (size_t)b->island->columns * sizeof *t->y;
    memcpy(t->home, t->y, bytes);
    if (leap(t, b, q))
        return true;
    memcpy(t->y, t->home, bytes);
    evaluate(t, b, q, t->y);
    for (int step = 0; step < STEPS; step++)
        if (!find_direction(t, b) || search(t, b, q))
            return true;
    lcp_newton_begin(t, b->island); /* the next call had better not begin here */
    return false;
}
