/* Solids in 2D: boxes, circles, capsules and polygons as exact loops, filled by cutting off ears;
 * everything else as the level set of its distance. */
#include "base/error.h"
#include "surface/solid.h"
#include "surface/solid_march.h"

#include <math.h>
#include <stdlib.h>

enum { AROUND = 96 };

/* A loop under way, in the frame of the shape. */
typedef struct loop {
    vec3 *points;
    size_t count;
} loop;

static bool make_loop(loop *l, size_t count, weir_error *error)
{
    l->points = malloc((count + 1) * sizeof *l->points);
    l->count = 0;
    return l->points ||
           fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the outline of a solid");
}

static bool box_loop(loop *l, double x, double y, weir_error *error)
{
    if (!make_loop(l, 4, error))
        return false;
    const double corners[4][2] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    for (int k = 0; k < 4; k++)
        l->points[l->count++] = vec3_make(corners[k][0], corners[k][1], 0);
    return true;
}

/* A circle whose right half is drawn up and left half down, as a capsule along y wants it. */
static bool capsule_loop(loop *l, double radius, double half_length, weir_error *error)
{
    if (!make_loop(l, AROUND + 2, error))
        return false;
    double pi = acos(-1);
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < AROUND / 2 + (half_length > 0); k++) {
            double angle = half * pi + 2 * pi * k / AROUND;
            l->points[l->count++] = vec3_make(
                radius * cos(angle), radius * sin(angle) + (half ? -1 : 1) * half_length, 0);
        }
    return true;
}

static double cross(vec3 a, vec3 b, vec3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool polygon_loop(loop *l, const weir_shape_def *def, weir_error *error)
{
    if (!make_loop(l, def->point_count, error))
        return false;
    double area = 0;
    for (size_t i = 0; i < def->point_count; i++)
        area += cross(vec3_make(0, 0, 0), def->points[i], def->points[(i + 1) % def->point_count]);
    for (size_t i = 0; i < def->point_count; i++)
        l->points[l->count++] = def->points[area >= 0 ? i : def->point_count - 1 - i];
    return true;
}

/* Whether the corner at `b` can be cut off: it turns left and holds no other corner. */
static bool is_ear(const loop *l, const uint32_t *left, size_t count, size_t at)
{
    uint32_t ia = left[(at + count - 1) % count], ib = left[at], ic = left[(at + 1) % count];
    vec3 a = l->points[ia], b = l->points[ib], c = l->points[ic];
    if (cross(a, b, c) <= 0)
        return false;
    for (size_t k = 0; k < count; k++) {
        if (left[k] == ia || left[k] == ib || left[k] == ic)
            continue;
        vec3 p = l->points[left[k]];
        if (cross(a, b, p) >= 0 && cross(b, c, p) >= 0 && cross(c, a, p) >= 0)
            return false;
    }
    return true;
}

/* Cuts off ears until a triangle is left. A corner without area is dropped; if rounding leaves no
 * ear, the next corner is cut, so that the loop always ends. */
static void cut_ears(const loop *l, uint32_t *left, surface_outline *o)
{
    size_t count = l->count, at = 0, tried = 0;
    for (size_t i = 0; i < count; i++)
        left[i] = (uint32_t)i;
    while (count >= 3) {
        bool flat = cross(l->points[left[(at + count - 1) % count]], l->points[left[at]],
                          l->points[left[(at + 1) % count]]) == 0;
        if (!flat && tried < count && !is_ear(l, left, count, at)) {
            at = (at + 1) % count;
            tried++;
            continue;
        }
        if (!flat) {
            uint32_t *t = o->triangles + 3 * o->triangle_count++;
            t[0] = left[(at + count - 1) % count], t[1] = left[at], t[2] = left[(at + 1) % count];
        }
        for (size_t k = at; k + 1 < count; k++)
            left[k] = left[k + 1];
        count--;
        at = count > 0 ? at % count : 0;
        tried = 0;
    }
}

static bool fill_loop(surface_outline *o, const loop *l, weir_error *error)
{
    o->points = malloc(2 * (l->count + 1) * sizeof *o->points);
    o->loop_start = calloc(2, sizeof *o->loop_start);
    o->triangles = malloc(3 * (l->count + 1) * sizeof *o->triangles);
    uint32_t *left = malloc((l->count + 1) * sizeof *left);
    bool done = o->points && o->loop_start && o->triangles && left;
    if (done) {
        for (size_t i = 0; i < l->count; i++) {
            o->points[2 * i] = (float)l->points[i].x;
            o->points[2 * i + 1] = (float)l->points[i].y;
        }
        o->point_count = o->outline_count = l->count;
        o->loop_count = 1;
        o->loop_start[1] = (uint32_t)l->count;
        cut_ears(l, left, o);
    }
    free(left);
    return done || fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the outline of a solid");
}

/* The exact loop of a simple shape; *known is false for others. */
static bool find_loop(loop *l, const weir_shape_def *def, bool *known, weir_error *error)
{
    *known = true;
    if (def->kind == WEIR_SHAPE_SPHERE)
        return capsule_loop(l, def->radius + def->rounding, 0, error);
    if (def->kind == WEIR_SHAPE_CAPSULE)
        return capsule_loop(l, def->radius + def->rounding, def->half_length, error);
    if (def->kind == WEIR_SHAPE_BOX && def->rounding == 0)
        return box_loop(l, def->half_extents.x, def->half_extents.y, error);
    if (def->kind == WEIR_SHAPE_CYLINDER && def->rounding == 0)
        return box_loop(l, def->radius, def->half_length, error);
    if (def->kind == WEIR_SHAPE_POLYGON && def->rounding == 0 && def->point_count >= 3)
        return polygon_loop(l, def, error);
    *known = false;
    return true;
}

static void place_points(surface_outline *o, weir_pose place)
{
    for (size_t i = 0; i < o->point_count; i++) {
        float *p = o->points + 2 * i;
        vec3 moved = pose_point(place, vec3_make(p[0], p[1], 0));
        p[0] = (float)moved.x, p[1] = (float)moved.y;
    }
}

bool solid_outline_build(surface_outline *outline, const weir_shape_def *def, double step,
                         weir_error *error)
{
    *outline = (surface_outline){0};
    if (def->kind == WEIR_SHAPE_HALF_SPACE)
        return true;
    loop l = {0};
    bool known, done = find_loop(&l, def, &known, error);
    if (done && known)
        done = fill_loop(outline, &l, error);
    if (done && !known) {
        weir_shape_def core = *def;
        core.pose = pose_identity();
        core.complement = false;
        done = solid_march(NULL, outline, &core, step, error);
    }
    free(l.points);
    if (!done) {
        surface_outline_free(outline);
        return false;
    }
    place_points(outline, def->pose);
    return true;
}
