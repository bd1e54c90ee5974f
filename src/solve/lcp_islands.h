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

/* Rows with two bodies are rare: the columns of the second are kept apart. */
typedef struct lcp_row {
    double body[LCP_BODY_COLUMNS]; /* U of the first body */
    double point[3];               /* P */
    int column[2];                 /* where each body's columns begin, or -1 */
    int group;
} lcp_row;

typedef struct lcp_island {
    int n, columns, groups;
    const lcp_row *rows;
    const double *second;   /* U of the second body, six per row */
    const double *diagonal; /* of P Pᵀ + diag(softness) */
    const double *softness;
    double *q;
    double q_scale;
    const int *group_start;       /* groups + 1 */
    const ptrdiff_t *local_start; /* per group: the squares of the groups before it, summed */
    ptrdiff_t local_size;         /* sum of all squares */
    const int *origin;            /* per row: its index in the problem */
    const double *s;              /* z = scale s z', w = scale w' / s */
} lcp_island;

typedef struct lcp_islands {
    int count;
    lcp_island *island;
    int max_rows, max_columns; /* of any island */
    ptrdiff_t max_local;
} lcp_islands;

/* Checks the problem, then sorts it. Islands whose q is not negative anywhere are kept: their
 * solution is z = 0. */
bool lcp_islands_build(lcp_islands *islands, const lcp_contacts *problem, lcp_workspace *work,
                       weir_error *error);

/* u·y and y += factor u for row i of U. */
static inline double lcp_row_dot(const lcp_island *island, int i, const double *y)
{
    const lcp_row *row = &island->rows[i];
    double sum = 0;
    if (row->column[0] >= 0)
        for (int k = 0; k < LCP_BODY_COLUMNS; k++)
            sum += row->body[k] * y[row->column[0] + k];
    if (row->column[1] >= 0)
        for (int k = 0; k < LCP_BODY_COLUMNS; k++)
            sum += island->second[i * LCP_BODY_COLUMNS + k] * y[row->column[1] + k];
    return sum;
}

static inline void lcp_row_add(const lcp_island *island, int i, double factor, double *y)
{
    const lcp_row *row = &island->rows[i];
    if (row->column[0] >= 0)
        for (int k = 0; k < LCP_BODY_COLUMNS; k++)
            y[row->column[0] + k] += factor * row->body[k];
    if (row->column[1] >= 0)
        for (int k = 0; k < LCP_BODY_COLUMNS; k++)
            y[row->column[1] + k] += factor * island->second[i * LCP_BODY_COLUMNS + k];
}

static inline double lcp_point_dot(const double *p, const double *q)
{
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

/* (P Pᵀ + diag(softness + epsilon)) z for the rows of one group. */
static inline void lcp_group_product(const lcp_island *island, int group, double epsilon,
                                     const double *z, double *product)
{
    int first = island->group_start[group], end = island->group_start[group + 1];
    if (end - first == 1) {
        product[first] = (island->diagonal[first] + epsilon) * z[first];
        return;
    }
    double point[3] = {0};
    for (int i = first; i < end; i++)
        for (int k = 0; k < 3; k++)
            point[k] += island->rows[i].point[k] * z[i];
    for (int i = first; i < end; i++)
        product[i] =
            lcp_point_dot(island->rows[i].point, point) + (island->softness[i] + epsilon) * z[i];
}

/* M z; `columns` is scratch for max_columns doubles. */
void lcp_island_product(const lcp_island *island, const double *z, double *product,
                        double *columns);

void lcp_island_restore(const lcp_island *island, const double *island_z, const double *island_w,
                        double *z, double *w);

#endif
