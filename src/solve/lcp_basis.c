/* Makes the basis of a contact problem ready by Woodbury's formula; see lcp_basis.h. */
#include "solve/lcp_basis.h"

#include "solve/lu.h"

#include <string.h>

/* A pivot of D smaller than this, where M has 1 on its diagonal, is left to the small system:
 * dividing by it would cost as many digits. With an epsilon nothing needs to be left. */
static const double DEFER = 1e-8;
static const double SINGULAR = 1e-17;

bool lcp_basis_take(lcp_basis *b, const lcp_islands *islands, lcp_workspace *work)
{
    int n = islands->max_rows, columns = islands->max_columns;
    *b = (lcp_basis){
        .work = work,
        .missing = -1,
        .in = lcp_take(work, n, sizeof(bool)),
        .swept = lcp_take(work, n, sizeof(bool)),
        .local = lcp_take_doubles(work, islands->max_local),
        .capacity = lcp_take_doubles(work, (ptrdiff_t)columns * columns),
        .cover_sum = lcp_take_doubles(work, columns),
        .list = lcp_take(work, n + 1, sizeof(int)),
        .extra = lcp_take(work, n + 1, sizeof(int)),
        .rho = lcp_take_doubles(work, n),
        .z = lcp_take_doubles(work, n),
    };
    return !work->failed;
}

/* Exchanges the unknown of row k with its right side. */
static void sweep(lcp_basis *b, int first, int end, int k)
{
    double inverse = 1 / *lcp_basis_local(b, k, k);
    for (int i = first; i < end; i++) {
        if (i == k)
            continue;
        double factor = *lcp_basis_local(b, i, k) * inverse;
        for (int j = first; j < end; j++)
            *lcp_basis_local(b, i, j) -= factor * *lcp_basis_local(b, k, j);
        *lcp_basis_local(b, i, k) = factor;
    }
    for (int j = first; j < end; j++)
        *lcp_basis_local(b, k, j) *= -inverse;
    *lcp_basis_local(b, k, k) = inverse;
    b->swept[k] = true;
}

/* A row alone on its point, without a branch on whether it is in F: that is hard to foresee. */
static void sweep_row(lcp_basis *b, int group, int i, double smallest)
{
    double d = b->island->diagonal[i] + b->epsilon;
    const double choice[2] = {d, 1 / d};
    b->swept[i] = b->in[i] & (d > smallest);
    b->local[b->island->local_start[group]] = choice[b->swept[i]];
}

/* The largest pivot first, as long as there is something to divide by. */
void lcp_basis_sweep_group(lcp_basis *b, int group)
{
    int first = b->island->group_start[group], end = b->island->group_start[group + 1];
    double smallest = b->epsilon > 0 ? 0.01 * b->epsilon : DEFER;
    if (end - first == 1) {
        sweep_row(b, group, first, smallest);
        return;
    }
    for (int i = first; i < end; i++) {
        b->swept[i] = false;
        for (int j = first; j < end; j++)
            *lcp_basis_local(b, i, j) = lcp_basis_element(b, i, j);
    }
    for (;;) {
        int best = -1;
        double largest = smallest;
        for (int i = first; i < end; i++) {
            double pivot = *lcp_basis_local(b, i, i);
            if (b->in[i] && !b->swept[i] && pivot > largest) {
                best = i;
                largest = pivot;
            }
        }
        if (best < 0)
            return;
        sweep(b, first, end, best);
    }
}

/* The columns of row i's first or second body. */
static const double *body_columns(const lcp_island *island, int i, int side)
{
    return side == 0 ? island->rows[i].body : island->second + (ptrdiff_t)i * LCP_BODY_COLUMNS;
}

/* capacity += factor · u_i u_jᵀ */
static void add_product(lcp_basis *b, double factor, int i, int j)
{
    const lcp_island *island = b->island;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            int to_row = island->rows[i].column[p], to_column = island->rows[j].column[q];
            if (to_row < 0 || to_column < 0)
                continue;
            const double *x = body_columns(island, i, p), *y = body_columns(island, j, q);
            for (int r = 0; r < LCP_BODY_COLUMNS; r++) {
                double *to = b->capacity + (ptrdiff_t)(to_row + r) * island->columns + to_column;
                double scaled = factor * x[r];
                for (int c = 0; c < LCP_BODY_COLUMNS; c++)
                    to[c] += scaled * y[c];
            }
        }
}

/* Adds swept row i's part of the sums, or takes it away. */
static void add_row(lcp_basis *b, int i, double sign)
{
    int group = b->island->rows[i].group;
    double cover = 0;
    for (int j = b->island->group_start[group]; j < b->island->group_start[group + 1]; j++) {
        if (!b->swept[j])
            continue;
        double inverse = *lcp_basis_local(b, i, j);
        add_product(b, sign * inverse, i, j);
        cover += b->cover ? inverse * b->cover[j] : 0;
    }
    if (b->cover)
        lcp_row_add(b->island, i, sign * cover, b->cover_sum);
}

void lcp_basis_add_group(lcp_basis *b, int group, double sign)
{
    for (int i = b->island->group_start[group]; i < b->island->group_start[group + 1]; i++)
        if (b->swept[i])
            add_row(b, i, sign);
}

