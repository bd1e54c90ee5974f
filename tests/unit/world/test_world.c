/* What a world refuses, and how it says so: every message names the value. */
#include "support/counting_memory.h"
#include "support/worlds.h"
#include "world/state.h"

static weir_world_def good_def(void)
{
    return small_world_def(2, 0.05);
}

/* A pool of 10 by 10 particles on a floor. */
static weir_world *make_pool(const weir_world_def *def)
{
    weir_world *world = make_world(def);
    weir_body_def ground = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
    make_body(world, &ground);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    fill_box(world, water, def->dim, def->spacing, v3(0, 0, 0), v3(0.5, 0.5, 0.5), 0, v3(0, 0, 0));
    return world;
}

/* -------------------------------------------------------------------- defs */

static void check_world_refused(const weir_world_def *def, weir_code code, const char *part)
{
    weir_error error = {0};
    assert_null(weir_world_create(def, &error));
    assert_error(error, code, part);
    assert_null(weir_world_create(def, NULL));
}

static void bad_worlds_are_refused(void **state)
{
    (void)state;
    weir_world_def def;
#define REFUSED(change, code, part)                                                                \
    do {                                                                                           \
        def = good_def();                                                                          \
        change;                                                                                    \
        check_world_refused(&def, code, part);                                                     \
    } while (0)
    REFUSED(def.dim = 1, WEIR_INVALID, "dim: 1");
    REFUSED(def.dim = 4, WEIR_INVALID, "dim: 4");
    REFUSED(def.spacing = 0, WEIR_INVALID, "spacing: 0");
    REFUSED(def.spacing = -0.5, WEIR_INVALID, "spacing: -0.5");
    REFUSED(def.spacing = NAN, WEIR_INVALID, "spacing: nan");
    REFUSED(def.spacing = INFINITY, WEIR_INVALID, "spacing: inf");
    REFUSED(def.support = 1, WEIR_INVALID, "support: 1");
    REFUSED(def.support = 5, WEIR_INVALID, "support: 5");
    REFUSED(def.support = NAN, WEIR_INVALID, "support: nan");
    REFUSED(def.kernel = (weir_kernel)17, WEIR_INVALID, "kernel: 17");
    REFUSED(def.method = (weir_method)99, WEIR_INVALID, "method: 99");
    REFUSED(def.gravity.y = NAN, WEIR_INVALID, "gravity");
    REFUSED(def.acceleration.x = INFINITY, WEIR_INVALID, "acceleration");
    REFUSED(def.threads = -1, WEIR_INVALID, "threads: -1");
    REFUSED(def.threads = 100000, WEIR_INVALID, "threads: 100000");
    REFUSED(def.substeps = -3, WEIR_INVALID, "substeps: -3");
    REFUSED(def.simd = "mmx", WEIR_UNSUPPORTED, "mmx");
    REFUSED(def.parameters[0] = -7, WEIR_INVALID, "sound_speed: -7");
    REFUSED(def.parameters[0] = NAN, WEIR_INVALID, "sound_speed: nan");
    REFUSED(def.parameters[2] = 1.5, WEIR_INVALID, "equation_of_state: 1.5");
    REFUSED((def.period[1] = (weir_axis_period){true, 0, 0.2}), WEIR_INVALID, "along y");
    REFUSED((def.period[0] = (weir_axis_period){true, 3, -3}), WEIR_INVALID, "from 3 to -3");
    REFUSED((def.period[0] = (weir_axis_period){true, 0, NAN}), WEIR_INVALID, "nan");
#undef REFUSED
}

static void parameters_are_set_by_name(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    weir_error error = {0};
    assert_true(weir_world_def_set(&def, "sound_speed", 12, &error));
    assert_false(weir_world_def_set(&def, "sound_sped", 12, &error));
    assert_error(error, WEIR_NOT_FOUND, "sound_sped");
    assert_false(weir_world_def_set(&def, "courant", 3, &error));
    assert_error(error, WEIR_INVALID, "courant: 3");
    assert_false(weir_world_def_set(&def, "walls", 0.5, &error));
    assert_error(error, WEIR_INVALID, "walls: 0.5");
    weir_world *world = make_world(&def);
    assert_true(weir_world_get_parameter(world, "sound_speed") == 12);
    assert_true(isnan(weir_world_get_parameter(world, "sound_sped")));
    weir_world_destroy(world);
}

