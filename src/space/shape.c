/* Compiles shape definitions: checks every value, copies what they point to, works out bounds. */
#include "space/shape.h"

#include "base/error.h"
#include "space/shape_node.h"

enum { MAX_DEPTH = 16, MAX_CHILDREN = 1000000 };

weir_shape_def weir_shape_def_default(void)
{
    return (weir_shape_def){
        .kind = WEIR_SHAPE_BOX,
        .pose = pose_identity(),
        .normal = {0, 1, 0},
        .half_extents = {0.5, 0.5, 0.5},
        .radius = 0.5,
        .half_length = 0.5,
    };
}

static bool compile(memory *m, shape *s, const weir_shape_def *def, int dim, int depth,
                    weir_error *error);

static bool check_positive(double value, const char *kind, const char *what, weir_error *error)
{
    if (value > 0 && isfinite(value))
        return true;
    return fail(error, WEIR_INVALID, "%s: %s is %g m; it must be above 0 and finite", kind, what,
                value);
}

static bool compile_pose(shape *s, const weir_shape_def *def, weir_error *error)
{
    vec3 at = def->pose.position;
    quat q = def->pose.rotation;
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (s->dim == 2)
        at.z = 0;
    if (!vec3_is_finite(at))
        return fail(error, WEIR_INVALID, "shape: its position is (%g, %g, %g); it must be finite",
                    at.x, at.y, at.z);
    if (!(length > 0) || !isfinite(length))
        return fail(error, WEIR_INVALID,
                    "shape: its rotation is the quaternion (%g, %g, %g, %g); it must have a finite "
                    "length above 0, (0, 0, 0, 1) is no rotation",
                    q.x, q.y, q.z, q.w);
    if (s->dim == 2 && (fabs(q.x) > 1e-9 * length || fabs(q.y) > 1e-9 * length))
        return fail(error, WEIR_INVALID,
                    "shape: its rotation is the quaternion (%g, %g, %g, %g); in 2D only turns "
                    "about z are allowed",
                    q.x, q.y, q.z, q.w);
    if (s->dim == 2)
        q.x = q.y = 0;
    s->place = (pose){at, quat_normalize(q)};
    s->moved = at.x != 0 || at.y != 0 || at.z != 0 || q.x != 0 || q.y != 0 || q.z != 0;
    return true;
}

static bool compile_half_space(shape *s, const weir_shape_def *def, weir_error *error)
{
    vec3 n = def->normal;
    if (s->dim == 2)
        n.z = 0;
    double length = vec3_length(n);
    if (!(length > 0) || !isfinite(length))
        return fail(error, WEIR_INVALID,
                    "half-space: its normal is (%g, %g, %g); it must be finite and not 0%s", n.x,
                    n.y, n.z, s->dim == 2 ? " in x and y" : "");
    s->normal = vec3_scale(n, 1 / length);
    s->endless = true;
    return true;
}

static bool compile_box(shape *s, const weir_shape_def *def, weir_error *error)
{
    s->half_extents = def->half_extents;
    if (s->dim == 2)
        s->half_extents.z = 0;
    return check_positive(def->half_extents.x, "box", "the half extent in x", error) &&
           check_positive(def->half_extents.y, "box", "the half extent in y", error) &&
           (s->dim == 2 ||
            check_positive(def->half_extents.z, "box", "the half extent in z", error));
}

static bool compile_round(shape *s, const weir_shape_def *def, weir_error *error)
{
    bool capsule = def->kind == WEIR_SHAPE_CAPSULE;
    if (!check_positive(def->radius, capsule ? "capsule" : "sphere", "the radius", error))
        return false;
    if (capsule && (!(def->half_length >= 0) || !isfinite(def->half_length)))
        return fail(error, WEIR_INVALID,
                    "capsule: the half length is %g m; it must be 0 or more and finite",
                    def->half_length);
    s->radius = def->radius + s->rounding;
    s->rounding = 0;
    s->half_length = capsule ? def->half_length : 0;
    if (s->half_length == 0)
        s->kind = WEIR_SHAPE_SPHERE;
    return true;
}

static bool compile_cylinder(shape *s, const weir_shape_def *def, weir_error *error)
{
    s->radius = def->radius;
    s->half_length = def->half_length;
    if (s->dim == 2) {
        s->kind = WEIR_SHAPE_BOX;
        s->half_extents = (vec3){def->radius, def->half_length, 0};
    }
    return check_positive(def->radius, "cylinder", "the radius", error) &&
           check_positive(def->half_length, "cylinder", "the half length", error);
}

static bool compile_polygon(memory *m, shape *s, const weir_shape_def *def, weir_error *error)
{
    if (s->dim == 3)
        return fail(error, WEIR_INVALID,
                    "polygon: it is a 2D shape; in 3D use boxes, a union or the grid of a mesh");
    s->polygon = polygon_create(m, def->points, def->point_count, error);
    return s->polygon != NULL;
}

static int child_rank(const shape *child)
{
    if (child->endless)
        return 2;
    return child->loose || !bounds_are_finite(child->extent) ? 1 : 0;
}

/* Brings the children into their ranges (see shape_node.h), each in the given order, and builds
 * the tree over the first. */
