/* From contact rows to islands in equal units. Kurose and Takahashi 2009, eqs. 10-12, with M
 * written as J W Jᵀ: W is block diagonal, 1/m of the point masses and a 6 × 6 block per body. */
#include "solve/lcp_islands.h"

#include "base/error.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* A root of a body's inverse mass matrix: diagonal for the velocity, a lower triangle L with
 * L Lᵀ = inverse inertia for the spin. */
typedef struct root {
    double linear[3];
    double angular[6]; /* xx, yx, yy, zx, zy, zz */
    bool moves;
} root;

/* Cholesky of a 3 × 3 matrix that may be singular: 2D bodies turn about one axis only. */
static bool find_root(const lcp_body *body, root *r)
{
    const double *a = body->inverse_inertia;
    const double m[3] = {body->inverse_mass.x, body->inverse_mass.y, body->inverse_mass.z};
    double size = lcp_larger(fabs(a[0]), lcp_larger(fabs(a[4]), fabs(a[8])));
    double noise = 1e-12 * size;
    *r = (root){.moves = size > 0};
    for (int i = 0; i < 3; i++) {
        if (!(m[i] >= 0) || !isfinite(m[i]))
            return false;
        r->linear[i] = sqrt(m[i]);
        r->moves = r->moves || m[i] > 0;
    }
    double *l = r->angular;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double rest = a[3 * i + j];
            if (!isfinite(rest) || !(fabs(rest - a[3 * j + i]) <= 1e-9 * size))
                return false;
            for (int k = 0; k < j; k++)
                rest -= l[i * (i + 1) / 2 + k] * l[j * (j + 1) / 2 + k];
            double pivot = l[j * (j + 1) / 2 + j];
            if (i == j && rest < -noise)
                return false;
            if (i != j && pivot == 0 && fabs(rest) > 1e-6 * size)
                return false;
            double value = i == j ? (rest > noise ? sqrt(rest) : 0) : pivot > 0 ? rest / pivot : 0;
            l[i * (i + 1) / 2 + j] = value;
        }
    return true;
}

static bool check_row(const lcp_contacts *p, int i, weir_error *error)
{
    const lcp_contact *row = &p->rows[i];
    if (row->point < -1 || row->point >= p->points)
        return fail(error, WEIR_INVALID,
                    "Contact %d names point %d; there are %d points, and -1 means none.", i,
                    row->point, p->points);
    for (int side = 0; side < 2; side++)
        if (row->body[side] < -1 || row->body[side] >= p->bodies)
            return fail(error, WEIR_INVALID,
                        "Contact %d names body %d; there are %d bodies, and -1 means none.", i,
                        row->body[side], p->bodies);
    if (row->body[0] >= 0 && row->body[0] == row->body[1])
        return fail(error, WEIR_INVALID,
                    "Contact %d names body %d on both sides; write the sum on one side.", i,
                    row->body[0]);
    bool finite = isfinite(p->q[i]) && vec3_is_finite(row->point_direction);
    for (int side = 0; side < 2; side++)
        finite = finite && vec3_is_finite(row->linear[side]) && vec3_is_finite(row->angular[side]);
    if (!finite)
        return fail(error, WEIR_INVALID, "Contact %d holds a number that is not finite.", i);
    if (p->softness && (!(p->softness[i] >= 0) || !isfinite(p->softness[i])))
        return fail(error, WEIR_INVALID,
                    "The softness of contact %d is %g; it must not be negative.", i,
                    p->softness[i]);
    return true;
}

static bool check(const lcp_contacts *p, root *roots, weir_error *error)
{
    if (p->n < 0 || p->points < 0 || p->bodies < 0)
        return fail(error, WEIR_INVALID,
                    "A contact problem has %d rows, %d points and %d bodies; none may be negative.",
                    p->n, p->points, p->bodies);
    for (int i = 0; i < p->points; i++)
        if (!(p->point_inverse_mass[i] >= 0) || !isfinite(p->point_inverse_mass[i]))
            return fail(error, WEIR_INVALID,
                        "The inverse mass of point %d is %g; it must not be negative.", i,
                        p->point_inverse_mass[i]);
    for (int b = 0; b < p->bodies; b++)
        if (!find_root(&p->body[b], &roots[b]))
            return fail(error, WEIR_INVALID,
                        "The inverse mass or inertia of body %d is negative or not symmetric.", b);
    for (int i = 0; i < p->n; i++)
        if (!check_row(p, i, error))
            return false;
    return true;
}

/* The row of J times the root of the body's block, six columns. */
static void body_columns(vec3 linear, vec3 angular, const root *r, double *u)
{
    const double *l = r->angular;
    u[0] = linear.x * r->linear[0];
    u[1] = linear.y * r->linear[1];
    u[2] = linear.z * r->linear[2];
    u[3] = angular.x * l[0] + angular.y * l[1] + angular.z * l[3];
    u[4] = angular.y * l[2] + angular.z * l[4];
    u[5] = angular.z * l[5];
}

