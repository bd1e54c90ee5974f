/* Solves with a basis that is ready: first the small system, then its rows one by one. */
#include "solve/lcp_basis.h"
#include "solve/lu.h"

#include <string.h>

/* The right side of the small system; `right` holds that of y's own equations. */
static void reduce(lcp_basis *b, const double *rho)
{
    const lcp_island *island = b->island;
    for (int k = 0; k < b->listed; k++) {
        int i = b->list[k], group = island->rows[i].group;
        for (int j = island->group_start[group]; rho[i] != 0 && j < island->group_start[group + 1];
             j++)
            if (b->swept[j])
                lcp_row_add(island, j, *lcp_basis_local(b, j, i) * rho[i], b->right);
    }
    for (int e = 0; e < b->extras; e++) {
        int row = b->extra[e], group = island->rows[row].group;
        double value = rho[row];
        for (int i = island->group_start[group]; i < island->group_start[group + 1]; i++)
            value -= b->swept[i] ? *lcp_basis_local(b, row, i) * rho[i] : 0;
        b->right[island->columns + e] = value;
    }
}

/* z of the basis, once `right` holds y, the deferred z and z0. Uses rho as scratch. */
static void expand(lcp_basis *b, double *rho, double *z)
{
    const lcp_island *island = b->island;
    double z0 = b->missing >= 0 ? b->right[b->size - 1] : 0;
    memset(z, 0, (size_t)island->n * sizeof *z);
    for (int k = 0; k < b->listed; k++) {
        int i = b->list[k];
        rho[i] -= lcp_row_dot(island, i, b->right) + (b->cover ? b->cover[i] * z0 : 0);
    }
    for (int e = 0; e < b->extras; e++)
        if (b->extra[e] != b->missing)
            z[b->extra[e]] = b->right[island->columns + e];
    for (int k = 0; k < b->listed; k++) {
        int i = b->list[k], group = island->rows[i].group;
        double sum = 0;
        for (int j = island->group_start[group]; j < island->group_start[group + 1]; j++)
            if (b->in[j])
                sum += *lcp_basis_local(b, i, j) * (b->swept[j] ? rho[j] : z[j]);
        z[i] = sum;
    }
    *b->row_visits += island->n;
}

static void solve(lcp_basis *b, double *rho, double *z)
{
    reduce(b, rho);
    lu_solve(b->size, b->small, b->exchanges, b->right);
    expand(b, rho, z);
}

static void clear_right(lcp_basis *b)
{
    memset(b->right, 0, (size_t)b->size * sizeof *b->right);
}

void lcp_basis_solve(lcp_basis *b, const double *right, double *z)
{
    memcpy(b->rho, right, (size_t)b->island->n * sizeof *right);
    clear_right(b);
    solve(b, b->rho, z);
}

/* Values by slot: z, or w = vector + M z + h z0 where y and the points' sums stand for M z. Uses
 * rho as scratch. */
static void read_slots(lcp_basis *b, int column_row, double *slots)
{
    const lcp_island *island = b->island;
    double z0 = b->missing >= 0 ? b->right[b->size - 1] : 0;
    if (column_row >= 0)
        b->z[column_row] -= 1;
    for (int group = 0; group < island->groups; group++)
        lcp_group_product(island, group, b->epsilon, b->z, b->rho);
    for (int i = 0; i < island->n; i++) {
        double w = slots[i] + lcp_row_dot(island, i, b->right) + b->rho[i] +
                   (b->cover ? b->cover[i] * z0 : 0);
        slots[i] = b->in[i] ? b->z[i] : w;
    }
    if (b->missing >= 0)
        slots[b->missing] = z0;
    *b->row_visits += island->n;
}

void lcp_basis_slots_of_vector(lcp_basis *b, const double *vector, double *slots)
{
    for (int i = 0; i < b->island->n; i++) {
        slots[i] = vector[i];
        b->rho[i] = -vector[i];
    }
    clear_right(b);
    solve(b, b->rho, b->z);
    read_slots(b, -1, slots);
}

static void clear(lcp_basis *b, double *slots)
{
    memset(slots, 0, (size_t)b->island->n * sizeof *slots);
    memset(b->rho, 0, (size_t)b->island->n * sizeof *b->rho);
    clear_right(b);
}

void lcp_basis_slots_of_unit(lcp_basis *b, int row, double *slots)
{
    clear(b, slots);
    slots[row] = 1;
    b->rho[row] = -1;
    solve(b, b->rho, b->z);
    read_slots(b, -1, slots);
}

/* z_row = −1 in w = M z + h z0: its part of y and its point's rows are the right side. */
void lcp_basis_slots_of_column(lcp_basis *b, int row, double *slots)
{
    const lcp_island *island = b->island;
    int group = island->rows[row].group;
    clear(b, slots);
    for (int i = island->group_start[group]; i < island->group_start[group + 1]; i++)
        b->rho[i] = lcp_basis_element(b, i, row);
    lcp_row_add(island, row, -1, b->right);
    solve(b, b->rho, b->z);
    read_slots(b, row, slots);
}
