/* Boundary volumes. Closed forms where there are any:
 *   half-space  B = Phi(d/h)
 *   box         the product over the axes of slab fractions Phi((x-a)/h) - Phi((x+a)/h); exact at
 *               faces, within a few tenths of a percent at edges and corners
 *   sphere      a radial table; dB/dr = -int_surface W (n.r) dA, which is a smooth 1D integral
 *   union       1 - prod(1 - B_i) over parts that no kernel sees together
 * Everything else is baked (boundary_bake.c). A complement has 1 - B. */
#include "space/boundary_map.h"

#include "base/error.h"
#include "kernel/half_space.h"
#include "kernel/quadrature.h"
#include "space/boundary_bake.h"
#include "space/shape_node.h"

enum { RADIAL_INTERVALS = 128, RADIAL_PANELS = 12 };

static const double PI = 3.14159265358979323846;

typedef struct radial_table {
    double inner, outer, step; /* B is constant below `inner` and 0 beyond `outer` */
    double values[RADIAL_INTERVALS + 1];
    double slopes[RADIAL_INTERVALS + 1];
} radial_table;

typedef enum map_kind { MAP_HALF_SPACE, MAP_BOX, MAP_SPHERE, MAP_BAKED, MAP_PARTS } map_kind;

struct boundary_map {
    map_kind kind;
    int dim;
    bool complement, moved;
    pose place;
    bounds reach; /* in the parent's frame: B is 0 outside of it */
    double h;
    vec3 normal;
    double offset; /* of a half-space's surface along the normal */
    vec3 half_extents;
    const half_space_table *flat; /* of the kernel, not owned */
    radial_table *radial;
    baked_field *baked;
    struct boundary_map *parts;
    size_t part_count;
};

typedef struct bake_settings {
    memory *m;
    weir_kernel kernel;
    double h;
    int threads;
} bake_settings;

/* The surface of a sphere of radius R seen from distance r of its centre. */
typedef struct sphere_view {
    weir_kernel kernel;
    int dim;
    double h, R, r;
} sphere_view;

static double sphere_surface(const void *context, double angle)
{
    const sphere_view *v = context;
    double s = sin(angle / 2), gap = v->r - v->R;
    double way = sqrt(gap * gap + 4 * v->r * v->R * s * s);
    double ring = v->dim == 3 ? 2 * PI * v->R * v->R * sin(angle) : 2 * v->R;
    return kernel_value(v->kernel, v->dim, way, v->h) * ring * cos(angle);
}

/* dB/dr: the kernel over the part of the surface that it reaches, as a function of the angle. */
static double sphere_slope(const void *context, double r)
{
    sphere_view v = *(const sphere_view *)context;
    v.r = r;
    double gap = r - v.R, reach = (v.h * v.h - gap * gap) / (4 * r * v.R);
    if (!(r > 0) || reach <= 0)
        return 0;
    double angle = reach >= 1 ? PI : 2 * asin(sqrt(reach));
    return -quadrature(sphere_surface, &v, 0, angle, RADIAL_PANELS);
}

static void fill_radial(radial_table *t, sphere_view *v)
{
    const int n = RADIAL_INTERVALS;
    t->inner = fmax(0, v->R - v->h);
    t->outer = v->R + v->h;
    t->step = (t->outer - t->inner) / n;
    t->values[n] = t->slopes[n] = 0;
    for (int i = n - 1; i >= 0; i--) {
        double r = t->inner + i * t->step;
        t->slopes[i] = sphere_slope(v, r);
        t->values[i] = t->values[i + 1] - quadrature(sphere_slope, v, r, r + t->step, 1);
    }
    /* A ball wider than the kernel holds all of it at its centre: remove the quadrature's error. */
    double scale = v->R >= v->h && t->values[0] > 0 ? 1 / t->values[0] : 1;
    for (int i = 0; i <= n; i++) {
        t->values[i] *= scale;
        t->slopes[i] *= scale;
    }
}

static bool create_radial(boundary_map *map, const bake_settings *b, double radius,
                          weir_error *error)
{
    map->kind = MAP_SPHERE;
    map->radial = memory_take(b->m, sizeof *map->radial);
    if (!map->radial)
        return fail(error, WEIR_OUT_OF_MEMORY, "boundary volume: no memory for a sphere's table");
    if (radius > 0) {
        sphere_view v = {b->kernel, map->dim, b->h, radius, 0};
        fill_radial(map->radial, &v);
    }
    return true;
}