/* Nodes of the graph: bodies, then points; those that do not move join nothing. */
typedef struct sorter {
    const lcp_contacts *problem;
    root *roots;
    int *parent;       /* per node */
    int *island_of;    /* per row */
    int *order, *temp; /* rows */
    int *column;       /* per body */
    int islands;
} sorter;

static int find(int *parent, int node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

static int row_nodes(const sorter *s, int i, int *nodes)
{
    const lcp_contacts *p = s->problem;
    const lcp_contact *row = &p->rows[i];
    int count = 0;
    for (int side = 0; side < 2; side++)
        if (row->body[side] >= 0 && s->roots[row->body[side]].moves)
            nodes[count++] = row->body[side];
    if (row->point >= 0 && p->point_inverse_mass[row->point] > 0)
        nodes[count++] = p->bodies + row->point;
    return count;
}

/* Numbers the islands in the order of their first rows. */
static void find_islands(sorter *s, int *number)
{
    const lcp_contacts *p = s->problem;
    int nodes[3];
    for (int i = 0; i < p->bodies + p->points; i++) {
        s->parent[i] = i;
        number[i] = -1;
    }
    for (int i = 0; i < p->n; i++) {
        int count = row_nodes(s, i, nodes);
        for (int k = 1; k < count; k++) {
            int a = find(s->parent, nodes[0]), b = find(s->parent, nodes[k]);
            /* The smaller index is the root, so that the result does not depend on ranks. */
            s->parent[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int i = 0; i < p->n; i++) {
        int count = row_nodes(s, i, nodes);
        int *island = count > 0 ? &number[find(s->parent, nodes[0])] : &s->island_of[i];
        if (count == 0 || *island < 0)
            *island = s->islands++;
        s->island_of[i] = *island;
    }
}

static int row_point(const sorter *s, int i)
{
    int point = s->problem->rows[i].point;
    return point >= 0 && s->problem->point_inverse_mass[point] > 0 ? point : -1;
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

/* Orders the rows by island, then by point, then as given. */
static bool sort(sorter *s, lcp_workspace *work)
{
    const lcp_contacts *p = s->problem;
    int *key = lcp_take(work, p->n, sizeof(int));
    int *start = lcp_take(work, (p->points > p->n ? p->points : p->n) + 2, sizeof(int));
    if (work->failed)
        return false;
    for (int i = 0; i < p->n; i++) {
        s->temp[i] = i;
        key[i] = row_point(s, i) + 1;
    }
    sort_rows(key, p->points + 1, p->n, s->temp, s->order, start);
    sort_rows(s->island_of, s->islands, p->n, s->order, s->temp, start);
    memcpy(s->order, s->temp, (size_t)p->n * sizeof *s->order);
    return true;
}

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
static double write_row(const sorter *s, int i, lcp_row *row, double *second)
{
    const lcp_contact *contact = &s->problem->rows[i];
    *row = (lcp_row){.column = {-1, -1}};
    double diagonal = 0;
    for (int side = 0; side < 2; side++) {
        int b = contact->body[side];
        if (b < 0 || !s->roots[b].moves)
            continue;
        int place = row->column[0] < 0 ? 0 : 1;
        double *u = place == 0 ? row->body : second;
        row->column[place] = s->column[b];
        body_columns(contact->linear[side], contact->angular[side], &s->roots[b], u);
        diagonal += square(LCP_BODY_COLUMNS, u);
    }
    int point = row_point(s, i);
    if (point >= 0) {
        double weight = sqrt(s->problem->point_inverse_mass[point]);
        row->point[0] = contact->point_direction.x * weight;
        row->point[1] = contact->point_direction.y * weight;
        row->point[2] = contact->point_direction.z * weight;
    }
    return diagonal;
}

/* The diagonal of M becomes a number near 1. */
static void fill_rows(const sorter *s, const parts *all, int first, int n)
{
    const lcp_contacts *p = s->problem;
    for (int r = first; r < first + n; r++) {
        int i = s->order[r];
        lcp_row *row = &all->rows[r];
        double *second = all->second + (ptrdiff_t)r * LCP_BODY_COLUMNS;
        double diagonal = write_row(s, i, row, second);
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
static void find_groups(const sorter *s, lcp_island *island, lcp_row *rows, int *group_start,
                        ptrdiff_t *local_start)
{
    int previous = -1;
    for (int r = 0; r < island->n; r++) {
        int point = row_point(s, island->origin[r]);
        if (point < 0 || point != previous) {
            local_start[island->groups] = island->local_size;
            group_start[island->groups++] = r;
        }
        previous = point;
        rows[r].group = island->groups - 1;
        bool last = r + 1 == island->n || point < 0 || row_point(s, island->origin[r + 1]) != point;
        ptrdiff_t size = r + 1 - group_start[island->groups - 1];
        island->local_size += last ? size * size : 0;
    }
    group_start[island->groups] = island->n;
}

static void number_columns(sorter *s, lcp_island *island)
{
    for (int r = 0; r < island->n; r++)
        for (int side = 0; side < 2; side++) {
            int b = s->problem->rows[island->origin[r]].body[side];
            if (b >= 0 && s->roots[b].moves && s->column[b] < 0) {
                s->column[b] = island->columns;
                island->columns += LCP_BODY_COLUMNS;
            }
        }
}

static void fill_islands(sorter *s, lcp_islands *islands, const parts *all)
{
    int first = 0, n = s->problem->n;
    for (int k = 0; k < s->islands; k++) {
        lcp_island *island = &islands->island[k];
        *island = (lcp_island){.origin = s->order + first};
        while (first + island->n < n && s->island_of[s->order[first + island->n]] == k)
            island->n++;
        number_columns(s, island);
        fill_rows(s, all, first, island->n);
        /* One more than groups per island: the rows and islands before leave room. */
        int *group_start = all->group_start + first + k;
        find_groups(s, island, all->rows + first, group_start, all->local_start + first);
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

static sorter take_sorter(const lcp_contacts *p, root *roots, lcp_workspace *work)
{
    return (sorter){
        .problem = p,
        .roots = roots,
        .parent = lcp_take(work, p->bodies + p->points, sizeof(int)),
        .island_of = lcp_take(work, p->n, sizeof(int)),
        .order = lcp_take(work, p->n, sizeof(int)),
        .temp = lcp_take(work, p->n, sizeof(int)),
        .column = lcp_take(work, p->bodies, sizeof(int)),
    };
}

bool lcp_islands_build(lcp_islands *islands, const lcp_contacts *p, lcp_workspace *work,
                       weir_error *error)
{
    root *roots = lcp_take(work, p->bodies > 0 ? p->bodies : 0, sizeof *roots);
    if (work->failed)
        return lcp_fail_memory(p->n, error);
    if (!check(p, roots, error))
        return false;
    int n = p->n;
    sorter s = take_sorter(p, roots, work);
    int *number = lcp_take(work, p->bodies + p->points, sizeof(int));
    if (work->failed)
        return lcp_fail_memory(n, error);
    memset(s.column, -1, (size_t)p->bodies * sizeof *s.column);
    find_islands(&s, number);
    *islands = (lcp_islands){
        .count = s.islands,
        .island = lcp_take(work, s.islands, sizeof(lcp_island)),
    };
    parts all = {
        .rows = lcp_take(work, n, sizeof(lcp_row)),
        .second = lcp_take_doubles(work, (ptrdiff_t)n * LCP_BODY_COLUMNS),
        .diagonal = lcp_take_doubles(work, n),
        .softness = lcp_take_doubles(work, n),
        .q = lcp_take_doubles(work, n),
        .s = lcp_take_doubles(work, n),
        .group_start = lcp_take(work, n + s.islands, sizeof(int)),
        .local_start = lcp_take(work, n, sizeof(ptrdiff_t)),
    };
    if (!sort(&s, work) || work->failed)
        return lcp_fail_memory(n, error);
    fill_islands(&s, islands, &all);
    return true;
}

void lcp_island_product(const lcp_island *island, const double *z, double *product, double *columns)
{
    memset(columns, 0, (size_t)island->columns * sizeof *columns);
    for (int i = 0; i < island->n; i++) {
        lcp_row_add(island, i, z[i], columns);
        product[i] = island->diagonal[i] * z[i];
    }
    for (int group = 0; group < island->groups; group++) {
        int first = island->group_start[group], end = island->group_start[group + 1];
        double point[3] = {0};
        for (int i = first; end - first > 1 && i < end; i++)
            for (int k = 0; k < 3; k++)
                point[k] += island->rows[i].point[k] * z[i];
        for (int i = first; end - first > 1 && i < end; i++)
            product[i] = lcp_point_dot(island->rows[i].point, point) + island->softness[i] * z[i];
    }
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

/* J W of one body and row: the velocity and spin that a unit impulse gives. */
static void respond(const lcp_body *b, vec3 linear, vec3 angular, double *v)
{
    const double *a = b->inverse_inertia;
    v[0] = b->inverse_mass.x * linear.x;
    v[1] = b->inverse_mass.y * linear.y;
    v[2] = b->inverse_mass.z * linear.z;
    for (int k = 0; k < 3; k++)
        v[3 + k] = a[3 * k] * angular.x + a[3 * k + 1] * angular.y + a[3 * k + 2] * angular.z;
}

static double element(const lcp_contacts *p, int i, int j)
{
    const lcp_contact *x = &p->rows[i], *y = &p->rows[j];
    double sum = i == j && p->softness ? p->softness[i] : 0;
    if (x->point >= 0 && x->point == y->point)
        sum += p->point_inverse_mass[x->point] * vec3_dot(x->point_direction, y->point_direction);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            if (x->body[a] < 0 || x->body[a] != y->body[b])
                continue;
            double v[6];
            respond(&p->body[y->body[b]], y->linear[b], y->angular[b], v);
            sum += vec3_dot(x->linear[a], vec3_make(v[0], v[1], v[2])) +
                   vec3_dot(x->angular[a], vec3_make(v[3], v[4], v[5]));
        }
    return sum;
}

void lcp_contacts_expand(const lcp_contacts *p, double *m)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            m[(ptrdiff_t)i * p->n + j] = element(p, i, j);
}
