/* Smoothed indicators. The indicator is convolved with m = (14 b(u) - b(u-1) - b(u+1))/12, b the
 * hat function of one cell: m has mass 1 and no second moment, so that a lattice sum of f times
 * the result differs from the integral of f over the solid by terms of fourth order in the cell
 * only, while the bare hat would move every surface by curvature and slope terms of second order.
 * Sharp edges are kept as products (box, cylinder) instead of rounding them by their distance. */
#include "space/shape_coverage.h"

/* int_u^inf of the hat function */
static double hat_integral(double u)
{
    if (u >= 1)
        return 0;
    if (u <= -1)
        return 1;
    return u > 0 ? 0.5 * (1 - u) * (1 - u) : 1 - 0.5 * (1 + u) * (1 + u);
}

double coverage_step(double u)
{
    if (u >= COVERAGE_REACH)
        return 0;
    if (u <= -COVERAGE_REACH)
        return 1;
    return (14 * hat_integral(u) - hat_integral(u - 1) - hat_integral(u + 1)) / 12;
}

static double slab_coverage(double x, double half, double cell)
{
    return half > 0 ? coverage_step((x - half) / cell) - coverage_step((x + half) / cell) : 0;
}

static double box_coverage(vec3 half, int dim, vec3 p, double cell)
{
    double z = dim == 3 ? slab_coverage(p.z, half.z, cell) : 1;
    return slab_coverage(p.x, half.x, cell) * slab_coverage(p.y, half.y, cell) * z;
}

/* Everything that a coverage depends on but the place. */
typedef struct probe {
    double cell, grow;
    bool split; /* cells with several children in them may be split */
} probe;

static double core_coverage(const shape *s, vec3 local, probe by);

static double placed_coverage(const shape *s, vec3 point, probe by)
{
    vec3 local = shape_to_local(s, point);
    if (!s->complement)
        return core_coverage(s, local, by);
    by.grow = -by.grow;
    return 1 - core_coverage(s, local, by);
}

/* Two children in one cell: faces that look the same way overlap (the larger counts), faces that
 * look at each other touch (both add up), and square ones are about independent. */
static double join_two(double a, double b, double cosine)
{
    double more = fmax(a, b), less = fmin(a, b);
    return more + 0.5 * (1 - cosine) * fmin(less, 1 - more);
}

/* The children of a union that reach into the neighbourhood of a cell. */
enum { MAX_NEARBY = 64 };

typedef struct nearby {
    const shape *parts[MAX_NEARBY];
    int count, dim;
    bool overflow; /* there are more */
} nearby;

static void find_nearby(nearby *n, const shape *s, vec3 p, double reach)
{
    n->count = 0;
    n->dim = s->dim;
    n->overflow = false;
    for (size_t i = 0; i < s->child_count; i++) {
        if (bounds_distance(&s->children[i].extent, p) > reach)
            continue;
        if (n->count == MAX_NEARBY) {
            n->overflow = true;
            return;
        }
        n->parts[n->count++] = &s->children[i];
    }
}

static bool has_flat_faces(const shape *s)
{
    return s->kind == WEIR_SHAPE_BOX || s->kind == WEIR_SHAPE_CYLINDER ||
           s->kind == WEIR_SHAPE_POLYGON;
}

/* Coverage by all parts; `flat` counts those with flat faces that fill the cell in part. */
static double join_parts(const nearby *n, vec3 p, probe by, int *flat)
{
    double total = 0;
    vec3 facing = {0, 0, 0};
    bool any = false;
    *flat = 0;
    for (int i = 0; i < n->count; i++) {
        double part = placed_coverage(n->parts[i], p, by);
        if (part == 1) {
            *flat = 0;
            return 1;
        }
        if (part == 0)
            continue;
        vec3 normal;
        shape_distance(n->parts[i], p, &normal);
        bool leads = !any || part > total;
        total = any ? join_two(total, part, vec3_dot(facing, normal)) : part;
        if (leads)
            facing = normal;
        any = true;
        *flat += has_flat_faces(n->parts[i]);
    }
    return total;
}