static void bad_fluids_are_refused(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    weir_world *world = make_world(&def);
    weir_error error = {0};
    static const weir_fluid_def bad[] = {
        {"oil", 0, 0, 0},        {"oil", -1000, 0, 0},       {"oil", NAN, 0, 0},
        {"oil", INFINITY, 0, 0}, {"oil", 1000, -0.5, 0},     {"oil", 1000, NAN, 0},
        {"oil", 1000, 0, -0.25}, {"oil", 1000, 0, INFINITY}, {"oil", 2e6, 0, 0},
    };
    static const char *const parts[] = {"0 kg/m3", "-1000", "nan", "inf",  "-0.5",
                                        "nan",     "-0.25", "inf", "2e+06"};
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        assert_int_equal(weir_fluid_create(world, &bad[k], &error).slot, 0);
        assert_error(error, WEIR_INVALID, parts[k]);
        assert_error(error, WEIR_INVALID, "oil");
    }
    assert_int_equal(weir_world_fluid_count(world), 0);
    for (int k = 0; k < MAX_FLUIDS; k++)
        make_fluid(world, 1000, 0);
    weir_fluid_def one_more = weir_fluid_def_default();
    assert_int_equal(weir_fluid_create(world, &one_more, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "at most 64");
    weir_world_destroy(world);
}

static void bad_particles_are_refused(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    def.period[0] = (weir_axis_period){true, 0, 1};
    def.max_particles = 2;
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0), null = {0, 0}, unknown = {5, 1};
    weir_vec3 here[] = {{0.5, 0, 0}, {0.6, 0, 0}, {0.7, 0, 0}}, outside = {1.5, 0, 0},
              odd[] = {{0.5, 0, 0}, {0.5, NAN, 0}}, still = {0, 0, 0};
    weir_error error = {0};
    assert_false(weir_world_add_particles(world, null, here, 1, still, &error));
    assert_error(error, WEIR_STALE_ID, "fluid");
    assert_false(weir_world_add_particles(world, unknown, here, 1, still, &error));
    assert_error(error, WEIR_STALE_ID, "fluid");
    assert_false(weir_world_add_particles(world, water, odd, 2, still, &error));
    assert_error(error, WEIR_INVALID, "position 1");
    assert_false(weir_world_add_particles(world, water, &outside, 1, still, &error));
    assert_error(error, WEIR_INVALID, "1.5 m along x");
    assert_false(weir_world_add_particles(world, water, here, 1, v3(INFINITY, 0, 0), &error));
    assert_error(error, WEIR_INVALID, "velocity");
    assert_false(weir_world_add_particles(world, water, here, 3, still, &error));
    assert_error(error, WEIR_INVALID, "max_particles");
    assert_int_equal(weir_world_get_particles(world).count, 0);
    weir_world_destroy(world);
}

static void check_body_refused(const weir_body_def *def, const char *part)
{
    weir_world_def small = good_def();
    weir_world *world = make_world(&small);
    weir_error error = {0};
    assert_int_equal(weir_body_create(world, def, &error).slot, 0);
    assert_error(error, WEIR_INVALID, part);
    assert_error(error, WEIR_INVALID, "solid weight");
    assert_int_equal(weir_world_body_at(world, 0).slot, 0);
    weir_world_destroy(world);
}

static void bad_solids_are_refused(void **state)
{
    (void)state;
    weir_body_def def;
#define REFUSED(change, part)                                                                      \
    do {                                                                                           \
        def = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);                                 \
        def.name = "weight";                                                                       \
        change;                                                                                    \
        check_body_refused(&def, part);                                                            \
    } while (0)
    REFUSED(def.shape.normal = v3(0, 0, 0), "normal");
    REFUSED((def.shape.kind = WEIR_SHAPE_SPHERE, def.shape.radius = -2), "-2");
    REFUSED((def.shape.kind = WEIR_SHAPE_BOX, def.shape.half_extents = v3(1, 0, 1)), "0");
    REFUSED(def.shape.kind = (weir_shape_kind)55, "55");
    REFUSED(def.pose.position.x = NAN, "finite");
    REFUSED(def.pose.rotation.z = NAN, "finite");
    REFUSED(def.kind = (weir_body_kind)9, "9");
    REFUSED(def.wall = (weir_wall)6, "6");
    REFUSED((def.shape.kind = WEIR_SHAPE_BOX, def.kind = WEIR_BODY_DYNAMIC, def.density = 3e44),
            "3e+44 kg/m3 is not allowed: must be from 0.001 to 1e+06");
    REFUSED((def.shape.kind = WEIR_SHAPE_BOX, def.kind = WEIR_BODY_DYNAMIC, def.mass = 1e-9),
            "a mass of 1e-09 kg is not allowed");
    REFUSED((def.kind = WEIR_BODY_ANIMATED, def.motion.frequency = -1), "-1 Hz");
    REFUSED((def.kind = WEIR_BODY_ANIMATED, def.motion.velocity.x = NAN), "finite");
