/* Random sequences of calls: each byte chooses a call, the next ones its arguments. Values are
 * mostly sensible, with some that are not. */
#include "fuzz.h"

#include "support/mixed_world.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PARTICLES = 300, MOST_STEPS = 6, MOST_BODIES = 8, MOST_JOINTS = 6 };

typedef struct caller {
    const uint8_t *data;
    size_t left;
    weir_world *world;
    int dim, steps;
    size_t particles;
    weir_fluid_id fluid;
    weir_body_id bodies[MOST_BODIES];
    weir_joint_id joint;
    unsigned body_count, joint_count, flow_count;
    size_t allocations_left;
} caller;

static unsigned take(caller *c)
{
    if (c->left == 0)
        return 0;
    c->left--;
    return *c->data++;
}

/* A number around 0 to 1, or something that no program should send. */
static double take_number(caller *c)
{
    static const double odd[] = {0, -1, 1e-30, 1e30, -1e30, NAN, INFINITY, -INFINITY};
    unsigned b = take(c);
    return b < 240 ? b / 160.0 : b < 248 ? odd[b - 240] : -(b / 512.0);
}

static weir_vec3 take_vector(caller *c)
{
    weir_vec3 v = {take_number(c), take_number(c), 0};
    if (c->dim == 3)
        v.z = take_number(c);
    return v;
}

/* One that exists, existed or never did. */
static weir_body_id take_body(caller *c)
{
    unsigned b = take(c);
    weir_body_id made_up = {b, b / 16};
    return b < 200 ? c->bodies[b % MOST_BODIES] : made_up;
}

static weir_shape_def take_shape(caller *c, weir_vec3 corners[4], weir_shape_def *child)
{
    weir_shape_def s = weir_shape_def_default();
    unsigned b = take(c);
    s.kind = (weir_shape_kind)(b % 9);
    s.complement = b >= 224;
    s.radius = take_number(c) / 3;
    s.half_length = take_number(c) / 4;
    s.half_extents = take_vector(c);
    s.normal = take_vector(c);
    if (s.kind == WEIR_SHAPE_POLYGON) {
        s.points = corners;
        s.point_count = take(c) % 5;
        for (size_t k = 0; k < s.point_count; k++)
            corners[k < 4 ? k : 3] = take_vector(c);
        s.point_count = s.point_count > 4 ? 4 : s.point_count;
    }
    if (s.kind == WEIR_SHAPE_UNION) {
        *child = weir_shape_def_default();
        child->kind = WEIR_SHAPE_SPHERE;
        child->radius = take_number(c);
        s.children = child;
        s.child_count = take(c) % 2;
    }
    return s;
}

/* ------------------------------------------------------------------- calls */

static void call_fluid(caller *c)
{
    weir_fluid_def def = weir_fluid_def_default();
    if (take(c) > 200)
        def.density = 1000 * take_number(c);
    def.viscosity = take_number(c);
    weir_fluid_id id = weir_fluid_create(c->world, &def, NULL);
    if (id.slot)
        c->fluid = id;
}

static void call_particles(caller *c)
{
    weir_vec3 at[16], velocity = take_vector(c), from = take_vector(c);
    size_t count = take(c) % 17;
    if (c->particles + count > MOST_PARTICLES)
        return;
    for (size_t k = 0; k < count; k++) {
        at[k].x = from.x + (double)(k % 4) * 0.1;
        at[k].y = from.y + (double)(k / 4) * 0.1;
        at[k].z = c->dim == 3 ? from.z : 0;
    }
    if (weir_world_add_particles(c->world, c->fluid, at, count, velocity, NULL))
        c->particles += count;
}

static void call_body(caller *c)
{
    weir_vec3 corners[4];
    weir_shape_def child;
    weir_body_def def = weir_body_def_default();
    unsigned b = take(c);
    def.kind = (weir_body_kind)(b % 4);
    def.hosted = b % 7 == 0;
    def.wall = (weir_wall)(b / 16 % 3);
    def.shape = take_shape(c, corners, &child);
    def.pose.position = take_vector(c);
    def.velocity = take_vector(c);
    def.density = 1000 * take_number(c);
    def.until = b > 250 ? take_number(c) : 0;
    def.restitution = b > 128 ? take_number(c) : 0;
    if (c->body_count >= 3 * MOST_BODIES)
        return;
    c->bodies[c->body_count++ % MOST_BODIES] = weir_body_create(c->world, &def, NULL);
}

static void call_joint(caller *c)
{
    weir_joint_def def = weir_joint_def_default();
    unsigned b = take(c);
    def.kind = (weir_joint_kind)(b % 7);
    def.a = take_body(c);
    def.b = b > 128 ? take_body(c) : def.b;
    def.anchor = take_vector(c);
    def.anchor_b = take_vector(c);
    def.axis = take_vector(c);
    def.length = take_number(c);
    def.stiffness = 1000 * take_number(c);
    def.damping = take_number(c);
    def.motor = (weir_motor)(b / 8 % 4);
    def.max_effort = take_number(c);
    def.limited = b & 64;
    def.hi = take_number(c);
    if (c->joint_count++ < MOST_JOINTS) {
        weir_joint_id id = weir_joint_create(c->world, &def, NULL);
        c->joint = id.slot ? id : c->joint;
    }
}

