#include "draw/scene.h"

draw_scene draw_scene_default(int dim)
{
    return (draw_scene){.dim = dim,
                        .up = {0, 1, 0},
                        .fluid = {.look = DRAW_PARTICLES, .particles = {.dim = dim, .spacing = 1}},
                        .has_ground = dim == 3};
}

static void add_particles(draw_box *box, const surface_particles *p)
{
    for (size_t i = 0; i < p->count; i++) {
        vec3 at = {p->x[i], p->y[i], p->dim == 3 ? p->z[i] : 0};
        if (vec3_is_finite(at))
            draw_box_add(box, at, p->spacing / 2);
    }
}

static void add_mesh(draw_box *box, const surface_mesh *mesh, weir_pose place)
{
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * i;
        draw_box_add(box, pose_point(place, vec3_make(p[0], p[1], p[2])), 0);
    }
}

static void add_outline(draw_box *box, const surface_outline *outline, weir_pose place)
{
    for (size_t i = 0; i < outline->outline_count; i++) {
        const float *p = outline->points + 2 * i;
        draw_box_add(box, pose_point(place, vec3_make(p[0], p[1], 0)), 0);
    }
}

draw_box draw_scene_box(const draw_scene *scene)
{
    draw_box box = draw_box_empty();
    const draw_fluid *fluid = &scene->fluid;
    add_particles(&box, &fluid->particles);
    if (fluid->mesh)
        add_mesh(&box, fluid->mesh, pose_identity());
    if (fluid->outline)
        add_outline(&box, fluid->outline, pose_identity());
    for (size_t i = 0; i < scene->body_count; i++) {
        const draw_body *body = &scene->bodies[i];
        if (body->mesh)
            add_mesh(&box, body->mesh, body->pose);
        if (body->outline)
            add_outline(&box, body->outline, body->pose);
    }
    for (size_t i = 0; i < scene->mark_count; i++) {
        draw_box_add(&box, scene->marks[i].from, 0);
        if (scene->marks[i].kind != DRAW_POINT)
            draw_box_add(&box, scene->marks[i].to, 0);
    }
    return box;
}

void draw_scene_set_ground(draw_scene *scene)
{
    draw_box box = scene->has_frame ? scene->frame : draw_scene_box(scene);
    scene->has_ground = true;
    scene->ground = 0;
    if (draw_box_is_empty(&box))
        return;
    vec3 up = vec3_unit(scene->up, vec3_make(0, 1, 0));
    scene->ground = fmin(up.x * box.low.x, up.x * box.high.x) +
                    fmin(up.y * box.low.y, up.y * box.high.y) +
                    fmin(up.z * box.low.z, up.z * box.high.z) - 0.001 * draw_box_diagonal(&box);
}
