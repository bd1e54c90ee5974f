/* Position based fluids at rest: volume, depth at two resolutions, quiet, pressure on the walls,
 * and bodies that float as deep as they should. */
#include "support/pbf_worlds.h"

static weir_world *make_pool(int dim, double spacing, weir_vec3 size, double depth)
{
    weir_world_def def = pbf_def(dim, spacing, 0);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_water(world);
    make_tank(world, v3(0, 0, dim == 3 ? 0 : -1), v3(size.x, 3, dim == 3 ? size.z : 1));
    fill_box(world, water, dim, spacing, v3(0, 0, 0), v3(size.x, depth, size.z), 0, v3(0, 0, 0));
    return world;
}

/* Twice the mean height, which is the depth for a fluid of even density. */
static double depth_of(const weir_world *world)
{
    const flow *f = &world->flow;
    double sum = 0;
    for (size_t i = 0; i < f->p.count; i++)
        sum += f->p.x[1][i];
    return 2 * sum / (double)f->p.count;
}

static double settled_depth(int dim, double spacing)
{
    weir_world *world = make_pool(dim, spacing, v3(0.6, 0, 0.4), 0.4);
    step_many(world, 1.0 / 60, 60);
    weir_statistics s = weir_world_get_statistics(world);
    assert_between(s.compression_mean, 0, 0.01);
    /* Quiet: the kinetic energy is a hair of what the pool could give. */
    assert_true(s.kinetic_energy < 5e-3 * s.mass * 9.81 * 0.4);
    double depth = depth_of(world);
    weir_world_destroy(world);
    return depth;
}

static void test_depth_does_not_depend_on_spacing(void **state)
{
    (void)state;
    double coarse = settled_depth(2, 0.04), fine = settled_depth(2, 0.02);
    assert_near(coarse / 0.4, 1, 0.02);
    assert_near(fine / coarse, 1, 0.01);
}

static void test_volume_in_3d(void **state)
{
    (void)state;
    assert_near(settled_depth(3, 0.05) / 0.4, 1, 0.04);
}

/* One step of 16 ms with few iterations: denser, but it stands still. */
static void test_long_steps_are_quiet(void **state)
{
    (void)state;
    weir_world_def def = pbf_def(2, 0.02, 1);
    set_parameter(&def, "iterations", 12);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_water(world);
    make_tank(world, v3(0, 0, -1), v3(0.8, 3, 1));
    fill_box(world, water, 2, 0.02, v3(0, 0, 0), v3(0.8, 0.6, 0), 0, v3(0, 0, 0));
    step_many(world, 0.016, 190);
    weir_statistics s = weir_world_get_statistics(world);
    assert_true(s.kinetic_energy < 1e-3 * s.mass * 9.81 * 0.6);
    assert_between(s.compression_mean, 0, 0.05);
    weir_world_destroy(world);
}

/* ----------------------------------------------------------------- floating */

/* The share of a wide box that is under water, from the volume of the fluid. */
static double floating_share(double ratio)
{
    const double width = 1.2, depth = 0.5, box_width = 0.4, box_height = 0.2;
    weir_world *world = make_pool(2, 0.025, v3(width, 0, 0), depth);
    weir_body_def box = weir_body_def_default();
    box.kind = WEIR_BODY_DYNAMIC;
    box.shape.kind = WEIR_SHAPE_BOX;
    box.shape.half_extents = v3(box_width / 2, box_height / 2, 1);
    box.density = 1000 * ratio;
    box.pose.position = v3(width / 2, depth + box_height / 2 + 0.02, 0);
    weir_body_id id = make_body(world, &box);
    double mean = 0;
    for (int k = 0; k < 240; k++) {
        step_world(world, 1.0 / 60);
        weir_body_state now;
        weir_body_get_state(world, id, &now);
        if (k >= 150)
            mean += now.pose.position.y / 90;
    }
    weir_world_destroy(world);
    /* Water rises by what the box takes: level = depth + share · box / width. */
    double bottom = mean - box_height / 2;
    return (depth - bottom) / (box_height - box_width * box_height / width);
}

static void test_boxes_float(void **state)
{
    (void)state;
    assert_near(floating_share(0.5) / 0.5, 1, 0.05);
    assert_near(floating_share(0.6) / 0.6, 1, 0.05);
}

/* A hundredth of the density of water must not be thrown about. */
static void test_light_box(void **state)
{
    (void)state;
    assert_between(floating_share(0.01), -0.15, 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth_does_not_depend_on_spacing),
        cmocka_unit_test(test_volume_in_3d),
        cmocka_unit_test(test_long_steps_are_quiet),
        cmocka_unit_test(test_boxes_float),
        cmocka_unit_test(test_light_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
