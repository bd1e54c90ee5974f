/* Shapes of a scene file to those of the core. */
#include "scene/scene_build.h"

#include "mesh/mesh_distance.h"
#include "mesh/mesh_repair.h"
#include "scene/scene_check.h"

#include <stdlib.h>
#include <string.h>

vec3 scene_turn_vector(const scene_turn *turn)
{
    return vec3_scale(vec3_unit(turn->axis, vec3_make(0, 0, 1)), turn->angle);
}

quat scene_turn_rotation(const scene_turn *turn)
{
    return quat_from_rotation_vector(scene_turn_vector(turn));
}

/* The rotation that turns y into `direction`, a unit vector; about z for a direction in the plane,
 * so that it serves in 2D too. */
static quat rotation_from_y(vec3 direction)
{
    if (direction.z == 0)
        return quat_from_rotation_vector(vec3_make(0, 0, atan2(-direction.x, direction.y)));
    vec3 axis = vec3_cross(vec3_make(0, 1, 0), direction);
    return quat_normalize((quat){axis.x, axis.y, axis.z, 1 + direction.y});
}

static void build_box(const scene_box *box, weir_shape_def *def, pose *at)
{
    bool by_corners = node_find(box->node, "from") != NULL;
    vec3 size = by_corners ? vec3_sub(box->to, box->from) : box->size;
    def->kind = WEIR_SHAPE_BOX;
    def->half_extents = vec3_scale(size, 0.5);
    if (def->half_extents.z == 0)
        def->half_extents.z = 1; /* 2D */
    at->position = by_corners ? vec3_scale(vec3_add(box->from, box->to), 0.5) : box->center;
}

static void build_rod(const scene_rod *rod, weir_shape_kind kind, weir_shape_def *def, pose *at)
{
    vec3 axis = vec3_sub(rod->to, rod->from);
    def->kind = kind;
    def->radius = rod->radius;
    def->half_length = vec3_length(axis) / 2;
    at->position = vec3_scale(vec3_add(rod->from, rod->to), 0.5);
    at->rotation = rotation_from_y(vec3_unit(axis, vec3_make(0, 1, 0)));
}

void scene_note(scene *s, const char *text)
{
    const char *kept =
        s->note_count < SCENE_MAX_NOTES ? store_text(&s->kept, text, strlen(text)) : NULL;
    if (kept)
        s->notes[s->note_count++] = kept;
}

/* Makes room for one more mesh; NULL when memory ran out. */
static mesh_distance *add_mesh(scene *s)
{
    mesh_distance *sampled = calloc(1, sizeof *sampled);
    mesh_distance **grown = realloc(s->meshes, (s->mesh_count + 1) * sizeof *grown);
    if (grown)
        s->meshes = grown;
    if (!sampled || !grown) {
        free(sampled);
        return NULL;
    }
    s->meshes[s->mesh_count++] = sampled;
    return sampled;
}

static bool sample_mesh(scene *s, const scene_mesh *from, int threads, mesh_distance *out,
                        weir_error *error)
{
    triangle_mesh mesh = {0};
    mesh_transform transform = mesh_transform_identity();
    transform.scale = from->scale;
    mesh_repair_options repair = {.fill_holes = from->repair};
    mesh_repair_report report;
    mesh_distance_options options = {.spacing = s->data.spacing, .threads = threads};
    mesh_distance_plan plan;
    bool ok = triangle_mesh_read(&mesh, from->file, &transform, error) &&
              mesh_repair(&mesh, from->file, &repair, &report, error) &&
              mesh_distance_prepare(&plan, &mesh, &options, error) &&
              mesh_distance_build(out, &mesh, &plan, error);
    if (ok) {
        char note[300];
        mesh_repair_note(&report, note, sizeof note);
        if (note[0])
            scene_note(s, note);
    }
    triangle_mesh_free(&mesh);
    return ok;
}

static bool build_mesh(scene *s, const scene_shape *from, int threads, weir_shape_def *def,
                       weir_error *error)
{
    mesh_distance *sampled = add_mesh(s);
    if (!sampled)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a mesh");
    if (!sample_mesh(s, &from->of.mesh, threads, sampled, error))
        return scene_fail_at(from->node, "mesh", error);
    def->kind = WEIR_SHAPE_GRID;
    def->grid = &sampled->grid;
    return true;
}

static bool build_union(scene *s, const scene_shape *from, int threads, weir_shape_def *def,
                        weir_error *error)
{
    size_t count = from->of.parts.count;
    weir_shape_def *children = store_take_array(&s->kept, count, sizeof *children);
    if (!children)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for %zu shapes", count);
    for (size_t k = 0; k < count; k++)
        if (!scene_build_shape(s, &from->of.parts.items[k], threads, &children[k], error))
            return false;
    def->kind = WEIR_SHAPE_UNION;
    def->children = children;
    def->child_count = count;
    return true;
}

bool scene_build_shape(scene *s, const scene_shape *from, int threads, weir_shape_def *def,
                       weir_error *error)
{
    pose outer = {from->position, scene_turn_rotation(&from->rotation)};
    pose inner = pose_identity(); /* of the kind's own centre and axis */
    *def = weir_shape_def_default();
    def->complement = from->inside;
    def->rounding = from->rounding;
    switch (from->kind) {
    case SCENE_HALF_SPACE:
        def->kind = WEIR_SHAPE_HALF_SPACE;
        def->normal = from->of.half_space.normal;
        inner.position = from->of.half_space.point;
        break;
    case SCENE_BOX:
        build_box(&from->of.box, def, &inner);
        break;
    case SCENE_SPHERE:
        def->kind = WEIR_SHAPE_SPHERE;
        def->radius = from->of.sphere.radius;
        inner.position = from->of.sphere.center;
        break;
    case SCENE_CAPSULE:
        build_rod(&from->of.rod, WEIR_SHAPE_CAPSULE, def, &inner);
        break;
    case SCENE_CYLINDER:
        build_rod(&from->of.rod, WEIR_SHAPE_CYLINDER, def, &inner);
        break;
    case SCENE_POLYGON:
        def->kind = WEIR_SHAPE_POLYGON;
        def->points = from->of.polygon.points;
        def->point_count = from->of.polygon.count;
        break;
    case SCENE_MESH:
        if (!build_mesh(s, from, threads, def, error))
            return false;
        break;
    case SCENE_UNION:
        if (!build_union(s, from, threads, def, error))
            return false;
        break;
    }
    def->pose.position = pose_point(outer, inner.position);
    def->pose.rotation = quat_multiply(outer.rotation, inner.rotation);
    return true;
}
