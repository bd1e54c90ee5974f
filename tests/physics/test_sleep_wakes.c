/* Everything that must wake fluid which sleeps does, and nothing else. */
#include "support/sleep_worlds.h"

static weir_world *make_sleeper(weir_fluid_id *water)
{
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    weir_world *world = make_sleep_tank(&t, water);
    step_until_all_asleep(world, 10);
    return world;
}

static weir_body_def block_def(weir_body_kind kind, weir_vec3 at, double half)
{
    weir_body_def def = weir_body_def_default();
    def.kind = kind;
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = v3(half, half, half);
    def.pose.position = at;
    return def;
}

static void test_a_drop_wakes_what_it_falls_into(void **state)
{
    (void)state;
    weir_fluid_id water;
    weir_world *world = make_sleeper(&water);
    size_t asleep = count_asleep(world);
    weir_vec3 high = v3(0.24, 0.5, 0);
    assert_true(weir_world_add_particles(world, water, &high, 1, v3(0, 0, 0), NULL));
    step_many(world, SLEEP_STEP, 6); /* it falls by 5 cm */
    assert_int_equal(count_asleep(world), asleep);
    assert_int_equal(weir_world_get_particles(world).count, asleep + 1);
    /* 26 cm above the surface at first: 0.23 s */
    assert_in_range(steps_until_awake(world, 30), 5, 10);
    weir_world_destroy(world);
}

static void test_an_emitter_wakes_what_lies_before_it(void **state)
{
    (void)state;
    weir_fluid_id water;
    weir_world *world = make_sleeper(&water);
    size_t asleep = count_asleep(world);
    weir_interval on = {weir_world_get_time(world) + 0.5, 1e6};
    weir_emitter_def def = weir_emitter_def_default();
    def.fluid = water;
    def.radius = 0.04;
    def.position = v3(0.12, 0.12, 0);
    def.speed = 0.5;
    def.schedule = &on;
    def.schedule_count = 1;
    assert_true(weir_emitter_create(world, &def, NULL).slot > 0);
    step_many(world, SLEEP_STEP, 29);
    assert_int_equal(count_asleep(world), asleep);
    step_many(world, SLEEP_STEP, 2);
    assert_int_equal(count_asleep(world), 0);
    assert_true(weir_world_get_particles(world).count > asleep);
    weir_world_destroy(world);
}

/* Drops that are caught above a pool that sleeps change its places in the arrays, and nothing else.
 */
static void test_emitters_and_sinks_work_beside_it(void **state)
{
    (void)state;
    weir_fluid_id water;
    weir_world *world = make_sleeper(&water);
    size_t asleep = count_asleep(world);
    weir_emitter_def def = weir_emitter_def_default();
    def.fluid = water;
    def.radius = 0.04;
    def.position = v3(0.24, 1, 0);
    def.direction = v3(0, -1, 0);
    assert_true(weir_emitter_create(world, &def, NULL).slot > 0);
    weir_sink_def drain = weir_sink_def_default();
    drain.shape.kind = WEIR_SHAPE_BOX;
    drain.shape.half_extents = v3(0.5, 0.1, 0.1);
    drain.shape.pose.position = v3(0.24, 0.5, 0);
    assert_true(weir_sink_create(world, &drain, NULL).slot > 0);
    weir_statistics before = weir_world_get_statistics(world);
    step_many(world, SLEEP_STEP, 90);
    weir_statistics after = weir_world_get_statistics(world);
    assert_int_equal(after.particles_asleep, asleep);
    assert_true(after.particles > asleep);
    assert_true(weir_world_sink_state(world, 0).particles > 50);
    assert_int_equal(after.particles, asleep + weir_world_emitter_state(world, 0).particles -
                                          weir_world_sink_state(world, 0).particles);
    /* ids are all different, and those of the pool still are where they were */
    weir_particle_view p = weir_world_get_particles(world);
    uint8_t *seen = calloc(after.particles + 10000, 1);
    double height = 0;
    for (size_t i = 0; i < p.count; i++) {
        assert_int_equal(seen[p.id[i]]++, 0);
        height += p.id[i] < asleep ? p.position[1][i] : 0;
    }
    assert_near(9.81 * height * 0.4, before.potential_energy, 1e-6 * before.potential_energy);
    free(seen);
    weir_world_destroy(world);
}

