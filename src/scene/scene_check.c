#include "scene/scene_check.h"

#include "scene/field.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool(scene_fail_at)(const node *n, const char *key, weir_error *error)
{
    if (!error || !n)
        return false;
    weir_error inner = *error;
    bind_error_at(n, key, error, "%s", inner.text);
    error->code = inner.code;
    return false;
}

bool scene_find_fluid(const scene *s, const char *name, const node *n, size_t *index,
                      weir_error *error)
{
    const scene_data *d = &s->data;
    char text[400] = "";
    writing names = {text, sizeof text, 0};
    for (size_t k = 0; k < d->fluid_count; k++) {
        if (name ? strcmp(d->fluids[k].name, name) == 0 : d->fluid_count == 1) {
            *index = k;
            return true;
        }
        writing_add(&names, "%s%s", k > 0 ? ", " : "", d->fluids[k].name);
    }
    if (!name)
        return bind_error_at(n, "fluid", error, "is missing: must be one of: %s", text);
    char shown[NODE_SHOWN];
    return bind_error_at(n, "fluid", error, "there is no fluid '%s'; 'fluids' has: %s",
                         node_show_text(name, shown), text);
}

/* ------------------------------------------------------------------------ shapes */

bool scene_check_turn(const scene *s, const scene_turn *turn, const node *owner, const char *key,
                      weir_error *error)
{
    const node *n = turn->node ? turn->node : owner;
    if (s->data.dim == 2 && node_find(turn->node, "axis"))
        return bind_error_at(n, "axis", error, "is not allowed in 2D: everything turns about z");
    if (!(vec3_length(turn->axis) > 0))
        return bind_error_at(n, turn->node ? "axis" : key, error, "must have a length above 0");
    return true;
}

bool scene_check_shape(const scene *s, const scene_shape *one, weir_error *error)
{
    const scene_data *d = &s->data;
    const node *n = one->node;
    if (!scene_check_turn(s, &one->rotation, n, "rotation", error))
        return false;
    switch (one->kind) {
    case SCENE_HALF_SPACE:
        return vec3_length(one->of.half_space.normal) > 0 ||
               bind_error_at(node_find(n, "half_space"), "normal", error,
                             "must have a length above 0");
    case SCENE_BOX:
        return d->dim == 2 || !node_find(one->of.box.node, "from") ||
               one->of.box.from.z < one->of.box.to.z ||
               bind_error_at(one->of.box.node, "to", error,
                             "must be larger than 'from' along every axis");
    case SCENE_CAPSULE:
    case SCENE_CYLINDER:
        return vec3_length(vec3_sub(one->of.rod.to, one->of.rod.from)) > 0 ||
               bind_error_at(n, NULL, error, "its ends 'from' and 'to' are the same point");
    case SCENE_POLYGON:
        return d->dim == 2 ||
               bind_error_at(n, "polygon", error,
                             "is not allowed in 3D; use a box, a cylinder or a mesh");
    case SCENE_MESH:
        return d->dim == 3 ||
               bind_error_at(n, "mesh", error, "is not allowed in 2D; use a polygon");
    case SCENE_UNION:
        for (size_t k = 0; k < one->of.parts.count; k++)
            if (!scene_check_shape(s, &one->of.parts.items[k], error))
                return false;
        return true;
    default:
        return true;
    }
}

/* ------------------------------------------------------------------------- parts */

static bool check_periods(const scene *s, weir_error *error)
{
    const scene_data *d = &s->data;
    const scene_period *axes[] = {&d->periodic.x, &d->periodic.y, &d->periodic.z};
    static const char *const names[] = {"x", "y", "z"};
    double h = scene_support(d) * d->spacing;
    for (int a = 0; a < 3; a++) {
        if (axes[a]->count == 0)
            continue;
        double lo = axes[a]->ends[0], hi = axes[a]->ends[1];
        if (a >= d->dim)
            return bind_error_at(d->periodic.node, names[a], error, "is not allowed in 2D");
        if (!(hi - lo >= 2 * h))
            return bind_error_at(d->periodic.node, names[a], error,
                                 "a period from %g to %g m is not allowed: it must be at least "
                                 "%g m long, two kernel radii (2 x support x spacing)",
                                 lo, hi, 2 * h);
    }
    return true;
}

