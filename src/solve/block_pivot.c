/* Block principal pivoting (block_path.c) on dense problems and on contacts. What it cannot
 * finish, because M is not positive semi-definite or the problem has no solution, Lemke's
 * algorithm decides. */
#include "solve/block_path.h"
#include "solve/lcp_contact_solver.h"
#include "solve/lu.h"

#include <string.h>

typedef struct dense_factors {
    const lcp_scaled *problem;
    int count;
    int *index; /* F */
    double *lu, *x;
    int *exchanges;
    int64_t *row_visits;
} dense_factors;

static bool factor_dense(void *self, const bool *in, double epsilon)
{
    dense_factors *f = self;
    int n = f->problem->n;
    f->count = 0;
    for (int i = 0; i < n; i++)
        if (in[i])
            f->index[f->count++] = i;
    for (int i = 0; i < f->count; i++) {
        const double *row = f->problem->m + (ptrdiff_t)f->index[i] * n;
        double *to = f->lu + (ptrdiff_t)i * f->count;
        for (int j = 0; j < f->count; j++)
            to[j] = row[f->index[j]];
        to[i] += epsilon;
    }
    *f->row_visits += f->count;
    return lu_factor(f->count, f->lu, f->exchanges, 1e-11);
}

static void solve_dense(void *self, const double *right, double *z)
{
    dense_factors *f = self;
    for (int i = 0; i < f->count; i++)
        f->x[i] = right[f->index[i]];
    lu_solve(f->count, f->lu, f->exchanges, f->x);
    memset(z, 0, (size_t)f->problem->n * sizeof *z);
    for (int i = 0; i < f->count; i++)
        z[f->index[i]] = f->x[i];
    *f->row_visits += f->count;
}

static void multiply_dense(void *self, const double *z, double *product)
{
    dense_factors *f = self;
    lcp_scaled_product(f->problem, z, product);
    *f->row_visits += f->problem->n;
}

static void count_steps(const block_path *path, lcp_result *result)
{
    result->block_steps += path->block_steps;
    result->pivots += path->pivots;
    result->proximal_steps += path->proximal_steps;
}

static bool run_dense(const lcp_scaled *scaled, const lcp_options *o, lcp_workspace *work,
                      double *z, double *w, lcp_result *result, weir_error *error)
{
    int n = scaled->n;
    block_path path;
    dense_factors f = {
        .problem = scaled,
        .index = lcp_take(work, n, sizeof(int)),
        .lu = lcp_take_doubles(work, (ptrdiff_t)n * n),
        .x = lcp_take_doubles(work, n),
        .exchanges = lcp_take(work, n, sizeof(int)),
        .row_visits = &result->row_visits,
    };
    if (!block_path_take(&path, n, work))
        return lcp_fail_memory(n, error);
    path.system = (block_system){&f, factor_dense, solve_dense, multiply_dense, NULL};
    path.q = scaled->q;
    block_path_guess(&path);
    if (o->start == LCP_START_GIVEN)
        memcpy(path.in, o->start_set, (size_t)n * sizeof *path.in);
    bool solved = block_path_run(&path, true, o->tolerance);
    count_steps(&path, result);
    if (!solved) {
        result->used_lemke = true;
        return lemke_run_dense(scaled, o, work, z, w, result, error);
    }
    result->status = LCP_SOLVED;
    memcpy(z, path.z, (size_t)n * sizeof *z);
    memcpy(w, path.w, (size_t)n * sizeof *w);
    lcp_measure(n, z, w, o->tolerance, result);
    return true;
}

bool block_pivot_solve(const lcp_dense *problem, const lcp_options *options, lcp_workspace *work,
                       double *z, double *w, lcp_result *result, weir_error *error)
{
    return lcp_dense_solve(problem, options, run_dense, work, z, w, result, error);
}

static bool factor_contacts(void *self, const bool *in, double epsilon)
{
    lcp_contact_solver *s = self;
    s->basis.epsilon = epsilon;
    s->basis.missing = -1;
    s->basis.cover = NULL;
    memcpy(s->basis.in, in, (size_t)s->island->n * sizeof *in);
    return lcp_basis_build(&s->basis);
}

static void solve_contacts(void *self, const double *right, double *z)
{
    lcp_contact_solver *s = self;
    lcp_basis_solve(&s->basis, right, z);
}

static void multiply_contacts(void *self, const double *z, double *product)
{
    lcp_contact_solver *s = self;
    lcp_island_product(s->island, z, product, s->columns);
    s->result->row_visits += s->island->n;
}

static bool improve_contacts(void *self, const double *q, double epsilon, bool *in)
{
    lcp_contact_solver *s = self;
    size_t bytes = (size_t)s->island->n * sizeof *in;
    s->basis.epsilon = epsilon;
    memcpy(s->basis.in, in, bytes);
    bool found = lcp_newton_find_set(&s->newton, &s->basis, q);
    memcpy(in, s->basis.in, bytes);
    return found;
}

/* Every set of rows has an inverse when each row has a mass of its own that is not negligible. */
static bool is_regular(const lcp_island *island)
{
    for (int i = 0; i < island->n; i++)
        if (island->diagonal[i] < 1e-6)
            return false;
    return island->groups == island->n;
}

bool block_pivot_predict_island(lcp_contact_solver *s)
{
    block_path *path = &s->block;
    path->n = s->island->n;
    path->q = s->island->q;
    path->system =
        (block_system){s, factor_contacts, solve_contacts, multiply_contacts, improve_contacts};
    path->block_steps = path->pivots = path->proximal_steps = 0;
    lcp_newton_begin(&s->newton, s->island);
    block_path_guess(path);
    for (int i = 0; s->options->start == LCP_START_GIVEN && i < path->n; i++)
        path->in[i] = s->options->start_set[s->island->origin[i]];
    bool solved = block_path_run(path, is_regular(s->island), s->options->tolerance);
    count_steps(path, s->result);
    return solved;
}

bool block_pivot_run_island(lcp_contact_solver *s)
{
    bool solved = block_pivot_predict_island(s);
    if (s->work->failed)
        return false;
    if (!solved) {
        s->result->used_lemke = true;
        return lemke_run_island_from_block(s);
    }
    size_t bytes = (size_t)s->island->n * sizeof *s->z;
    memcpy(s->z, s->block.z, bytes);
    memcpy(s->w, s->block.w, bytes);
    s->result->status = LCP_SOLVED;
    lcp_measure(s->island->n, s->z, s->w, s->options->tolerance, s->result);
    return true;
}

bool block_pivot_solve_contacts(const lcp_contacts *problem, const lcp_options *options,
                                lcp_workspace *work, double *z, double *w, lcp_result *result,
                                weir_error *error)
{
    return lcp_contacts_solve(problem, options, block_pivot_run_island, work, z, w, result, error);
}
