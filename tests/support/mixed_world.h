/* A small world with some of everything that the API can make, by calls that may fail: for tests of
 * bits, of memory that runs out, and of long runs. */
#ifndef WEIR_TESTS_MIXED_WORLD_H
#define WEIR_TESTS_MIXED_WORLD_H

#include "weir/weir.h"

#include <string.h>

typedef struct mixed_options {
    int dim;
    weir_method method;
    weir_coupling_mode coupling;
    double spacing;
    int threads;
    const char *simd;
    weir_hooks hooks;
} mixed_options;

static inline mixed_options mixed_options_default(int dim, weir_method method)
{
    return (mixed_options){
        .dim = dim, .method = method, .spacing = dim == 2 ? 0.05 : 0.1, .threads = 1};
}

typedef struct mixed_maker {
    weir_world *world;
    const mixed_options *options;
    weir_error *error;
    weir_fluid_id water, oil;
    weir_body_id raft, wheel, stone, crate;
} mixed_maker;

static inline weir_vec3 mixed_vector(double x, double y, double z)
{
    return (weir_vec3){x, y, z};
}

static inline bool mixed_add_fluids(mixed_maker *m)
{
    weir_fluid_def def = weir_fluid_def_default(), oil = {"oil", 900, 0.05, 0.03};
    m->water = weir_fluid_create(m->world, &def, m->error);
    m->oil = m->water.slot ? weir_fluid_create(m->world, &oil, m->error) : m->water;
    return m->oil.slot != 0;
}

/* A pool with a layer of oil, where no solid is. */
static inline bool mixed_pour(mixed_maker *m)
{
    const double d = m->options->spacing;
    const int layers = m->options->dim == 3 ? (int)(0.5 / d + 0.5) : 1;
    const int columns = (int)(1 / d + 0.5), rows = (int)(0.3 / d + 0.5);
    bool ok = true;
    for (int k = 0; ok && k < layers * rows; k++) {
        weir_vec3 row[64];
        size_t count = 0;
        for (int c = 0; c < columns; c++) {
            weir_vec3 at = mixed_vector((c + 0.5) * d, (k % rows + 0.5) * d,
                                        m->options->dim == 3 ? (k / rows + 0.5) * d : 0);
            if (weir_world_distance(m->world, at, NULL) > 0.45 * d)
                row[count++] = at;
        }
        ok = weir_world_add_particles(m->world, k % rows == rows - 1 ? m->oil : m->water, row,
                                      count, mixed_vector(0, 0, 0), m->error);
    }
    return ok;
}

static inline bool mixed_add_tank(mixed_maker *m)
{
    weir_body_def tank = weir_body_def_default();
    tank.name = "tank";
    tank.shape.kind = WEIR_SHAPE_BOX;
    tank.shape.complement = true;
    tank.shape.half_extents = mixed_vector(0.5, 0.75, 0.25);
    tank.pose.position = mixed_vector(0.5, 0.75, m->options->dim == 3 ? 0.25 : 0);
    return weir_body_create(m->world, &tank, m->error).slot != 0;
}