static bool check_solids(const scene *s, weir_error *error)
{
    for (size_t k = 0; k < s->data.solid_count; k++) {
        const scene_solid *solid = &s->data.solids[k];
        const scene_motion *m = &solid->motion;
        if (!scene_check_shape(s, &solid->shape, error) ||
            !scene_check_turn(s, &solid->rotation, solid->node, "rotation", error) ||
            !scene_check_turn(s, &m->spin, solid->node, "motion", error) ||
            !scene_check_turn(s, &m->rocking, solid->node, "motion", error))
            return false;
        for (size_t i = 0; i < m->keyframe_count; i++)
            if (!scene_check_turn(s, &m->keyframes[i].rotation, m->node, "keyframes", error))
                return false;
    }
    return true;
}

static bool check_emitter(const scene *s, const scene_emitter *e, weir_error *error)
{
    size_t fluid;
    int dim = s->data.dim;
    if (!scene_find_fluid(s, e->fluid, e->node, &fluid, error))
        return false;
    if (!(vec3_length(e->direction) > 0))
        return bind_error_at(e->node, "direction", error, "must have a length above 0");
    if (e->nozzle.kind == SCENE_RECTANGLE && dim == 2)
        return bind_error_at(e->nozzle.node, "rectangle", error,
                             "is not allowed in 2D; use slot: {width: ...}");
    if (e->nozzle.kind == SCENE_SLOT && dim == 3)
        return bind_error_at(e->nozzle.node, "slot", error,
                             "is not allowed in 3D; use circle or rectangle");
    return true;
}

static bool check_flows(const scene *s, weir_error *error)
{
    const scene_data *d = &s->data;
    size_t fluid;
    for (size_t k = 0; k < d->fill_count; k++)
        if (!scene_find_fluid(s, d->fills[k].fluid, d->fills[k].node, &fluid, error) ||
            !scene_check_shape(s, &d->fills[k].shape, error))
            return false;
    for (size_t k = 0; k < d->emitter_count; k++)
        if (!check_emitter(s, &d->emitters[k], error))
            return false;
    for (size_t k = 0; k < d->sink_count; k++)
        if (!scene_check_shape(s, &d->sinks[k].shape, error))
            return false;
    if (d->fill_count == 0 && d->emitter_count == 0 && d->body_count == 0)
        return bind_error_at(d->node, NULL, error,
                             "the scene has no particles: it needs a fill or an emitter");
    return true;
}

static bool check_output(const scene *s, weir_error *error)
{
    const scene_data *d = &s->data;
    const weir_method_info *info = weir_method_get_info((weir_method)d->method.name);
    /* Only what was asked for: the default names fields that not every method may have. */
    for (int k = SCENE_FIELD_METHOD; node_find(d->output.node, "fields") && scene_field_name(k);
         k++) {
        bool has = !(d->output.fields >> k & 1);
        for (int i = 0; i < info->field_count && !has; i++)
            has = strcmp(info->fields[i].name, scene_field_name(k)) == 0;
        if (!has)
            return bind_error_at(d->output.node, "fields", error, "the method %s has no field '%s'",
                                 info->name, scene_field_name(k));
    }
    if (d->time.step > d->time.end)
        return bind_error_at(d->time.node ? d->time.node : d->node, "step", error,
                             "%g s is not allowed: must be at most the end, %g s", d->time.step,
                             d->time.end);
    return true;
}

