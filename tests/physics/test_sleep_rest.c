/* What sleeps and what does not: calm tanks of every method do, drops too; waves, bodies that bob
 * and flows that creep do not. What woke without a cause goes on as if nothing had been. */
#include "support/sleep_worlds.h"

#include <stdio.h>

static void check_calm(weir_method method, int dim, double most)
{
    sleep_tank t = sleep_tank_default(method, dim);
    weir_world *world = make_sleep_tank(&t, NULL);
    double when = step_until_all_asleep(world, most);
    print_message("%s %dD sleeps after %.2f s\n", weir_method_get_info(method)->name, dim, when);
    assert_true(when >= t.def.sleep_time);
    weir_statistics before = weir_world_get_statistics(world);
    weir_body_state wall, later;
    assert_true(weir_body_get_state(world, weir_world_body_at(world, 0), &wall));
    /* nothing moves, and walls bear what they bore: the weight of the fluid */
    step_many(world, SLEEP_STEP, 60);
    weir_statistics after = weir_world_get_statistics(world);
    assert_true(weir_body_get_state(world, weir_world_body_at(world, 0), &later));
    assert_int_equal(after.particles_asleep, after.particles);
    assert_true(after.kinetic_energy == 0 && after.speed_max == 0);
    assert_true(after.potential_energy == before.potential_energy);
    assert_true(after.volume_error == before.volume_error && before.volume_error != 0);
    assert_int_equal(after.bulk_particles, before.bulk_particles);
    assert_true(before.bulk_particles > before.particles / 4);
    assert_true(before.compression_mean > 0);
    assert_near(-wall.pressure_force.y, 9.81 * before.mass, 0.15 * 9.81 * before.mass);
    assert_near(later.pressure_force.y, wall.pressure_force.y, 1e-12 * fabs(wall.pressure_force.y));
    weir_world_destroy(world);
}

static void test_calm_tanks_sleep(void **state)
{
    (void)state;
    check_calm(WEIR_METHOD_CONSTRAINT, 2, 12);
    check_calm(WEIR_METHOD_PBF, 2, 12);
    check_calm(WEIR_METHOD_VISCOELASTIC, 2, 12);
    check_calm(WEIR_METHOD_SPH, 2, 16);
    check_calm(WEIR_METHOD_CONSTRAINT, 3, 6);
    check_calm(WEIR_METHOD_PBF, 3, 6);
}

/* Woken by a change that changes nothing, next to a twin that slept on. */
static void check_waking(weir_method method)
{
    sleep_tank t = sleep_tank_default(method, 2);
    weir_world *world = make_sleep_tank(&t, NULL);
    double calmest = INFINITY, noise = 0;
    while (count_asleep(world) == 0) {
        weir_statistics s = weir_world_get_statistics(world);
        noise = s.speed_max; /* of the last step before it sleeps */
        calmest = fmin(calmest, s.kinetic_energy);
        step_world(world, SLEEP_STEP);
    }
    step_many(world, SLEEP_STEP, 30);
    weir_statistics asleep = weir_world_get_statistics(world);
    make_fluid(world, 1000, 0.001); /* wakes all */
    double fastest = 0, height = asleep.potential_energy, error = 0;
    for (int k = 0; k < 60; k++) {
        step_world(world, SLEEP_STEP);
        weir_statistics s = weir_world_get_statistics(world);
        fastest = fmax(fastest, s.speed_max);
        error = fmax(error, fabs(s.volume_error - asleep.volume_error));
        assert_near(s.potential_energy, height, 2e-3 * height);
    }
    print_message("%s: largest speed %.3f m/s before, %.3f after; volume %.5f\n",
                  weir_method_get_info(method)->name, noise, fastest, error);
    /* far below the 1.5 m/s of what falls as deep as the tank; and no faster than before, but for
     * noise */
    assert_true(fastest < 2 * noise + 0.02);
    assert_true(error < 0.004);
    weir_world_destroy(world);
}

