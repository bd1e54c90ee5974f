#include "space/convex.h"

#include "space/shape_node.h"

static vec3 place_point(const shape *s, vec3 local)
{
    return s->moved ? pose_point(s->place, local) : local;
}

static vec3 place_direction(const shape *s, vec3 local)
{
    return s->moved ? quat_rotate(s->place.rotation, local) : local;
}

static void find_ball(const shape *s, convex *out)
{
    out->kind = CONVEX_BALL;
    out->centre = place_point(s, (vec3){0, 0, 0});
    out->half = (vec3){s->radius, s->radius, s->radius};
}

/* Points in counter-clockwise order, in the shape's own frame. */
static void set_polygon(const shape *s, const vec3 *points, int count, convex *out)
{
    out->kind = CONVEX_POLYGON;
    out->count = count;
    for (int k = 0; k < count; k++) {
        vec3 a = points[k], b = points[(k + 1) % count];
        vec3 along = vec3_unit(vec3_sub(b, a), (vec3){1, 0, 0});
        out->corners[k] = place_point(s, a);
        out->normals[k] = place_direction(s, (vec3){along.y, -along.x, 0});
    }
}

static void find_box(const shape *s, convex *out)
{
    vec3 h = s->half_extents;
    const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    out->centre = place_point(s, (vec3){0, 0, 0});
    out->half = h;
    if (s->dim == 2) {
        const vec3 corners[4] = {{-h.x, -h.y, 0}, {h.x, -h.y, 0}, {h.x, h.y, 0}, {-h.x, h.y, 0}};
        set_polygon(s, corners, 4, out);
        return;
    }
    out->kind = CONVEX_BOX;
    out->count = 8;
    for (int k = 0; k < 8; k++)
        out->corners[k] =
            place_point(s, (vec3){k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
    for (int a = 0; a < 3; a++)
        out->normals[a] = place_direction(s, axes[a]);
}

static void find_polygon(const shape *s, convex *out)
{
    const polygon *p = s->polygon;
    if (p->count > CONVEX_MOST)
        return;
    for (size_t k = 0; k < p->count; k++) {
        vec3 a = p->points[k], b = p->points[(k + 1) % p->count], c = p->points[(k + 2) % p->count];
        if (vec3_cross(vec3_sub(b, a), vec3_sub(c, b)).z <= 0)
            return;
    }
    set_polygon(s, p->points, (int)p->count, out);
}

static void find_half_space(const shape *s, convex *out)
{
    out->kind = CONVEX_PLANES;
    out->count = 1;
    out->offsets[0] = -shape_distance(s, (vec3){0, 0, 0}, &out->normals[0]);
}

/* Seen from inside: the normals of its walls point to the middle. */
static void find_room(const shape *s, convex *out)
{
    const double half[3] = {s->half_extents.x, s->half_extents.y, s->half_extents.z};
    out->kind = CONVEX_PLANES;
    out->count = 2 * s->dim;
    for (int k = 0; k < out->count; k++) {
        double way = k % 2 ? 1 : -1;
        vec3 local = {k / 2 == 0 ? way : 0, k / 2 == 1 ? way : 0, k / 2 == 2 ? way : 0};
        out->normals[k] = place_direction(s, vec3_scale(local, -1));
        out->offsets[k] = vec3_dot(place_point(s, vec3_scale(local, half[k / 2])), out->normals[k]);
    }
}

void convex_find(const shape *s, convex *out)
{
    *out = (convex){.kind = CONVEX_NONE};
    if (s->kind == WEIR_SHAPE_HALF_SPACE)
        find_half_space(s, out);
    else if (s->rounding > 0)
        return;
    else if (s->kind == WEIR_SHAPE_BOX && s->complement)
        find_room(s, out);
    else if (s->complement)
        return;
    else if (s->kind == WEIR_SHAPE_BOX)
        find_box(s, out);
    else if (s->kind == WEIR_SHAPE_SPHERE)
        find_ball(s, out);
    else if (s->kind == WEIR_SHAPE_POLYGON)
        find_polygon(s, out);
}