static void call_flows(caller *c)
{
    weir_vec3 corners[4];
    weir_shape_def child;
    unsigned b = take(c);
    if (c->flow_count++ >= 4)
        return;
    if (b % 3 == 0) {
        weir_emitter_def def = weir_emitter_def_default();
        def.fluid = c->fluid;
        def.position = take_vector(c);
        def.direction = take_vector(c);
        def.radius = take_number(c) / 4;
        def.speed = take_number(c);
        weir_emitter_create(c->world, &def, NULL);
    } else if (b % 3 == 1) {
        weir_sink_def def = weir_sink_def_default();
        def.shape = take_shape(c, corners, &child);
        weir_sink_create(c->world, &def, NULL);
    } else {
        weir_probe_def def = weir_probe_def_default();
        def.kind = (weir_probe_kind)(b / 3 % 5);
        def.position = take_vector(c);
        def.normal = take_vector(c);
        def.radius = take_number(c);
        weir_probe_create(c->world, &def, NULL);
    }
}

static void call_step(caller *c)
{
    static const double odd[] = {0, -1, NAN, INFINITY, 1e300, 1e-300};
    unsigned b = take(c);
    weir_error error;
    if (b < 6) {
        double dt = odd[b];
        /* What is right but takes millions of substeps is not for a fuzzer. */
        if (!(dt > 0) || !isfinite(dt) || dt > 1e100)
            weir_world_step(c->world, dt, &error);
        return;
    }
    weir_step_limit limit = weir_world_get_step_limit(c->world, b > 128 ? &error : NULL);
    if (!(limit.seconds > 0) || c->steps++ >= MOST_STEPS)
        return;
    weir_world_step(c->world, fmin(2.5 * limit.seconds, b / 5000.0), &error);
    c->particles = weir_world_get_particles(c->world).count;
}

static void call_bodies(caller *c)
{
    weir_body_id id = take_body(c);
    weir_body_state state;
    weir_impulse impulse;
    weir_pose pose = {take_vector(c), {0, 0, take_number(c), take_number(c)}};
    unsigned b = take(c);
    weir_body_is_valid(c->world, id);
    weir_body_get_state(c->world, id, &state);
    weir_body_get_impulse(c->world, id, &impulse, NULL);
    if (b % 4 == 0)
        weir_body_destroy(c->world, id, NULL);
    else if (b % 4 == 1)
        weir_body_set_motion(c->world, id, pose, take_vector(c), take_vector(c), NULL);
    else if (b % 4 == 2)
        weir_joint_set_motor(c->world, c->joint, (weir_motor)(b / 4 % 4), take_number(c),
                             take_number(c), NULL);
}

static void call_questions(caller *c)
{
    weir_contact contacts[4];
    weir_stage_time stages[4];
    weir_body_id nearest;
    int index = (int)take(c) - 2;
    weir_world_get_statistics(c->world);
    weir_world_hash(c->world);
    weir_world_fingerprint(c->world);
    weir_world_get_counters(c->world);
    weir_world_get_solve_info(c->world);
    weir_world_get_profile(c->world, stages, 4);
    weir_world_get_contacts(c->world, contacts, take(c) % 5);
    weir_world_distance(c->world, take_vector(c), &nearest);
    weir_world_body_at(c->world, index);
    weir_world_joint_state(c->world, index);
    weir_world_emitter_state(c->world, index);
    weir_world_sink_state(c->world, index);
    weir_world_read_probe(c->world, index);
    weir_world_get_field(c->world, "pressure");
    weir_world_get_parameter(c->world, "viscosity");
    weir_world_schedule_parameter(c->world, take_number(c), "viscosity", take_number(c), NULL);
}

static void draw_point(void *user, weir_vec3 at, double size, weir_draw_role role)
{
    (void)at, (void)size, (void)role;
    ++*(size_t *)user;
}

static void draw_line(void *user, weir_vec3 from, weir_vec3 to, weir_draw_role role)
{
    (void)from, (void)to, (void)role;
    ++*(size_t *)user;
}