/* Solids that move by themselves: one for ever, one along keyframes, one that vanishes. */
static inline bool mixed_add_solids(mixed_maker *m)
{
    const double z = m->options->dim == 3 ? 0.25 : 0;
    weir_body_def bar = weir_body_def_default();
    bar.name = "bar";
    bar.kind = WEIR_BODY_ANIMATED;
    bar.wall = WEIR_WALL_NO_SLIP;
    bar.shape.kind = WEIR_SHAPE_CAPSULE;
    bar.shape.radius = 0.04;
    bar.shape.half_length = 0.1;
    bar.pose.position = mixed_vector(0.8, 0.2, z);
    bar.motion.spin = mixed_vector(0, 0, 2);
    bar.motion.oscillation = mixed_vector(0, 0.03, 0);
    bar.motion.frequency = 1;
    const weir_keyframe frames[3] = {{0, {{0.15, 0.1, z}, {0, 0, 0, 1}}},
                                     {1, {{0.25, 0.1, z}, {0, 0, 0.7071, 0.7071}}},
                                     {2, {{0.15, 0.1, z}, {0, 0, 0, 1}}}};
    weir_body_def paddle = weir_body_def_default();
    paddle.name = "paddle";
    paddle.kind = WEIR_BODY_ANIMATED;
    paddle.shape.kind = WEIR_SHAPE_BOX;
    paddle.shape.half_extents = mixed_vector(0.03, 0.1, 0.1);
    paddle.motion.keyframes = frames;
    paddle.motion.keyframe_count = 3;
    paddle.motion.loop = true;
    weir_shape_def parts[2] = {weir_shape_def_default(), weir_shape_def_default()};
    parts[0].kind = parts[1].kind = WEIR_SHAPE_SPHERE;
    parts[0].radius = parts[1].radius = 0.05;
    parts[1].pose.position.x = 0.06;
    weir_body_def mould = weir_body_def_default();
    mould.name = "mould";
    mould.shape.kind = WEIR_SHAPE_UNION;
    mould.shape.children = parts;
    mould.shape.child_count = 2;
    mould.pose.position = mixed_vector(0.5, 0.06, z);
    mould.until = 0.05;
    return weir_body_create(m->world, &bar, m->error).slot &&
           weir_body_create(m->world, &paddle, m->error).slot &&
           weir_body_create(m->world, &mould, m->error).slot;
}

static inline weir_body_def mixed_body(const mixed_maker *m, const char *name, double x, double y)
{
    weir_body_def def = weir_body_def_default();
    def.name = name;
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = mixed_vector(0.1, 0.05, 0.08);
    def.pose.position = mixed_vector(x, y, m->options->dim == 3 ? 0.25 : 0);
    def.density = 500;
    def.restitution = 0.2;
    return def;
}

static inline bool mixed_add_bodies(mixed_maker *m)
{
    weir_body_def raft = mixed_body(m, "raft", 0.45, 0.4),
                  wheel = mixed_body(m, "wheel", 0.45, 0.4);
    weir_body_def stone = mixed_body(m, "stone", 0.7, 0.5),
                  crate = mixed_body(m, "crate", 0.45, 0.5);
    const weir_vec3 corners[4] = {
        {-0.05, -0.04, 0}, {0.05, -0.04, 0}, {0.04, 0.04, 0}, {-0.04, 0.05, 0}};
    wheel.shape.half_extents = mixed_vector(0.14, 0.02, 0.03);
    stone.shape.kind = WEIR_SHAPE_SPHERE;
    stone.shape.radius = 0.06;
    stone.density = 2500;
    stone.stickiness = 50;
    if (m->options->dim == 2) {
        crate.shape.kind = WEIR_SHAPE_POLYGON;
        crate.shape.points = corners;
        crate.shape.point_count = 4;
    } else {
        crate.shape.kind = WEIR_SHAPE_CYLINDER;
        crate.shape.radius = 0.05;
        crate.shape.half_length = 0.04;
    }
    m->raft = weir_body_create(m->world, &raft, m->error);
    m->wheel = m->raft.slot ? weir_body_create(m->world, &wheel, m->error) : m->raft;
    m->stone = m->wheel.slot ? weir_body_create(m->world, &stone, m->error) : m->wheel;
    m->crate = m->stone.slot ? weir_body_create(m->world, &crate, m->error) : m->stone;
    return m->crate.slot != 0;
}

