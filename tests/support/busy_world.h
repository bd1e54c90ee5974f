/* A world with some of everything: two fluids, walls that slip and stick, a solid that turns, one
 * that rocks, an emitter, a sink and every kind of probe. For tests of bits. */
#ifndef WEIR_TESTS_BUSY_WORLD_H
#define WEIR_TESTS_BUSY_WORLD_H

#include "support/worlds.h"

static inline void add_busy_solids(weir_world *world, int dim)
{
    make_tank(world, v3(0, 0, 0), v3(1, 1, 0.5));
    weir_body_def bar = weir_body_def_default();
    bar.name = "bar";
    bar.kind = WEIR_BODY_ANIMATED;
    bar.wall = WEIR_WALL_NO_SLIP;
    bar.shape.kind = WEIR_SHAPE_BOX;
    bar.shape.half_extents = v3(0.2, 0.04, 0.2);
    bar.pose.position = v3(0.6, 0.4, 0.25);
    bar.motion.spin = v3(0, 0, 3);
    make_body(world, &bar);
    weir_body_def ball = weir_body_def_default();
    ball.name = "ball";
    ball.kind = WEIR_BODY_ANIMATED;
    ball.shape.kind = dim == 2 ? WEIR_SHAPE_SPHERE : WEIR_SHAPE_CAPSULE;
    ball.shape.radius = 0.06;
    ball.shape.half_length = 0.05;
    ball.pose.position = v3(0.2, 0.3, 0.25);
    ball.motion.oscillation = v3(0.05, 0.02, 0);
    ball.motion.frequency = 2;
    make_body(world, &ball);
}

static inline void add_busy_probes(weir_world *world)
{
    for (int kind = WEIR_PROBE_HEIGHT; kind <= WEIR_PROBE_FLOW; kind++) {
        weir_probe_def gauge = weir_probe_def_default();
        gauge.kind = (weir_probe_kind)kind;
        gauge.position = v3(0.5, 0.2, 0.25);
        weir_error error = {0};
        if (weir_probe_create(world, &gauge, &error).slot == 0)
            fail_msg("%s", error.text);
    }
}

static inline weir_world *make_busy_world(int dim, double spacing, int threads, const char *simd)
{
    weir_world_def def = small_world_def(dim, spacing);
    def.threads = threads;
    def.simd = simd;
    weir_world *world = make_world(&def);
    weir_error error = {0};
    weir_fluid_id water = make_fluid(world, 1000, 0.1);
    weir_fluid_def oil_def = {"oil", 900, 0.5, 0.03};
    weir_fluid_id oil = weir_fluid_create(world, &oil_def, &error);
    add_busy_solids(world, dim);
    add_busy_probes(world);
    fill_box(world, water, dim, spacing, v3(0, 0, 0), v3(1, 0.2, 0.5), 0.1, v3(0, 0, 0));
    fill_box(world, oil, dim, spacing, v3(0, 0.2, 0), v3(1, 0.24, 0.5), 0.1, v3(0, 0, 0));
    weir_emitter_def jet = weir_emitter_def_default();
    jet.fluid = oil;
    jet.position = v3(0.1, 0.8, 0.25);
    jet.radius = 3 * spacing;
    jet.direction = v3(1, -1, 0);
    jet.speed = 1.5;
    weir_sink_def drain = weir_sink_def_default();
    drain.shape.kind = WEIR_SHAPE_SPHERE;
    drain.shape.radius = 0.1;
    drain.shape.pose.position = v3(0.9, 0.1, 0.25);
    if (weir_emitter_create(world, &jet, &error).slot == 0 ||
        weir_sink_create(world, &drain, &error).slot == 0)
        fail_msg("%s", error.text);
    return world;
}

#endif
