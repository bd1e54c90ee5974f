/* The set of positive z of a strictly convex contact problem, by Newton's method on the bodies. */
#ifndef WEIR_SOLVE_LCP_NEWTON_H
#define WEIR_SOLVE_LCP_NEWTON_H

#include "solve/lcp_basis.h"

typedef struct lcp_newton {
    double *y, *home, *trial, *direction, *gradient; /* per column */
    double *matrix;                                  /* columns² */
    int *exchanges;
    double *v, *values; /* per row */
    bool *was;
} lcp_newton;

bool lcp_newton_take(lcp_newton *newton, const lcp_islands *islands, lcp_workspace *work);

/* Before the first set of an island: its bodies keep their velocities. */
void lcp_newton_begin(lcp_newton *newton, const lcp_island *island);

/* Puts in basis->in the rows with positive z for M + basis->epsilon I and q, beginning at what is
 * there, or, should that lead nowhere, at the velocities that the last call found. False: no
 * convergence. */
bool lcp_newton_find_set(lcp_newton *newton, lcp_basis *basis, const double *q);

#endif
