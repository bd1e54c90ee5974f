/* Lemke's algorithm on a dense M: the path of lemke_path.c on a condensed tableau.
 *
 * Basic variables are rows, the others columns: basic = x − T · others, so a column of T is
 * B⁻¹ times the column of its variable, and a pivot exchanges a row's variable with a column's
 * (Cottle, Pang and Stone 2009, §2.3). The tableau has n (n + 1) elements. Its rounding errors
 * are watched: when x no longer satisfies the equations, it is built again from M, largest
 * pivots first. */
#include "solve/lcp_parts.h"
#include "solve/lemke_path.h"
#include "solve/lu.h"

#include <math.h>
#include <string.h>

static const double DRIFT = 1e-11; /* error of w − M z − h z0 = q that renews the tableau */
static const double SINGULAR = 1e-14;

/* Variables are numbered: w_i is i, z_i is n + i, z0 is 2n. */
typedef struct tableau {
    const lcp_scaled *problem;
    const lemke_path *path;
    int n;
    double *cover;                /* h, the column of z0 */
    double *t;                    /* n rows of n + 1 */
    int *row_of;                  /* per variable: its row, or -1 - its column */
    int *variable;                /* per row, then per column */
    double *z, *residual, *fresh; /* scratch */
    int64_t *row_visits;
} tableau;

static bool take(tableau *t, int n, lcp_workspace *work)
{
    t->n = n;
    t->cover = lcp_take_doubles(work, n);
    t->t = lcp_take_doubles(work, (ptrdiff_t)n * (n + 1));
    t->row_of = lcp_take(work, 2 * n + 1, sizeof(int));
    t->variable = lcp_take(work, 2 * n + 1, sizeof(int));
    t->z = lcp_take_doubles(work, n);
    t->residual = lcp_take_doubles(work, n);
    t->fresh = lcp_take_doubles(work, n);
    return !work->failed;
}

static void fill(tableau *t)
{
    int n = t->n;
    for (int i = 0; i < n; i++) {
        double *row = t->t + (ptrdiff_t)i * (n + 1);
        for (int j = 0; j < n; j++)
            row[j] = -t->problem->m[(ptrdiff_t)i * n + j];
        row[n] = -t->cover[i];
        t->row_of[i] = i;
        t->variable[i] = i;
    }
    for (int j = 0; j <= n; j++) {
        t->row_of[n + j] = -1 - j;
        t->variable[n + j] = n + j;
    }
}

static void pivot(tableau *t, int r, int c)
{
    int n = t->n, width = n + 1;
    double *pivot_row = t->t + (ptrdiff_t)r * width;
    double inverse = 1 / pivot_row[c];
    pivot_row[c] = 1;
    for (int j = 0; j < width; j++)
        pivot_row[j] *= inverse;
    for (int i = 0; i < n; i++) {
        double *row = t->t + (ptrdiff_t)i * width;
        double factor = row[c];
        if (i == r || factor == 0)
            continue;
        row[c] = 0;
        for (int j = 0; j < width; j++)
            row[j] -= factor * pivot_row[j];
    }
    int leaving = t->variable[r], entering = t->variable[n + c];
    t->variable[r] = entering;
    t->variable[n + c] = leaving;
    t->row_of[entering] = r;
    t->row_of[leaving] = -1 - c;
    *t->row_visits += n;
}

static int slot_row(const tableau *t, int slot)
{
    if (slot == t->path->missing)
        return t->row_of[2 * t->n];
    return t->row_of[t->path->in[slot] ? t->n + slot : slot];
}

static void column(void *self, int pair, bool is_z, double *d)
{
    const tableau *t = self;
    int c = -1 - t->row_of[is_z ? t->n + pair : pair];
    for (int i = 0; i < t->n; i++)
        d[i] = t->t[(ptrdiff_t)slot_row(t, i) * (t->n + 1) + c];
}

static bool exchange(void *self, int enter, bool is_z, int leave)
{
    tableau *t = self;
    int n = t->n;
    int entering = enter < 0 ? 2 * n : is_z ? n + enter : enter;
    int leaving = leave == enter ? 2 * n : t->path->in[leave] ? n + leave : leave;
    int r = t->row_of[leaving], c = -1 - t->row_of[entering];
    if (t->t[(ptrdiff_t)r * (n + 1) + c] == 0)
        return false;
    pivot(t, r, c);
    return true;
}

