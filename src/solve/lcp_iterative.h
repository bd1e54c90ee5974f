/* Methods that approach the solution of a complementarity problem, for symmetric positive
 * semi-definite M: projected Gauss–Seidel (a row after the other, each by the z that is right for
 * it alone) and MPRGP (solve/mprgp.h). For the interfaces of lcp_parts.h and
 * lcp_contact_solver.h. */
#ifndef WEIR_SOLVE_LCP_ITERATIVE_H
#define WEIR_SOLVE_LCP_ITERATIVE_H

#include "solve/lcp_contact_solver.h"

enum { LCP_MOST_SWEEPS = 10000 };

lcp_dense_method pgs_run_dense, mprgp_run_dense;
lcp_island_method pgs_run_island, mprgp_run_island;

#endif
