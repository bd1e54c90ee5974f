/* The state as named arrays. One list serves saving, restoring and hashing, so that nothing can
 * be saved and not hashed, or the other way round. */
#include "base/error.h"
#include "base/hash.h"
#include "world/state.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

enum {
    CLOCK_NUMBERS = 10,
    BODY_NUMBERS = 39, /* pose 7, velocity 3, spin 3, rest 10, film 1, forces 15 */
    HOST_NUMBERS = 4,
    JOINT_NUMBERS = 13,
    EMITTER_NUMBERS = 2,
    SINK_NUMBERS = 1,
    PROBE_NUMBERS = 1,
    SLEEP_NUMBERS = 1,
    SLEEPER_NUMBERS = 9, /* of each body: pool 1, rest 8 */
};

static const char SLEEP_LOADS[] = "sleep/loads";

/* A double holds counts exactly up to here. */
#define MOST_COUNT ((uint64_t)1 << 53)

/* Copies scalars into or out of the packed array. */
typedef struct packer {
    double *at;
    bool restoring;
    bool wrong; /* a number was met that no world can have: nothing of the kind is taken over */
} packer;

static void pack_within(packer *p, double *value, double lo, double hi)
{
    if (!p->restoring)
        *p->at = *value;
    else if (*p->at >= lo && *p->at <= hi)
        *value = *p->at;
    else
        p->wrong = true;
    p->at++;
}

static void pack(packer *p, double *value)
{
    pack_within(p, value, -DBL_MAX, DBL_MAX);
}

static void pack_count(packer *p, uint64_t *value, uint64_t most)
{
    double number = (double)*value;
    pack_within(p, &number, 0, (double)most);
    *value = (uint64_t)number;
}

static void pack_vector(packer *p, vec3 *v)
{
    pack(p, &v->x);
    pack(p, &v->y);
    pack(p, &v->z);
}

static void pack_flag(packer *p, bool *flag)
{
    double number = *flag;
    pack(p, &number);
    *flag = number != 0;
}

static void pack_pose(packer *p, pose *at)
{
    pack_vector(p, &at->position);
    pack(p, &at->rotation.x);
    pack(p, &at->rotation.y);
    pack(p, &at->rotation.z);
    pack(p, &at->rotation.w);
}

static void pack_joint(packer *p, joint *j)
{
    pack_flag(p, &j->broken);
    pack(p, &j->position);
    pack_vector(p, &j->force);
    pack_vector(p, &j->torque);
    pack(p, &j->effort);
    pack(p, &j->speed);
    uint64_t motor = j->motor;
    pack_count(p, &motor, WEIR_MOTOR_POSITION);
    j->motor = (weir_motor)motor;
    pack(p, &j->target);
    pack_within(p, &j->max_effort, 0, INFINITY);
}

static void pack_body(packer *p, body *b)
{
    uint64_t island = b->island;
    pack_pose(p, &b->pose);
    pack_vector(p, &b->velocity);
    pack_vector(p, &b->spin);
    pack_flag(p, &b->asleep);
    pack(p, &b->still_time);
    pack_pose(p, &b->still_at);
    pack_count(p, &island, UINT32_MAX);
    b->island = (uint32_t)island;
    pack(p, &b->film_pressure);
    pack_vector(p, &b->pressure_force);
    pack_vector(p, &b->viscous_force);
    pack_vector(p, &b->torque);
    pack_vector(p, &b->contact_force);
    pack_vector(p, &b->joint_force);
    if (b->hosted) {
        pack_vector(p, &b->host.left);
        pack(p, &b->host.step);
    }
}

/* What worlds have whose fluid may sleep. */
static void pack_sleep(packer *p, weir_world *w)
{
    pack_within(p, &w->sleep.since_check, 0, DBL_MAX);
    for (size_t k = 0; k < w->flow.body_count; k++) {
        body *b = &w->flow.bodies[k];
        uint64_t pool = b->pool;
        pack_count(p, &pool, UINT32_MAX);
        b->pool = (uint32_t)pool;
        pack_pose(p, &b->calm_at);
        pack_within(p, &b->calm_time, 0, DBL_MAX);
    }
}