/* x = B⁻¹ q: the columns of B⁻¹ are those of w in the tableau, or unit vectors. */
static void values(tableau *t, double *x)
{
    int n = t->n;
    memset(t->fresh, 0, (size_t)n * sizeof *t->fresh);
    for (int j = 0; j < n; j++) {
        double q = t->problem->q[j];
        if (q == 0)
            continue;
        if (t->row_of[j] >= 0) {
            t->fresh[t->row_of[j]] += q;
            continue;
        }
        const double *element = t->t - 1 - t->row_of[j];
        for (int i = 0; i < n; i++)
            t->fresh[i] += q * element[(ptrdiff_t)i * (n + 1)];
    }
    for (int i = 0; i < n; i++)
        x[i] = t->fresh[slot_row(t, i)];
    *t->row_visits += n;
}

/* Largest error of w − M z − h z0 = q, relative to the values. */
static double drift(tableau *t, const double *x)
{
    int n = t->n, missing = t->path->missing;
    double z0 = missing >= 0 ? x[missing] : 0, size = 1, worst = 0;
    for (int i = 0; i < n; i++) {
        t->z[i] = t->path->in[i] && i != missing ? x[i] : 0;
        size = lcp_larger(size, fabs(x[i]));
    }
    lcp_scaled_product(t->problem, t->z, t->residual);
    *t->row_visits += n;
    for (int i = 0; i < n; i++) {
        double w = t->path->in[i] || i == missing ? 0 : x[i];
        double error = w - t->residual[i] - t->cover[i] * z0 - t->problem->q[i];
        worst = lcp_larger(worst, fabs(error));
    }
    return worst / size;
}

/* Makes the path's basis again from M, always by the largest pivot that is left. */
static bool renew(tableau *t)
{
    int n = t->n, missing = t->path->missing, wanted = missing >= 0;
    const bool *in = t->path->in;
    for (int i = 0; i < n; i++)
        wanted += in[i] && i != missing;
    fill(t);
    for (int step = 0; step < wanted; step++) {
        int best_row = -1, best_column = -1;
        double best = SINGULAR;
        for (int i = 0; i < n; i++) {
            if (t->row_of[i] != i || !(in[i] || i == missing))
                continue;
            for (int j = 0; j <= n; j++) {
                bool enters = j == n ? missing >= 0 : in[j] && j != missing;
                double size = fabs(t->t[(ptrdiff_t)i * (n + 1) + j]);
                if (enters && t->variable[n + j] == n + j && size > best) {
                    best = size;
                    best_row = i;
                    best_column = j;
                }
            }
        }
        if (best_row < 0)
            return false;
        pivot(t, best_row, best_column);
    }
    return true;
}

static bool refresh(void *self, bool from_data, double *x)
{
    tableau *t = self;
    if (!from_data) {
        values(t, x);
        if (drift(t, x) <= DRIFT)
            return true;
    }
    if (!renew(t))
        return false;
    values(t, x);
    return true;
}

/* Puts the path at a complementary basis: w, or the set in path->in. False: it is singular. */
static bool begin(tableau *t, lemke_path *path, const double *cover, bool cold)
{
    int n = t->n;
    path->missing = -1;
    for (int i = 0; i < n; i++) {
        path->cover[i] = 1;
        /* The covering vector belongs to the problem as given: rows scale it like q. */
        if (cold)
            path->cover[i] = t->problem->s[i] * (cover ? cover[i] : 1);
        path->in[i] = !cold && path->in[i];
        t->z[i] = path->in[i] ? -path->cover[i] : 0;
    }
    /* h = B cover: then z0 lifts every slot. */
    lcp_scaled_product(t->problem, t->z, t->cover);
    for (int i = 0; i < n; i++)
        t->cover[i] += path->in[i] ? 0 : path->cover[i];
    return refresh(t, true, path->x);
}

/* Whether the ray proves that no z ≥ 0 has M z + q ≥ 0: its z part v has Mᵀv ≤ 0 and qᵀv < 0
 * (Farkas). Where M is positive semi-definite every ray does (Cottle, Pang and Stone 4.4.12). */
static bool proves_infeasible(tableau *t)
{
    int n = t->n;
    const lemke_path *path = t->path;
    double size = 0, gain = 0;
    for (int i = 0; i < n; i++) {
        t->z[i] = i == path->missing ? !path->in[i] : path->in[i] ? lcp_larger(-path->d[i], 0) : 0;
        size = lcp_larger(size, t->z[i]);
        gain += t->z[i] * t->problem->q[i];
    }
    if (!(gain < -1e-9 * size))
        return false;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += t->problem->m[(ptrdiff_t)i * n + j] * t->z[i];
        if (sum > 1e-9 * size)
            return false;
    }
    return true;
}

/* z and w of the path's basis. */
static void read_path(tableau *t, double *z, double *w)
{
    const lemke_path *path = t->path;
    for (int i = 0; i < t->n; i++)
        z[i] = path->in[i] && i != path->missing ? lcp_larger(path->x[i], 0) : 0;
    lcp_scaled_product(t->problem, z, w);
    for (int i = 0; i < t->n; i++)
        w[i] += t->problem->q[i];
}

