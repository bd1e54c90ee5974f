/* From contact rows to islands in equal units. Kurose and Takahashi 2009, eqs. 10-12, with M
 * written as J W Jᵀ: W is block diagonal, 1/m of the point masses and a 6 × 6 block per body. */
#include "solve/lcp_islands.h"

#include "solve/lcp_island_order.h"

#include <math.h>
#include <string.h>

typedef struct builder {
    const lcp_contacts *problem;
    const lcp_body_root *roots;
    lcp_island_order order;
    int *column; /* per body: where its columns begin in its island; -1: not yet numbered */
} builder;

/* Arrays for all islands; each island gets its part. */
typedef struct parts {
    lcp_row *rows;
    double *second, *diagonal, *softness, *q, *s;
    int *group_start;
    ptrdiff_t *local_start;
} parts;

static double square(int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sum;
}

/* Writes row `i` of the problem; returns the part of M's diagonal that the bodies give. */
static double write_row(const builder *build, int i, lcp_row *row, double *second)
{
    const lcp_contact *contact = &build->problem->rows[i];
    *row = (lcp_row){.column = {-1, -1}};
    double diagonal = 0;
    for (int side = 0; side < 2; side++) {
        int b = lcp_moving_body(build->problem, build->roots, i, side);
        if (b < 0)
            continue;
        int place = row->column[0] < 0 ? 0 : 1;
        double *u = place == 0 ? row->body : second;
        row->column[place] = build->column[b];
        lcp_body_columns(contact->linear[side], contact->angular[side], &build->roots[b], u);
        diagonal += square(LCP_BODY_COLUMNS, u);
    }
    int point = lcp_moving_point(build->problem, i);
    if (point >= 0) {
        double weight = sqrt(build->problem->point_inverse_mass[point]);
        row->point[0] = contact->point_direction.x * weight;
        row->point[1] = contact->point_direction.y * weight;
        row->point[2] = contact->point_direction.z * weight;
    }
    return diagonal;
}

/* The diagonal of M becomes a number near 1. */
static void fill_rows(const builder *build, const parts *all, int first, int n)
{
    const lcp_contacts *p = build->problem;
    for (int r = first; r < first + n; r++) {
        int i = build->order.rows[r];
        lcp_row *row = &all->rows[r];
        double *second = all->second + (ptrdiff_t)r * LCP_BODY_COLUMNS;
        double diagonal = write_row(build, i, row, second);
        double soft = p->softness ? p->softness[i] : 0;
        double own = square(3, row->point) + soft;
        double scale = 1 / lcp_power_of_two(sqrt(diagonal + own));
        all->s[r] = scale;
        all->q[r] = p->q[i] * scale;
        all->softness[r] = soft * scale * scale;
        all->diagonal[r] = own * scale * scale;
        for (int k = 0; k < LCP_BODY_COLUMNS; k++)
            row->body[k] *= scale;
        for (int k = 0; row->column[1] >= 0 && k < LCP_BODY_COLUMNS; k++)
            second[k] *= scale;
        for (int k = 0; k < 3; k++)
            row->point[k] *= scale;
    }
}

/* Rows of one point are one group; a row without a point is a group of its own. */
static void find_groups(const lcp_contacts *p, lcp_island *island, lcp_row *rows, int *group_start,
                        ptrdiff_t *local_start)
{
    int previous = -1;
    for (int r = 0; r < island->n; r++) {
        int point = lcp_moving_point(p, island->origin[r]);
        if (point < 0 || point != previous) {
            local_start[island->groups] = island->local_size;
            group_start[island->groups++] = r;
        }
        previous = point;
        rows[r].group = island->groups - 1;
        bool last =
            r + 1 == island->n || point < 0 || lcp_moving_point(p, island->origin[r + 1]) != point;
        ptrdiff_t size = r + 1 - group_start[island->groups - 1];
        island->local_size += last ? size * size : 0;
    }
    group_start[island->groups] = island->n;
}

