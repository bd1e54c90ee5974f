#include "solve/lcp_solver.h"

#include "base/error.h"
#include "solve/lcp_iterative.h"

const char *lcp_solver_name(lcp_solver solver)
{
    static const char *const names[] = {"structured", "block", "lemke", "pgs", "mprgp"};
    return (unsigned)solver < LCP_SOLVER_COUNT ? names[solver] : "?";
}

static lcp_options with_tolerance(lcp_solver solver, const lcp_options *options)
{
    lcp_options o = options ? *options : (lcp_options){0};
    if (!(o.tolerance > 0) && !lcp_solver_is_exact(solver))
        o.tolerance = solver == LCP_SOLVER_MPRGP ? 1e-5 : 1e-6;
    return o;
}

bool lcp_solve(lcp_solver solver, const lcp_dense *problem, const lcp_options *options,
               lcp_workspace *work, double *z, double *w, lcp_result *result, weir_error *error)
{
    lcp_options o = with_tolerance(solver, options);
    switch (solver) {
    case LCP_SOLVER_LEMKE:
        return lemke_solve(problem, &o, work, z, w, result, error);
    case LCP_SOLVER_BLOCK:
        return block_pivot_solve(problem, &o, work, z, w, result, error);
    case LCP_SOLVER_PGS:
        return lcp_dense_solve(problem, &o, pgs_run_dense, work, z, w, result, error);
    case LCP_SOLVER_MPRGP:
        return lcp_dense_solve(problem, &o, mprgp_run_dense, work, z, w, result, error);
    default:
        *result = (lcp_result){.status = LCP_INVALID};
        return fail(error, WEIR_UNSUPPORTED,
                    "the structured solver needs contacts of points and bodies, not a matrix M; "
                    "use lemke or block for this problem");
    }
}

/* The matrix outlives the solve that resets the workspace, so it is taken beside it. */
static bool solve_expanded(const lcp_contacts *problem, const lcp_options *options,
                           lcp_workspace *work, double *z, double *w, lcp_result *result,
                           weir_error *error)
{
    size_t bytes = (size_t)problem->n * (size_t)problem->n * sizeof(double);
    double *m = memory_take(work->memory, bytes);
    if (!m && problem->n > 0) {
        *result = (lcp_result){.status = LCP_INVALID};
        return lcp_fail_memory(problem->n, error);
    }
    lcp_contacts_expand(problem, m);
    lcp_dense dense = {problem->n, m, problem->q};
    bool ok = lemke_solve(&dense, options, work, z, w, result, error);
    memory_give(work->memory, m, bytes);
    return ok;
}

bool lcp_solve_contacts(lcp_solver solver, const lcp_contacts *problem, const lcp_options *options,
                        lcp_workspace *work, double *z, double *w, lcp_result *result,
                        weir_error *error)
{
    lcp_options o = with_tolerance(solver, options);
    switch (solver) {
    case LCP_SOLVER_LEMKE:
        return solve_expanded(problem, &o, work, z, w, result, error);
    case LCP_SOLVER_BLOCK:
        return block_pivot_solve_contacts(problem, &o, work, z, w, result, error);
    case LCP_SOLVER_PGS:
        return lcp_contacts_solve(problem, &o, pgs_run_island, work, z, w, result, error);
    case LCP_SOLVER_MPRGP:
        return lcp_contacts_solve(problem, &o, mprgp_run_island, work, z, w, result, error);
    default:
        return lemke_solve_contacts(problem, &o, work, z, w, result, error);
    }
}