static void test_a_sink_wakes_what_it_drains(void **state)
{
    (void)state;
    weir_world *world = make_sleeper(NULL);
    size_t asleep = count_asleep(world);
    weir_sink_def def = weir_sink_def_default();
    weir_interval on = {weir_world_get_time(world) + 0.25, 1e6};
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = v3(0.05, 0.05, 0.1);
    def.schedule = &on;
    def.schedule_count = 1;
    assert_true(weir_sink_create(world, &def, NULL).slot > 0);
    step_many(world, SLEEP_STEP, 14);
    assert_int_equal(count_asleep(world), asleep);
    step_many(world, SLEEP_STEP, 3);
    assert_int_equal(count_asleep(world), 0);
    assert_true(weir_world_get_particles(world).count < asleep);
    weir_world_destroy(world);
}

static void test_bodies_that_move_wake_it(void **state)
{
    (void)state;
    weir_world *world = make_sleeper(NULL);
    size_t asleep = count_asleep(world);
    double now = weir_world_get_time(world);
    /* a piston that passes by first, and goes in after half a second */
    weir_body_def piston = block_def(WEIR_BODY_ANIMATED, v3(0.24, 0.36, 0), 0.03);
    piston.motion.velocity = v3(0, -0.4, 0);
    piston.motion.start = now + 0.5;
    make_body(world, &piston);
    weir_body_def above = block_def(WEIR_BODY_ANIMATED, v3(0.24, 0.6, 0), 0.03);
    above.motion.velocity = v3(0.1, 0, 0);
    make_body(world, &above);
    step_many(world, SLEEP_STEP, 30);
    assert_int_equal(count_asleep(world), asleep);
    /* from 9 cm above the surface to 6, where the kernel begins */
    assert_in_range(steps_until_awake(world, 60), 3, 8);
    weir_world_destroy(world);

    world = make_sleeper(NULL);
    weir_body_def ball = block_def(WEIR_BODY_DYNAMIC, v3(0.24, 0.5, 0), 0.03);
    make_body(world, &ball);
    step_many(world, SLEEP_STEP, 6);
    assert_int_equal(count_asleep(world), asleep);
    assert_in_range(steps_until_awake(world, 30), 1, 12);
    weir_world_destroy(world);
}

static void test_solids_that_come_and_go_wake_it(void **state)
{
    (void)state;
    weir_error error = {0};
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    weir_world *world = make_world(&t.def);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    weir_body_id far = sleep_add_tank(world, &t, water, 0);
    weir_body_def gate = block_def(WEIR_BODY_STATIC, v3(5, 5, 0), 0.1);
    weir_body_id away = make_body(world, &gate);
    step_until_all_asleep(world, 10);
    size_t asleep = count_asleep(world);
    assert_true(weir_body_destroy(world, away, &error));
    assert_int_equal(count_asleep(world), asleep);
    /* one is put into the water */
    gate.pose.position = v3(0.24, 0.2, 0);
    gate.until = weir_world_get_time(world) + 26;
    make_body(world, &gate);
    assert_int_equal(count_asleep(world), 0);
    /* and vanishes */
    step_until_all_asleep(world, 25);
    assert_int_equal(steps_until_awake(world, 1600) <= 1600, 1);
    assert_near(weir_world_get_time(world), gate.until, 2 * SLEEP_STEP);
    step_until_all_asleep(world, 20);
    assert_true(weir_body_destroy(world, far, &error));
    assert_int_equal(count_asleep(world), 0);
    weir_world_destroy(world);
}

