/* Solids, bodies and joints of a scene as the renderer takes them. */
#include "show.h"

#include "mesh/mesh_repair.h"
#include "scene/scene_build.h"
#include "surface/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float stone[3] = {0.70f, 0.69f, 0.66f}, glass[3] = {0.62f, 0.70f, 0.76f};
static const float steel[3] = {0.20f, 0.22f, 0.26f};

static bool out_of_memory(weir_error *error)
{
    return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the solids of a picture");
}

static const scene_shape *shape_of(const scene *s, size_t index)
{
    const scene_data *d = &s->data;
    return index < d->solid_count ? &d->solids[index].shape
                                  : &d->bodies[index - d->solid_count].shape;
}

/* ----------------------------------------------------------------- shapes */

/* The file's own triangles: sharper than those of the distances that were sampled from them. */
static bool read_mesh(surface_mesh *out, const scene_shape *form, weir_error *error)
{
    triangle_mesh mesh = {0};
    mesh_transform place = {form->of.mesh.scale, scene_turn_rotation(&form->rotation),
                            form->position};
    mesh_repair_options repair = {.fill_holes = form->of.mesh.repair};
    mesh_repair_report report;
    bool done = triangle_mesh_read(&mesh, form->of.mesh.file, &place, error) &&
                mesh_repair(&mesh, form->of.mesh.file, &repair, &report, error) &&
                solid_mesh_of_triangles(out, &mesh, error);
    triangle_mesh_free(&mesh);
    return done;
}

/* A plate that stands for a half-space: its upper side is the plane, its size the scene's. */
static weir_shape_def make_plate(const scene_shape *form, double size)
{
    weir_shape_def def = weir_shape_def_default();
    quat turn = scene_turn_rotation(&form->rotation);
    vec3 normal = vec3_unit(quat_rotate(turn, form->of.half_space.normal), vec3_make(0, 1, 0));
    vec3 point = pose_point((pose){form->position, turn}, form->of.half_space.point);
    vec3 axis = vec3_cross(vec3_make(0, 1, 0), normal);
    double sine = vec3_length(axis), angle = atan2(sine, normal.y);
    axis = vec3_unit(axis, vec3_make(0, 0, 1));
    def.kind = WEIR_SHAPE_BOX;
    def.half_extents = vec3_make(size, 0.02 * size, size);
    def.pose.rotation = quat_from_rotation_vector(vec3_scale(axis, angle));
    def.pose.position = vec3_madd(point, -def.half_extents.y, normal);
    return def;
}

static bool build_solid(show_solids *out, const show *w, size_t index, double size,
                        weir_error *error)
{
    const scene_shape *form = shape_of(w->s, index);
    draw_body *body = &out->bodies[index];
    int dim = w->s->data.dim;
    weir_shape_def def;
    body->is_wall = form->inside;
    body->mesh = dim == 3 ? &out->meshes[index] : NULL;
    body->outline = dim == 2 ? &out->outlines[index] : NULL;
    if (form->kind == SCENE_MESH && dim == 3 && !form->inside && form->rounding == 0)
        return read_mesh(&out->meshes[index], form, error);
    if (form->kind == SCENE_HALF_SPACE)
        def = make_plate(form, size);
    else if (!scene_build_shape(w->s, form, 0, &def, error))
        return false;
    return dim == 3 ? solid_mesh_build(&out->meshes[index], &def, 0, error)
                    : solid_outline_build(&out->outlines[index], &def, 0, error);
}

static void choose_colour(const show *w, size_t index, draw_body *body)
{
    size_t solids = w->s->data.solid_count;
    if (index >= solids)
        draw_colour_of_body((int)(index - solids), body->colour);
    else
        memcpy(body->colour, body->is_wall ? glass : stone, sizeof body->colour);
}

/* A floor without end is the ground of the picture, not a plate. */
static bool take_ground(show_solids *out, const show *w, size_t index)
{
    const scene_shape *form = shape_of(w->s, index);
    pose place = w->poses[index];
    if (w->s->data.dim != 3 || form->kind != SCENE_HALF_SPACE || form->inside || out->has_ground)
        return false;
    quat turn = quat_multiply(place.rotation, scene_turn_rotation(&form->rotation));
    vec3 normal = vec3_unit(quat_rotate(turn, form->of.half_space.normal), out->up);
    pose inner = {form->position, scene_turn_rotation(&form->rotation)};
    vec3 point = pose_point(place, pose_point(inner, form->of.half_space.point));
    if (vec3_dot(normal, out->up) < 1 - 1e-9)
        return false;
    out->has_ground = true;
    out->ground = vec3_dot(point, out->up);
    return true;
}

/* ----------------------------------------------------------------- frame */

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The values that all but half a percent lie between at each end: spray that flew far off would
 * make the rest small. Positions are finite, or a picture could not be drawn. */
static void find_bulk(const float *values, size_t count, float *sorted, double *low, double *high)
{
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    *low = sorted[count / 200];
    *high = sorted[count - 1 - count / 200];
}

static bool add_fluid(draw_box *box, const surface_particles *p, weir_error *error)
{
    vec3 low = {0}, high = {0};
    float *sorted = malloc((p->count + 1) * sizeof *sorted);
    if (!sorted)
        return out_of_memory(error);
    if (p->count > 0) {
        find_bulk(p->x, p->count, sorted, &low.x, &high.x);
        find_bulk(p->y, p->count, sorted, &low.y, &high.y);
        if (p->z)
            find_bulk(p->z, p->count, sorted, &low.z, &high.z);
        draw_box_add(box, low, p->spacing / 2);
        draw_box_add(box, high, p->spacing / 2);
    }
    free(sorted);
    return true;
}