#undef REFUSED
}

static void bad_probes_and_sinks_are_refused(void **state)
{
    (void)state;
    weir_world_def small = good_def();
    weir_world *world = make_world(&small);
    weir_error error = {0};
    weir_probe_def gauge = weir_probe_def_default();
    gauge.radius = -0.3;
    assert_int_equal(weir_probe_create(world, &gauge, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "-0.3");
    gauge = weir_probe_def_default();
    gauge.position.y = NAN;
    assert_int_equal(weir_probe_create(world, &gauge, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "position");
    gauge = weir_probe_def_default();
    gauge.kind = WEIR_PROBE_FLOW;
    gauge.normal = v3(0, 0, 0);
    assert_int_equal(weir_probe_create(world, &gauge, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "normal");
    gauge = weir_probe_def_default();
    gauge.kind = (weir_probe_kind)12;
    assert_int_equal(weir_probe_create(world, &gauge, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "12");
    weir_sink_def drain = weir_sink_def_default();
    drain.shape.kind = WEIR_SHAPE_SPHERE;
    drain.shape.radius = 1;
    drain.max_volume = -4;
    assert_int_equal(weir_sink_create(world, &drain, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "-4");
    drain.max_volume = 0;
    drain.shape.radius = NAN;
    assert_int_equal(weir_sink_create(world, &drain, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "nan");
    assert_int_equal(weir_world_probe_count(world), 0);
    assert_int_equal(weir_world_sink_count(world), 0);
    weir_world_destroy(world);
}

/* --------------------------------------------------------------------- ids */

static void stale_ids_are_recognised(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    weir_world *world = make_pool(&def);
    weir_body_id ground = weir_world_body_at(world, 0), null = {0, 0}, never = {7, 1};
    weir_body_state body_state;
    weir_error error = {0};
    assert_true(weir_body_is_valid(world, ground));
    assert_true(weir_body_get_state(world, ground, &body_state));
    assert_string_equal(body_state.name, "plane");
    assert_true(weir_body_destroy(world, ground, &error));
    assert_false(weir_body_is_valid(world, ground));
    assert_false(weir_body_get_state(world, ground, &body_state));
    assert_false(weir_body_destroy(world, ground, &error));
    assert_error(error, WEIR_STALE_ID, "solid");
    assert_false(weir_body_is_valid(world, null));
    assert_false(weir_body_is_valid(world, never));
    /* A new body does not take over the old id. */
    weir_body_def another = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
    make_body(world, &another);
    assert_false(weir_body_is_valid(world, ground));
    weir_world_destroy(world);
}

static void lists_end_quietly(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    weir_world *world = make_pool(&def);
    assert_int_equal(weir_world_body_at(world, 5).slot, 0);
    assert_int_equal(weir_world_body_at(world, -1).slot, 0);
    assert_null(weir_world_emitter_state(world, 0).name);
    assert_null(weir_world_sink_state(world, -1).name);
    assert_null(weir_world_read_probe(world, 3).name);
    assert_null(weir_world_get_field(world, "no such field"));
    assert_non_null(weir_world_get_field(world, "density"));
    assert_null(weir_fluid_preset(100));
    assert_null(weir_method_get_info((weir_method)99));
    weir_world_destroy(world);
    weir_world_destroy(NULL);
}

/* -------------------------------------------------------------------- steps */

static void bad_time_steps_are_refused(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    weir_world *world = make_pool(&def);
    static const double bad[] = {0, -0.5, NAN, INFINITY};
    static const char *const parts[] = {"0 s", "-0.5 s", "nan s", "inf s"};
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        weir_error error = {0};
        assert_int_equal(weir_world_step(world, bad[k], &error), WEIR_STEP_FAILED);
        assert_error(error, WEIR_INVALID, parts[k]);
    }
    weir_error error = {0};
    assert_true(weir_world_step(world, 1e9, &error) & WEIR_STEP_FAILED);
    assert_error(error, WEIR_UNSTABLE, "1e+09");
    assert_true(weir_world_get_time(world) == 0);
    step_world(world, 0.01); /* still alive */
    weir_world_destroy(world);
}

static void a_world_of_bodies_alone_steps(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    weir_world *world = make_world(&def);
    weir_body_def lift = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
    lift.kind = WEIR_BODY_ANIMATED;
    lift.motion.velocity = v3(0, 2, 0);
    weir_body_id id = make_body(world, &lift);
    step_many(world, 0.1, 5);
    weir_body_state moved;
    assert_true(weir_body_get_state(world, id, &moved));
    assert_near(moved.pose.position.y, 1, 1e-9);
    weir_world_destroy(world);
}

static void a_world_without_particles_steps(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    weir_world *world = make_world(&def);
    make_fluid(world, 1000, 0);
    step_many(world, 0.1, 3);
    assert_near(weir_world_get_time(world), 0.3, 1e-12);
    assert_int_equal(weir_world_get_statistics(world).particles, 0);
    weir_world_destroy(world);
}

static void substeps_are_chosen_below_the_limit(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    weir_world *world = make_pool(&def);
    weir_step_limit limit = weir_world_get_step_limit(world, NULL);
    step_world(world, 10.5 * limit.seconds);
    assert_int_equal(weir_world_get_statistics(world).substeps, 11);
    step_world(world, limit.seconds);
    assert_int_equal(weir_world_get_statistics(world).substeps, 12);
    assert_near(weir_world_get_time(world), 11.5 * limit.seconds, 1e-12);
    weir_world_destroy(world);
}

static void unstable_steps_are_refused_or_flagged(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    def.substeps = 3;
    weir_world *world = make_pool(&def);
    weir_step_limit limit = weir_world_get_step_limit(world, NULL);
    weir_error error = {0};
    assert_int_equal(step_world(world, 2.9 * limit.seconds), 0);
    assert_true(weir_world_step(world, 4.5 * limit.seconds, &error) & WEIR_STEP_FAILED);
    assert_error(error, WEIR_UNSTABLE, "3 substep");
    assert_error(error, WEIR_UNSTABLE, limit.cause);
    assert_error(error, WEIR_UNSTABLE, "at least 5");
    weir_world_destroy(world);

    def.allow_unstable = true;
    world = make_pool(&def);
    assert_int_equal(step_world(world, 4.5 * limit.seconds), WEIR_STEP_UNSTABLE);
    assert_int_equal(step_world(world, 2.9 * limit.seconds), 0);
    assert_int_equal(weir_world_get_statistics(world).substeps, 6);
    weir_world_destroy(world);
}

static void what_is_not_finite_stops_the_step_and_is_named(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++)
        for (int dim = 2; dim <= 3; dim++) {
            weir_world_def def = good_def();
            def.dim = dim;
            def.threads = threads;
            weir_world *world = make_pool(&def);
            step_world(world, 0.001);
            /* Harm the particle of id 42, wherever it was sorted to. */
            particles *p = &world->flow.p;
            size_t at = 0;
            while (p->id[at] != 42)
                at++;
            p->v[1][at] = NAN;
            weir_error error = {0};
            uint32_t flags = weir_world_step(world, 0.001, &error);
            assert_true(flags & WEIR_STEP_FAILED);
            assert_true(flags & WEIR_STEP_NOT_FINITE);
            assert_error(error, WEIR_NOT_FINITE, "step 2");
            assert_error(error, WEIR_NOT_FINITE, "particle ");
            weir_world_destroy(world);
        }
}

/* The first to become infinite is named, as nothing else had time to follow. */
static void an_explosion_names_its_particle(void **state)
{
    (void)state;
    weir_world_def def = good_def();
    def.substeps = 1;
    def.allow_unstable = true;
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    weir_vec3 far[] = {{0, 0, 0}, {5, 0, 0}};
    assert_true(weir_world_add_particles(world, water, far, 2, v3(0, 0, 0), NULL));
    step_world(world, 0.001);
    particles *p = &world->flow.p;
    p->v[0][p->id[0] == 1 ? 0 : 1] = INFINITY;
    weir_error error = {0};
    assert_true(weir_world_step(world, 0.001, &error) & WEIR_STEP_NOT_FINITE);
    assert_error(error, WEIR_NOT_FINITE, "particle 1 ");
    weir_world_destroy(world);
}

/* ------------------------------------------------------------------- memory */

/* Each allocation fails in turn: an error each time, and nothing is lost or left. */
/* Fluid that begins on one spot flies apart; each substep would be shorter than the one before. */
static void an_explosion_ends_a_step_of_many_substeps(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, 0.1);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    weir_vec3 spot[256];
    for (int k = 0; k < 256; k++)
        spot[k] = v3(1e-5 * (k % 16), 1e-5 * (k / 16), 0);
    weir_error error = {0};
    assert_true(weir_world_add_particles(world, water, spot, 256, v3(0, 0, 0), &error));
    assert_true(weir_world_step(world, 1, &error) & WEIR_STEP_FAILED);
    assert_error(error, WEIR_UNSTABLE, "exploded");
    assert_true(weir_world_get_time(world) < 1);
    weir_world_destroy(world);
}

static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    for (size_t allowed = 0;; allowed++) {
        counting_memory counter;
        weir_world_def def = good_def();
        def.hooks = counting_hooks(&counter);
        counter.calls_left = allowed;
        weir_error error = {0};
        weir_world *world = weir_world_create(&def, &error);
        bool ok = world != NULL;
        if (ok) {
            weir_fluid_def water = weir_fluid_def_default();
            weir_fluid_id fluid_id = weir_fluid_create(world, &water, &error);
            weir_body_def ground = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
            weir_emitter_def jet = weir_emitter_def_default();
            jet.fluid = fluid_id;
            jet.position = v3(0, 1, 0);
            weir_probe_def gauge = weir_probe_def_default();
            gauge.kind = WEIR_PROBE_FLOW;
            ok = weir_body_create(world, &ground, &error).slot > 0 &&
                 weir_emitter_create(world, &jet, &error).slot > 0 &&
                 weir_probe_create(world, &gauge, &error).slot > 0 &&
                 !(weir_world_step(world, 0.01, &error) & WEIR_STEP_FAILED);
        }
        if (!ok)
            assert_error(error, WEIR_OUT_OF_MEMORY, "no memory");
        weir_world_destroy(world);
        assert_int_equal(counter.live_blocks, 0);
        if (ok)
            break;
        assert_true(allowed < 300);
    }
}

static void the_methods_describe_themselves(void **state)
{
    (void)state;
    for (int k = 0; k < WEIR_METHOD_COUNT; k++) {
        const weir_method_info *info = weir_method_get_info((weir_method)k);
        weir_method found;
        assert_true(weir_method_find(info->name, &found));
        assert_int_equal(found, k);
        assert_true(info->parameter_count <= WEIR_MAX_PARAMETERS);
        for (int p = 0; p < info->parameter_count; p++) {
            const weir_parameter *parameter = &info->parameters[p];
            assert_non_null(parameter->name);
            assert_non_null(parameter->unit);
            assert_non_null(parameter->meaning);
            assert_between(parameter->initial, parameter->min, parameter->max);
        }
    }
    weir_method none;
    assert_false(weir_method_find("alchemy", &none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_worlds_are_refused),
        cmocka_unit_test(parameters_are_set_by_name),
        cmocka_unit_test(bad_fluids_are_refused),
        cmocka_unit_test(bad_particles_are_refused),
        cmocka_unit_test(bad_solids_are_refused),
        cmocka_unit_test(bad_probes_and_sinks_are_refused),
        cmocka_unit_test(stale_ids_are_recognised),
        cmocka_unit_test(lists_end_quietly),
        cmocka_unit_test(bad_time_steps_are_refused),
        cmocka_unit_test(a_world_of_bodies_alone_steps),
        cmocka_unit_test(a_world_without_particles_steps),
        cmocka_unit_test(substeps_are_chosen_below_the_limit),
        cmocka_unit_test(unstable_steps_are_refused_or_flagged),
        cmocka_unit_test(what_is_not_finite_stops_the_step_and_is_named),
        cmocka_unit_test(an_explosion_names_its_particle),
        cmocka_unit_test(an_explosion_ends_a_step_of_many_substeps),
        cmocka_unit_test(running_out_of_memory_is_survived),
        cmocka_unit_test(the_methods_describe_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
