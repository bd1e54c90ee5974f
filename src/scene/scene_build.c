/* A world from a scene: fluids, solids, bodies, joints, fills, emitters, sinks, probes, in this
 * order. Each part is a function here, and what the core refuses gets the line of the file that
 * asked for it. */
#include "scene/scene_build.h"

#include "base/hash.h"
#include "matter/motion.h"
#include "scene/scene_check.h"

#include <math.h>
#include <string.h>

typedef struct build_job {
    scene *s;
    weir_world *world;
    int threads;
    weir_shape_def *shapes; /* of the solids, then of the bodies */
    scene_counts counts;
} build_job;

static weir_axis_period make_period(const scene_period *p)
{
    if (p->count == 0)
        return (weir_axis_period){0};
    return (weir_axis_period){true, p->ends[0], p->ends[1]};
}

double scene_support(const scene_data *d)
{
    weir_world_def def = weir_world_def_default();
    def.dim = d->dim;
    def.support = d->support;
    def.method = (weir_method)d->method.name;
    return weir_world_def_support(&def);
}

static weir_world *create_world(const scene_data *d, const scene_build_options *options,
                                weir_error *error)
{
    weir_world_def def = weir_world_def_default();
    def.dim = d->dim;
    def.spacing = d->spacing;
    def.support = d->support;
    def.kernel = (weir_kernel)d->kernel;
    def.gravity = d->gravity;
    def.acceleration = d->acceleration;
    def.period[0] = make_period(&d->periodic.x);
    def.period[1] = make_period(&d->periodic.y);
    def.period[2] = make_period(&d->periodic.z);
    def.coupling = (weir_coupling_def){.mode = (weir_coupling_mode)d->coupling.mode,
                                       .solver = (weir_lcp_solver)d->coupling.solver,
                                       .radius = d->coupling.radius,
                                       .restitution = d->coupling.restitution,
                                       .stiffness = d->coupling.stiffness,
                                       .damping = d->coupling.damping};
    weir_world_def_use_method(&def, (weir_method)d->method.name);
    memcpy(def.parameters, d->method.parameters, sizeof def.parameters);
    def.substeps = d->time.substeps;
    def.allow_unstable = d->time.allow_unstable;
    def.threads = options->threads;
    def.simd = options->simd;
    def.seed = (uint64_t)d->seed;
    def.max_particles = (size_t)d->max_particles;
    def.sleep_time = d->sleep_time;
    return weir_world_create(&def, error);
}

static double choose(double written, double otherwise)
{
    return isnan(written) ? otherwise : written;
}

weir_fluid_def scene_fluid_def(const scene *s, size_t index)
{
    const scene_fluid *from = &s->data.fluids[index];
    weir_fluid_def def = {from->name, 0, 0, 0};
    if (from->preset >= 0)
        def = *weir_fluid_preset(from->preset);
    def.name = from->name;
    def.density = choose(from->density, def.density);
    def.viscosity = choose(from->viscosity, def.viscosity);
    def.surface_tension = choose(from->surface_tension, def.surface_tension);
    return def;
}

static bool build_fluids(build_job *job, weir_error *error)
{
    for (size_t k = 0; k < job->s->data.fluid_count; k++) {
        weir_fluid_def def = scene_fluid_def(job->s, k);
        if (weir_fluid_create(job->world, &def, error).slot == 0)
            return scene_fail_at(job->s->data.fluids[k].node, NULL, error);
    }
    return true;
}

static bool build_motion(build_job *job, const scene_solid *from, weir_body_def *def,
                         weir_error *error)
{
    const scene_motion *m = &from->motion;
    if (!m->node)
        return true;
    weir_keyframe *keys = store_take_array(&job->s->kept, m->keyframe_count, sizeof *keys);
    if (m->keyframe_count > 0 && !keys)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for keyframes");
    for (size_t k = 0; k < m->keyframe_count; k++) {
        const scene_keyframe *key = &m->keyframes[k];
        keys[k] = (weir_keyframe){key->time, {key->position, scene_turn_rotation(&key->rotation)}};
    }
    if (m->loop && !motion_returns(keys, m->keyframe_count))
        return bind_error_at(m->node, "loop", error,
                             "keyframe %zu must have the pose of keyframe 0, with which the path "
                             "begins again; add one that leads back",
                             m->keyframe_count - 1);
    def->kind = WEIR_BODY_ANIMATED;
    def->motion = (weir_motion){
        .velocity = m->velocity,
        .spin = scene_turn_vector(&m->spin),
        .oscillation = m->oscillation,
        .rocking = scene_turn_vector(&m->rocking),
        .frequency = m->frequency,
        .phase = m->phase,
        .keyframes = keys,
        .keyframe_count = m->keyframe_count,
        .loop = m->loop,
        .start = m->start,
        .end = m->end,
    };
    return true;
}

static bool build_solids(build_job *job, weir_error *error)
{
    const scene_data *d = &job->s->data;
    size_t count = d->solid_count + d->body_count;
    job->shapes = store_take_array(&job->s->kept, count + 1, sizeof *job->shapes);
    if (!job->shapes)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for %zu solids", count);
    for (size_t k = 0; k < d->solid_count; k++) {
        const scene_solid *from = &d->solids[k];
        weir_body_def def = weir_body_def_default();
        def.name = from->name;
        def.pose = (pose){from->position, scene_turn_rotation(&from->rotation)};
        def.wall = (weir_wall)from->wall;
        def.until = from->until;
        scene_build_contact(job->s, &from->contact, from->node, &def);
        if (!scene_build_shape(job->s, &from->shape, job->threads, &def.shape, error) ||
            !scene_check_room(job->s, from, &def.shape, error) ||
            !build_motion(job, from, &def, error))
            return false;
        if (weir_body_create(job->world, &def, error).slot == 0)
            return scene_fail_at(from->node, NULL, error);
        job->shapes[k] = def.shape;
    }
    return true;
}

