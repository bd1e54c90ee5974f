#include "surface/solid.h"

#include "base/error.h"
#include "surface/solid_march.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 48, ALONG = 12, MAX_PROFILE = 2 * ALONG + 4 };

static bool grow(void **block, size_t element, size_t count, weir_error *error)
{
    void *grown = realloc(*block, element * (count + 1));
    if (!grown)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the mesh of a solid");
    *block = grown;
    return true;
}

/* Room for more vertices (with normals) and triangles. */
static bool reserve(surface_mesh *m, size_t vertices, size_t triangles, weir_error *error)
{
    return grow((void **)&m->positions, 3 * sizeof(float), m->vertex_count + vertices, error) &&
           grow((void **)&m->normals, 3 * sizeof(float), m->vertex_count + vertices, error) &&
           grow((void **)&m->triangles, 3 * sizeof(uint32_t), m->triangle_count + triangles, error);
}

static void put_vertex(surface_mesh *m, double x, double y, double z, double nx, double ny,
                       double nz)
{
    float *p = m->positions + 3 * m->vertex_count, *n = m->normals + 3 * m->vertex_count;
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
    n[0] = (float)nx, n[1] = (float)ny, n[2] = (float)nz;
    m->vertex_count++;
}

static void put_triangle(surface_mesh *m, size_t a, size_t b, size_t c)
{
    uint32_t *t = m->triangles + 3 * m->triangle_count++;
    t[0] = (uint32_t)a, t[1] = (uint32_t)b, t[2] = (uint32_t)c;
}

static bool add_box(surface_mesh *m, vec3 half, weir_error *error)
{
    if (!reserve(m, 24, 12, error))
        return false;
    const double size[3] = {half.x, half.y, half.z};
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double side = face % 2 ? 1 : -1, normal[3] = {0, 0, 0};
        normal[axis] = side;
        size_t first = m->vertex_count;
        for (int k = 0; k < 4; k++) {
            double p[3];
            p[axis] = side * size[axis];
            p[u] = (k == 1 || k == 2 ? 1 : -1) * size[u] * side; /* counter-clockwise outside */
            p[v] = (k >= 2 ? 1 : -1) * size[v];
            put_vertex(m, p[0], p[1], p[2], normal[0], normal[1], normal[2]);
        }
        put_triangle(m, first, first + 1, first + 2);
        put_triangle(m, first, first + 2, first + 3);
    }
    return true;
}

/* A point of a profile that is turned around y: radius and height with the normal there. */
typedef struct profile_point {
    double r, y, nr, ny;
} profile_point;

/* Turns a profile, given from the lower pole to the upper, around y. Two points at one place with
 * different normals make a sharp edge. */
static bool add_turned(surface_mesh *m, const profile_point *profile, int count, weir_error *error)
{
    if (!reserve(m, (size_t)count * (AROUND + 1), (size_t)count * AROUND * 2, error))
        return false;
    size_t first = m->vertex_count;
    double pi = acos(-1);
    for (int i = 0; i < count; i++)
        for (int k = 0; k <= AROUND; k++) {
            double angle = 2 * pi * (k % AROUND) / AROUND, c = cos(angle), s = sin(angle);
            const profile_point *p = &profile[i];
            put_vertex(m, p->r * c, p->y, p->r * s, p->nr * c, p->ny, p->nr * s);
        }
    for (int i = 0; i + 1 < count; i++) {
        bool edge = profile[i].r == profile[i + 1].r && profile[i].y == profile[i + 1].y;
        for (int k = 0; k < AROUND && !edge; k++) {
            size_t a = first + (size_t)i * (AROUND + 1) + (size_t)k, b = a + AROUND + 1;
            /* At a pole one of the two triangles has no area. */
            if (profile[i].r > 0)
                put_triangle(m, a, b, a + 1);
            if (profile[i + 1].r > 0)
                put_triangle(m, a + 1, b, b + 1);
        }
    }
    return true;
}

/* A ball of the given radius, cut at its equator and drawn apart. */
static bool add_capsule(surface_mesh *m, double radius, double half_length, weir_error *error)
{
    profile_point profile[MAX_PROFILE];
    int count = 0;
    double pi = acos(-1);
    for (int half = 0; half < 2; half++)
        for (int i = 0; i <= ALONG; i++) {
            double angle = pi / 2 * ((double)i / ALONG - (half ? 0 : 1)), c = cos(angle),
                   s = sin(angle);
            if (half && i == 0 && half_length == 0)
                continue;
            bool pole = half ? i == ALONG : i == 0;
            profile[count++] = (profile_point){
                pole ? 0 : radius * c, radius * s + (half ? half_length : -half_length), c, s};
        }
    return add_turned(m, profile, count, error);
}

static bool add_cylinder(surface_mesh *m, double radius, double half_length, weir_error *error)
{
    const profile_point profile[6] = {{0, -half_length, 0, -1},     {radius, -half_length, 0, -1},
                                      {radius, -half_length, 1, 0}, {radius, half_length, 1, 0},
                                      {radius, half_length, 0, 1},  {0, half_length, 0, 1}};
    return add_turned(m, profile, 6, error);
}