/* A box that floats sleeps with the water and wakes with it, and the other way round. */
static weir_world *make_floating(weir_body_id *box)
{
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    weir_world *world = make_sleep_tank(&t, NULL);
    weir_body_def def = block_def(WEIR_BODY_DYNAMIC, v3(0.24, 0.30, 0), 0.04);
    def.shape.half_extents = v3(0.1, 0.04, 0.1);
    *box = make_body(world, &def);
    step_until_all_asleep(world, 25);
    weir_body_state now;
    assert_true(weir_body_get_state(world, *box, &now));
    assert_true(now.asleep);
    assert_near(now.pressure_force.y, 9.81 * now.mass, 0.15 * 9.81 * now.mass);
    return world;
}

static void test_a_body_that_is_hit_wakes_its_pool(void **state)
{
    (void)state;
    weir_body_id box;
    weir_body_state now;
    weir_world *world = make_floating(&box);
    size_t asleep = count_asleep(world);
    weir_body_def ball = block_def(WEIR_BODY_DYNAMIC, v3(0.24, 0.6, 0), 0.03);
    ball.density = 200;
    make_body(world, &ball);
    step_many(world, SLEEP_STEP, 6);
    assert_int_equal(count_asleep(world), asleep);
    assert_in_range(steps_until_awake(world, 30), 1, 15);
    weir_body_get_state(world, box, &now);
    assert_false(now.asleep);
    weir_world_destroy(world);
}

/* A drop falls on the deck of a box that floats, out of the reach of the water: the box wakes with
 * its pool, and not a substep before it, in which nothing would carry it. */
static void test_a_drop_on_deck_wakes_the_pool(void **state)
{
    (void)state;
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    weir_fluid_id water;
    weir_body_state now;
    weir_world *world = make_sleep_tank(&t, &water);
    weir_body_def def = block_def(WEIR_BODY_DYNAMIC, v3(0.24, 0.34, 0), 0.1);
    def.density = 250;
    weir_body_id box = make_body(world, &def);
    step_until_all_asleep(world, 25);
    weir_body_get_state(world, box, &now);
    weir_vec3 drop = v3(now.pose.position.x, now.pose.position.y + 0.3, 0);
    assert_true(weir_world_add_particles(world, water, &drop, 1, v3(0, 0, 0), NULL));
    assert_in_range(steps_until_awake(world, 30), 6, 14);
    weir_body_get_state(world, box, &now);
    assert_false(now.asleep);
    assert_true(fabs(now.velocity.y) < 0.02); /* it falls at 0.05 m/s after a substep on its own */
    weir_world_destroy(world);
}

static void test_a_motor_wakes_the_pool_of_its_body(void **state)
{
    (void)state;
    weir_body_id box;
    weir_body_state now;
    weir_error error = {0};
    weir_world *world = make_floating(&box);
    weir_joint_def joint = weir_joint_def_default();
    joint.kind = WEIR_JOINT_HINGE;
    joint.a = box;
    joint.anchor = v3(0.24, 0.3, 0);
    weir_joint_id hinge = weir_joint_create(world, &joint, &error);
    assert_true(hinge.slot > 0);
    assert_in_range(steps_until_awake(world, 3), 1, 1);
    step_until_all_asleep(world, 25);
    assert_true(weir_joint_set_motor(world, hinge, WEIR_MOTOR_SPEED, 1, INFINITY, &error));
    assert_in_range(steps_until_awake(world, 3), 1, 1);
    step_many(world, SLEEP_STEP, 120); /* and keeps it awake */
    assert_int_equal(count_asleep(world), 0);
    assert_true(weir_body_get_state(world, box, &now));
    assert_false(now.asleep);
    weir_world_destroy(world);
}

static void test_a_body_that_is_destroyed_wakes_its_pool(void **state)
{
    (void)state;
    weir_body_id box;
    weir_world *world = make_floating(&box);
    assert_true(weir_body_destroy(world, box, NULL));
    assert_int_equal(count_asleep(world), 0);
    weir_world_destroy(world);
}

