#include "space/contact_samples.h"

#include "base/error.h"
#include "space/shape_node.h"
#include "space/surface_sample.h"

/* Radius to which sharp edges are rounded for contacts, in the smallest extent of the shape. */
static const double ROUNDING = 0.01;

/* ------------------------------------------------------------------ round shapes */

/* Balls about a line, and unions of such: exact contacts from few samples. */
static bool is_round(const shape *s)
{
    if (s->complement)
        return false;
    if (s->kind == WEIR_SHAPE_SPHERE || s->kind == WEIR_SHAPE_CAPSULE)
        return true;
    if (s->kind != WEIR_SHAPE_UNION || s->rounding > 0)
        return false;
    for (size_t k = 0; k < s->child_count; k++)
        if (!is_round(&s->children[k]))
            return false;
    return true;
}

static bool add(memory *m, contact_samples *out, vec3 point, double radius)
{
    if (!memory_grow(m, (void **)&out->points, &out->capacity, out->count + 1, out->count,
                     sizeof *out->points))
        return false;
    out->points[out->count++] = (contact_sample){point, radius};
    return true;
}

static bool add_round(memory *m, contact_samples *out, const shape *s, double spacing)
{
    size_t first = out->count;
    bool ok = true;
    if (s->kind == WEIR_SHAPE_UNION) {
        for (size_t k = 0; k < s->child_count && ok; k++)
            ok = add_round(m, out, &s->children[k], spacing);
    } else {
        double half = s->kind == WEIR_SHAPE_CAPSULE ? s->half_length : 0;
        size_t last = (size_t)ceil(2 * half / spacing);
        for (size_t k = 0; k <= last && ok; k++) {
            double along = last > 0 ? half * (2 * (double)k / (double)last - 1) : 0;
            ok = add(m, out, (vec3){0, along, 0}, s->radius);
        }
    }
    for (size_t k = first; k < out->count && s->moved; k++)
        out->points[k].point = pose_point(s->place, out->points[k].point);
    return ok;
}

/* ------------------------------------------------------------------- other shapes */

/* Whether the surface about a point is a plane. */
static bool is_flat(const shape *s, const surface_point *p, double step)
{
    vec3 n = p->normal, other = fabs(n.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    bool planar = s->dim == 2;
    vec3 u = planar ? (vec3){-n.y, n.x, 0} : vec3_unit(vec3_cross(n, other), (vec3){0, 0, 1});
    vec3 w = vec3_cross(n, u);
    const vec3 ways[4] = {u, vec3_scale(u, -1), w, vec3_scale(w, -1)};
    for (int k = 0; k < (planar ? 2 : 4); k++) {
        vec3 normal;
        double d = shape_distance(s, vec3_madd(p->position, step, ways[k]), &normal);
        if (fabs(d) > 2e-3 * step || vec3_dot(normal, n) < 0.999)
            return false;
    }
    return true;
}

/* A ball inside of the solid that touches its surface about a point: at an edge it touches both
 * faces. Balls see the face of another body where points at its very edge would see its side. */
static contact_sample fit_ball(const shape *s, const surface_point *p, double radius)
{
    double depth = -shape_distance(s, vec3_madd(p->position, -radius, p->normal), NULL);
    double way = depth > radius / 3 ? radius * radius / depth : 3 * radius;
    vec3 centre = vec3_madd(p->position, -way, p->normal);
    depth = -shape_distance(s, centre, NULL);
    return depth > 0 ? (contact_sample){centre, fmin(depth, radius)}
                     : (contact_sample){p->position, 0};
}

static double smallest_extent(const shape *s)
{
    bounds b = shape_bounds(s);
    double size = fmin(b.hi.x - b.lo.x, b.hi.y - b.lo.y);
    return s->dim == 3 ? fmin(size, b.hi.z - b.lo.z) : size;
}

static bool add_surface(memory *m, contact_samples *out, const shape *s, double spacing,
                        weir_error *error)
{
    surface_samples surface = {0};
    bool ok = surface_sample(m, s, spacing, &surface, error), enough = true;
    for (size_t k = 0; ok && enough && k < surface.count; k++)
        if (!is_flat(s, &surface.points[k], spacing / 2)) {
            contact_sample ball = fit_ball(s, &surface.points[k], ROUNDING * smallest_extent(s));
            enough = add(m, out, ball.point, ball.radius);
        }
    surface_samples_free(m, &surface);
    return ok && (enough || fail(error, WEIR_OUT_OF_MEMORY, "no memory for contact samples"));
}

bool contact_samples_find(memory *m, const shape *s, double spacing, contact_samples *out,
                          weir_error *error)
{
    if (!is_round(s))
        return add_surface(m, out, s, spacing, error);
    return add_round(m, out, s, spacing) ||
           fail(error, WEIR_OUT_OF_MEMORY, "no memory for contact samples");
}

void contact_samples_free(memory *m, contact_samples *samples)
{
    memory_give(m, samples->points, samples->capacity * sizeof *samples->points);
    *samples = (contact_samples){0};
}
