/* The basis of a contact problem by Woodbury's formula; see lcp_basis.h. */
#include "solve/lcp_basis.h"

#include "solve/lu.h"

#include <math.h>
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
        .extra = lcp_take(work, n + 1, sizeof(int)),
        .rho = lcp_take_doubles(work, n),
        .z = lcp_take_doubles(work, n),
        .points = lcp_take_doubles(work, 3 * (ptrdiff_t)n),
    };
    return !work->failed;
}

static double point_dot(const lcp_row *a, const lcp_row *b)
{
    return a->point[0] * b->point[0] + a->point[1] * b->point[1] + a->point[2] * b->point[2];
}

/* Element of D for two rows of one group. */
static double local_element(const lcp_basis *b, int i, int j)
{
    double value = point_dot(&b->island->rows[i], &b->island->rows[j]);
    return i == j ? value + b->island->softness[i] + b->epsilon : value;
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

/* The largest pivot first, as long as there is something to divide by. */
void lcp_basis_sweep_group(lcp_basis *b, int group)
{
    int first = b->island->group_start[group], end = b->island->group_start[group + 1];
    for (int i = first; i < end; i++) {
        b->swept[i] = false;
        for (int j = first; j < end; j++)
            *lcp_basis_local(b, i, j) = local_element(b, i, j);
    }
    for (;;) {
        int best = -1;
        double largest = b->epsilon > 0 ? 0.01 * b->epsilon : DEFER;
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

/* capacity += factor · u_i u_jᵀ */
static void add_product(lcp_basis *b, double factor, const lcp_row *i, const lcp_row *j)
{
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            if (i->column[p] < 0 || j->column[q] < 0)
                continue;
            const double *x = i->body + p * LCP_BODY_COLUMNS, *y = j->body + q * LCP_BODY_COLUMNS;
            for (int r = 0; r < LCP_BODY_COLUMNS; r++) {
                double *to =
                    b->capacity + (ptrdiff_t)(i->column[p] + r) * b->island->columns + j->column[q];
                double scaled = factor * x[r];
                for (int c = 0; c < LCP_BODY_COLUMNS; c++)
                    to[c] += scaled * y[c];
            }
        }
}

static void add_group(lcp_basis *b, int group, double sign)
{
    const lcp_row *rows = b->island->rows;
    int first = b->island->group_start[group], end = b->island->group_start[group + 1];
    for (int i = first; i < end; i++) {
        if (!b->swept[i])
            continue;
        double cover = 0;
        for (int j = first; j < end; j++) {
            if (!b->swept[j])
                continue;
            double inverse = *lcp_basis_local(b, i, j);
            add_product(b, sign * inverse, &rows[i], &rows[j]);
            cover += b->cover ? inverse * b->cover[j] : 0;
        }
        if (b->cover)
            lcp_row_add(&rows[i], sign * cover, b->cover_sum);
    }
}

static bool make_room(lcp_basis *b, int size)
{
    if (size <= b->room)
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
    lcp_row_add(&island->rows[e], 1, u);
    double cover = b->cover ? b->cover[e] : 0;
    for (int i = island->group_start[group]; i < island->group_start[group + 1]; i++) {
        if (!b->swept[i])
            continue;
        double factor = *lcp_basis_local(b, e, i);
        lcp_row_add(&island->rows[i], -factor, u);
        cover -= b->cover ? factor * b->cover[i] : 0;
    }
    return cover;
}

/* The small system: rows y, then extras; columns y, then z of the deferred rows, then z0. */
static bool factor_small(lcp_basis *b)
{
    const lcp_island *island = b->island;
    int columns = island->columns, deferred = 0;
    for (int i = 0; i < island->n; i++)
        if (b->in[i] && !b->swept[i])
            b->extra[deferred++] = i;
    b->extras = deferred;
    if (b->missing >= 0)
        b->extra[b->extras++] = b->missing;
    b->size = columns + b->extras;
    if (!make_room(b, b->size))
        return false;
    int size = b->size;
    memset(b->small, 0, (size_t)size * (size_t)size * sizeof *b->small);
    for (int r = 0; r < columns; r++) {
        double *row = b->small + (ptrdiff_t)r * size;
        memcpy(row, b->capacity + (ptrdiff_t)r * columns, (size_t)columns * sizeof *row);
        if (b->missing >= 0)
            row[size - 1] = b->cover_sum[r];
    }
    for (int e = 0; e < b->extras; e++) {
        double *row = b->small + (ptrdiff_t)(columns + e) * size;
        int group = island->rows[b->extra[e]].group;
        double cover = reduced_row(b, b->extra[e], row);
        for (int d = 0; d < deferred; d++)
            if (island->rows[b->extra[d]].group == group)
                row[columns + d] = *lcp_basis_local(b, b->extra[e], b->extra[d]);
        if (b->missing >= 0)
            row[size - 1] = cover;
        for (int r = 0; e < deferred && r < columns; r++)
            b->small[(ptrdiff_t)r * size + columns + e] = -row[r];
    }
    return lu_factor(size, b->small, b->exchanges, SINGULAR);
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
    for (int group = 0; group < b->island->groups; group++) {
        lcp_basis_sweep_group(b, group);
        add_group(b, group, 1);
    }
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
        add_group(b, groups[g], -1);
    if (enter >= 0)
        b->in[enter] = is_z;
    if (missing >= 0)
        b->in[missing] = false;
    b->missing = missing;
    for (int g = 0; g < count; g++) {
        lcp_basis_sweep_group(b, groups[g]);
        add_group(b, groups[g], 1);
    }
    return factor_small(b);
}

/* The right side of the small system; `right` holds that of y's own equations. */
static void reduce(lcp_basis *b, const double *rho)
{
    const lcp_island *island = b->island;
    for (int i = 0; i < island->n; i++) {
        if (!b->swept[i] || rho[i] == 0)
            continue;
        int group = island->rows[i].group;
        for (int j = island->group_start[group]; j < island->group_start[group + 1]; j++)
            if (b->swept[j])
                lcp_row_add(&island->rows[j], *lcp_basis_local(b, j, i) * rho[i], b->right);
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
    for (int i = 0; i < island->n; i++) {
        z[i] = 0;
        if (b->swept[i])
            rho[i] -= lcp_row_dot(&island->rows[i], b->right) + (b->cover ? b->cover[i] * z0 : 0);
    }
    for (int e = 0; e < b->extras; e++)
        if (b->extra[e] != b->missing)
            z[b->extra[e]] = b->right[island->columns + e];
    for (int i = 0; i < island->n; i++) {
        if (!b->swept[i])
            continue;
        int group = island->rows[i].group;
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

/* Values by slot: z, or w = vector + M z + h z0 where y and the points' sums stand for M z. */
static void read_slots(lcp_basis *b, int column_row, double *slots)
{
    const lcp_island *island = b->island;
    const double *y = b->right;
    double z0 = b->missing >= 0 ? b->right[b->size - 1] : 0;
    memset(b->points, 0, (size_t)island->groups * 3 * sizeof *b->points);
    if (column_row >= 0)
        b->z[column_row] -= 1;
    for (int i = 0; i < island->n; i++)
        for (int k = 0; k < 3 && b->z[i] != 0; k++)
            b->points[3 * island->rows[i].group + k] += island->rows[i].point[k] * b->z[i];
    for (int i = 0; i < island->n; i++) {
        const lcp_row *row = &island->rows[i];
        const double *point = b->points + 3 * (ptrdiff_t)row->group;
        if (i == b->missing)
            slots[i] = z0;
        else if (b->in[i])
            slots[i] = b->z[i];
        else
            slots[i] += lcp_row_dot(row, y) + row->point[0] * point[0] + row->point[1] * point[1] +
                        row->point[2] * point[2] + (b->cover ? b->cover[i] * z0 : 0) +
                        (island->softness[i] + b->epsilon) * b->z[i];
    }
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
        b->rho[i] = local_element(b, i, row);
    lcp_row_add(&island->rows[row], -1, b->right);
    solve(b, b->rho, b->z);
    read_slots(b, row, slots);
}