static bool sort_children(memory *m, shape *s, weir_error *error)
{
    size_t placed[3] = {0, 0, 0}, end = 0;
    for (int rank = 0; rank < 3; rank++) {
        for (size_t i = end; i < s->child_count; i++) {
            if (child_rank(&s->children[i]) != rank)
                continue;
            shape kept = s->children[i];
            for (size_t k = i; k > end; k--)
                s->children[k] = s->children[k - 1];
            s->children[end++] = kept;
        }
        placed[rank] = end;
    }
    s->endless_count = s->child_count - placed[1];
    s->endless = s->endless_count > 0;
    s->loose = s->complement || placed[0] < s->child_count;
    if (placed[0] == 0)
        return true;
    bounds *boxes = memory_take(m, placed[0] * sizeof *boxes);
    for (size_t i = 0; boxes && i < placed[0]; i++)
        boxes[i] = s->children[i].extent;
    bool built = boxes && box_tree_create(&s->tree, m, boxes, placed[0]);
    memory_give(m, boxes, placed[0] * sizeof *boxes);
    return built ||
           fail(error, WEIR_OUT_OF_MEMORY, "union: no memory for %zu children", s->child_count);
}

static bool compile_union(memory *m, shape *s, const weir_shape_def *def, int depth,
                          weir_error *error)
{
    if (!def->children || def->child_count == 0 || def->child_count > MAX_CHILDREN)
        return fail(error, WEIR_INVALID, "union: it has %zu children; it needs at least 1%s",
                    def->children ? def->child_count : 0,
                    def->child_count > MAX_CHILDREN ? " and at most a million" : "");
    if (depth >= MAX_DEPTH)
        return fail(error, WEIR_INVALID, "union: unions are nested deeper than %d levels",
                    MAX_DEPTH);
    s->children = memory_take(m, def->child_count * sizeof *s->children);
    if (!s->children)
        return fail(error, WEIR_OUT_OF_MEMORY, "union: no memory for %zu children",
                    def->child_count);
    s->child_count = def->child_count;
    for (size_t i = 0; i < def->child_count; i++)
        if (!compile(m, &s->children[i], &def->children[i], s->dim, depth + 1, error))
            return fail_in(error, "child %zu", i);
    return sort_children(m, s, error);
}

static bool compile_kind(memory *m, shape *s, const weir_shape_def *def, int depth,
                         weir_error *error)
{
    switch (def->kind) {
    case WEIR_SHAPE_HALF_SPACE:
        return compile_half_space(s, def, error);
    case WEIR_SHAPE_BOX:
        return compile_box(s, def, error);
    case WEIR_SHAPE_SPHERE:
    case WEIR_SHAPE_CAPSULE:
        return compile_round(s, def, error);
    case WEIR_SHAPE_CYLINDER:
        return compile_cylinder(s, def, error);
    case WEIR_SHAPE_POLYGON:
        return compile_polygon(m, s, def, error);
    case WEIR_SHAPE_GRID:
        s->grid = grid_field_create(m, def->grid, s->dim, error);
        s->loose = true;
        return s->grid != NULL;
    case WEIR_SHAPE_UNION:
        return compile_union(m, s, def, depth, error);
    }
    return fail(error, WEIR_INVALID, "shape: kind %d does not exist", (int)def->kind);
}

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

static void find_bounds(shape *s)
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
    find_bounds(&view);
    return view;
}

static bool compile(memory *m, shape *s, const weir_shape_def *def, int dim, int depth,
                    weir_error *error)
{
    s->kind = def->kind;
    s->dim = dim;
    s->complement = def->complement;
    s->rounding = def->rounding;
    if (!(def->rounding >= 0) || !isfinite(def->rounding))
        return fail(error, WEIR_INVALID,
                    "shape: its rounding is %g m; it must be 0 or more and finite", def->rounding);
    if (!compile_pose(s, def, error) || !compile_kind(m, s, def, depth, error))
        return false;
    find_bounds(s);
    return true;
}

static void release_parts(memory *m, shape *s)
{
    polygon_destroy(m, s->polygon);
    grid_field_destroy(m, s->grid);
    box_tree_destroy(&s->tree, m);
    for (size_t i = 0; i < s->child_count; i++)
        release_parts(m, &s->children[i]);
    memory_give(m, s->children, s->child_count * sizeof *s->children);
}

shape *shape_create(memory *m, const weir_shape_def *def, int dim, weir_error *error)
{
    if (dim != 2 && dim != 3) {
        fail(error, WEIR_INVALID, "shape: %d dimensions; 2 and 3 are possible", dim);
        return NULL;
    }
    shape *s = memory_take(m, sizeof *s);
    if (!s) {
        fail(error, WEIR_OUT_OF_MEMORY, "shape: no memory for it");
        return NULL;
    }
    if (!compile(m, s, def, dim, 0, error)) {
        shape_destroy(m, s);
        return NULL;
    }
    return s;
}

void shape_destroy(memory *m, shape *s)
{
    if (!s)
        return;
    release_parts(m, s);
    memory_give(m, s, sizeof *s);
}

bounds shape_bounds(const shape *s)
{
    return s->extent;
}

int shape_dimension(const shape *s)
{
    return s->dim;
}

size_t shape_bytes(const shape *s)
{
    size_t bytes = sizeof *s + box_tree_bytes(&s->tree);
    if (s->polygon)
        bytes += polygon_bytes(s->polygon);
    if (s->grid)
        bytes += grid_field_bytes(s->grid);
    for (size_t i = 0; i < s->child_count; i++)
        bytes += shape_bytes(&s->children[i]);
    return bytes;
}
