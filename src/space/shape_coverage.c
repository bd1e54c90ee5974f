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

/* Coverage by all children; `cut` counts those that fill the cell in part. */
static double join_children(const shape *s, vec3 p, probe by, int *cut)
{
    double total = 0;
    vec3 facing = {0, 0, 0};
    *cut = 0;
    for (size_t i = 0; i < s->child_count; i++) {
        const shape *child = &s->children[i];
        if (bounds_distance(&child->extent, p) > fmax(0, by.grow) + COVERAGE_REACH * by.cell * 2)
            continue;
        double part = placed_coverage(child, p, by);
        if (part == 1) {
            *cut = 0;
            return 1;
        }
        if (part == 0)
            continue;
        vec3 normal;
        shape_distance(child, p, &normal);
        bool leads = *cut == 0 || part > total;
        total = *cut == 0 ? part : join_two(total, part, vec3_dot(facing, normal));
        if (leads)
            facing = normal;
        *cut += 1;
    }
    return total;
}

/* The hat function's mean around p, from 5^dim cells of a third of the size. */
static double split_cell(const shape *s, vec3 p, probe by)
{
    static const double weight[5] = {1.0 / 9, 2.0 / 9, 3.0 / 9, 2.0 / 9, 1.0 / 9};
    probe fine = {by.cell / 3, by.grow, false};
    int reach_z = s->dim == 3 ? 2 : 0, cut;
    double sum = 0;
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -2; j <= 2; j++)
            for (int i = -2; i <= 2; i++) {
                double w = weight[i + 2] * weight[j + 2] * (reach_z > 0 ? weight[k + 2] : 1);
                vec3 q = vec3_madd(p, fine.cell, (vec3){i, j, k});
                sum += w * join_children(s, q, fine, &cut);
            }
    return sum;
}

/* A seam deep inside: nothing but solid for as far as the smoothing reaches. */
static bool is_buried(const shape *s, vec3 p, probe by)
{
    double far = COVERAGE_REACH * by.cell;
    vec3 ways[6] = {{-far, 0, 0}, {far, 0, 0},  {0, -far, 0},
                    {0, far, 0},  {0, 0, -far}, {0, 0, far}};
    int cut;
    bool full = fabs(join_children(s, p, by, &cut) - 1) < 1e-6;
    for (int i = 0; i < 2 * s->dim && full; i++)
        full = fabs(join_children(s, vec3_add(p, ways[i]), by, &cut) - 1) < 1e-6;
    return full;
}

/* Where surfaces of several children meet in a cell, as at seams, normals tell too little: smaller
 * cells are asked. Their mean has the second moment 4/27 per axis, which second differences over
 * the neighbouring cells take away, as in coverage_step. */
static double union_coverage(const shape *s, vec3 p, probe by)
{
    int cut;
    double whole = join_children(s, p, by, &cut);
    if (cut < 2 || !by.split)
        return whole;
    by.split = false;
    if (is_buried(s, p, by))
        return 1;
    double middle = split_cell(s, p, by), bend = 0;
    vec3 axes[3] = {{by.cell, 0, 0}, {0, by.cell, 0}, {0, 0, by.cell}};
    for (int axis = 0; axis < s->dim; axis++)
        bend += split_cell(s, vec3_sub(p, axes[axis]), by) - 2 * middle +
                split_cell(s, vec3_add(p, axes[axis]), by);
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
