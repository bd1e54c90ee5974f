/* Solving a contact problem island by island. Islands share no mass, so M is block diagonal and
 * their solutions together are the solution. */
#include "solve/lcp_contact_solver.h"

#include <math.h>
#include <string.h>

static bool take(lcp_contact_solver *s)
{
    int n = s->islands.max_rows;
    lcp_workspace *work = s->work;
    s->cover = lcp_take_doubles(work, n);
    s->z = lcp_take_doubles(work, n);
    s->w = lcp_take_doubles(work, n);
    s->columns = lcp_take_doubles(work, s->islands.max_columns);
    s->vector = lcp_take_doubles(work, n);
    return lcp_basis_take(&s->basis, &s->islands, work) && lemke_path_take(&s->lemke, n, work) &&
           block_path_take(&s->block, n, work) && lcp_newton_take(&s->newton, &s->islands, work);
}

/* Two cases need no method: nothing approaches, or one row alone. Fluid against walls gives many
 * of the latter. */
static bool solve_trivially(lcp_contact_solver *s)
{
    const lcp_island *island = s->island;
    bool positive = true;
    for (int i = 0; i < island->n; i++) {
        positive = positive && island->q[i] >= 0;
        s->z[i] = 0;
        s->w[i] = island->q[i];
    }
    s->result->row_visits += island->n;
    s->result->status = LCP_SOLVED;
    if (positive)
        return true;
    if (island->n > 1)
        return false;
    s->z[0] = 1;
    lcp_island_product(island, s->z, s->w, s->columns);
    double diagonal = s->w[0];
    s->z[0] = diagonal > 0 ? -island->q[0] / diagonal : 0;
    s->w[0] = diagonal > 0 ? 0 : island->q[0];
    s->result->residual = fabs(s->w[0]);
    if (diagonal > 0)
        return true;
    s->result->status = LCP_RAY;
    s->result->infeasible = true;
    return true;
}

/* The whole problem is as well solved as its worst island. */
static void gather(const lcp_result *island, lcp_result *all)
{
    static const int badness[] = {
        [LCP_SOLVED] = 0, [LCP_INACCURATE] = 1, [LCP_LIMIT] = 2, [LCP_RAY] = 3, [LCP_INVALID] = 4};
    if (badness[island->status] > badness[all->status])
        all->status = island->status;
    all->pivots += island->pivots;
    all->block_steps += island->block_steps;
    all->proximal_steps += island->proximal_steps;
    all->iterations += island->iterations;
    all->row_visits += island->row_visits;
    all->infeasible = all->infeasible || island->infeasible;
    all->used_lemke = all->used_lemke || island->used_lemke;
    all->residual = lcp_larger(all->residual, island->residual);
    all->complementarity = lcp_larger(all->complementarity, island->complementarity);
}

bool lcp_contacts_solve(const lcp_contacts *problem, const lcp_options *options,
                        lcp_island_method *method, lcp_workspace *work, double *z, double *w,
                        lcp_result *result, weir_error *error)
{
    *result = (lcp_result){.status = LCP_INVALID};
    lcp_workspace_reset(work);
    lcp_options resolved = lcp_options_resolve(options, problem->n);
    lcp_contact_solver s = {.options = &resolved, .work = work};
    if (!lcp_islands_build(&s.islands, problem, work, error) ||
        !lcp_options_check(options, problem->n, error))
        return false;
    if (!take(&s))
        return lcp_fail_memory(problem->n, error);
    lcp_result all = {.status = LCP_SOLVED, .islands = s.islands.count};
    for (int k = 0; k < s.islands.count; k++) {
        lcp_result of_island = {0};
        s.island = &s.islands.island[k];
        s.result = &of_island;
        s.basis.island = s.island;
        s.basis.row_visits = &of_island.row_visits;
        if (!solve_trivially(&s) && !method(&s))
            return lcp_fail_memory(problem->n, error);
        lcp_island_restore(s.island, s.z, s.w, z, w);
        gather(&of_island, &all);
    }
    *result = all;
    return true;
}
