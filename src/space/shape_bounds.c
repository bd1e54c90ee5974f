/* Bounds of a compiled shape: in its own frame and in its parent's, of the solid and its surface.
 */
#include "space/shape_node.h"

static bounds bounds_about(vec3 half)
{
    return (bounds){vec3_scale(half, -1), half};
}

static bounds everything(int dim)
{
    double z = dim == 3 ? INFINITY : 0;
    return bounds_about((vec3){INFINITY, INFINITY, z});
}

/* Bounds of the half-space n.p <= offset: they end only where n lies along an axis. */
static bounds half_space_bounds(vec3 n, double offset, int dim)
{
    const double straight = 1 - 1e-15;
    bounds b = everything(dim);
    if (fabs(n.x) >= straight)
        *(n.x > 0 ? &b.hi.x : &b.lo.x) = n.x > 0 ? offset : -offset;
    if (fabs(n.y) >= straight)
        *(n.y > 0 ? &b.hi.y : &b.lo.y) = n.y > 0 ? offset : -offset;
    if (fabs(n.z) >= straight)
        *(n.z > 0 ? &b.hi.z : &b.lo.z) = n.z > 0 ? offset : -offset;
    return b;
}

static bounds polygon_bounds(const shape *s, bool placed)
{
    bounds b = {{INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, 0}};
    for (size_t i = 0; i < s->polygon->count; i++) {
        vec3 p = s->polygon->points[i];
        if (placed)
            p = pose_point(s->place, p);
        p.z = 0;
        b = bounds_join(b, (bounds){p, p});
    }
    return b;
}

static bounds join_children(const shape *s, bool surfaces)
{
    bounds b = surfaces ? s->children[0].surface : s->children[0].extent;
    for (size_t i = 1; i < s->child_count; i++)
        b = bounds_join(b, surfaces ? s->children[i].surface : s->children[i].extent);
    return b;
}

static bounds core_bounds(const shape *s)
{
    bounds b = everything(s->dim);
    switch (s->kind) {
    case WEIR_SHAPE_HALF_SPACE:
        b = half_space_bounds(s->normal, 0, s->dim);
        break;
    case WEIR_SHAPE_BOX:
        b = bounds_about(s->half_extents);
        break;
    case WEIR_SHAPE_SPHERE:
    case WEIR_SHAPE_CAPSULE:
    case WEIR_SHAPE_CYLINDER: {
        double cap = s->kind == WEIR_SHAPE_CYLINDER ? 0 : s->radius;
        b = bounds_about((vec3){s->radius, s->half_length + cap, s->dim == 3 ? s->radius : 0});
        break;
    }
    case WEIR_SHAPE_POLYGON:
        b = polygon_bounds(s, false);
        break;
    case WEIR_SHAPE_GRID:
        b = (bounds){s->grid->lo, s->grid->hi};
        break;
    case WEIR_SHAPE_UNION:
        b = join_children(s, false);
        break;
    }
    return bounds_grow(b, s->rounding, s->dim);
}

/* How far a local box with these half extents reaches along the parent's axes once rotated. */
static vec3 rotate_extents(quat q, vec3 half)
{
    vec3 x = quat_rotate(q, (vec3){half.x, 0, 0}), y = quat_rotate(q, (vec3){0, half.y, 0});
    vec3 z = quat_rotate(q, (vec3){0, 0, half.z});
    return (vec3){fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                  fabs(x.z) + fabs(y.z) + fabs(z.z)};
}

/* Half extents along the parent's axes of kinds that are symmetric about their origin. */
static vec3 placed_extents(const shape *s)
{
    double r = s->radius;
    vec3 axis = quat_rotate(s->place.rotation, (vec3){0, 1, 0});
    vec3 half = vec3_scale((vec3){fabs(axis.x), fabs(axis.y), fabs(axis.z)}, s->half_length);
    if (s->kind == WEIR_SHAPE_CYLINDER)
        return vec3_add(half, (vec3){r * sqrt(fmax(0, 1 - axis.x * axis.x)),
                                     r * sqrt(fmax(0, 1 - axis.y * axis.y)),
                                     r * sqrt(fmax(0, 1 - axis.z * axis.z))});
    if (s->kind == WEIR_SHAPE_SPHERE || s->kind == WEIR_SHAPE_CAPSULE)
        return vec3_add(half, (vec3){r, r, s->dim == 3 ? r : 0});
    return rotate_extents(s->place.rotation, s->half_extents);
}

