/* Bodies and joints that contradict each other or the rest of the scene. */
#include "scene/scene_check.h"

#include <math.h>
#include <string.h>

static bool check_names(const scene *s, weir_error *error)
{
    const scene_data *d = &s->data;
    for (size_t k = 0; k < d->body_count; k++)
        for (size_t i = 0; i < d->solid_count; i++)
            if (strcmp(d->bodies[k].name, d->solids[i].name) == 0)
                return bind_error_at(d->bodies[k].node, NULL, error,
                                     "there is a solid of this name, too; names must differ");
    return true;
}

/* A shape without an end has no mass. */
static bool check_bounded(const scene_shape *one, weir_error *error)
{
    if (one->inside || one->kind == SCENE_HALF_SPACE)
        return bind_error_at(one->node, one->inside ? "inside" : "half_space", error,
                             "is not allowed for a body: its shape must have an end on every side");
    for (size_t k = 0; one->kind == SCENE_UNION && k < one->of.parts.count; k++)
        if (!check_bounded(&one->of.parts.items[k], error))
            return false;
    return true;
}

static bool check_body(const scene *s, const scene_body *b, weir_error *error)
{
    return scene_check_shape(s, &b->shape, error) && check_bounded(&b->shape, error) &&
           scene_check_turn(s, &b->rotation, b->node, "rotation", error) &&
           scene_check_turn(s, &b->spin, b->node, "spin", error);
}

static bool check_anchors(const scene_joint *j, weir_error *error)
{
    bool two = j->kind == WEIR_JOINT_DISTANCE || j->kind == WEIR_JOINT_SPRING;
    return !two || j->b || !isnan(j->anchor_b.x) ||
           bind_error_at(j->node, "anchor_b", error,
                         "is missing: without a body b it must say where the world holds a");
}

static bool check_joint(const scene *s, const scene_joint *j, weir_error *error)
{
    const scene_data *d = &s->data;
    size_t a, b = SIZE_MAX;
    if (!scene_find_body(s, j->a, j->node, "a", &a, error) ||
        (j->b && !scene_find_body(s, j->b, j->node, "b", &b, error)))
        return false;
    if (a == b)
        return bind_error_at(j->node, "b", error,
                             "the joint would hold '%s' to itself; name another body, or leave "
                             "out 'b' for the world",
                             j->a);
    bool moves = a >= d->solid_count || (j->b && b >= d->solid_count);
    if (!moves)
        return bind_error_at(j->node, NULL, error,
                             "at least one of '%s' and '%s' must be of 'bodies': solids move as "
                             "their motion says",
                             j->a, j->b ? j->b : "the world");
    if (d->dim == 2 && j->kind == WEIR_JOINT_HINGE && node_find(j->node, "axis"))
        return bind_error_at(j->node, "axis", error, "is not allowed in 2D: hinges turn about z");
    bool has_axis = j->kind == WEIR_JOINT_HINGE || j->kind == WEIR_JOINT_SLIDER;
    if (has_axis && !(vec3_length(j->axis) > 0))
        return bind_error_at(j->node, "axis", error, "must have a length above 0");
    return check_anchors(j, error);
}

bool scene_check_bodies(const scene *s, weir_error *error)
{
    if (!check_names(s, error) || !scene_check_groups(s, error))
        return false;
    for (size_t k = 0; k < s->data.body_count; k++)
        if (!check_body(s, &s->data.bodies[k], error))
            return false;
    for (size_t k = 0; k < s->data.joint_count; k++)
        if (!check_joint(s, &s->data.joints[k], error))
            return false;
    return true;
}