/* The box of the solids that have an end. In 2D tanks hide what lies outside of them: where there
 * are any, they are all. */
static draw_box find_box(const show_solids *out, int dim)
{
    draw_box box = draw_box_empty();
    bool walls_only = false;
    for (size_t k = 0; k < out->count; k++)
        walls_only = walls_only || (dim == 2 && out->bodies[k].is_wall && out->bodies[k].outline);
    for (size_t k = 0; k < out->count; k++) {
        draw_scene one = draw_scene_default(dim);
        one.bodies = &out->bodies[k];
        one.body_count = 1;
        draw_box part = draw_scene_box(&one);
        if (draw_box_is_empty(&part) || (walls_only && !out->bodies[k].is_wall))
            continue;
        draw_box_add(&box, part.low, 0);
        draw_box_add(&box, part.high, 0);
    }
    return box;
}

/* What a picture shows in any case: the fluid now, emitters, and solids that have an end. */
static bool find_frame(show_solids *out, const show *w, weir_error *error)
{
    const scene_data *d = &w->s->data;
    out->frame = find_box(out, d->dim);
    for (size_t k = 0; k < d->emitter_count; k++)
        draw_box_add(&out->frame, d->emitters[k].position, 2 * d->spacing);
    return add_fluid(&out->frame, &w->particles, error);
}

static bool build_plates(show_solids *out, const show *w, weir_error *error)
{
    double size = draw_box_is_empty(&out->frame) ? 1 : draw_box_diagonal(&out->frame);
    for (size_t k = 0; k < out->count; k++)
        if (shape_of(w->s, k)->kind == SCENE_HALF_SPACE && !take_ground(out, w, k) &&
            !build_solid(out, w, k, size, error))
            return false;
    return true;
}

/* ----------------------------------------------------------------- joints */

static size_t find_body(const scene *s, const char *name)
{
    const scene_data *d = &s->data;
    for (size_t k = 0; k < d->body_count; k++)
        if (strcmp(d->bodies[k].name, name) == 0)
            return d->solid_count + k;
    size_t k = 0;
    while (k < d->solid_count && strcmp(d->solids[k].name, name) != 0)
        k++;
    return k;
}

/* Where a point that body `name` carries is now; NAN stands for the body's position. */
static vec3 carry(const show *w, const char *name, vec3 anchor)
{
    if (!name)
        return anchor;
    size_t index = find_body(w->s, name);
    pose start = show_start_pose(w->s, index);
    if (isnan(anchor.x))
        anchor = start.position;
    return pose_point(w->poses[index], pose_local_point(start, anchor));
}

static void place_joint(const show *w, const scene_joint *joint, draw_mark *mark)
{
    bool two = joint->kind == WEIR_JOINT_DISTANCE || joint->kind == WEIR_JOINT_SPRING;
    *mark = (draw_mark){.kind = two ? DRAW_LINE : DRAW_POINT, .size = two ? 2.5f : 7};
    memcpy(mark->colour, steel, sizeof mark->colour);
    mark->from = mark->to = carry(w, joint->a, joint->anchor);
    if (two)
        mark->to = carry(w, joint->b, joint->anchor_b);
}

/* -------------------------------------------------------------------- all */

static bool build_all(show_solids *out, const show *w, weir_error *error)
{
    for (size_t k = 0; k < out->count; k++) {
        if (shape_of(w->s, k)->kind != SCENE_HALF_SPACE && !build_solid(out, w, k, 0, error))
            return false;
        choose_colour(w, k, &out->bodies[k]);
    }
    show_solids_place(out, w);
    return find_frame(out, w, error) && build_plates(out, w, error);
}

bool show_solids_build(show_solids *out, const show *w, weir_error *error)
{
    const scene_data *d = &w->s->data;
    size_t count = d->solid_count + d->body_count;
    *out = (show_solids){.count = count, .mark_count = d->joint_count};
    out->up = vec3_unit(vec3_scale(d->gravity, -1), vec3_make(0, 1, 0));
    out->bodies = calloc(count + 1, sizeof *out->bodies);
    out->meshes = calloc(count + 1, sizeof *out->meshes);
    out->outlines = calloc(count + 1, sizeof *out->outlines);
    out->marks = calloc(d->joint_count + 1, sizeof *out->marks);
    bool done = (out->bodies && out->meshes && out->outlines && out->marks) || out_of_memory(error);
    if (done && build_all(out, w, error))
        return true;
    show_solids_free(out);
    return false;
}

bool show_solids_widen(show_solids *solids, const show *w, weir_error *error)
{
    return add_fluid(&solids->frame, &w->particles, error);
}

/* Whether a solid has vanished by now. */
static bool is_gone(const show *w, size_t index)
{
    double until = index < w->s->data.solid_count ? w->s->data.solids[index].until : 0;
    return until > 0 && w->time > until;
}

void show_solids_place(show_solids *solids, const show *w)
{
    for (size_t k = 0; k < solids->count; k++) {
        solids->bodies[k].pose = w->poses[k];
        if (is_gone(w, k)) { /* pictures of one film go forward in time */
            solids->bodies[k].mesh = NULL;
            solids->bodies[k].outline = NULL;
        }
    }
    for (size_t k = 0; k < solids->mark_count; k++)
        place_joint(w, &w->s->data.joints[k], &solids->marks[k]);
}

void show_solids_free(show_solids *solids)
{
    for (size_t k = 0; k < solids->count; k++) {
        if (solids->meshes)
            surface_mesh_free(&solids->meshes[k]);
        if (solids->outlines)
            surface_outline_free(&solids->outlines[k]);
    }
    free(solids->bodies);
    free(solids->meshes);
    free(solids->outlines);
    free(solids->marks);
    *solids = (show_solids){0};
}
