/* Compiles shape definitions: checks every value and copies what they point to. */
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
    shape_find_bounds(s);
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

bool shape_is_exact_outside(const shape *s)
{
    return !s->loose;
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
