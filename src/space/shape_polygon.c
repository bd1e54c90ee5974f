/* Signed distance of a simple polygon. The nearest edge is found in a binary tree of boxes; the
 * sign comes from the normal of the nearest edge or, at a corner, from the sum of the two normals
 * that meet there (the pseudonormal of Bærentzen and Aanæs 2005, "Signed distance computation
 * using the angle weighted pseudonormal", which in the plane needs no weights). */
#include "space/shape_polygon.h"

#include "base/error.h"

enum { MAX_POINTS = 100000000 };

static double cross2(vec3 a, vec3 b)
{
    return a.x * b.y - a.y * b.x;
}

/* Copies the points, drops repeated neighbours and turns the order counter-clockwise. */
static bool copy_points(polygon *p, const weir_vec3 *points, size_t count, weir_error *error)
{
    double area2 = 0, extent = 0;
    for (size_t i = 0; i < count; i++) {
        vec3 v = {points[i].x, points[i].y, 0};
        if (!vec3_is_finite(v))
            return fail(error, WEIR_INVALID, "polygon: point %zu is (%g, %g); it must be finite", i,
                        v.x, v.y);
        if (p->count > 0 && vec3_length(vec3_sub(v, p->points[p->count - 1])) == 0)
            continue;
        p->points[p->count++] = v;
    }
    while (p->count > 1 && vec3_length(vec3_sub(p->points[0], p->points[p->count - 1])) == 0)
        p->count--;
    if (p->count < 3)
        return fail(error, WEIR_INVALID,
                    "polygon: it has %zu different points; it needs at least 3", p->count);
    for (size_t i = 1; i + 1 < p->count; i++) {
        vec3 u = vec3_sub(p->points[i], p->points[0]), v = vec3_sub(p->points[i + 1], p->points[0]);
        area2 += cross2(u, v);
        extent = fmax(extent, fmax(vec3_length(u), vec3_length(v)));
    }
    if (!(fabs(area2) > 1e-12 * extent * extent))
        return fail(error, WEIR_INVALID,
                    "polygon: its points lie on a line or enclose no area; give a simple outline");
    for (size_t i = 0; area2 < 0 && i < p->count / 2; i++) {
        vec3 swapped = p->points[i];
        p->points[i] = p->points[p->count - 1 - i];
        p->points[p->count - 1 - i] = swapped;
    }
    return true;
}

static void make_edges(polygon *p)
{
    for (size_t i = 0; i < p->count; i++) {
        polygon_edge *e = &p->edges[i];
        e->a = p->points[i];
        e->b = p->points[(i + 1) % p->count];
        vec3 along = vec3_sub(e->b, e->a);
        e->inverse_length2 = 1 / vec3_dot(along, along);
        e->normal = vec3_unit((vec3){along.y, -along.x, 0}, (vec3){0, 1, 0});
    }
    for (size_t i = 0; i < p->count; i++) {
        polygon_edge *e = &p->edges[i], *next = &p->edges[(i + 1) % p->count];
        e->corner_b = next->corner_a = vec3_add(e->normal, next->normal);
    }
}

static bounds edge_bounds(const polygon_edge *e)
{
    return bounds_join((bounds){e->a, e->a}, (bounds){e->b, e->b});
}

static bool build_tree(polygon *p, memory *m)
{
    bounds *boxes = memory_take(m, p->count * sizeof *boxes);
    if (!boxes)
        return false;
    for (size_t i = 0; i < p->count; i++)
        boxes[i] = edge_bounds(&p->edges[i]);
    bool done = box_tree_create(&p->tree, m, boxes, p->count);
    memory_give(m, boxes, p->count * sizeof *boxes);
    return done;
}

static int side_of(vec3 a, vec3 b, vec3 c)
{
    double area = cross2(vec3_sub(b, a), vec3_sub(c, a));
    return (area > 0) - (area < 0);
}

static bool is_between(vec3 a, vec3 b, vec3 c)
{
    return fmin(a.x, b.x) <= c.x && c.x <= fmax(a.x, b.x) && fmin(a.y, b.y) <= c.y &&
           c.y <= fmax(a.y, b.y);
}

static bool same_point(vec3 a, vec3 b)
{
    return a.x == b.x && a.y == b.y;
}

/* Two edges of a simple polygon share one end at most, and only as neighbours. */
static bool edges_meet(const polygon_edge *e, const polygon_edge *f)
{
    if (same_point(e->b, f->a))
        return side_of(e->a, e->b, f->b) == 0 && vec3_dot(e->normal, f->normal) < 0;
    if (same_point(f->b, e->a))
        return side_of(f->a, f->b, e->b) == 0 && vec3_dot(e->normal, f->normal) < 0;
    int fa = side_of(e->a, e->b, f->a), fb = side_of(e->a, e->b, f->b);
    int ea = side_of(f->a, f->b, e->a), eb = side_of(f->a, f->b, e->b);
    if (fa * fb < 0 && ea * eb < 0)
        return true;
    return (fa == 0 && is_between(e->a, e->b, f->a)) || (fb == 0 && is_between(e->a, e->b, f->b)) ||
           (ea == 0 && is_between(f->a, f->b, e->a)) || (eb == 0 && is_between(f->a, f->b, e->b));
}