static void test_waking_is_without_a_jolt(void **state)
{
    (void)state;
    check_waking(WEIR_METHOD_CONSTRAINT);
    check_waking(WEIR_METHOD_PBF);
    check_waking(WEIR_METHOD_VISCOELASTIC);
    check_waking(WEIR_METHOD_SPH);
}

static void test_one_pool_sleeps_beside_another(void **state)
{
    (void)state;
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    weir_world *world = make_world(&t.def);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    /* One room, cut in two by a wall of five spacings; a paddle moves in the right half. */
    make_tank(world, v3(0, 0, 0), v3(1.06, 1, 1));
    weir_body_def wall = weir_body_def_default();
    wall.shape.kind = WEIR_SHAPE_BOX;
    wall.shape.half_extents = v3(0.05, 0.6, 1);
    wall.pose.position = v3(0.53, 0.5, 0); /* into the floor: nothing seeps through below it */
    make_body(world, &wall);
    weir_body_def paddle = weir_body_def_default();
    paddle.kind = WEIR_BODY_ANIMATED;
    paddle.shape.kind = WEIR_SHAPE_BOX;
    paddle.shape.half_extents = v3(0.01, 0.1, 1);
    paddle.pose.position = v3(0.82, 0.3, 0);
    paddle.motion.oscillation = v3(0.05, 0, 0);
    paddle.motion.frequency = 0.5;
    make_body(world, &paddle);
    double s = SLEEP_SPACING;
    size_t left = fill_box(world, water, 2, s, v3(0, 0, 0), v3(0.48, 0.24, 0), 0, v3(0, 0, 0));
    fill_box(world, water, 2, s, v3(0.58, 0, 0), v3(1.06, 0.24, 0), 0, v3(0, 0, 0));
    step_until_asleep(world, left, 20);
    for (int k = 0; k < 120; k++) {
        step_world(world, SLEEP_STEP);
        assert_int_equal(count_asleep(world), left);
    }
    weir_particle_view p = weir_world_get_particles(world);
    for (size_t i = 0; i < p.count; i++)
        if (p.velocity[0][i] == 0 && p.velocity[1][i] == 0)
            assert_true(p.position[0][i] < 0.53f);
    weir_world_destroy(world);
}

/* A film of syrup in a channel without ends, that is pulled along so slowly that its surface goes a
 * fortieth of a spacing in a second: it never sleeps. Without the pull it does. */
static void check_creep(weir_method method, double fastest, bool sleeps)
{
    weir_world_def def = small_world_def(2, SLEEP_SPACING);
    weir_world_def_use_method(&def, method);
    double height = 12 * SLEEP_SPACING, viscosity = 50;
    def.sleep_time = 2;
    def.gravity = v3(0, -1, 0);
    def.period[0] = (weir_axis_period){true, 0, 0.4};
    /* a film: u = g h²/(2 ν) at the surface */
    def.acceleration =
        v3(fastest * SLEEP_SPACING * 2 * (viscosity / 1000) / (height * height), 0, 0);
    weir_world *world = make_world(&def);
    weir_fluid_id syrup = make_fluid(world, 1000, viscosity);
    weir_body_def floor = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_NO_SLIP);
    make_body(world, &floor);
    fill_box(world, syrup, 2, SLEEP_SPACING, v3(0, 0, 0), v3(0.4, height, 0), 0,
             v3(2.0 / 3 * fastest * SLEEP_SPACING, 0, 0)); /* the mean of what it will have */
    if (sleeps)
        step_until_all_asleep(world, 10);
    for (int k = 0; !sleeps && k < 480; k++) {
        step_world(world, SLEEP_STEP);
        if (count_asleep(world) > 0)
            fail_msg("syrup that creeps by %g spacings a second sleeps after %g s", fastest,
                     weir_world_get_time(world));
    }
    weir_world_destroy(world);
}

