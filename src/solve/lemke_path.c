/* Lemke's algorithm: Cottle, Pang and Stone, The Linear Complementarity Problem (2009), algorithm
 * 4.4.1 with the lexicographic rule of §4.9, from any complementary basis. Starting at a basis
 * other than w is Lemke's algorithm on the principal transform of the problem, which has the same
 * solutions.
 *
 * Reads and writes values by slot; see lemke_path.h. In rounded arithmetic the rules need
 * tolerances. M, q and the columns have elements near 1 (lcp_scaled), so they are plain numbers:
 * an element of d below PIVOT times the largest is a zero that was rounded; values that reach
 * zero within TIE of each other reach it together. */
#include "solve/lemke_path.h"

#include <math.h>
#include <string.h>

static const double PIVOT = 1e-10;
static const double TIE = 1e-12;
static const double NEGLIGIBLE = 1e-13; /* of z0, relative to where it began */
enum { REFRESH_EVERY = 32 };
enum { RAY = -1, FAILED = -2 }; /* in place of a slot */

bool lemke_path_take(lemke_path *path, int n, lcp_workspace *work)
{
    *path = (lemke_path){
        .n = n,
        .in = lcp_take(work, n, sizeof(bool)),
        .start = lcp_take(work, n, sizeof(bool)),
        .cover = lcp_take_doubles(work, n),
        .missing = -1,
        .x = lcp_take_doubles(work, n),
        .d = lcp_take_doubles(work, n),
        .order = lcp_take_doubles(work, n),
        .tied = lcp_take(work, n, sizeof(int)),
    };
    return !work->failed;
}

/* The slot whose variable z0 must lift most; -1 when all are feasible. In the lexicographic order
 * of the rows [x_i, e_i] / cover_i the later of two equal slots is the smaller. */
static int first_to_leave(const lemke_path *p)
{
    int first = -1;
    double least = 0;
    for (int i = 0; i < p->n; i++) {
        double ratio = p->x[i] / p->cover[i];
        if (ratio < 0 && (first < 0 || ratio <= least)) {
            first = i;
            least = ratio;
        }
    }
    return first;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Column j of B⁻¹ times the starting basis; its rows, read along j, order the slots. */
static void order_column(lemke_path *p, int j)
{
    if (j != p->missing && p->in[j] == p->start[j]) {
        memset(p->order, 0, (size_t)p->n * sizeof *p->order);
        p->order[j] = 1;
    } else {
        p->system.column(p->system.self, j, p->start[j], p->order);
    }
}

/* Of slots that reach zero together, the one with the lexicographically least row. */
static int break_tie(lemke_path *p, int count)
{
    int *tied = p->tied;
    for (int j = 0; j < p->n && count > 1; j++) {
        order_column(p, j);
        double least = INFINITY, size = 0;
        for (int t = 0; t < count; t++) {
            double ratio = p->order[tied[t]] / p->d[tied[t]];
            least = smaller(least, ratio);
            size = lcp_larger(size, fabs(ratio));
        }
        int kept = 0;
        for (int t = 0; t < count; t++)
            if (p->order[tied[t]] / p->d[tied[t]] <= least + TIE * size)
                tied[kept++] = tied[t];
        count = kept;
    }
    return tied[0];
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = lcp_larger(most, fabs(x[i]));
    return most;
}

/* The slot that reaches zero first as the entering variable grows, or RAY. z0 leaves as soon as it
 * may, for then the problem is solved. */
static int leaving_slot(lemke_path *p)
{
    double smallest = lcp_larger(PIVOT * largest(p->n, p->d), 1e-13);
    double slack = TIE * largest(p->n, p->x);
    double bound = INFINITY;
    for (int i = 0; i < p->n; i++)
        if (p->d[i] > smallest)
            bound = smaller(bound, (lcp_larger(p->x[i], 0) + slack) / p->d[i]);
    int count = 0;
    for (int i = 0; i < p->n; i++)
        if (p->d[i] > smallest && p->x[i] <= bound * p->d[i])
            p->tied[count++] = i;
    if (count == 0)
        return RAY;
    for (int t = 0; t < count; t++)
        if (p->tied[t] == p->missing)
            return p->missing;
    return break_tie(p, count);
}

/* The entering variable grows until slot `leave` is empty. */
static void advance(lemke_path *p, int leave)
{
    double step = lcp_larger(p->x[leave], 0) / p->d[leave];
    for (int i = 0; i < p->n; i++)
        p->x[i] -= step * p->d[i];
    p->x[leave] = p->x[p->missing];
    p->x[p->missing] = step;
}

static bool introduce(lemke_path *p, int first)
{
    double z0 = -p->x[first] / p->cover[first];
    for (int i = 0; i < p->n; i++)
        p->x[i] += p->cover[i] * z0;
    p->x[first] = z0;
    p->missing = first;
    return p->system.exchange(p->system.self, -1, false, first);
}

/* The slot that leaves for the entering variable. A ray must be seen on factors that are fresh from
 * the data. */
static int find_leaving(lemke_path *p, bool enter_z, int *age)
{
    if (*age >= REFRESH_EVERY) {
        if (!p->system.refresh(p->system.self, false, p->x))
            return FAILED;
        *age = 0;
    }
    p->system.column(p->system.self, p->missing, enter_z, p->d);
    int leave = leaving_slot(p);
    if (leave != RAY)
        return leave;
    if (!p->system.refresh(p->system.self, true, p->x))
        return FAILED;
    *age = 0;
    p->system.column(p->system.self, p->missing, enter_z, p->d);
    return leaving_slot(p);
}

/* The entering variable takes the place of slot `leave`; z0 moves there, or leaves. */
static bool pivot(lemke_path *p, bool enter_z, int leave)
{
    int enter = p->missing;
    advance(p, leave);
    if (!p->system.exchange(p->system.self, enter, enter_z, leave))
        return false;
    p->pivots++;
    p->in[enter] = enter_z;
    p->missing = leave == enter ? -1 : leave;
    return true;
}

lcp_status lemke_path_run(lemke_path *p, int pivot_limit)
{
    int first = first_to_leave(p);
    if (first < 0)
        return LCP_SOLVED;
    memcpy(p->start, p->in, (size_t)p->n * sizeof *p->in);
    if (!introduce(p, first))
        return LCP_INACCURATE;
    double negligible = NEGLIGIBLE * p->x[first];
    for (int age = 0; p->x[p->missing] > negligible; age++) {
        if (p->pivots >= pivot_limit)
            return LCP_LIMIT;
        /* The complement of what left last enters. */
        bool enter_z = !p->in[p->missing];
        int leave = find_leaving(p, enter_z, &age);
        if (leave == RAY)
            return LCP_RAY;
        if (leave == FAILED || !pivot(p, enter_z, leave))
            return LCP_INACCURATE;
        if (p->missing < 0)
            return LCP_SOLVED;
    }
    /* z0 vanished without leaving: the missing pair is zero, both of it. */
    p->in[p->missing] = false;
    p->x[p->missing] = 0;
    p->missing = -1;
    return LCP_SOLVED;
}