static void call_queries(caller *c)
{
    weir_ray_hit hit;
    weir_body_id bodies[3];
    uint32_t particles[5];
    weir_fluid_sample sample;
    weir_event events[4];
    size_t drawn = 0;
    weir_debug_draw pen = {draw_point, draw_line, &drawn};
    unsigned b = take(c);
    weir_vec3 from = take_vector(c), to = take_vector(c);
    double size = take_number(c);
    weir_world_cast_ray(c->world, from, to, size, b & 1 ? &hit : NULL);
    weir_world_overlap_ball(c->world, from, size, b & 2 ? bodies : NULL, b & 2 ? 3 : 0);
    weir_world_overlap_fluid(c->world, from, to, b & 4 ? particles : NULL, b & 4 ? 5 : 0);
    weir_world_sample_fluid(c->world, to, &sample);
    weir_world_get_events(c->world, b & 8 ? events : NULL, b & 8 ? 4 : 0);
    weir_world_draw(c->world, &pen);
}

/* Back to where it was, after whatever the next call does. */
static void call_snapshot(caller *c)
{
    uint64_t before = weir_world_hash(c->world);
    weir_snapshot *kept = weir_world_take_snapshot(c->world, NULL);
    if (!kept)
        return;
    call_step(c);
    if (weir_world_restore_snapshot(c->world, kept, NULL) && weir_world_hash(c->world) != before)
        abort();
    c->particles = weir_world_get_particles(c->world).count;
    weir_snapshot_destroy(kept);
}

/* The state out and in again, with another number of particles in between. */
static void call_restore(caller *c)
{
    static const size_t bytes[] = {4, 8, 1, 4, 8};
    weir_section sections[WEIR_MAX_SECTIONS], again[WEIR_MAX_SECTIONS];
    void *copies[WEIR_MAX_SECTIONS] = {0};
    int count = weir_world_get_sections(c->world, sections);
    size_t particles = weir_world_get_particles(c->world).count, contacts = 0;
    for (int k = 0; k < count; k++) {
        size_t size = sections[k].count * bytes[sections[k].type];
        copies[k] = malloc(size + 1);
        if (copies[k] && size > 0)
            memcpy(copies[k], sections[k].data, size);
        if (strcmp(sections[k].name, "contacts") == 0)
            contacts = sections[k].count;
    }
    bool ok = weir_world_restore_begin(c->world, particles, contacts, NULL);
    for (int k = 0; ok && k < count; k++)
        ok = weir_world_restore_reserve(c->world, sections[k].name, sections[k].count, NULL);
    int found = ok ? weir_world_get_sections(c->world, again) : 0;
    for (int k = 0; k < found; k++)
        if (again[k].count > 0 && again[k].count == sections[k].count && copies[k])
            memcpy(again[k].data, copies[k], again[k].count * bytes[again[k].type]);
    if (found > 0)
        weir_world_restore_finish(c->world, NULL);
    for (int k = 0; k < count; k++)
        free(copies[k]);
}

/* ------------------------------------------------------------------ memory */

static void *allocate(void *user, size_t bytes)
{
    caller *c = user;
    /* No right sequence of calls needs more here. */
    if (c->allocations_left == 0 || bytes > 64u << 20)
        return NULL;
    c->allocations_left--;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

static bool begin(caller *c)
{
    unsigned b = take(c), limit = take(c);
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, (weir_method)(b % (WEIR_METHOD_COUNT + 1)));
    c->dim = def.dim = b & 8 ? 3 : 2;
    def.spacing = c->dim == 3 ? 0.25 : b & 16 ? 0.1 : 0.15;
    def.kernel = (weir_kernel)(take(c) % 5);
    def.coupling.mode = (weir_coupling_mode)(take(c) % 4);
    def.coupling.solver = (weir_lcp_solver)(take(c) % 6);
    def.threads = 1;
    def.substeps = (int)(take(c) % 3);
    def.allow_unstable = b & 32;
    def.events = b & 128;
    def.max_particles = MOST_PARTICLES;
    def.period[0].enabled = b & 64;
    def.period[0].hi = 1.5;
    c->allocations_left = limit < 200 ? SIZE_MAX : (size_t)(limit - 199) * 8;
    def.hooks.allocate = allocate;
    def.hooks.release = release;
    def.hooks.user = c;
    for (unsigned n = take(c) % 4; n > 0; n--) {
        const weir_method_info *info = weir_method_get_info(def.method);
        if (info)
            weir_world_def_set(&def,
                               info->parameters[take(c) % (unsigned)info->parameter_count].name,
                               take_number(c) * take(c), NULL);
    }
    c->world = weir_world_create(&def, NULL);
    return c->world != NULL;
}

void fuzz_api(const uint8_t *data, size_t size)
{
    static void (*const calls[])(caller *) = {
        call_fluid,  call_particles, call_body, call_joint,     call_flows,     call_step,
        call_bodies, call_step,      call_body, call_particles, call_questions, call_restore};
    caller c = {.data = data, .left = size};
    if (!begin(&c))
        return;
    while (c.left > 0) {
        unsigned b = take(&c);
        if (b < 240)
            calls[b % (sizeof calls / sizeof calls[0])](&c);
        else if (b % 2 == 0)
            call_queries(&c);
        else
            call_snapshot(&c);
    }
    weir_world_destroy(c.world);
}