/* NULL, too, where there is nothing to copy. */
static const weir_interval *copy_schedule(scene *s, const scene_interval *from, size_t count)
{
    weir_interval *copy = count > 0 ? store_take_array(&s->kept, count, sizeof *copy) : NULL;
    for (size_t k = 0; copy && k < count; k++)
        copy[k] = (weir_interval){from[k].ends[0], from[k].ends[1]};
    return copy;
}

static void set_nozzle(const scene_nozzle *from, weir_emitter_def *def)
{
    switch (from->kind) {
    case SCENE_CIRCLE:
        def->nozzle = WEIR_NOZZLE_CIRCLE;
        def->radius = from->of.circle.radius;
        break;
    case SCENE_RECTANGLE:
        def->nozzle = WEIR_NOZZLE_RECTANGLE;
        def->half_width = from->of.rectangle.width / 2;
        def->half_height = from->of.rectangle.height / 2;
        def->up = from->of.rectangle.up;
        break;
    default: /* a slot: a circle is one in 2D */
        def->nozzle = WEIR_NOZZLE_CIRCLE;
        def->radius = from->of.slot.width / 2;
    }
}

static bool build_emitters(build_job *job, weir_error *error)
{
    const scene_data *d = &job->s->data;
    for (size_t k = 0; k < d->emitter_count; k++) {
        const scene_emitter *from = &d->emitters[k];
        size_t fluid = 0;
        if (!scene_find_fluid(job->s, from->fluid, from->node, &fluid, error))
            return false;
        weir_emitter_def def = weir_emitter_def_default();
        def.name = from->name;
        def.fluid = (weir_fluid_id){(uint32_t)fluid + 1, 1};
        set_nozzle(&from->nozzle, &def);
        def.position = from->position;
        def.direction = from->direction;
        def.speed = from->speed;
        def.flow_rate = from->flow_rate;
        def.max_volume = from->max_volume;
        def.schedule = copy_schedule(job->s, from->schedule, from->schedule_count);
        def.schedule_count = from->schedule_count;
        if (weir_emitter_create(job->world, &def, error).slot == 0)
            return scene_fail_at(from->node, NULL, error);
    }
    return true;
}

static bool build_sinks(build_job *job, weir_error *error)
{
    const scene_data *d = &job->s->data;
    for (size_t k = 0; k < d->sink_count; k++) {
        const scene_sink *from = &d->sinks[k];
        weir_sink_def def = weir_sink_def_default();
        def.name = from->name;
        def.max_volume = from->max_volume;
        def.schedule = copy_schedule(job->s, from->schedule, from->schedule_count);
        def.schedule_count = from->schedule_count;
        if (!scene_build_shape(job->s, &from->shape, job->threads, &def.shape, error))
            return false;
        if (weir_sink_create(job->world, &def, error).slot == 0)
            return scene_fail_at(from->node, NULL, error);
    }
    return true;
}

static bool build_probes(build_job *job, weir_error *error)
{
    const scene_data *d = &job->s->data;
    for (size_t k = 0; k < d->probe_count; k++) {
        const scene_probe *from = &d->probes[k];
        weir_probe_def def = weir_probe_def_default();
        def.name = from->name;
        def.kind = (weir_probe_kind)from->kind;
        def.position = from->position;
        def.normal = from->normal;
        def.radius = from->radius;
        if (weir_probe_create(job->world, &def, error).slot == 0)
            return scene_fail_at(from->node, NULL, error);
    }
    return true;
}

/* Changes that name another method are for runs by that one. */
static bool build_changes(build_job *job, weir_error *error)
{
    const scene_data *d = &job->s->data;
    const weir_method_info *info = weir_method_get_info((weir_method)d->method.name);
    for (size_t k = 0; k < d->change_count; k++) {
        const scene_change *from = &d->changes[k];
        if (from->method.name != d->method.name) {
            scene_note(job->s, "changes of the parameters of another method are left out");
            continue;
        }
        for (int p = 0; p < info->parameter_count; p++)
            if (node_find(from->method.node, info->parameters[p].name) &&
                !weir_world_schedule_parameter(job->world, from->at, info->parameters[p].name,
                                               from->method.parameters[p], error))
                return scene_fail_at(from->node, NULL, error);
    }
    return true;
}

static bool build_all(build_job *job, weir_error *error)
{
    const scene_data *d = &job->s->data;
    bool ok =
        build_fluids(job, error) && build_solids(job, error) &&
        scene_build_bodies(job->s, job->world, job->threads, job->shapes + d->solid_count, error) &&
        scene_build_joints(job->s, job->world, error);
    if (ok)
        scene_note_overlaps(job->s, job->world);
    return ok && build_emitters(job, error) && scene_check_places(job->s, job->world, error) &&
           scene_build_fills(job->s, job->world, job->shapes, job->threads, &job->counts, error) &&
           build_sinks(job, error) && build_probes(job, error) && build_changes(job, error);
}

weir_world *scene_build(scene *s, const scene_build_options *options, scene_counts *counts,
                        weir_error *error)
{
    build_job job = {.s = s, .threads = options->threads};
    job.world = create_world(&s->data, options, error);
    if (!job.world)
        return NULL;
    if (!build_all(&job, error)) {
        weir_world_destroy(job.world);
        return NULL;
    }
    if (counts)
        *counts = job.counts;
    return job.world;
}

uint64_t scene_fingerprint(weir_world *world)
{
    uint64_t parts[] = {weir_world_fingerprint(world), weir_world_hash(world)};
    return hash_bytes(0, parts, sizeof parts);
}