/* No kernel reaches two of the children: their boundary volumes then combine exactly. */
static bool children_are_apart(const shape *s, double gap)
{
    size_t count = s->child_count - s->endless_count;
    for (size_t i = 0; i < count; i++) {
        bounds wide = bounds_grow(s->children[i].extent, gap, s->dim);
        if (!bounds_are_finite(wide))
            return count == 1;
        for (size_t k = 0; k < i; k++) {
            bounds other = s->children[k].extent;
            if (wide.lo.x <= other.hi.x && other.lo.x <= wide.hi.x && wide.lo.y <= other.hi.y &&
                other.lo.y <= wide.hi.y && wide.lo.z <= other.hi.z && other.lo.z <= wide.hi.z)
                return false;
        }
    }
    return true;
}

static bool create_part(boundary_map *map, const bake_settings *b, const shape *s,
                        boundary_growth growth, const half_space_table *flat, weir_error *error);

/* Endless children become parts of their own; the others too where they are apart, and one baked
 * part together where not. */
static bool create_union(boundary_map *map, const bake_settings *b, const shape *s,
                         boundary_growth grow, weir_error *error)
{
    bool apart = children_are_apart(s, 2 * (b->h + fmax(0, grow.faces + s->rounding)));
    if (!apart && s->endless_count == 0) {
        map->kind = MAP_BAKED;
        map->baked = boundary_bake(b->m, s, b->kernel, map->flat, b->h, grow, b->threads, error);
        return map->baked != NULL;
    }
    size_t first = apart ? 0 : s->child_count - s->endless_count;
    map->kind = MAP_PARTS;
    map->part_count = s->child_count - first + (apart ? 0 : 1);
    map->parts = memory_take(b->m, map->part_count * sizeof *map->parts);
    if (!map->parts)
        return fail(error, WEIR_OUT_OF_MEMORY, "boundary volume: no memory for %zu parts",
                    map->part_count);
    boundary_growth of_children = {grow.faces + s->rounding, grow.edges};
    for (size_t i = first; i < s->child_count; i++)
        if (!create_part(&map->parts[i - first], b, &s->children[i], of_children, map->flat, error))
            return false;
    if (apart)
        return true;
    boundary_map *baked = &map->parts[map->part_count - 1];
    shape bounded = shape_without_endless(s);
    baked->kind = MAP_BAKED;
    baked->dim = s->dim;
    baked->reach = bounds_grow(bounded.core, b->h + fmax(0, grow.faces), s->dim);
    baked->baked =
        boundary_bake(b->m, &bounded, b->kernel, map->flat, b->h, grow, b->threads, error);
    return baked->baked != NULL;
}

static bool create_part(boundary_map *map, const bake_settings *b, const shape *s,
                        boundary_growth growth, const half_space_table *flat, weir_error *error)
{
    /* A solid that grows leaves a smaller hole, whose edges are the other way round. */
    boundary_growth grow = growth;
    if (s->complement)
        grow = (boundary_growth){-growth.faces, -growth.edges};
    map->dim = s->dim;
    map->complement = s->complement;
    map->moved = s->moved;
    map->place = s->place;
    map->reach = bounds_grow(s->extent, b->h + fmax(0, growth.faces), s->dim);
    map->h = b->h;
    map->flat = flat;
    if (s->kind == WEIR_SHAPE_HALF_SPACE) {
        map->kind = MAP_HALF_SPACE;
        map->normal = s->normal;
        map->offset = s->rounding + grow.faces;
        return true;
    }
    if (s->kind == WEIR_SHAPE_BOX && s->rounding == 0) {
        vec3 a = s->half_extents;
        double out = grow.faces;
        map->kind = MAP_BOX;
        map->half_extents = (vec3){fmax(0, a.x + out), fmax(0, a.y + out), fmax(0, a.z + out)};
        return true;
    }
    if (s->kind == WEIR_SHAPE_SPHERE)
        return create_radial(map, b, s->radius + grow.faces, error);
    if (s->kind == WEIR_SHAPE_UNION)
        return create_union(map, b, s, grow, error);
    map->kind = MAP_BAKED;
    map->baked = boundary_bake(b->m, s, b->kernel, map->flat, b->h, grow, b->threads, error);
    return map->baked != NULL;
}

static void release_parts(memory *m, boundary_map *map)
{
    memory_give(m, map->radial, sizeof *map->radial);
    baked_field_destroy(m, map->baked);
    for (size_t i = 0; i < map->part_count && map->parts; i++)
        release_parts(m, &map->parts[i]);
    memory_give(m, map->parts, map->part_count * sizeof *map->parts);
}

