/* Which contact rows share mass, and so make an island. */
#ifndef WEIR_SOLVE_LCP_ISLAND_ORDER_H
#define WEIR_SOLVE_LCP_ISLAND_ORDER_H

#include "solve/lcp_contacts_check.h"

typedef struct lcp_island_order {
    int islands;
    int *island_of; /* per row; numbered in the order of their first rows */
    int *rows;      /* sorted by island, then by point, then as given */
} lcp_island_order;

/* The point of row i, or -1 where it has none that moves. */
static inline int lcp_moving_point(const lcp_contacts *p, int i)
{
    int point = p->rows[i].point;
    return point >= 0 && p->point_inverse_mass[point] > 0 ? point : -1;
}

/* The body of row i on that side, or -1 where it has none that moves. */
static inline int lcp_moving_body(const lcp_contacts *p, const lcp_body_root *roots, int i,
                                  int side)
{
    int body = p->rows[i].body[side];
    return body >= 0 && roots[body].moves ? body : -1;
}

/* False: memory ran out. */
bool lcp_island_order_find(lcp_island_order *order, const lcp_contacts *problem,
                           const lcp_body_root *roots, lcp_workspace *work);

#endif