static void turn_over(surface_mesh *m)
{
    for (size_t t = 0; t < m->triangle_count; t++) {
        uint32_t swap = m->triangles[3 * t];
        m->triangles[3 * t] = m->triangles[3 * t + 1];
        m->triangles[3 * t + 1] = swap;
    }
    for (size_t i = 0; m->normals && i < 3 * m->vertex_count; i++)
        m->normals[i] = -m->normals[i];
}

/* The shape itself: without pose and complement. */
static bool build_core(surface_mesh *mesh, const weir_shape_def *def, double step,
                       weir_error *error)
{
    switch (def->kind) {
    case WEIR_SHAPE_SPHERE:
        return add_capsule(mesh, def->radius + def->rounding, 0, error);
    case WEIR_SHAPE_CAPSULE:
        return add_capsule(mesh, def->radius + def->rounding, def->half_length, error);
    case WEIR_SHAPE_BOX:
        if (def->rounding == 0)
            return add_box(mesh, def->half_extents, error);
        break;
    case WEIR_SHAPE_CYLINDER:
        if (def->rounding == 0)
            return add_cylinder(mesh, def->radius, def->half_length, error);
        break;
    case WEIR_SHAPE_HALF_SPACE:
        return true;
    default:
        break;
    }
    weir_shape_def core = *def;
    core.pose = pose_identity();
    core.complement = false;
    return solid_march(mesh, NULL, &core, step, error);
}

static bool build_union(surface_mesh *mesh, const weir_shape_def *def, double step,
                        weir_error *error)
{
    for (size_t i = 0; i < def->child_count; i++) {
        surface_mesh part;
        bool done = solid_mesh_build(&part, &def->children[i], step, error) &&
                    surface_mesh_append(mesh, &part, pose_identity(), error);
        surface_mesh_free(&part);
        if (!done)
            return false;
    }
    return true;
}

bool solid_mesh_build(surface_mesh *mesh, const weir_shape_def *def, double step, weir_error *error)
{
    surface_mesh core = {0};
    *mesh = (surface_mesh){0};
    bool done = def->kind == WEIR_SHAPE_UNION && def->rounding == 0
                    ? build_union(&core, def, step, error)
                    : build_core(&core, def, step, error);
    if (done && def->complement)
        turn_over(&core);
    done = done && surface_mesh_append(mesh, &core, def->pose, error);
    surface_mesh_free(&core);
    return done;
}

static void place_vectors(float *vectors, size_t count, weir_pose place, bool are_points)
{
    for (size_t i = 0; i < count; i++) {
        float *v = vectors + 3 * i;
        vec3 moved = quat_rotate(place.rotation, vec3_make(v[0], v[1], v[2]));
        if (are_points)
            moved = vec3_add(moved, place.position);
        v[0] = (float)moved.x, v[1] = (float)moved.y, v[2] = (float)moved.z;
    }
}

/* Adds the part's values of one vertex array, or drops the array where the part has none. */
static bool append_array(void **array, const void *more, size_t element, size_t count, size_t added,
                         weir_error *error)
{
    if (added == 0 || (!*array && count > 0))
        return true;
    if (!more) {
        free(*array);
        *array = NULL;
        return true;
    }
    if (!grow(array, element, count + added, error))
        return false;
    memcpy((char *)*array + element * count, more, element * added);
    return true;
}

bool surface_mesh_append(surface_mesh *mesh, const surface_mesh *part, weir_pose place,
                         weir_error *error)
{
    size_t n = mesh->vertex_count, more = part->vertex_count, t = mesh->triangle_count;
    if (n + more > UINT32_MAX)
        return fail(error, WEIR_UNSUPPORTED, "a mesh holds fewer than 2^32 vertices, not %zu",
                    n + more);
    size_t vector = 3 * sizeof(float);
    if (!append_array((void **)&mesh->positions, part->positions, vector, n, more, error) ||
        !append_array((void **)&mesh->normals, part->normals, vector, n, more, error) ||
        !append_array((void **)&mesh->velocities, part->velocities, vector, n, more, error) ||
        !append_array((void **)&mesh->fluids, part->fluids, 1, n, more, error) ||
        !append_array((void **)&mesh->triangles, part->triangles, 3 * sizeof(uint32_t), t,
                      part->triangle_count, error))
        return false;
    if (more > 0)
        place_vectors(mesh->positions + 3 * n, more, place, true);
    if (more > 0 && mesh->normals)
        place_vectors(mesh->normals + 3 * n, more, place, false);
    if (more > 0 && mesh->velocities)
        place_vectors(mesh->velocities + 3 * n, more, place, false);
    assert(mesh->triangles || part->triangle_count == 0);
    for (size_t i = 3 * t; i < 3 * (t + part->triangle_count); i++)
        mesh->triangles[i] += (uint32_t)n;
    mesh->vertex_count += more;
    mesh->triangle_count += part->triangle_count;
    return true;
}
