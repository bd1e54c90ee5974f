/* Solves with a basis of a contact problem in a number of operations proportional to its rows.
 *
 * For the set F of basic z the equations are (D + U Uᵀ)_FF z_F + h_F z0 = r_F, with D = P Pᵀ +
 * diag(softness + epsilon), which joins only rows of one point. With y = U_Fᵀ z_F as unknowns
 * the z are eliminated point by point, and a system of the size of y remains: Woodbury's formula,
 * which Golub and Van Loan (Matrix Computations, §2.1.4) give.
 *
 * A row without a point mass, or one that repeats others of its point, has nothing to divide by.
 * Such rows stay in the small system beside y; so does the row of the missing pair, with z0. As
 * the basis is regular, there can hardly be more of them than columns. */
#ifndef WEIR_SOLVE_LCP_BASIS_H
#define WEIR_SOLVE_LCP_BASIS_H

#include "solve/lcp_islands.h"

typedef struct lcp_basis {
    const lcp_island *island;
    lcp_workspace *work;
    int64_t *row_visits;
    double epsilon;      /* added to the diagonal of M */
    const double *cover; /* h; NULL where z0 is never basic */
    int missing;         /* the row whose slot holds z0; -1: z0 is not basic */
    bool *in;            /* F */
    bool *swept;         /* rows of F that are eliminated by their point */
    double *local;       /* per group: D exchanged on the swept rows, row by row */
    double *capacity;    /* I + U_Iᵀ D_II⁻¹ U_I of the swept rows I */
    double *cover_sum;   /* U_Iᵀ D_II⁻¹ h_I */
    int listed;          /* swept rows */
    int *list;
    int extras; /* rows that stay in the small system */
    int *extra;
    int size, room; /* of the small system: now, and at most */
    double *small, *right;
    int *exchanges;
    double *rho, *z;
} lcp_basis;

/* Room for every island. */
bool lcp_basis_take(lcp_basis *basis, const lcp_islands *islands, lcp_workspace *work);

/* An element of D. Both rows must be of one group. */
static inline double lcp_basis_element(const lcp_basis *b, int i, int j)
{
    if (i == j)
        return b->island->diagonal[i] + b->epsilon;
    return lcp_point_dot(b->island->rows[i].point, b->island->rows[j].point);
}

/* The same of D exchanged on the swept rows I: D_II⁻¹, −D_II⁻¹ D_Ie; D_eI D_II⁻¹,
 * D_ee − D_eI D_II⁻¹ D_Ie. */
static inline double *lcp_basis_local(const lcp_basis *b, int i, int j)
{
    int group = b->island->rows[i].group, first = b->island->group_start[group];
    int size = b->island->group_start[group + 1] - first;
    return b->local + b->island->local_start[group] + (ptrdiff_t)(i - first) * size + (j - first);
}

/* Exchanges D of one group on its rows of F. */
void lcp_basis_sweep_group(lcp_basis *basis, int group);

/* Adds a group's part of capacity and cover_sum, or takes it away (sign -1), to be done before
 * and after its sweep. */
void lcp_basis_add_group(lcp_basis *basis, int group, double sign);

/* Takes the rows out of F that would stay in the small system: what is left has an inverse. */
void lcp_basis_drop_dependent(lcp_basis *basis);

/* Factors from the data for the F, missing, cover and epsilon that were set. False: singular, or
 * memory ran out (work->failed). */
bool lcp_basis_build(lcp_basis *basis);

/* Moves between bases without starting over: row `enter` (-1: none) is in F or not, and slot
 * `missing` (-1: none) holds z0. */
bool lcp_basis_change(lcp_basis *basis, int enter, bool is_z, int missing);

/* z_F of M_FF z_F = right_F, z = 0 elsewhere; for bases without z0. */
void lcp_basis_solve(lcp_basis *basis, const double *right, double *z);

/* By slot, B⁻¹ of a vector, of the unit vector `row`, or of the column −M e_row of z_row. */
void lcp_basis_slots_of_vector(lcp_basis *basis, const double *vector, double *slots);
void lcp_basis_slots_of_unit(lcp_basis *basis, int row, double *slots);
void lcp_basis_slots_of_column(lcp_basis *basis, int row, double *slots);

#endif