static bool make_room(lcp_basis *b, int size)
{
    if (size < b->room)
        return true;
    int room = size + size / 2 + 8;
    double *small = lcp_take_doubles(b->work, (ptrdiff_t)room * room);
    double *right = lcp_take_doubles(b->work, room);
    int *exchanges = lcp_take(b->work, room, sizeof(int));
    if (b->work->failed)
        return false;
    b->room = room;
    b->small = small;
    b->right = right;
    b->exchanges = exchanges;
    return true;
}

/* Row e with its point eliminated: U_e − D_eI D_II⁻¹ U_I; returns the same of h. */
static double reduced_row(const lcp_basis *b, int e, double *u)
{
    const lcp_island *island = b->island;
    int group = island->rows[e].group;
    lcp_row_add(island, e, 1, u);
    double cover = b->cover ? b->cover[e] : 0;
    for (int i = island->group_start[group]; i < island->group_start[group + 1]; i++) {
        if (!b->swept[i])
            continue;
        double factor = *lcp_basis_local(b, e, i);
        lcp_row_add(island, i, -factor, u);
        cover -= b->cover ? factor * b->cover[i] : 0;
    }
    return cover;
}

/* Rows of F that no point can eliminate, then the missing one. Returns how many are of F. */
static int list_extras(lcp_basis *b)
{
    int deferred = 0;
    for (int i = 0; i < b->island->n; i++) {
        b->extra[deferred] = i;
        deferred += b->in[i] & !b->swept[i];
    }
    b->extras = deferred;
    if (b->missing >= 0)
        b->extra[b->extras++] = b->missing;
    return deferred;
}

/* The row of an extra, and the column of its z in the rows of y. */
static void write_extra(lcp_basis *b, int e, int deferred)
{
    const lcp_island *island = b->island;
    int columns = island->columns, i = b->extra[e];
    double *row = b->small + (ptrdiff_t)(columns + e) * b->size;
    double cover = reduced_row(b, i, row);
    for (int d = 0; d < deferred; d++)
        if (island->rows[b->extra[d]].group == island->rows[i].group)
            row[columns + d] = *lcp_basis_local(b, i, b->extra[d]);
    if (b->missing >= 0)
        row[b->size - 1] = cover;
    for (int r = 0; e < deferred && r < columns; r++)
        b->small[(ptrdiff_t)r * b->size + columns + e] = -row[r];
}

/* The small system: rows y, then extras; columns y, then z of the deferred rows, then z0. */
static bool factor_small(lcp_basis *b)
{
    int columns = b->island->columns, deferred = list_extras(b), size = columns + b->extras;
    if (!make_room(b, size))
        return false;
    b->size = size;
    memset(b->small, 0, (size_t)size * (size_t)size * sizeof *b->small);
    for (int r = 0; r < columns; r++) {
        double *row = b->small + (ptrdiff_t)r * size;
        memcpy(row, b->capacity + (ptrdiff_t)r * columns, (size_t)columns * sizeof *row);
        if (b->missing >= 0)
            row[size - 1] = b->cover_sum[r];
    }
    for (int e = 0; e < b->extras; e++)
        write_extra(b, e, deferred);
    return lu_factor(size, b->small, b->exchanges, SINGULAR);
}

/* The swept rows as a list: loops over it need not ask each row. */
static void list_swept(lcp_basis *b)
{
    b->listed = 0;
    for (int i = 0; i < b->island->n; i++) {
        b->list[b->listed] = i;
        b->listed += b->swept[i];
    }
}

void lcp_basis_drop_dependent(lcp_basis *b)
{
    for (int group = 0; group < b->island->groups; group++)
        lcp_basis_sweep_group(b, group);
    memcpy(b->in, b->swept, (size_t)b->island->n * sizeof *b->in);
}

bool lcp_basis_build(lcp_basis *b)
{
    int columns = b->island->columns;
    memset(b->capacity, 0, (size_t)columns * (size_t)columns * sizeof *b->capacity);
    memset(b->cover_sum, 0, (size_t)columns * sizeof *b->cover_sum);
    for (int k = 0; k < columns; k++)
        b->capacity[(ptrdiff_t)k * columns + k] = 1;
    for (int group = 0; group < b->island->groups; group++)
        lcp_basis_sweep_group(b, group);
    list_swept(b);
    for (int k = 0; k < b->listed; k++)
        add_row(b, b->list[k], 1);
    *b->row_visits += b->island->n;
    return factor_small(b);
}

bool lcp_basis_change(lcp_basis *b, int enter, bool is_z, int missing)
{
    int groups[2], count = 0;
    if (enter >= 0)
        groups[count++] = b->island->rows[enter].group;
    if (missing >= 0 && (count == 0 || b->island->rows[missing].group != groups[0]))
        groups[count++] = b->island->rows[missing].group;
    for (int g = 0; g < count; g++)
        lcp_basis_add_group(b, groups[g], -1);
    if (enter >= 0)
        b->in[enter] = is_z;
    if (missing >= 0)
        b->in[missing] = false;
    b->missing = missing;
    for (int g = 0; g < count; g++) {
        lcp_basis_sweep_group(b, groups[g]);
        lcp_basis_add_group(b, groups[g], 1);
    }
    list_swept(b);
    return factor_small(b);
}