static void test_bodies_of_a_host_wake_it_when_they_move(void **state)
{
    (void)state;
    weir_error error = {0};
    weir_world *world = make_sleeper(NULL);
    size_t asleep = count_asleep(world);
    weir_body_def def = block_def(WEIR_BODY_ANIMATED, v3(0.24, 0.6, 0), 0.03);
    def.hosted = true;
    weir_body_id hosted = make_body(world, &def);
    assert_true(weir_body_set_motion(world, hosted, def.pose, v3(0, 0, 0), v3(0, 0, 0), &error));
    step_many(world, SLEEP_STEP, 5);
    assert_int_equal(count_asleep(world), asleep);
    def.pose.position = v3(0.24, 0.2, 0); /* into the water at once */
    assert_true(weir_body_set_motion(world, hosted, def.pose, v3(0, 0, 0), v3(0, 0, 0), &error));
    assert_int_equal(count_asleep(world), 0);
    step_until_all_asleep(world, 12);
    /* told the same again: it sleeps on */
    assert_true(weir_body_set_motion(world, hosted, def.pose, v3(0, 0, 0), v3(0, 0, 0), &error));
    step_world(world, SLEEP_STEP);
    assert_int_equal(count_asleep(world), asleep);
    assert_true(weir_body_set_motion(world, hosted, def.pose, v3(0.1, 0, 0), v3(0, 0, 0), &error));
    assert_int_equal(count_asleep(world), 0);
    weir_world_destroy(world);
}

static void test_parameters_and_fluids_that_change_wake_all(void **state)
{
    (void)state;
    weir_error error = {0};
    weir_world *world = make_sleeper(NULL);
    size_t asleep = count_asleep(world);
    double now = weir_world_get_time(world);
    assert_true(weir_world_schedule_parameter(world, now + 0.3, "xsph", 0.02, &error));
    step_many(world, SLEEP_STEP, 17);
    assert_int_equal(count_asleep(world), asleep);
    step_many(world, SLEEP_STEP, 2);
    assert_int_equal(count_asleep(world), 0);
    step_until_all_asleep(world, 10);
    make_fluid(world, 900, 0.001);
    assert_int_equal(count_asleep(world), 0);
    weir_world_destroy(world);
}

static void test_events_tell_of_it(void **state)
{
    (void)state;
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    t.def.events = true;
    weir_fluid_id water;
    weir_world *world = make_sleep_tank(&t, &water);
    weir_event events[8];
    step_until_all_asleep(world, 10);
    assert_int_equal(weir_world_get_events(world, events, 8), 1);
    assert_int_equal(events[0].kind, WEIR_EVENT_FLUID_SLEEPS);
    step_world(world, SLEEP_STEP);
    assert_int_equal(weir_world_get_events(world, events, 8), 0);
    weir_vec3 close = v3(0.24, 0.27, 0);
    assert_true(weir_world_add_particles(world, water, &close, 1, v3(0, 0, 0), NULL));
    step_world(world, SLEEP_STEP);
    assert_int_equal(weir_world_get_events(world, events, 8), 1);
    assert_int_equal(events[0].kind, WEIR_EVENT_FLUID_WAKES);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_drop_wakes_what_it_falls_into),
        cmocka_unit_test(test_an_emitter_wakes_what_lies_before_it),
        cmocka_unit_test(test_emitters_and_sinks_work_beside_it),
        cmocka_unit_test(test_a_sink_wakes_what_it_drains),
        cmocka_unit_test(test_bodies_that_move_wake_it),
        cmocka_unit_test(test_solids_that_come_and_go_wake_it),
        cmocka_unit_test(test_a_body_that_is_hit_wakes_its_pool),
        cmocka_unit_test(test_a_drop_on_deck_wakes_the_pool),
        cmocka_unit_test(test_a_motor_wakes_the_pool_of_its_body),
        cmocka_unit_test(test_a_body_that_is_destroyed_wakes_its_pool),
        cmocka_unit_test(test_bodies_of_a_host_wake_it_when_they_move),
        cmocka_unit_test(test_parameters_and_fluids_that_change_wake_all),
        cmocka_unit_test(test_events_tell_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