/* A flat scene is seen straight on: only where and how much is open. */
static bool check_camera(const scene *s, weir_error *error)
{
    static const char *const in_space[] = {"position", "up", "fov"};
    const node *n = s->data.camera.node;
    if (!n)
        return true;
    if (s->data.dim == 3 && node_find(n, "height"))
        return bind_error_at(n, "height", error, "is for 2D scenes; in 3D give fov");
    if (s->data.dim == 3 && !node_find(n, "position"))
        return bind_error_at(n, "position", error, "is missing: must be a point in space");
    for (size_t k = 0; s->data.dim == 2 && k < sizeof in_space / sizeof in_space[0]; k++)
        if (node_find(n, in_space[k]))
            return bind_error_at(n, in_space[k], error,
                                 "is for 3D scenes; in 2D give target and height");
    return true;
}

/* Spheres larger than the distance of particles would hold them apart. */
static bool check_coupling(const scene *s, weir_error *error)
{
    const scene_coupling *c = &s->data.coupling;
    if (c->node && c->radius > s->data.spacing)
        return bind_error_at(c->node, "radius", error,
                             "%g m is not allowed: must be at most the spacing, %g m", c->radius,
                             s->data.spacing);
    return true;
}

bool scene_check(const scene *s, weir_error *error)
{
    return check_periods(s, error) && check_coupling(s, error) && check_solids(s, error) &&
           scene_check_bodies(s, error) && check_flows(s, error) && check_output(s, error) &&
           check_camera(s, error);
}

/* ------------------------------------------------------------- in the built world */

static bool check_period(const scene_data *d, const node *n, vec3 position, weir_error *error)
{
    const scene_period *axes[] = {&d->periodic.x, &d->periodic.y, &d->periodic.z};
    const double at[] = {position.x, position.y, position.z};
    assert(d->dim <= 3);
    for (int a = 0; a < d->dim; a++)
        if (axes[a]->count > 0 && !(at[a] >= axes[a]->ends[0] && at[a] <= axes[a]->ends[1]))
            return bind_error_at(n, "position", error,
                                 "%g m along %c is outside of the period from %g to %g m", at[a],
                                 "xyz"[a], axes[a] -> ends[0], axes[a] -> ends[1]);
    return true;
}

/* What runs only later may begin behind a solid that will have moved on. */
static bool begins_at_once(const scene_emitter *e)
{
    for (size_t k = 0; k < e->schedule_count; k++)
        if (e->schedule[k].ends[0] <= 0)
            return true;
    return e->schedule_count == 0;
}

static bool check_emitter_place(const scene_data *d, const scene_emitter *e, weir_world *world,
                                int index, weir_error *error)
{
    weir_nozzle_cover cover;
    weir_body_state body;
    if (!check_period(d, e->node, e->position, error))
        return false;
    if (weir_world_emitter_covered(world, index, &cover) == 0 ||
        !weir_body_get_state(world, cover.body, &body) ||
        (body.kind != WEIR_BODY_STATIC && !begins_at_once(e)))
        return true;
    vec3 at = cover.position;
    return bind_error_at(e->node, "position", error,
                         "the nozzle reaches into a solid, where no fluid can be: at (%g, %g, %g) "
                         "it lies %.3g m inside of the solid '%s'; move the emitter, or make its "
                         "nozzle smaller",
                         at.x, at.y, at.z, cover.depth, body.name);
}

static bool check_probe_place(const scene_data *d, const scene_probe *p, weir_world *world,
                              weir_error *error)
{
    weir_body_id nearest;
    weir_body_state body;
    if (!check_period(d, p->node, p->position, error))
        return false;
    double distance = weir_world_distance(world, p->position, &nearest);
    if (distance < -1e-6 * d->spacing && weir_body_get_state(world, nearest, &body))
        return bind_error_at(
            p->node, "position", error,
            "the probe lies %.3g m inside of the solid '%s', where no fluid can be", -distance,
            body.name);
    return true;
}

bool scene_check_places(const scene *s, weir_world *world, weir_error *error)
{
    const scene_data *d = &s->data;
    for (size_t k = 0; k < d->emitter_count; k++)
        if (!check_emitter_place(d, &d->emitters[k], world, (int)k, error))
            return false;
    for (size_t k = 0; k < d->probe_count; k++)
        if (!check_probe_place(d, &d->probes[k], world, error))
            return false;
    return true;
}
