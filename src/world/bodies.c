/* Solids: creation, state, end. */
#include "base/error.h"
#include "base/notice.h"
#include "matter/density.h"
#include "world/state.h"

#include <string.h>

void world_free_body(weir_world *w, body *b)
{
    if (b->map)
        boundary_map_destroy(&w->mem, b->map);
    if (b->shape)
        shape_destroy(&w->mem, b->shape);
    motion_free(&b->motion, &w->mem);
    memory_give(&w->mem, b->form, sizeof *b->form);
    b->form = NULL;
    contact_samples_free(&w->mem, &b->samples);
    surface_samples_free(&w->mem, &b->skin);
    b->inverse_mass = 0;
    b->map = NULL;
    b->shape = NULL;
    b->alive = false;
}

weir_body_def weir_body_def_default(void)
{
    return (weir_body_def){.kind = WEIR_BODY_STATIC,
                           .shape = weir_shape_def_default(),
                           .pose = pose_identity(),
                           .wall = WEIR_WALL_SLIP,
                           .density = 500,
                           .friction = 0.5,
                           .group = 1,
                           .collides = UINT32_MAX,
                           .wet_friction = -1};
}

static void note_body(weir_world *w, const weir_body_def *def)
{
    const weir_motion *m = &def->motion;
    const double numbers[] = {def->kind,
                              def->wall,
                              m->velocity.x,
                              m->velocity.y,
                              m->velocity.z,
                              m->spin.x,
                              m->spin.y,
                              m->spin.z,
                              m->oscillation.x,
                              m->oscillation.y,
                              m->oscillation.z,
                              m->rocking.x,
                              m->rocking.y,
                              m->rocking.z,
                              m->frequency,
                              m->phase,
                              m->loop,
                              m->start,
                              m->end,
                              def->pose.position.x,
                              def->pose.position.y,
                              def->pose.position.z,
                              def->pose.rotation.x,
                              def->pose.rotation.y,
                              def->pose.rotation.z,
                              def->pose.rotation.w,
                              def->density,
                              def->mass,
                              def->velocity.x,
                              def->velocity.y,
                              def->velocity.z,
                              def->spin.x,
                              def->spin.y,
                              def->spin.z,
                              def->friction,
                              def->restitution,
                              def->group,
                              def->collides,
                              def->wet_friction,
                              def->stickiness,
                              def->stick_distance,
                              def->until};
    world_note_definition(w, numbers, sizeof numbers);
    world_note_shape(w, &def->shape);
    if (def->hosted)
        world_note_definition(w, &def->hosted, sizeof def->hosted);
    for (size_t k = 0; k < m->keyframe_count; k++)
        world_note_definition(w, &m->keyframes[k], sizeof m->keyframes[k]);
}

static bool check_body(const weir_body_def *def, int dim, weir_error *error)
{
    if ((unsigned)def->kind > WEIR_BODY_DYNAMIC)
        return fail(error, WEIR_INVALID, "kind: %d is not one of the kinds", (int)def->kind);
    if ((unsigned)def->wall > WEIR_WALL_NO_SLIP)
        return fail(error, WEIR_INVALID, "wall: %d is not one of the walls", (int)def->wall);
    const quat turn = def->pose.rotation;
    if (!vec3_is_finite(def->pose.position) || !isfinite(turn.x + turn.y + turn.z + turn.w) ||
        !vec3_is_finite(def->velocity) || !vec3_is_finite(def->spin))
        return fail(error, WEIR_INVALID, "pose, velocity and spin must be finite");
    if (!(def->friction >= 0) || !(def->restitution >= 0 && def->restitution <= 1))
        return fail(error, WEIR_INVALID,
                    "friction %g must be >= 0 and restitution %g between 0 and 1", def->friction,
                    def->restitution);
    if (!(def->until >= 0))
        return fail(error, WEIR_INVALID, "until: %g s is not allowed: must be > 0, or 0 for ever",
                    def->until);
    if (!(def->wet_friction <= 1) || !(def->stickiness >= 0) || !(def->stick_distance >= 0) ||
        !isfinite(def->stickiness) || !isfinite(def->stick_distance))
        return fail(error, WEIR_INVALID,
                    "wet_friction %g must be at most 1; stickiness %g and stick_distance %g must "
                    "be >= 0",
                    def->wet_friction, def->stickiness, def->stick_distance);
    if (def->hosted && def->kind == WEIR_BODY_STATIC)
        return fail(error, WEIR_INVALID,
                    "hosted: a static body cannot be hosted; make it animated");
    if (def->kind != WEIR_BODY_DYNAMIC)
        return true;
    if (!(def->mass >= 0) || !isfinite(def->mass))
        return fail(error, WEIR_INVALID,
                    "a mass of %g kg is not allowed: must be > 0, or 0 for "
                    "the mass that density gives",
                    def->mass);
    if (def->mass == 0 && !density_is_allowed(def->density))
        return fail(error, WEIR_INVALID,
                    "a density of %g kg/m3 is not allowed: must be from %g to %g", def->density,
                    DENSITY_LEAST, DENSITY_MOST);
    if (dim == 2 && (def->velocity.z != 0 || def->spin.x != 0 || def->spin.y != 0))
        return fail(error, WEIR_INVALID, "a body in a 2D world moves in x and y and turns about z");
    return true;
}

