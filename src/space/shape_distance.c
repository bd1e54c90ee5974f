/* Signed distances of the primitives: exact, with unit gradients. Where the nearest surface point
 * is not unique (the middle of a sphere) a fixed direction is returned. */
#include "space/shape_node.h"

static double sign_of(double x)
{
    return x < 0 ? -1 : 1;
}

static double box_distance(vec3 half, int dim, vec3 p, vec3 *gradient)
{
    vec3 q = {fabs(p.x) - half.x, fabs(p.y) - half.y, dim == 3 ? fabs(p.z) - half.z : -INFINITY};
    vec3 out = {larger(q.x, 0), larger(q.y, 0), larger(q.z, 0)};
    bool outside = q.x > 0 || q.y > 0 || q.z > 0;
    double length = outside ? vec3_length(out) : 0;
    if (length > 0) {
        if (gradient)
            *gradient = (vec3){out.x / length * sign_of(p.x), out.y / length * sign_of(p.y),
                               out.z / length * sign_of(p.z)};
        return length;
    }
    if (q.x >= q.y && q.x >= q.z) {
        if (gradient)
            *gradient = (vec3){sign_of(p.x), 0, 0};
        return q.x;
    }
    if (q.y >= q.z) {
        if (gradient)
            *gradient = (vec3){0, sign_of(p.y), 0};
        return q.y;
    }
    if (gradient)
        *gradient = (vec3){0, 0, sign_of(p.z)};
    return q.z;
}

static double ball_distance(double radius, vec3 p, vec3 fallback, vec3 *gradient)
{
    if (gradient)
        *gradient = vec3_unit(p, fallback);
    return vec3_length(p) - radius;
}

static double capsule_distance(double radius, double half_length, vec3 p, vec3 *gradient)
{
    p.y -= clamp(p.y, -half_length, half_length);
    return ball_distance(radius, p, (vec3){1, 0, 0}, gradient);
}

static double cylinder_distance(double radius, double half_length, vec3 p, vec3 *gradient)
{
    vec3 radial = vec3_unit((vec3){p.x, 0, p.z}, (vec3){1, 0, 0});
    vec3 axial = {0, sign_of(p.y), 0};
    double across = sqrt(p.x * p.x + p.z * p.z) - radius, along = fabs(p.y) - half_length;
    if (across > 0 && along > 0) {
        double length = sqrt(across * across + along * along);
        if (gradient)
            *gradient = vec3_madd(vec3_scale(radial, across / length), along / length, axial);
        return length;
    }
    if (gradient)
        *gradient = across > along ? radial : axial;
    return larger(across, along);
}

typedef struct nearest_child {
    double distance;
    vec3 gradient;
    bool wants_gradient;
} nearest_child;

static void compare_child(nearest_child *best, const shape *child, vec3 p)
{
    vec3 g;
    double d = shape_distance(child, p, best->wants_gradient ? &g : NULL);
    if (d < best->distance) {
        best->distance = d;
        if (best->wants_gradient)
            best->gradient = g;
    }
}

/* The nearest child wins. Boxes of the tree farther than the best so far are skipped. Loose
 * children are not in the tree: their distance may be less than that to their bounds, so that it
 * would jump where they are skipped. */
static double union_distance(const shape *s, vec3 p, vec3 *gradient)
{
    nearest_child best = {INFINITY, {0, 1, 0}, gradient != NULL};
    for (size_t i = s->tree.item_count; i < s->child_count; i++)
        compare_child(&best, &s->children[i], p);
    uint32_t stack[BOX_TREE_DEPTH];
    int depth = 0;
    if (s->tree.item_count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        uint32_t index = stack[--depth];
        const box_node *node = &s->tree.nodes[index];
        double way2 = bounds_distance2(&node->box, p);
        if (way2 > 0 && (best.distance <= 0 || way2 >= best.distance * best.distance))
            continue;
        for (uint32_t k = 0; k < node->count; k++)
            compare_child(&best, &s->children[s->tree.order[node->first + k]], p);
        if (node->count > 0)
            continue;
        uint32_t first = index + 1, second = node->right;
        bool swap = bounds_distance2(&s->tree.nodes[second].box, p) <
                    bounds_distance2(&s->tree.nodes[first].box, p);
        stack[depth++] = swap ? first : second;
        stack[depth++] = swap ? second : first;
    }
    if (gradient)
        *gradient = best.gradient;
    return best.distance;
}

double shape_core_distance_from(const shape *s, const vec3 *local, vec3 *gradient)
{
    double d = 0;
    /* Number by number, as a caller has just stored them: read two at a time they would have to
     * reach the cache first, which takes longer than a box. */
    vec3 p = {local->x, local->y, local->z};
    switch (s->kind) {
    case WEIR_SHAPE_HALF_SPACE:
        if (gradient)
            *gradient = s->normal;
        d = vec3_dot(p, s->normal);
        break;
    case WEIR_SHAPE_BOX:
        d = box_distance(s->half_extents, s->dim, p, gradient);
        break;
    case WEIR_SHAPE_SPHERE:
        d = ball_distance(s->radius, p, (vec3){0, 1, 0}, gradient);
        break;
    case WEIR_SHAPE_CAPSULE:
        d = capsule_distance(s->radius, s->half_length, p, gradient);
        break;
    case WEIR_SHAPE_CYLINDER:
        d = cylinder_distance(s->radius, s->half_length, p, gradient);
        break;
    case WEIR_SHAPE_POLYGON:
        d = polygon_distance(s->polygon, p, gradient);
        break;
    case WEIR_SHAPE_GRID:
        d = grid_field_distance(s->grid, p, gradient);
        break;
    case WEIR_SHAPE_UNION:
        d = union_distance(s, p, gradient);
        break;
    }
    return d - s->rounding;
}

double shape_distance_from(const shape *s, const vec3 *point, vec3 *gradient)
{
    double d = shape_core_distance(s, shape_to_local(s, *point), gradient);
    double sign = s->complement ? -1 : 1;
    if (gradient) {
        vec3 g = vec3_scale(*gradient, sign);
        *gradient = s->moved ? quat_rotate(s->place.rotation, g) : g;
    }
    return sign * d;
}