/* Adds to z_F, F the positive z, the solution of M_FF δ = −w_F. Kept only where it is better: F
 * may be singular when the problem has many solutions. */
static bool improve(tableau *t, int count, const double *factors, const int *exchanges,
                    const int *index, double *z, double *w)
{
    int n = t->n;
    for (int i = 0; i < count; i++)
        t->fresh[i] = -w[index[i]];
    lu_solve(count, factors, exchanges, t->fresh);
    memcpy(t->z, z, (size_t)n * sizeof *z);
    for (int i = 0; i < count; i++)
        t->z[index[i]] += t->fresh[i];
    lcp_scaled_product(t->problem, t->z, t->residual);
    double before = 0, after = 0;
    for (int i = 0; i < n; i++) {
        t->residual[i] += t->problem->q[i];
        before = lcp_larger(before, fabs(z[i] < w[i] ? z[i] : w[i]));
        after = lcp_larger(after, fabs(t->z[i] < t->residual[i] ? t->z[i] : t->residual[i]));
    }
    if (!(after < before))
        return false;
    memcpy(z, t->z, (size_t)n * sizeof *z);
    memcpy(w, t->residual, (size_t)n * sizeof *w);
    return true;
}

/* The tableau is no longer needed: its arrays hold M_FF and F. */
static void polish(tableau *t, double *z, double *w)
{
    int n = t->n, count = 0, *index = t->row_of, *exchanges = t->variable;
    for (int i = 0; i < n; i++)
        if (t->path->in[i])
            index[count++] = i;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            t->t[(ptrdiff_t)i * count + j] = t->problem->m[(ptrdiff_t)index[i] * n + index[j]];
    if (!lu_factor(count, t->t, exchanges, SINGULAR))
        return;
    for (int round = 0; round < 2; round++)
        if (!improve(t, count, t->t, exchanges, index, z, w))
            return;
}

/* Follows the path from where it was put to its end. */
static void walk(tableau *t, lemke_path *path, const lcp_options *o, double *z, double *w,
                 lcp_result *result)
{
    path->pivots = 0;
    result->status = lemke_path_run(path, o->pivot_limit);
    result->pivots += path->pivots;
    if (result->status == LCP_RAY)
        result->infeasible = proves_infeasible(t);
    read_path(t, z, w);
    if (result->status == LCP_SOLVED)
        polish(t, z, w);
    lcp_measure(t->n, z, w, o->tolerance, result);
}

static bool is_final(const lcp_result *result)
{
    return result->status == LCP_SOLVED || result->status == LCP_LIMIT || result->infeasible;
}

/* A ray that proves nothing may be only this path's: for a bimatrix game, whose M has a zero
 * diagonal, every path from z = 0 is one. Others, from a covering vector of ones in equal units or
 * from bases with one or two z, may end better. The same helps where rounding spoilt the first. */
static void walk_elsewhere(tableau *t, lemke_path *path, const lcp_options *o, double *z, double *w,
                           lcp_result *result)
{
    enum { RESTARTS = 32 };
    int n = t->n, left = RESTARTS;
    memset(path->in, 0, (size_t)n * sizeof *path->in);
    if (begin(t, path, NULL, false))
        walk(t, path, o, z, w, result);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            if (is_final(result) || left-- == 0)
                return;
            memset(path->in, 0, (size_t)n * sizeof *path->in);
            path->in[i] = path->in[j] = true;
            if (begin(t, path, NULL, false))
                walk(t, path, o, z, w, result);
        }
}

bool lemke_run_dense(const lcp_scaled *scaled, const lcp_options *options, lcp_workspace *work,
                     double *z, double *w, lcp_result *result, weir_error *error)
{
    int n = scaled->n;
    lemke_path path;
    tableau t = {.problem = scaled, .path = &path, .row_visits = &result->row_visits};
    if (!lemke_path_take(&path, n, work) || !take(&t, n, work))
        return lcp_fail_memory(n, error);
    path.system = (lemke_system){&t, column, exchange, refresh};
    bool given = options->start == LCP_START_GIVEN;
    if (given)
        memcpy(path.in, options->start_set, (size_t)n * sizeof *path.in);
    if (!begin(&t, &path, options->cover, !given))
        begin(&t, &path, options->cover, true);
    walk(&t, &path, options, z, w, result);
    if (!is_final(result) && !options->cover)
        walk_elsewhere(&t, &path, options, z, w, result);
    return true;
}

bool lemke_solve(const lcp_dense *problem, const lcp_options *options, lcp_workspace *work,
                 double *z, double *w, lcp_result *result, weir_error *error)
{
    return lcp_dense_solve(problem, options, lemke_run_dense, work, z, w, result, error);
}
