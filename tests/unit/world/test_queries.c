/* Rays, overlaps, fluid at a point, and the debug view. */
#include "support/worlds.h"

static weir_world *make_scene(int dim)
{
    weir_world_def def = small_world_def(dim, 0.05);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    make_tank(world, v3(0, 0, 0), v3(1, 1, 0.4));
    weir_body_def box = weir_body_def_default();
    box.kind = WEIR_BODY_DYNAMIC;
    box.shape.kind = WEIR_SHAPE_BOX;
    box.shape.half_extents = v3(0.1, 0.05, 0.1);
    box.pose.position = v3(0.5, 0.7, dim == 3 ? 0.2 : 0);
    make_body(world, &box);
    fill_box(world, water, dim, 0.05, v3(0, 0, 0), v3(1, 0.4, 0.4), 0, v3(0.5, 0, 0));
    return world;
}

static void test_ray(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_scene(dim);
        weir_body_id tank = weir_world_body_at(world, 0), box = weir_world_body_at(world, 1);
        double z = dim == 3 ? 0.2 : 0;
        weir_ray_hit hit;
        assert_true(weir_world_cast_ray(world, v3(0.1, 0.7, z), v3(3, 0, 0), 2, &hit));
        assert_int_equal(hit.body.slot, box.slot);
        assert_near(hit.distance, 0.3, 1e-4);
        assert_near(hit.position.x, 0.4, 1e-4);
        assert_near(hit.normal.x, -1, 1e-6);
        assert_true(weir_world_cast_ray(world, v3(0.1, 0.9, z), v3(0, 1, 0), 2, &hit));
        assert_int_equal(hit.body.slot, tank.slot);
        assert_near(hit.normal.y, -1, 1e-6);
        assert_true(weir_world_cast_ray(world, v3(0.5, 0.7, z), v3(0, 1, 0), 2, &hit));
        assert_near(hit.distance, 0, 0);
        assert_false(weir_world_cast_ray(world, v3(0.1, 0.7, z), v3(1, 0, 0), 0.2, NULL));
        assert_false(weir_world_cast_ray(world, v3(0.1, 0.7, z), v3(0, 0, 0), 1, &hit));
        assert_false(weir_world_cast_ray(world, v3(NAN, 0.7, z), v3(1, 0, 0), 1, &hit));
        weir_world_destroy(world);
    }
}

static void test_overlap(void **state)
{
    (void)state;
    weir_world *world = make_scene(3);
    weir_body_id found[2];
    uint32_t particles[400];
    assert_int_equal(weir_world_overlap_ball(world, v3(0.5, 0.8, 0.2), 0.04, NULL, 0), 0);
    assert_int_equal(weir_world_overlap_ball(world, v3(0.5, 0.8, 0.2), 0.06, found, 2), 1);
    assert_int_equal(found[0].slot, weir_world_body_at(world, 1).slot);
    assert_int_equal(weir_world_overlap_ball(world, v3(0.5, 0.8, 0.2), 0.5, found, 1), 2);
    assert_int_equal(found[0].slot, weir_world_body_at(world, 0).slot);
    /* 4 by 4 by 8 sites */
    size_t count = weir_world_overlap_fluid(world, v3(0, 0, 0), v3(0.2, 0.2, 1), particles, 400);
    assert_int_equal(count, 128);
    weir_particle_view view = weir_world_get_particles(world);
    for (size_t k = 0; k < count; k++)
        assert_true(view.position[0][particles[k]] < 0.2 && view.position[1][particles[k]] < 0.2);
    weir_world_destroy(world);
}

static void test_fluid_at_a_point(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_scene(dim);
        double z = dim == 3 ? 0.2 : 0;
        weir_fluid_sample sample;
        assert_true(weir_world_sample_fluid(world, v3(0.5, 0.2, z), &sample));
        assert_near(sample.fill, 1, 0.05);
        assert_near(sample.velocity.x, 0.5, 1e-6);
        assert_int_equal(sample.fluid, 0);
        assert_false(weir_world_sample_fluid(world, v3(0.5, 0.47, z), &sample));
        assert_between(sample.fill, 0, 0.5);
        assert_false(weir_world_sample_fluid(world, v3(0.5, 0.9, z), &sample));
        assert_near(sample.fill, 0, 0);
        assert_int_equal(sample.fluid, -1);
        weir_world_destroy(world);
    }
}

typedef struct tally {
    size_t points[WEIR_DRAW_PROBE + 1], lines[WEIR_DRAW_PROBE + 1];
} tally;

static void count_point(void *user, weir_vec3 at, double size, weir_draw_role role)
{
    assert_true(isfinite(at.x + at.y + at.z) && size >= 0);
    ((tally *)user)->points[role]++;
}

static void count_line(void *user, weir_vec3 from, weir_vec3 to, weir_draw_role role)
{
    assert_true(isfinite(from.x + from.y + from.z + to.x + to.y + to.z));
    ((tally *)user)->lines[role]++;
}

static void test_draw(void **state)
{
    (void)state;
    weir_world *world = make_scene(2);
    weir_error error = {0};
    weir_joint_def rope = weir_joint_def_default();
    rope.kind = WEIR_JOINT_DISTANCE;
    rope.a = weir_world_body_at(world, 1);
    rope.anchor = v3(0.5, 0.7, 0);
    rope.anchor_b = v3(0.5, 0.9, 0);
    rope.length = -1;
    weir_probe_def gauge = weir_probe_def_default();
    assert_int_not_equal(weir_joint_create(world, &rope, &error).slot, 0);
    assert_int_not_equal(weir_probe_create(world, &gauge, &error).slot, 0);
    step_world(world, 0.01);
    tally seen = {0};
    weir_debug_draw pen = {count_point, count_line, &seen}, none = {0};
    weir_world_draw(world, &pen);
    assert_int_equal(seen.points[WEIR_DRAW_FLUID], weir_world_get_particles(world).count);
    assert_int_equal(seen.lines[WEIR_DRAW_DYNAMIC], 4);
    assert_true(seen.points[WEIR_DRAW_DYNAMIC] > 8);
    assert_int_equal(seen.lines[WEIR_DRAW_JOINT], 1);
    assert_int_equal(seen.points[WEIR_DRAW_PROBE], 1);
    weir_world_draw(world, &none);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ray),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_fluid_at_a_point),
        cmocka_unit_test(test_draw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
