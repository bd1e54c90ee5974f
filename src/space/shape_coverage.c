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
    double more = larger(a, b), less = smaller(a, b);
    return more + 0.5 * (1 - cosine) * smaller(less, 1 - more);
}

/* The children of a union that reach into the neighbourhood of a cell. */
enum { MAX_NEARBY = 64 };

typedef struct nearby {
    const shape *parts[MAX_NEARBY];
    int count, dim;
    bool overflow; /* there are more */
} nearby;

static void add_nearby(nearby *n, const shape *part)
{
    if (n->count < MAX_NEARBY)
        n->parts[n->count++] = part;
    else
        n->overflow = true;
}

static void find_nearby(nearby *n, const shape *s, vec3 p, double reach)
{
    n->count = 0;
    n->dim = s->dim;
    n->overflow = false;
    for (size_t i = s->tree.item_count; i < s->child_count; i++)
        add_nearby(n, &s->children[i]);
    uint32_t stack[BOX_TREE_DEPTH];
    int depth = 0;
    if (s->tree.item_count > 0)
        stack[depth++] = 0;
    while (depth > 0 && !n->overflow) {
        uint32_t index = stack[--depth];
        const box_node *node = &s->tree.nodes[index];
        if (bounds_distance2(&node->box, p) > reach * reach)
            continue;
        for (uint32_t k = 0; k < node->count; k++)
            add_nearby(n, &s->children[s->tree.order[node->first + k]]);
        if (node->count == 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
        }
    }
}

static bool has_flat_faces(const shape *s)
{
    return s->kind == WEIR_SHAPE_BOX || s->kind == WEIR_SHAPE_CYLINDER ||
           s->kind == WEIR_SHAPE_POLYGON;
}

static vec3 facing_of(const shape *s, vec3 p)
{
    vec3 normal;
    shape_distance(s, p, &normal);
    return normal;
}

/* Coverage by all parts; `flat` counts those with flat faces that fill the cell in part. */
static double join_parts(const nearby *n, vec3 p, probe by, int *flat)
{
    double total = 0, reach = larger(0, by.grow) + COVERAGE_REACH * by.cell;
    const shape *leader = NULL; /* the part that fills most of the cell */
    *flat = 0;
    for (int i = 0; i < n->count; i++) {
        const shape *part = n->parts[i];
        if (bounds_distance2(&part->extent, p) > reach * reach * 1.01)
            continue;
        double filled = placed_coverage(part, p, by);
        if (filled == 1) {
            *flat = 0;
            return 1;
        }
        if (filled == 0)
            continue;
        bool leads = !leader || filled > total;
        total = leader ? join_two(total, filled, vec3_dot(facing_of(leader, p), facing_of(part, p)))
                       : filled;
        if (leads)
            leader = part;
        *flat += has_flat_faces(part);
    }
    return total;
}

/* Places along an axis in half cells, from -1.75 to 1.75 cells: the hat function's weights, and the
 * second difference over a cell times -3/32, which takes their second moment of 3/16 away. */
enum { PLACES = 8 };
static const double HAT[PLACES] = {0, 0, 0.125, 0.375, 0.375, 0.125, 0, 0};
static const double BEND[PLACES] = {-3.0 / 256, -9.0 / 256, -3.0 / 256, 15.0 / 256,
                                    15.0 / 256, -3.0 / 256, -9.0 / 256, -3.0 / 256};

/* The mean that coverage_step takes across a flat face, taken in all directions with cells of half
 * the size. */
static double split_cell(const nearby *n, vec3 p, probe by)
{
    probe fine = {by.cell / 2, by.grow, false};
    bool solid = n->dim == 3;
    double sum = 0;
    int flat;
    for (int k = 0; k < (solid ? PLACES : 1); k++)
        for (int j = 0; j < PLACES; j++)
            for (int i = 0; i < PLACES; i++) {
                double z = solid ? HAT[k] : 1, z_bend = solid ? BEND[k] : 0;
                double w = (HAT[i] + BEND[i]) * HAT[j] * z + HAT[i] * BEND[j] * z +
                           HAT[i] * HAT[j] * z_bend;
                vec3 off = {i - 3.5, j - 3.5, solid ? k - 3.5 : 0};
                if (w != 0)
                    sum += w * join_parts(n, vec3_madd(p, fine.cell, off), fine, &flat);
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
 * too little, and smaller cells are asked. */
static double union_coverage(const shape *s, vec3 p, probe by)
{
    nearby n;
    int flat;
    double reach = larger(0, by.grow) + (by.split ? 2 * COVERAGE_REACH : COVERAGE_REACH) * by.cell;
    find_nearby(&n, s, p, reach * 1.01);
    if (n.overflow)
        return coverage_step((shape_core_distance(s, p, NULL) + s->rounding - by.grow) / by.cell);
    double whole = join_parts(&n, p, by, &flat);
    if (flat < 2 || !by.split)
        return whole;
    by.split = false;
    return is_buried(&n, p, by) ? 1 : split_cell(&n, p, by);
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