/* The first edge that meets edge `i` in a place where neighbours do not; NULL if none does. */
static const polygon_edge *find_crossing(const polygon *p, size_t i)
{
    bounds own = edge_bounds(&p->edges[i]);
    uint32_t stack[BOX_TREE_DEPTH];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t index = stack[--depth];
        const box_node *node = &p->tree.nodes[index];
        if (!bounds_overlap(&node->box, &own))
            continue;
        if (node->count == 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
        }
        for (uint32_t k = 0; k < node->count; k++) {
            uint32_t other = p->tree.order[node->first + k];
            if (other != i && edges_meet(&p->edges[i], &p->edges[other]))
                return &p->edges[other];
        }
    }
    return NULL;
}

/* A corner where the outline touches itself shows as two edges that begin in the same point. */
static bool check_simple(const polygon *p, weir_error *error)
{
    for (size_t i = 0; i < p->count; i++) {
        const polygon_edge *e = &p->edges[i], *f = find_crossing(p, i);
        if (f)
            return fail(error, WEIR_INVALID,
                        "polygon: the edge from (%g, %g) to (%g, %g) meets the one from (%g, %g) "
                        "to (%g, %g); the outline must not cross or touch itself",
                        e->a.x, e->a.y, e->b.x, e->b.y, f->a.x, f->a.y, f->b.x, f->b.y);
    }
    return true;
}

polygon *polygon_create(memory *m, const weir_vec3 *points, size_t count, weir_error *error)
{
    if (!points || count < 3 || count > MAX_POINTS) {
        fail(error, WEIR_INVALID, "polygon: it has %zu points; from 3 to %d are allowed",
             points ? count : 0, MAX_POINTS);
        return NULL;
    }
    polygon *p = memory_take(m, sizeof *p);
    if (p) {
        p->capacity = count;
        p->points = memory_take(m, count * sizeof *p->points);
        p->edges = memory_take(m, count * sizeof *p->edges);
    }
    bool enough = p && p->points && p->edges;
    if (enough && copy_points(p, points, count, error)) {
        make_edges(p);
        enough = build_tree(p, m);
        if (enough && check_simple(p, error))
            return p;
    }
    if (!enough)
        fail(error, WEIR_OUT_OF_MEMORY, "polygon: no memory for %zu points", count);
    polygon_destroy(m, p);
    return NULL;
}

void polygon_destroy(memory *m, polygon *p)
{
    if (!p)
        return;
    box_tree_destroy(&p->tree, m);
    memory_give(m, p->points, p->capacity * sizeof *p->points);
    memory_give(m, p->edges, p->capacity * sizeof *p->edges);
    memory_give(m, p, sizeof *p);
}

size_t polygon_bytes(const polygon *p)
{
    return sizeof *p + p->capacity * (sizeof *p->points + sizeof *p->edges) +
           box_tree_bytes(&p->tree);
}

typedef struct nearest {
    const polygon_edge *edge;
    double along; /* 0 at a, 1 at b */
    double distance2;
} nearest;

static void compare_edge(nearest *best, const polygon_edge *e, vec3 p)
{
    vec3 way = vec3_sub(p, e->a), edge = vec3_sub(e->b, e->a);
    double along = clamp(vec3_dot(way, edge) * e->inverse_length2, 0, 1);
    vec3 off = along == 1 ? vec3_sub(p, e->b) : vec3_madd(way, -along, edge);
    double distance2 = vec3_dot(off, off);
    if (distance2 < best->distance2)
        *best = (nearest){e, along, distance2};
}

static nearest find_nearest(const polygon *p, vec3 point)
{
    const box_node *nodes = p->tree.nodes;
    nearest best = {p->edges, 0, INFINITY};
    uint32_t stack[BOX_TREE_DEPTH];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t index = stack[--depth];
        const box_node *node = &nodes[index];
        if (bounds_distance2(&node->box, point) > best.distance2)
            continue;
        for (uint32_t k = 0; k < node->count; k++)
            compare_edge(&best, &p->edges[p->tree.order[node->first + k]], point);
        if (node->count > 0)
            continue;
        uint32_t first = index + 1, second = node->right;
        bool swap = bounds_distance2(&nodes[second].box, point) <
                    bounds_distance2(&nodes[first].box, point);
        stack[depth++] = swap ? first : second;
        stack[depth++] = swap ? second : first;
    }
    return best;
}

double polygon_distance(const polygon *p, vec3 point, vec3 *gradient)
{
    point.z = 0;
    nearest best = find_nearest(p, point);
    const polygon_edge *e = best.edge;
    if (best.along > 0 && best.along < 1) {
        if (gradient)
            *gradient = e->normal;
        return vec3_dot(vec3_sub(point, e->a), e->normal);
    }
    vec3 corner = best.along > 0 ? e->corner_b : e->corner_a;
    vec3 off = vec3_sub(point, best.along > 0 ? e->b : e->a);
    double length = vec3_length(off);
    double sign = vec3_dot(off, corner) < 0 ? -1 : 1;
    if (gradient)
        *gradient = length > 0 ? vec3_scale(off, sign / length) : vec3_unit(corner, e->normal);
    return sign * length;
}