static void test_flows_that_creep_stay_awake(void **state)
{
    (void)state;
    check_creep(WEIR_METHOD_CONSTRAINT, 0.5, false);
    check_creep(WEIR_METHOD_CONSTRAINT, 0.1, false);
    check_creep(WEIR_METHOD_CONSTRAINT, 0.025, false);
    check_creep(WEIR_METHOD_CONSTRAINT, 0, true);
    check_creep(WEIR_METHOD_SPH, 0.025, false);
    check_creep(WEIR_METHOD_SPH, 0, true);
}

/* Water that runs out through a slit: the tank is drained as without sleep. */
static size_t drain(double sleep_time)
{
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    t.def.sleep_time = sleep_time;
    weir_world *world = make_sleep_tank(&t, NULL);
    weir_sink_def slit = weir_sink_def_default();
    slit.shape.kind = WEIR_SHAPE_BOX;
    slit.shape.half_extents = v3(0.004, 0.004, 0.1);
    slit.shape.pose.position = v3(0.48, 0.01, 0);
    assert_true(weir_sink_create(world, &slit, NULL).slot > 0);
    step_many(world, SLEEP_STEP, 300);
    size_t left = weir_world_get_particles(world).count;
    weir_world_destroy(world);
    return left;
}

static void test_a_slow_drain_goes_on(void **state)
{
    (void)state;
    size_t with = drain(2), without = drain(0);
    print_message("%zu particles are left, %zu without sleep\n", with, without);
    assert_int_equal(with, without);
}

/* Waves of half a spacing are seen; they sleep when they are a tenth of that. */
static void test_waves_stay_awake(void **state)
{
    (void)state;
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    t.width = 32;
    weir_world *world = make_world(&t.def);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    double s = SLEEP_SPACING, length = t.width * s;
    make_tank(world, v3(0, 0, 0), v3(length, 1, 1));
    for (int k = 0; k < t.width; k++)
        fill_box(world, water, 2, s, v3(k * s, 0, 0),
                 v3((k + 1) * s, s * (t.depth + (k < t.width / 2 ? 1 : -1)), 0), 0, v3(0, 0, 0));
    double end = step_until_all_asleep(world, 30);
    /* By what each half holds: single particles on the surface lie up to half a spacing high. */
    weir_particle_view now = weir_world_get_particles(world);
    int more = 0;
    for (size_t i = 0; i < now.count; i++)
        more += (double)now.position[0][i] < length / 2 ? 1 : -1;
    double difference = fabs((double)more / (t.width / 2.0));
    print_message("asleep after %.2f s, levels differ by %.3f spacings\n", end, difference);
    assert_true(end > 3);
    assert_true(difference < 0.2);
    weir_world_destroy(world);
}

/* A box that is let go above its waterline bobs: it stops first, and sleeps where Archimedes says.
 */
static void test_a_bobbing_box_stays_awake(void **state)
{
    (void)state;
    sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
    weir_world *world = make_sleep_tank(&t, NULL);
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = v3(0.1, 0.05, 0.1);
    def.pose.position = v3(0.24, 0.4, 0);
    weir_body_id box = make_body(world, &def);
    double end = step_until_all_asleep(world, 30);
    weir_body_state now;
    assert_true(weir_body_get_state(world, box, &now));
    /* 0.24 m of water, raised by half of the box: 0.01 m² over 0.48 m */
    print_message("asleep after %.2f s, at %.4f m\n", end, now.pose.position.y);
    assert_near(now.pose.position.y, 0.24 + 0.01 / 0.48, 0.3 * SLEEP_SPACING);
    assert_true(end > 2 && now.asleep);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calm_tanks_sleep),
        cmocka_unit_test(test_waking_is_without_a_jolt),
        cmocka_unit_test(test_one_pool_sleeps_beside_another),
        cmocka_unit_test(test_flows_that_creep_stay_awake),
        cmocka_unit_test(test_a_slow_drain_goes_on),
        cmocka_unit_test(test_waves_stay_awake),
        cmocka_unit_test(test_a_bobbing_box_stays_awake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
