/* What both methods need to solve islands of contacts, taken once for all islands. */
#ifndef WEIR_SOLVE_LCP_CONTACT_SOLVER_H
#define WEIR_SOLVE_LCP_CONTACT_SOLVER_H

#include "solve/block_path.h"
#include "solve/lcp_basis.h"
#include "solve/lcp_newton.h"
#include "solve/lemke_path.h"

typedef struct lcp_contact_solver {
    const lcp_options *options;
    lcp_workspace *work;
    lcp_islands islands;
    const lcp_island *island; /* the one being solved */
    lcp_basis basis;
    lemke_path lemke;
    block_path block;
    lcp_newton newton;
    double *cover; /* h of the island */
    double *z, *w;
    double *columns, *vector; /* scratch */
    lcp_result *result;       /* of the island */
} lcp_contact_solver;

/* Solves one island: writes z, w and the result. False: memory ran out. */
typedef bool lcp_island_method(lcp_contact_solver *solver);

lcp_island_method lemke_run_island, block_pivot_run_island;

/* F of the island as block pivoting finds it, to begin Lemke's path; in solver->block.in.
 * Returns whether that already is the solution, in solver->block.z. */
bool block_pivot_predict_island(lcp_contact_solver *solver);

/* Lemke's path from the set solver->block.in. */
bool lemke_run_island_from_block(lcp_contact_solver *solver);

/* Checks, sorts in islands, solves them one by one, and gathers z, w and the result. */
bool lcp_contacts_solve(const lcp_contacts *problem, const lcp_options *options,
                        lcp_island_method *method, lcp_workspace *work, double *z, double *w,
                        lcp_result *result, weir_error *error);

#endif