/* By how much a solid is grown for its boundary volume, so that bodies float as deep as they
 * should. */
static boundary_growth find_growth(const weir_world *w, const body *b)
{
    const flow *f = &w->flow;
    if (b->by_contact)
        return (boundary_growth){0, 0};
    if (w->method->solid_growth)
        return w->method->solid_growth(f);
    bool dynamic = b->kind == WEIR_BODY_DYNAMIC;
    return (boundary_growth){dynamic ? f->spacing * (f->dim == 2 ? 0.05 : 0.07) : 0, 0};
}

static bool init_form(weir_world *w, body *b, weir_error *error)
{
    convex form;
    convex_find(b->shape, &form);
    if (form.kind == CONVEX_NONE)
        return true;
    b->form = memory_take(&w->mem, sizeof form);
    if (!b->form)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the form of a solid");
    *b->form = form;
    return true;
}

static bool init_dynamics(weir_world *w, body *b, const weir_body_def *def, weir_error *error)
{
    flow *f = &w->flow;
    if (!body_set_mass(b, f->dim, def->density, def->mass, error))
        return false;
    b->velocity = def->velocity;
    b->spin = def->spin;
    b->still_at = b->pose;
    return true;
}

static bool init_body(weir_world *w, body *b, const weir_body_def *def, weir_error *error)
{
    flow *f = &w->flow;
    if (!check_body(def, f->dim, error))
        return false;
    strncpy(b->name, def->name ? def->name : "solid", NAME_LENGTH - 1);
    b->kind = def->kind;
    b->wall = def->wall;
    b->friction = def->friction;
    b->restitution = def->restitution;
    b->group = def->group;
    b->hosted = def->hosted;
    b->collides = def->hosted ? 0 : def->collides;
    b->until = def->until;
    b->wet_friction = def->wet_friction >= 0 ? def->wet_friction : def->wall == WEIR_WALL_NO_SLIP;
    b->stickiness = def->stickiness;
    b->stick_distance = def->stick_distance > 0 ? def->stick_distance : 0.4 * f->h;
    if (b->stickiness == 0)
        b->stick_distance = 0;
    b->initial = def->pose;
    b->initial.rotation = quat_normalize(def->pose.rotation);
    if (!motion_copy(&b->motion, &w->mem, &def->motion, f->dim, error))
        return false;
    b->shape = shape_create(&w->mem, &def->shape, f->dim, error);
    if (!b->shape)
        return false;
    if (!init_form(w, b, error))
        return false;
    bool dynamic = def->kind == WEIR_BODY_DYNAMIC;
    b->by_contact = dynamic && w->def.coupling.mode != WEIR_COUPLING_BOUNDARY_VOLUME;
    if (w->method->uses_wall_volume) {
        b->map = boundary_map_create(&w->mem, b->shape, f->kernel, &f->flat_wall, f->h,
                                     find_growth(w, b), f->threads, error);
        if (!b->map)
            return false;
    }
    b->bounds = shape_bounds(b->shape);
    b->bounded = vec3_is_finite(b->bounds.lo) && vec3_is_finite(b->bounds.hi);
    b->pose =
        b->kind == WEIR_BODY_ANIMATED ? motion_pose(&b->motion, b->initial, w->time) : b->initial;
    b->alive = true;
    if (dynamic && !init_dynamics(w, b, def, error))
        return false;
    body_find_extents(b);
    if (!dynamic)
        return true;
    if (!body_find_samples(b, &w->mem, f->spacing, error) ||
        !surface_sample(&w->mem, b->shape, f->spacing, &b->skin, error))
        return false;
    surface_samples_face(b->shape, f->spacing, &b->skin);
    return true;
}

/* Once something moves, solids that it may fall on need samples, too: their edges. One that cannot
 * be sampled does without. All but the last have been looked at if there was mass before it. */