/* False where a number that is restored is none that a world can have. */
static bool pack_world(weir_world *w, bool restoring)
{
    packer p = {w->packed, restoring, false};
    uint64_t next_id = w->flow.p.next_id;
    pack_within(&p, &w->time, 0, DBL_MAX);
    pack_count(&p, &w->steps, MOST_COUNT);
    pack_count(&p, &w->substeps, MOST_COUNT);
    pack_count(&p, &next_id, UINT32_MAX);
    pack_within(&p, &w->flow.reference_speed, 0, DBL_MAX);
    pack_within(&p, &w->flow.fluid_depth, 0, DBL_MAX);
    pack_count(&p, &w->iterations, MOST_COUNT);
    pack_within(&p, &w->system.solver.norm, 0, DBL_MAX);
    pack_count(&p, &w->schedule_done, MOST_COUNT);
    pack_within(&p, &w->last_substep, 0, DBL_MAX);
    w->flow.p.next_id = (uint32_t)next_id;
    for (size_t k = 0; k < w->flow.body_count; k++)
        pack_body(&p, &w->flow.bodies[k]);
    for (size_t k = 0; k < w->joint_count; k++)
        pack_joint(&p, &w->joints[k]);
    for (size_t k = 0; k < w->emitter_count; k++) {
        pack_within(&p, &w->emitters[k].phase, 0, 1 + EMITTER_MOST_LAYERS);
        pack_count(&p, &w->emitters[k].emitted, MOST_COUNT);
    }
    for (size_t k = 0; k < w->sink_count; k++)
        pack_count(&p, &w->sinks[k].removed, MOST_COUNT);
    for (size_t k = 0; k < w->probe_count; k++)
        pack(&p, &w->probes[k].rate);
    if (w->flow.p.may_sleep)
        pack_sleep(&p, w);
    return !p.wrong;
}

static size_t packed_count(const weir_world *w)
{
    size_t hosted = 0;
    for (size_t k = 0; k < w->flow.body_count; k++)
        hosted += w->flow.bodies[k].hosted;
    return CLOCK_NUMBERS + BODY_NUMBERS * w->flow.body_count + HOST_NUMBERS * hosted +
           EMITTER_NUMBERS * w->emitter_count + SINK_NUMBERS * w->sink_count +
           JOINT_NUMBERS * w->joint_count + PROBE_NUMBERS * w->probe_count +
           (w->flow.p.may_sleep ? SLEEP_NUMBERS + SLEEPER_NUMBERS * w->flow.body_count : 0);
}

static void add_section(weir_section *sections, int *count, const char *name,
                        weir_section_type type, size_t length, void *data)
{
    weir_section *s = &sections[(*count)++];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->type = type;
    s->count = length;
    s->data = data;
}

static void add_sleep_sections(weir_world *w, weir_section *sections, int *count)
{
    particles *p = &w->flow.p;
    static const char *const still[] = {"still/x", "still/y", "still/z"};
    for (int a = 0; a < p->dim; a++)
        add_section(sections, count, still[a], WEIR_SECTION_F32, p->total, p->still[a]);
    add_section(sections, count, "still/time", WEIR_SECTION_F32, p->total, p->still_time);
    add_section(sections, count, "sleep/pool", WEIR_SECTION_U32, p->total, p->pool);
    add_section(sections, count, "sleep/sight", WEIR_SECTION_U32, p->total, p->sight);
    add_section(sections, count, SLEEP_LOADS, WEIR_SECTION_F64,
                w->sleep.load_count * SLEEP_LOAD_NUMBERS, w->sleep.loads);
}

int weir_world_get_sections(weir_world *w, weir_section sections[WEIR_MAX_SECTIONS])
{
    size_t numbers = packed_count(w);
    if (!memory_grow(&w->mem, (void **)&w->packed, &w->packed_capacity, numbers, 0,
                     sizeof *w->packed))
        return 0;
    pack_world(w, false);
    particles *p = &w->flow.p;
    int count = 0;
    add_section(sections, &count, "world", WEIR_SECTION_F64, numbers, w->packed);
    add_section(sections, &count, "parameters", WEIR_SECTION_F64, WEIR_MAX_PARAMETERS,
                w->flow.parameters);
    add_section(sections, &count, "contacts", WEIR_SECTION_U8,
                w->contacts.count * sizeof *w->contacts.kept, w->contacts.kept);
    static const char *const position[] = {"position/x", "position/y", "position/z"};
    static const char *const velocity[] = {"velocity/x", "velocity/y", "velocity/z"};
    assert(p->dim <= 3);
    for (int a = 0; a < p->dim; a++) {
        add_section(sections, &count, position[a], WEIR_SECTION_F32, p->total, p->x[a]);
        add_section(sections, &count, velocity[a], WEIR_SECTION_F32, p->total, p->v[a]);
    }
    add_section(sections, &count, "id", WEIR_SECTION_U32, p->total, p->id);
    add_section(sections, &count, "fluid", WEIR_SECTION_U8, p->total, p->fluid);
    for (int k = 0; k < p->field_count; k++)
        if (p->kept_fields >> k & 1) {
            char name[48];
            snprintf(name, sizeof name, "field/%d", k);
            add_section(sections, &count, name, WEIR_SECTION_F32, p->total, p->field[k]);
        }
    if (p->may_sleep)
        add_sleep_sections(w, sections, &count);
    int own = w->method->save ? w->method->save(&w->flow, sections + count) : 0;
    return own < 0 ? 0 : count + own;
}

