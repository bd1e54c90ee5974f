/* The solvers of complementarity problems by name, so that they can be compared on the same data.
 *
 * Lemke's method on the dense tableau, Lemke's along the structure of contacts, and block
 * pivoting are exact. Projected Gauss–Seidel and MPRGP approach the solution; they need M
 * symmetric and positive semi-definite, and MPRGP works in single precision. */
#ifndef WEIR_SOLVE_LCP_SOLVER_H
#define WEIR_SOLVE_LCP_SOLVER_H

#include "solve/lcp.h"

/* In the order of weir_lcp_solver (weir.h). */
typedef enum lcp_solver {
    LCP_SOLVER_STRUCTURED,
    LCP_SOLVER_BLOCK,
    LCP_SOLVER_LEMKE,
    LCP_SOLVER_PGS,
    LCP_SOLVER_MPRGP,
    LCP_SOLVER_COUNT,
} lcp_solver;

const char *lcp_solver_name(lcp_solver solver);

/* Whether the solver ends at the solution and not near it. */
static inline bool lcp_solver_is_exact(lcp_solver solver)
{
    return solver < LCP_SOLVER_PGS;
}

/* As the functions of lcp.h. Without a tolerance in the options the exact solvers take 1e-9,
 * Gauss–Seidel 1e-6 and MPRGP 1e-5, which its precision allows; what these do not reach within
 * their sweeps has the status LCP_LIMIT. The structured solver refuses dense problems. */
bool lcp_solve(lcp_solver solver, const lcp_dense *problem, const lcp_options *options,
               lcp_workspace *work, double *z, double *w, lcp_result *result, weir_error *error);
bool lcp_solve_contacts(lcp_solver solver, const lcp_contacts *problem, const lcp_options *options,
                        lcp_workspace *work, double *z, double *w, lcp_result *result,
                        weir_error *error);

#endif
