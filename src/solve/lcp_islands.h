/* Contact problems made ready: rows in equal units, apart in islands that share no mass.
 *
 * In an island M = P Pᵀ + diag(softness) + U Uᵀ. A row of P is its point direction times the root
 * of the point's inverse mass; P Pᵀ joins only rows of the same point, which lie together as a
 * group. A row of U has six columns for each of its bodies: its row of J times a root of the
 * body's inverse mass matrix. */
#ifndef WEIR_SOLVE_LCP_ISLANDS_H
#define WEIR_SOLVE_LCP_ISLANDS_H

#include "solve/lcp_parts.h"

enum { LCP_BODY_COLUMNS = 6 };

typedef struct lcp_row {
    double body[2 * LCP_BODY_COLUMNS]; /* U */
    double point[3];                   /* P */
    int column[2];                     /* where each body's columns begin, or -1 */
    int group;
} lcp_row;

typedef struct lcp_island {
    int n, columns, groups;
    const lcp_row *rows;
    const double *softness;
    double *q;
    double q_scale;
    const int *group_start; /* groups + 1 */
    const int *local_start; /* per group: the squares of the groups before it, summed */
    int local_size;         /* sum of all squares */
    const int *origin;      /* per row: its index in the problem */
    const double *s;        /* z = scale s z', w = scale w' / s */
} lcp_island;

typedef struct lcp_islands {
    int count;
    lcp_island *island;
    int max_rows, max_columns, max_local; /* of any island */
} lcp_islands;

/* Checks the problem, then sorts it. Islands whose q is not negative anywhere are kept: their
 * solution is z = 0. */
bool lcp_islands_build(lcp_islands *islands, const lcp_contacts *problem, lcp_workspace *work,
                       weir_error *error);

static inline double lcp_row_dot(const lcp_row *row, const double *columns)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        if (row->column[side] < 0)
            continue;
        const double *u = row->body + side * LCP_BODY_COLUMNS, *y = columns + row->column[side];
        for (int k = 0; k < LCP_BODY_COLUMNS; k++)
            sum += u[k] * y[k];
    }
    return sum;
}

static inline void lcp_row_add(const lcp_row *row, double factor, double *columns)
{
    for (int side = 0; side < 2; side++) {
        if (row->column[side] < 0)
            continue;
        const double *u = row->body + side * LCP_BODY_COLUMNS;
        double *y = columns + row->column[side];
        for (int k = 0; k < LCP_BODY_COLUMNS; k++)
            y[k] += factor * u[k];
    }
}

/* M z; `columns` and `points` are scratch for max_columns and 3 · max_rows doubles. */
void lcp_island_product(const lcp_island *island, const double *z, double *product, double *columns,
                        double *points);

void lcp_island_restore(const lcp_island *island, const double *island_z, const double *island_w,
                        double *z, double *w);

#endif