/* Worlds that couple by contacts have no joints. */
static inline bool mixed_add_joints(mixed_maker *m)
{
    if (m->options->coupling != WEIR_COUPLING_BOUNDARY_VOLUME)
        return true;
    weir_joint_def axle = weir_joint_def_default(), rope = axle, thread = axle;
    axle.name = "axle";
    axle.kind = WEIR_JOINT_HINGE;
    axle.a = m->wheel;
    axle.b = m->raft;
    axle.anchor = mixed_vector(0.45, 0.4, m->options->dim == 3 ? 0.25 : 0);
    axle.axis = mixed_vector(0, 0, 1);
    axle.motor = WEIR_MOTOR_SPEED;
    axle.target = -4;
    axle.max_effort = 5;
    rope.name = "rope";
    rope.kind = WEIR_JOINT_DISTANCE;
    rope.a = m->stone;
    rope.anchor = mixed_vector(0.7, 0.5, axle.anchor.z);
    rope.anchor_b = mixed_vector(0.7, 0.9, axle.anchor.z);
    rope.length = -1;
    thread.name = "thread";
    thread.kind = WEIR_JOINT_SPRING;
    thread.a = m->crate;
    thread.b = m->raft;
    thread.anchor = mixed_vector(0.45, 0.5, axle.anchor.z);
    thread.anchor_b = mixed_vector(0.45, 0.4, axle.anchor.z);
    thread.length = -1;
    thread.stiffness = 40;
    thread.damping = 0.5;
    thread.break_force = 50;
    return weir_joint_create(m->world, &axle, m->error).slot &&
           weir_joint_create(m->world, &rope, m->error).slot &&
           weir_joint_create(m->world, &thread, m->error).slot;
}

static inline bool mixed_add_flows(mixed_maker *m)
{
    const weir_interval open[2] = {{0, 0.5}, {0.6, 1e9}};
    const double z = m->options->dim == 3 ? 0.25 : 0;
    weir_emitter_def jet = weir_emitter_def_default();
    jet.name = "jet";
    jet.fluid = m->oil;
    jet.position = mixed_vector(0.1, 1.2, z);
    jet.radius = 1.5 * m->options->spacing;
    jet.direction = mixed_vector(1, -1, 0);
    jet.speed = 1;
    jet.schedule = open;
    jet.schedule_count = 2;
    weir_sink_def drain = weir_sink_def_default();
    drain.name = "drain";
    drain.shape.kind = WEIR_SHAPE_SPHERE;
    drain.shape.radius = 0.12;
    drain.shape.pose.position = mixed_vector(1, 0.2, z);
    bool ok = weir_emitter_create(m->world, &jet, m->error).slot &&
              weir_sink_create(m->world, &drain, m->error).slot;
    for (int kind = WEIR_PROBE_HEIGHT; ok && kind <= WEIR_PROBE_FLOW; kind++) {
        weir_probe_def gauge = weir_probe_def_default();
        gauge.kind = (weir_probe_kind)kind;
        gauge.position = mixed_vector(0.5, 0.2, z);
        gauge.normal = mixed_vector(1, 0, 0);
        ok = weir_probe_create(m->world, &gauge, m->error).slot != 0;
    }
    return ok;
}

/* NULL on failure, with nothing left behind. */
static inline weir_world *mixed_world_create(const mixed_options *options, weir_error *error)
{
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, options->method);
    def.dim = options->dim;
    def.spacing = options->spacing;
    def.threads = options->threads;
    def.simd = options->simd;
    def.coupling.mode = options->coupling;
    def.hooks = options->hooks;
    def.max_particles = 3000;
    mixed_maker m = {.world = weir_world_create(&def, error), .options = options, .error = error};
    const weir_parameter *first = weir_method_get_info(options->method)->parameters;
    if (m.world &&
        (!mixed_add_fluids(&m) || !mixed_add_tank(&m) || !mixed_add_solids(&m) ||
         !mixed_add_bodies(&m) || !mixed_pour(&m) || !mixed_add_joints(&m) ||
         !mixed_add_flows(&m) ||
         !weir_world_schedule_parameter(m.world, 0.03, first->name, first->initial, error))) {
        weir_world_destroy(m.world);
        m.world = NULL;
    }
    return m.world;
}

#endif