static bounds place_box(const shape *s, bounds b)
{
    if (!bounds_are_finite(b))
        return everything(s->dim);
    vec3 centre = vec3_scale(vec3_add(b.lo, b.hi), 0.5);
    vec3 half = rotate_extents(s->place.rotation, vec3_sub(b.hi, centre));
    centre = pose_point(s->place, centre);
    return (bounds){vec3_sub(centre, half), vec3_add(centre, half)};
}

/* Bounds in the parent's frame of what the complement is taken of. */
static bounds place_bounds(const shape *s)
{
    vec3 at = s->place.position;
    switch (s->kind) {
    case WEIR_SHAPE_POLYGON:
        return bounds_grow(polygon_bounds(s, true), s->rounding, s->dim);
    case WEIR_SHAPE_GRID:
    case WEIR_SHAPE_UNION:
        return s->moved ? place_box(s, s->core) : s->core;
    default: {
        vec3 half = placed_extents(s);
        return bounds_grow((bounds){vec3_sub(at, half), vec3_add(at, half)}, s->rounding, s->dim);
    }
    }
}

static void place_half_space(shape *s)
{
    vec3 n = quat_rotate(s->place.rotation, s->normal);
    double offset = s->rounding + vec3_dot(n, s->place.position);
    s->surface = everything(s->dim);
    s->extent = s->complement ? half_space_bounds(vec3_scale(n, -1), -offset, s->dim)
                              : half_space_bounds(n, offset, s->dim);
}

/* The complement of a union is what lies in none of its children. With complements among them it
 * is an intersection, and ends where their surfaces do. */
static bounds intersection_bounds(const shape *s)
{
    bounds b = everything(s->dim);
    for (size_t i = 0; i < s->child_count; i++) {
        const shape *child = &s->children[i];
        if (!child->complement || child->endless)
            continue;
        vec3 lo = child->surface.lo, hi = child->surface.hi;
        b.lo = (vec3){fmax(b.lo.x, lo.x), fmax(b.lo.y, lo.y), fmax(b.lo.z, lo.z)};
        b.hi = (vec3){fmin(b.hi.x, hi.x), fmin(b.hi.y, hi.y), fmin(b.hi.z, hi.z)};
    }
    b.hi = (vec3){fmax(b.lo.x, b.hi.x), fmax(b.lo.y, b.hi.y), fmax(b.lo.z, b.hi.z)};
    return s->moved ? place_box(s, b) : b;
}

void shape_find_bounds(shape *s)
{
    s->core = s->core_surface = core_bounds(s);
    if (s->kind == WEIR_SHAPE_HALF_SPACE) {
        place_half_space(s);
        return;
    }
    s->extent = s->surface = place_bounds(s);
    if (s->kind == WEIR_SHAPE_UNION) {
        s->core_surface = bounds_grow(join_children(s, true), s->rounding, s->dim);
        s->surface = s->moved ? place_box(s, s->core_surface) : s->core_surface;
    }
    if (s->complement)
        s->extent = s->kind == WEIR_SHAPE_UNION ? intersection_bounds(s) : everything(s->dim);
}

shape shape_without_endless(const shape *s)
{
    shape view = *s;
    view.child_count -= s->endless_count;
    view.endless_count = 0;
    view.endless = false;
    shape_find_bounds(&view);
    return view;
}

bounds shape_bounds(const shape *s)
{
    return s->extent;
}

bounds shape_hollow(const shape *s)
{
    quat q = s->place.rotation;
    if (s->kind != WEIR_SHAPE_BOX || !s->complement || q.x != 0 || q.y != 0 || q.z != 0)
        return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    vec3 half = s->half_extents;
    if (s->dim == 2)
        half.z = INFINITY;
    return (bounds){vec3_sub(s->place.position, half), vec3_add(s->place.position, half)};
}