static bool sample_others(weir_world *w, weir_error *error)
{
    flow *f = &w->flow;
    size_t last = f->body_count - 1;
    bool before = false;
    for (size_t k = 0; k < last && !before; k++)
        before = body_has_mass(&f->bodies[k]);
    bool any = before || body_has_mass(&f->bodies[last]);
    for (size_t k = before ? last : 0; any && k <= last; k++) {
        body *b = &f->bodies[k];
        weir_error why = {0};
        if (!b->alive || !b->bounded || b->samples.count > 0)
            continue;
        if (!body_find_samples(b, &w->mem, f->spacing, &why) && why.code == WEIR_OUT_OF_MEMORY)
            return fail(error, why.code, "%s", why.text);
    }
    return true;
}

/* Many bodies are made to meet: what their contacts take is taken with them, as they become more,
 * and not in the step in which they do, which would last several times as long as the next. */
static bool reserve_contacts(weir_world *w, const body *b, weir_error *error)
{
    enum { MANY = 64 };
    int dim = w->flow.dim;
    if (w->body_capacity < MANY || !body_has_mass(b) || world_is_by_contact(w))
        return true;
    return (contacts_reserve(&w->contacts, &w->mem, dim, w->body_capacity) &&
            crowd_reserve(&w->crowd, &w->mem, dim, w->body_capacity)) ||
           fail(error, WEIR_OUT_OF_MEMORY, "no memory for contacts of %zu solids",
                w->body_capacity);
}

weir_body_id weir_body_create(weir_world *w, const weir_body_def *def, weir_error *error)
{
    weir_body_id none = {0, 0};
    flow *f = &w->flow;
    if (!REQUIRE(&w->def.hooks, error, def != NULL))
        return none;
    if (!memory_grow(&w->mem, (void **)&f->bodies, &w->body_capacity, f->body_count + 1,
                     f->body_count, sizeof *f->bodies)) {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory for a solid");
        return none;
    }
    /* Slots are not reused: the order of solids, and with it the order of sums, stays. */
    body *b = &f->bodies[f->body_count];
    *b = (body){.generation = 1};
    if (!init_body(w, b, def, error)) {
        fail_in(error, "solid %s", def->name ? def->name : "");
        world_free_body(w, b);
        return none;
    }
    f->body_count++;
    if (!sample_others(w, error) || !reserve_contacts(w, b, error)) {
        f->body_count--;
        world_free_body(w, b);
        return none;
    }
    note_body(w, def);
    world_wake_near_body(w, b);
    return (weir_body_id){(uint32_t)f->body_count, b->generation};
}

static body *find_body(const weir_world *w, weir_body_id id)
{
    if (id.slot == 0 || id.slot > w->flow.body_count)
        return NULL;
    body *b = &w->flow.bodies[id.slot - 1];
    /* One that has vanished keeps its place in lists and results. */
    return b->shape && b->generation == id.generation ? b : NULL;
}

bool weir_body_is_valid(const weir_world *w, weir_body_id id)
{
    return find_body(w, id) != NULL;
}

bool weir_body_destroy(weir_world *w, weir_body_id id, weir_error *error)
{
    body *b = find_body(w, id);
    if (!b)
        return fail(error, WEIR_STALE_ID, "the solid does not exist any more");
    world_wake_near_body(w, b);
    world_free_body(w, b);
    b->generation++;
    rest_wake_all(&w->flow); /* it may have held others */
    return true;
}

bool weir_body_get_state(const weir_world *w, weir_body_id id, weir_body_state *state)
{
    const body *b = find_body(w, id);
    if (!b)
        return false;
    *state = (weir_body_state){
        .name = b->name,
        .kind = b->kind,
        .pose = b->pose,
        .mass = b->mass,
        .centre = body_centre(b),
        .contact_force = b->contact_force,
        .joint_force = b->joint_force,
        .velocity = b->velocity,
        .spin = b->spin,
        .pressure_force = b->pressure_force,
        .viscous_force = b->viscous_force,
        .torque = b->torque,
        .spheres = b->skin.count,
        .asleep = b->asleep,
    };
    return true;
}

weir_body_id weir_world_body_at(const weir_world *w, int index)
{
    int seen = 0;
    for (size_t k = 0; k < w->flow.body_count; k++)
        if (w->flow.bodies[k].shape && seen++ == index)
            return (weir_body_id){(uint32_t)k + 1, w->flow.bodies[k].generation};
    return (weir_body_id){0, 0};
}

double weir_world_distance(const weir_world *w, weir_vec3 point, weir_body_id *nearest)
{
    double found = INFINITY;
    for (size_t k = 0; k < w->flow.body_count; k++) {
        const body *b = &w->flow.bodies[k];
        if (!b->alive)
            continue;
        double d = shape_distance(b->shape, walls_local_point(&w->flow.near, b, point), NULL);
        if (d < found) {
            found = d;
            if (nearest)
                *nearest = (weir_body_id){(uint32_t)k + 1, b->generation};
        }
    }
    return found;
}