/* The hat function's mean around p, from 5^dim cells of a third of the size. */
static double split_cell(const nearby *n, vec3 p, probe by)
{
    static const double weight[5] = {1.0 / 9, 2.0 / 9, 3.0 / 9, 2.0 / 9, 1.0 / 9};
    probe fine = {by.cell / 3, by.grow, false};
    int reach_z = n->dim == 3 ? 2 : 0, flat;
    double sum = 0;
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -2; j <= 2; j++)
            for (int i = -2; i <= 2; i++) {
                double w = weight[i + 2] * weight[j + 2] * (reach_z > 0 ? weight[k + 2] : 1);
                vec3 q = vec3_madd(p, fine.cell, (vec3){i, j, k});
                sum += w * join_parts(n, q, fine, &flat);
            }
    return sum;
}

/* A seam deep inside: nothing but solid for as far as the smoothing reaches. */
static bool is_buried(const nearby *n, vec3 p, probe by)
{
    double far = COVERAGE_REACH * by.cell;
    vec3 ways[7] = {{0, 0, 0},   {-far, 0, 0}, {far, 0, 0}, {0, -far, 0},
                    {0, far, 0}, {0, 0, -far}, {0, 0, far}};
    int flat;
    for (int i = 0; i < 1 + 2 * n->dim; i++)
        if (fabs(join_parts(n, vec3_add(p, ways[i]), by, &flat) - 1) > 1e-6)
            return false;
    return true;
}

/* Where flat faces of several children meet in a cell, as at the seam of two boxes, normals tell
 * too little: smaller cells are asked. Their mean has the second moment 4/27 per axis, which second
 * differences over the neighbouring cells take away, as in coverage_step. */
static double union_coverage(const shape *s, vec3 p, probe by)
{
    nearby n;
    int flat;
    double reach = fmax(0, by.grow) + (by.split ? 3 * COVERAGE_REACH : COVERAGE_REACH) * by.cell;
    find_nearby(&n, s, p, reach * 1.01);
    if (n.overflow)
        return coverage_step((shape_core_distance(s, p, NULL) + s->rounding - by.grow) / by.cell);
    double whole = join_parts(&n, p, by, &flat);
    if (flat < 2 || !by.split)
        return whole;
    by.split = false;
    if (is_buried(&n, p, by))
        return 1;
    double middle = split_cell(&n, p, by), bend = 0;
    vec3 axes[3] = {{by.cell, 0, 0}, {0, by.cell, 0}, {0, 0, by.cell}};
    for (int axis = 0; axis < s->dim; axis++)
        bend += split_cell(&n, vec3_sub(p, axes[axis]), by) - 2 * middle +
                split_cell(&n, vec3_add(p, axes[axis]), by);
    return middle - bend * 2 / 27;
}

static double core_coverage(const shape *s, vec3 local, probe by)
{
    if (s->kind == WEIR_SHAPE_UNION) {
        by.grow += s->rounding;
        return union_coverage(s, local, by);
    }
    if (s->kind == WEIR_SHAPE_BOX && s->rounding == 0) {
        vec3 a = s->half_extents, grown = {a.x + by.grow, a.y + by.grow, a.z + by.grow};
        return box_coverage(grown, s->dim, local, by.cell);
    }
    if (s->kind == WEIR_SHAPE_CYLINDER && s->rounding == 0) {
        double across = sqrt(local.x * local.x + local.z * local.z) - s->radius - by.grow;
        return coverage_step(across / by.cell) *
               slab_coverage(local.y, s->half_length + by.grow, by.cell);
    }
    return coverage_step((shape_core_distance(s, local, NULL) - by.grow) / by.cell);
}

double shape_core_coverage(const shape *s, vec3 local, double cell, double grow)
{
    return core_coverage(s, local, (probe){cell, grow, true});
}

double shape_coverage(const shape *s, vec3 point, double cell)
{
    return placed_coverage(s, point, (probe){cell, 0, false});
}
