#include "solve/lcp_island_order.h"

#include "solve/lcp_parts.h"

#include <string.h>

static int find(int *parent, int node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Nodes of the graph: bodies, then points; those that do not move join nothing. */
static int row_nodes(const lcp_contacts *p, const lcp_body_root *roots, int i, int nodes[3])
{
    int count = 0;
    for (int side = 0; side < 2; side++) {
        int body = lcp_moving_body(p, roots, i, side);
        if (body >= 0)
            nodes[count++] = body;
    }
    int point = lcp_moving_point(p, i);
    if (point >= 0)
        nodes[count++] = p->bodies + point;
    return count;
}

/* `parent` and `number` are scratch for every node. */
static void find_islands(lcp_island_order *order, const lcp_contacts *p, const lcp_body_root *roots,
                         int *parent, int *number)
{
    int nodes[3];
    for (int i = 0; i < p->bodies + p->points; i++) {
        parent[i] = i;
        number[i] = -1;
    }
    for (int i = 0; i < p->n; i++) {
        int count = row_nodes(p, roots, i, nodes);
        for (int k = 1; k < count; k++) {
            int a = find(parent, nodes[0]), b = find(parent, nodes[k]);
            /* The smaller index is the root, so that the result does not depend on ranks. */
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int i = 0; i < p->n; i++) {
        int count = row_nodes(p, roots, i, nodes);
        int *island = count > 0 ? &number[find(parent, nodes[0])] : &order->island_of[i];
        if (count == 0 || *island < 0)
            *island = order->islands++;
        order->island_of[i] = *island;
    }
}

/* Stable counting sort of `from` to `to` by key(row) in 0 … keys - 1. */
static void sort_rows(const int *key, int keys, int n, const int *from, int *to, int *start)
{
    memset(start, 0, (size_t)(keys + 1) * sizeof *start);
    for (int i = 0; i < n; i++)
        start[key[i] + 1]++;
    for (int k = 0; k < keys; k++)
        start[k + 1] += start[k];
    for (int i = 0; i < n; i++)
        to[start[key[from[i]]]++] = from[i];
}

static bool sort(lcp_island_order *order, const lcp_contacts *p, lcp_workspace *work)
{
    int *key = lcp_take(work, p->n, sizeof(int));
    int *other = lcp_take(work, p->n, sizeof(int));
    int *start = lcp_take(work, (p->points > p->n ? p->points : p->n) + 2, sizeof(int));
    if (work->failed)
        return false;
    for (int i = 0; i < p->n; i++) {
        order->rows[i] = i;
        key[i] = lcp_moving_point(p, i) + 1;
    }
    sort_rows(key, p->points + 1, p->n, order->rows, other, start);
    sort_rows(order->island_of, order->islands, p->n, other, order->rows, start);
    return true;
}

bool lcp_island_order_find(lcp_island_order *order, const lcp_contacts *p,
                           const lcp_body_root *roots, lcp_workspace *work)
{
    *order = (lcp_island_order){
        .island_of = lcp_take(work, p->n, sizeof(int)),
        .rows = lcp_take(work, p->n, sizeof(int)),
    };
    int *parent = lcp_take(work, p->bodies + p->points, sizeof(int));
    int *number = lcp_take(work, p->bodies + p->points, sizeof(int));
    if (work->failed)
        return false;
    find_islands(order, p, roots, parent, number);
    return sort(order, p, work);
}