boundary_map *boundary_map_create(memory *m, const shape *s, weir_kernel kernel,
                                  const half_space_table *flat, double h, boundary_growth growth,
                                  int threads, weir_error *error)
{
    if (!(h > 0) || !isfinite(h) || !isfinite(growth.faces) || !(fabs(growth.edges) <= 1)) {
        fail(
            error, WEIR_INVALID,
            "boundary volume: kernel radius %g m, growth %g m and %g of the edges; the radius must "
            "be above 0, both finite, and the share of the edges at most 1",
            h, growth.faces, growth.edges);
        return NULL;
    }
    bake_settings b = {m, kernel, h, threads};
    boundary_map *map = memory_take(m, sizeof *map);
    if (!map) {
        fail(error, WEIR_OUT_OF_MEMORY, "boundary volume: no memory for it");
        return NULL;
    }
    if (!create_part(map, &b, s, growth, flat, error)) {
        boundary_map_destroy(m, map);
        return NULL;
    }
    return map;
}

void boundary_map_destroy(memory *m, boundary_map *map)
{
    if (!map)
        return;
    release_parts(m, map);
    memory_give(m, map, sizeof *map);
}

/* Behind a face at distance d; most faces of a box are out of reach. */
static inline double face_volume(const boundary_map *map, double d, double *slope)
{
    *slope = 0;
    if (d >= map->h)
        return 0;
    return d <= -map->h ? 1 : half_space_volume(map->flat, d / map->h, slope);
}

static double slab_fraction(const boundary_map *map, double x, double half, double *slope)
{
    double upper, lower;
    double fraction = face_volume(map, x - half, &upper) - face_volume(map, x + half, &lower);
    *slope = (upper - lower) / map->h;
    return fraction;
}

static double box_volume(const boundary_map *map, vec3 p, vec3 *gradient)
{
    double sx, sy, sz = 0;
    double x = slab_fraction(map, p.x, map->half_extents.x, &sx);
    double y = slab_fraction(map, p.y, map->half_extents.y, &sy);
    double z = map->dim == 3 ? slab_fraction(map, p.z, map->half_extents.z, &sz) : 1;
    *gradient = (vec3){sx * y * z, x * sy * z, x * y * sz};
    return x * y * z;
}

static double sphere_volume(const radial_table *t, vec3 p, vec3 *gradient)
{
    double r = vec3_length(p), slope = 0, value = t->values[0];
    if (r >= t->outer) {
        value = 0;
    } else if (r > t->inner) {
        double u = (r - t->inner) / t->step;
        int i = (int)fmin(u, RADIAL_INTERVALS - 1);
        value = hermite(t->values + i, t->slopes + i, t->step, u - i, &slope);
    }
    *gradient = r > 0 ? vec3_scale(p, slope / r) : (vec3){0, 0, 0};
    return value;
}

/* 1 - prod(1 - B_i), with the gradient by the product rule. */
static double parts_volume(const boundary_map *map, vec3 p, vec3 *gradient)
{
    double free = 1;
    vec3 slope = {0, 0, 0};
    for (size_t i = 0; i < map->part_count; i++) {
        vec3 g;
        if (bounds_distance2(&map->parts[i].reach, p) > 0)
            continue;
        double b = boundary_volume(&map->parts[i], p, &g);
        slope = vec3_madd(vec3_scale(slope, 1 - b), free, g);
        free *= 1 - b;
    }
    *gradient = slope;
    return 1 - free;
}

double boundary_volume_from(const boundary_map *map, const vec3 *point, vec3 *gradient)
{
    vec3 p = {point->x, point->y, map->dim == 2 ? 0 : point->z};
    if (map->moved)
        p = pose_local_point(map->place, p);
    vec3 g = {0, 0, 0};
    double value = 0, slope;
    switch (map->kind) {
    case MAP_HALF_SPACE:
        value =
            half_space_volume(map->flat, (vec3_dot(p, map->normal) - map->offset) / map->h, &slope);
        g = vec3_scale(map->normal, slope / map->h);
        break;
    case MAP_BOX:
        value = box_volume(map, p, &g);
        break;
    case MAP_SPHERE:
        value = sphere_volume(map->radial, p, &g);
        break;
    case MAP_BAKED:
        value = baked_field_value(map->baked, p, &g);
        break;
    case MAP_PARTS:
        value = parts_volume(map, p, &g);
        break;
    }
    if (map->complement) {
        value = 1 - value;
        g = vec3_scale(g, -1);
    }
    if (map->moved)
        g = quat_rotate(map->place.rotation, g);
    if (gradient)
        *gradient = (vec3){g.x, g.y, g.z}; /* number by number, as they have just been stored */
    return value;
}

static size_t part_bytes(const boundary_map *map)
{
    size_t bytes = sizeof *map + (map->radial ? sizeof *map->radial : 0);
    if (map->baked)
        bytes += baked_field_bytes(map->baked);
    for (size_t i = 0; i < map->part_count; i++)
        bytes += part_bytes(&map->parts[i]);
    return bytes;
}

size_t boundary_map_bytes(const boundary_map *map)
{
    return part_bytes(map);
}