static void number_columns(builder *build, lcp_island *island)
{
    for (int r = 0; r < island->n; r++)
        for (int side = 0; side < 2; side++) {
            int b = lcp_moving_body(build->problem, build->roots, island->origin[r], side);
            if (b >= 0 && build->column[b] < 0) {
                build->column[b] = island->columns;
                island->columns += LCP_BODY_COLUMNS;
            }
        }
}

static void fill_islands(builder *build, lcp_islands *islands, const parts *all)
{
    int first = 0, n = build->problem->n;
    for (int k = 0; k < islands->count; k++) {
        lcp_island *island = &islands->island[k];
        *island = (lcp_island){.origin = build->order.rows + first};
        while (first + island->n < n &&
               build->order.island_of[build->order.rows[first + island->n]] == k)
            island->n++;
        number_columns(build, island);
        fill_rows(build, all, first, island->n);
        /* One more than groups per island: the rows and islands before leave room. */
        int *group_start = all->group_start + first + k;
        find_groups(build->problem, island, all->rows + first, group_start,
                    all->local_start + first);
        island->rows = all->rows + first;
        island->second = all->second + (ptrdiff_t)first * LCP_BODY_COLUMNS;
        island->diagonal = all->diagonal + first;
        island->softness = all->softness + first;
        island->q = all->q + first;
        island->s = all->s + first;
        island->group_start = group_start;
        island->local_start = all->local_start + first;
        island->q_scale = lcp_scale_to_one(island->n, island->q);
        first += island->n;
        if (island->n > islands->max_rows)
            islands->max_rows = island->n;
        if (island->columns > islands->max_columns)
            islands->max_columns = island->columns;
        if (island->local_size > islands->max_local)
            islands->max_local = island->local_size;
    }
}

bool lcp_islands_build(lcp_islands *islands, const lcp_contacts *p, lcp_workspace *work,
                       weir_error *error)
{
    lcp_body_root *roots = lcp_take(work, p->bodies > 0 ? p->bodies : 0, sizeof *roots);
    if (work->failed)
        return lcp_fail_memory(p->n, error);
    if (!lcp_contacts_check(p, roots, error))
        return false;
    int n = p->n;
    builder build = {
        .problem = p, .roots = roots, .column = lcp_take(work, p->bodies, sizeof(int))};
    if (!lcp_island_order_find(&build.order, p, roots, work))
        return lcp_fail_memory(n, error);
    *islands = (lcp_islands){
        .count = build.order.islands,
        .island = lcp_take(work, build.order.islands, sizeof(lcp_island)),
    };
    parts all = {
        .rows = lcp_take(work, n, sizeof(lcp_row)),
        .second = lcp_take_doubles(work, (ptrdiff_t)n * LCP_BODY_COLUMNS),
        .diagonal = lcp_take_doubles(work, n),
        .softness = lcp_take_doubles(work, n),
        .q = lcp_take_doubles(work, n),
        .s = lcp_take_doubles(work, n),
        .group_start = lcp_take(work, n + build.order.islands, sizeof(int)),
        .local_start = lcp_take(work, n, sizeof(ptrdiff_t)),
    };
    if (work->failed)
        return lcp_fail_memory(n, error);
    memset(build.column, -1, (size_t)p->bodies * sizeof *build.column);
    fill_islands(&build, islands, &all);
    return true;
}

void lcp_island_product(const lcp_island *island, const double *z, double *product, double *columns)
{
    memset(columns, 0, (size_t)island->columns * sizeof *columns);
    for (int i = 0; i < island->n; i++)
        lcp_row_add(island, i, z[i], columns);
    for (int group = 0; group < island->groups; group++)
        lcp_group_product(island, group, 0, z, product);
    for (int i = 0; i < island->n; i++)
        product[i] += lcp_row_dot(island, i, columns);
}

void lcp_island_restore(const lcp_island *island, const double *island_z, const double *island_w,
                        double *z, double *w)
{
    for (int i = 0; i < island->n; i++) {
        z[island->origin[i]] = island_z[i] * island->s[i] * island->q_scale;
        w[island->origin[i]] = island_w[i] / island->s[i] * island->q_scale;
    }
}
