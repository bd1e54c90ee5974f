/* Lemke's algorithm on contacts: the path of lemke_path.c on bases held by Woodbury's formula
 * (lcp_basis.c), so that a pivot costs a number of operations proportional to the contacts.
 *
 * From z = 0 the path needs about one pivot per contact that pushes: the total grows with the
 * square of the contacts. So by default it starts where block principal pivoting ends, which
 * costs a few solves; then as many pivots follow as that prediction was wrong, usually none. The
 * end is the same exact test: a complementary basis whose values are not negative. */
#include "solve/lcp_contact_solver.h"

#include <math.h>
#include <string.h>

static void column(void *self, int pair, bool is_z, double *d)
{
    lcp_contact_solver *s = self;
    if (is_z)
        lcp_basis_slots_of_column(&s->basis, pair, d);
    else
        lcp_basis_slots_of_unit(&s->basis, pair, d);
}

static bool exchange(void *self, int enter, bool is_z, int leave)
{
    lcp_contact_solver *s = self;
    int missing = leave == enter ? -1 : leave;
    return lcp_basis_change(&s->basis, enter, is_z, missing) || lcp_basis_build(&s->basis);
}

/* x = B⁻¹ q with one step of refinement: w − M z − h z0 = q is asked of the rows themselves. */
static void values(lcp_contact_solver *s, double *x)
{
    const lcp_island *island = s->island;
    const lcp_basis *b = &s->basis;
    lcp_basis_slots_of_vector(&s->basis, island->q, x);
    for (int i = 0; i < island->n; i++)
        s->z[i] = b->in[i] && i != b->missing ? x[i] : 0;
    lcp_island_product(island, s->z, s->vector, s->columns);
    double z0 = b->missing >= 0 ? x[b->missing] : 0;
    for (int i = 0; i < island->n; i++) {
        double w = b->in[i] || i == b->missing ? 0 : x[i];
        s->vector[i] += island->q[i] - w + (b->cover ? b->cover[i] * z0 : 0);
    }
    lcp_basis_slots_of_vector(&s->basis, s->vector, s->w);
    for (int i = 0; i < island->n; i++)
        x[i] += s->w[i];
}

static bool refresh(void *self, bool renew, double *x)
{
    (void)renew; /* cheap enough to be done always */
    lcp_contact_solver *s = self;
    if (!lcp_basis_build(&s->basis))
        return false;
    values(s, x);
    return true;
}

static void begin_cold(lcp_contact_solver *s)
{
    const lcp_island *island = s->island;
    const double *given = s->options->cover;
    for (int i = 0; i < island->n; i++) {
        s->basis.in[i] = false;
        s->cover[i] = island->s[i] * (given ? given[island->origin[i]] : 1);
        s->lemke.cover[i] = s->cover[i];
    }
}

/* Begins at the rows of `set` that depend on no other of their point. False: they are singular. */
static bool begin_at(lcp_contact_solver *s, const bool *set)
{
    int n = s->island->n;
    lcp_basis *b = &s->basis;
    memcpy(b->in, set, (size_t)n * sizeof *b->in);
    lcp_basis_drop_dependent(b);
    for (int i = 0; i < n; i++) {
        s->z[i] = b->in[i] ? -1 : 0;
        s->lemke.cover[i] = 1;
    }
    /* h = B · 1: then z0 lifts every slot alike. */
    lcp_island_product(s->island, s->z, s->cover, s->columns);
    for (int i = 0; i < n; i++)
        s->cover[i] += b->in[i] ? 0 : 1;
    return lcp_basis_build(b);
}

/* Whether the z part v of the ray has M v ≤ 0 and qᵀv < 0, which no feasible z allows. */
static bool proves_infeasible(lcp_contact_solver *s)
{
    const lemke_path *path = &s->lemke;
    int n = s->island->n;
    double size = 0, gain = 0;
    for (int i = 0; i < n; i++) {
        s->z[i] = i == path->missing ? !path->in[i] : path->in[i] ? lcp_larger(-path->d[i], 0) : 0;
        size = lcp_larger(size, s->z[i]);
        gain += s->z[i] * s->island->q[i];
    }
    lcp_island_product(s->island, s->z, s->vector, s->columns);
    for (int i = 0; i < n; i++)
        if (s->vector[i] > 1e-9 * size)
            return false;
    return gain < -1e-9 * size;
}

/* z and w where the path ended; solved ones once more from the data. */
static void read_path(lcp_contact_solver *s)
{
    int n = s->island->n;
    lemke_path *path = &s->lemke;
    if (s->result->status == LCP_SOLVED) {
        memcpy(s->basis.in, path->in, (size_t)n * sizeof *path->in);
        s->basis.missing = -1;
        if (lcp_basis_build(&s->basis))
            values(s, path->x);
    }
    for (int i = 0; i < n; i++)
        s->z[i] = path->in[i] && i != path->missing ? lcp_larger(path->x[i], 0) : 0;
    lcp_island_product(s->island, s->z, s->w, s->columns);
    for (int i = 0; i < n; i++)
        s->w[i] += s->island->q[i];
}

static bool run(lcp_contact_solver *s, const bool *set)
{
    int n = s->island->n;
    lemke_path *path = &s->lemke;
    lcp_basis *b = &s->basis;
    path->system = (lemke_system){s, column, exchange, refresh};
    path->n = n;
    path->pivots = 0;
    path->missing = -1;
    b->epsilon = 0;
    b->missing = -1;
    b->cover = s->cover;
    if (!set || !begin_at(s, set)) {
        begin_cold(s);
        lcp_basis_build(b);
    }
    if (s->work->failed)
        return false;
    values(s, path->x);
    memcpy(path->in, b->in, (size_t)n * sizeof *path->in);
    s->result->status = lemke_path_run(path, s->options->pivot_limit);
    if (s->work->failed)
        return false;
    s->result->pivots += path->pivots;
    if (s->result->status == LCP_RAY)
        s->result->infeasible = proves_infeasible(s);
    read_path(s);
    lcp_measure(n, s->z, s->w, s->options->tolerance, s->result);
    return true;
}

/* Where rounding spoilt the path from a guess, the one from z = 0 decides. */
bool lemke_run_island_from_block(lcp_contact_solver *s)
{
    if (!run(s, s->block.in))
        return false;
    lcp_status status = s->result->status;
    bool doubtful = status == LCP_INACCURATE || (status == LCP_RAY && !s->result->infeasible);
    return !doubtful || run(s, NULL);
}

bool lemke_run_island(lcp_contact_solver *s)
{
    if (s->options->start == LCP_START_COLD)
        return run(s, NULL);
    if (s->options->start == LCP_START_PREDICTED)
        block_pivot_predict_island(s);
    else
        for (int i = 0; i < s->island->n; i++)
            s->block.in[i] = s->options->start_set[s->island->origin[i]];
    return lemke_run_island_from_block(s);
}

bool lemke_solve_contacts(const lcp_contacts *problem, const lcp_options *options,
                          lcp_workspace *work, double *z, double *w, lcp_result *result,
                          weir_error *error)
{
    return lcp_contacts_solve(problem, options, lemke_run_island, work, z, w, result, error);
}
