/* Nozzles and solids, for all methods: where a solid lies in a nozzle, no particles come, which
 * would be thrown out of it, and along a wall a jet keeps its speed. */
#include "support/worlds.h"

static const double SPACING = 0.02;

static weir_world *quiet_world(weir_method method)
{
    weir_world_def def = small_world_def(2, SPACING);
    weir_world_def_use_method(&def, method);
    def.gravity = v3(0, 0, 0);
    return make_world(&def);
}

/* Four places, at 0.5 and 1.5 spacings above and below the axis. */
static void make_slot(weir_world *world)
{
    weir_error error = {0};
    weir_emitter_def def = weir_emitter_def_default();
    def.fluid = make_fluid(world, 1000, 0);
    def.radius = 2 * SPACING;
    if (weir_emitter_create(world, &def, &error).slot == 0)
        fail_msg("%s", error.text);
}

/* A free jet of this nozzle spreads at up to 2 m/s; particles out of a wall come at ten times that.
 */
static void check_slow(weir_world *world, double speed)
{
    weir_particle_view p = weir_world_get_particles(world);
    for (size_t i = 0; i < p.count; i++)
        assert_true(hypot((double)p.velocity[0][i], (double)p.velocity[1][i]) <= speed);
}

static void places_inside_of_a_wall_give_nothing(void **state)
{
    (void)state;
    for (int m = 0; weir_method_get_info((weir_method)m); m++) {
        weir_world *world = quiet_world((weir_method)m);
        weir_body_def wall = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
        weir_body_id wall_id = make_body(world, &wall);
        make_slot(world);
        weir_nozzle_cover cover;
        assert_int_equal(weir_world_emitter_covered(world, 0, &cover), 2);
        assert_int_equal(cover.body.slot, wall_id.slot);
        assert_near(cover.depth, 1.5 * SPACING, 1e-9);
        assert_near(cover.position.y, -1.5 * SPACING, 1e-9);
        assert_int_equal(weir_world_emitter_covered(world, 1, &cover), 0);
        assert_int_equal(cover.body.slot, 0);
        uint32_t flags = 0;
        for (int k = 0; k < 20; k++) {
            flags |= step_world(world, 0.01);
            check_slow(world, 3);
        }
        assert_true(flags & WEIR_STEP_COVERED);
        weir_flow_state flow = weir_world_emitter_state(world, 0);
        assert_int_equal(flow.particles, weir_world_get_particles(world).count);
        assert_in_range(flow.particles, 18, 22);
        weir_world_destroy(world);
    }
}

/* A slide that shuts the nozzle and opens it again: nothing comes while it is shut, and afterwards
 * not what would have come meanwhile. */
static void a_moving_solid_shuts_the_nozzle(void **state)
{
    (void)state;
    weir_world *world = quiet_world(WEIR_METHOD_SPH);
    const weir_keyframe frames[4] = {{0, {{0, 1, 0}, {0, 0, 0, 1}}},
                                     {0.2, {{0, 0, 0}, {0, 0, 0, 1}}},
                                     {0.6, {{0, 0, 0}, {0, 0, 0, 1}}},
                                     {0.8, {{0, 1, 0}, {0, 0, 0, 1}}}};
    weir_body_def slide = weir_body_def_default();
    slide.kind = WEIR_BODY_ANIMATED;
    slide.shape.kind = WEIR_SHAPE_BOX;
    slide.shape.half_extents = v3(0.05, 0.2, 1);
    slide.motion.keyframes = frames;
    slide.motion.keyframe_count = 4;
    make_body(world, &slide);
    make_slot(world);
    uint64_t at[5];
    uint32_t flags[5] = {0};
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 20; i++)
            flags[k] |= step_world(world, 0.01);
        at[k] = weir_world_emitter_state(world, 0).particles;
    }
    assert_true(at[0] > 20);
    assert_int_equal(at[1], at[0]);
    assert_int_equal(at[2], at[0]);
    assert_true(flags[1] & WEIR_STEP_COVERED && !(flags[4] & WEIR_STEP_COVERED));
    assert_near((double)(at[4] - at[3]), 4 * 0.2 / SPACING, 8);
    weir_world_destroy(world);
}

/* The largest speed of 0.4 s of a jet that comes at 1 m/s along a wall. */
static double find_speed_along_wall(weir_method method, double spacings_off)
{
    weir_world *world = quiet_world(method);
    weir_body_def wall =
        plane_def(v3(0, -(1.5 + spacings_off) * SPACING, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
    make_body(world, &wall);
    make_slot(world);
    double most = 0;
    for (int k = 0; k < 40; k++) {
        step_world(world, 0.01);
        weir_particle_view p = weir_world_get_particles(world);
        for (size_t i = 0; i < p.count; i++)
            most = fmax(most, hypot((double)p.velocity[0][i], (double)p.velocity[1][i]));
    }
    weir_world_destroy(world);
    return most;
}

/* Half a spacing is the room that a particle takes. Nearer to the wall the jet has to squeeze
 * through a slot that is too narrow by up to an eighth. */
static void a_jet_along_a_wall_keeps_its_speed(void **state)
{
    (void)state;
    for (int m = 0; weir_method_get_info((weir_method)m); m++) {
        assert_between(find_speed_along_wall((weir_method)m, 0.5), 0.99, 1.2);
        assert_between(find_speed_along_wall((weir_method)m, 0.25), 0.99, 2);
        assert_between(find_speed_along_wall((weir_method)m, 0), 0.99, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_inside_of_a_wall_give_nothing),
        cmocka_unit_test(a_moving_solid_shuts_the_nozzle),
        cmocka_unit_test(a_jet_along_a_wall_keeps_its_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