bool weir_world_restore_begin(weir_world *w, size_t count, size_t contact_bytes, weir_error *error)
{
    particles *p = &w->flow.p;
    if (!particles_reserve(p, &w->mem, count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu particles", count);
    p->count = p->total = 0;
    particles_append(p, count);
    size_t contacts = contact_bytes / sizeof *w->contacts.kept;
    if (!memory_grow(&w->mem, (void **)&w->contacts.kept, &w->contacts.capacity, contacts, 0,
                     sizeof *w->contacts.kept))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu contacts", contacts);
    w->contacts.count = contacts;
    return true;
}

bool weir_world_restore_reserve(weir_world *w, const char *section, size_t count, weir_error *error)
{
    sleep_memory *s = &w->sleep;
    if (w->flow.p.may_sleep && strcmp(section, SLEEP_LOADS) == 0) {
        s->load_count = count / SLEEP_LOAD_NUMBERS;
        if (!memory_grow(&w->mem, (void **)&s->loads, &s->load_capacity, s->load_count, 0,
                         sizeof *s->loads))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu loads of sleeping fluid",
                        s->load_count);
    }
    return !w->method->reserve || w->method->reserve(&w->flow, section, count, error);
}

/* What a file may hold that no world does: numbers that would become places in arrays, or that are
 * none. */
static bool check_restored(const weir_world *w, weir_error *error)
{
    const particles *p = &w->flow.p;
    const weir_method_info *info = &w->method->info;
    for (int k = 0; k < info->parameter_count; k++) {
        const weir_parameter *q = &info->parameters[k];
        double value = w->flow.parameters[k];
        if (!(value >= q->min && value <= q->max) || (q->choices && value != floor(value)))
            return fail(error, WEIR_FORMAT, "%s is %g: must be between %g and %g", q->name, value,
                        q->min, q->max);
    }
    for (size_t i = 0; i < p->total; i++) {
        if (p->fluid[i] >= w->flow.fluid_count)
            return fail(error, WEIR_FORMAT, "particle %zu is of fluid %d, but there are only %d", i,
                        p->fluid[i], w->flow.fluid_count);
        if (p->id[i] >= p->next_id)
            return fail(error, WEIR_FORMAT, "particle %zu has id %u, but the next is %u", i,
                        p->id[i], p->next_id);
        if (!vec3_is_finite(flow_position(&w->flow, i)) ||
            !vec3_is_finite(flow_velocity(&w->flow, i)))
            return fail(error, WEIR_FORMAT, "particle %zu is not finite", i);
    }
    return true;
}

bool weir_world_restore_finish(weir_world *w, weir_error *error)
{
    if (!pack_world(w, true))
        return fail(error, WEIR_FORMAT, "a number of the state is none that a world can have");
    if (w->schedule_done > w->schedule_count)
        return fail(error, WEIR_FORMAT, "%llu changes of parameters are done, but there are %zu",
                    (unsigned long long)w->schedule_done, w->schedule_count);
    if (!check_restored(w, error) || !sleep_restore(w, error))
        return false;
    world_measure_speed(w);
    /* A state from before the first step has nothing derived yet. */
    w->prepared = w->flow.reference_speed > 0;
    /* Otherwise derived values were saved with the parameters; the rest follows from them. */
    bool derives = w->prepared && w->flow.fluid_count > 0;
    return (!derives || w->method->prepare(&w->flow, error)) &&
           (!w->method->restore || w->method->restore(&w->flow, error)) &&
           (!w->prepared || world_prepare_coupling(w, error));
}

uint64_t weir_world_hash(weir_world *w)
{
    static const size_t bytes[] = {4, 8, 1, 4, 8};
    weir_section sections[WEIR_MAX_SECTIONS];
    int count = weir_world_get_sections(w, sections);
    uint64_t hash = 0;
    for (int k = 0; k < count; k++)
        hash = hash_bytes(hash, sections[k].data, sections[k].count * bytes[sections[k].type]);
    return hash;
}
