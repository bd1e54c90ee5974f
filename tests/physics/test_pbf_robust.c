/* Position based fluids where others break: everything in one point, a particle shot at a wall, a
 * lone particle, fluid that is squeezed. All states stay finite, speeds bounded, and nothing leaves
 * the container, in one step of 16 ms as in four. */
#include "support/pbf_worlds.h"

static const double spacing = 0.05;

static weir_world *make_closed(int dim, int substeps, weir_fluid_id *water)
{
    weir_world_def def = pbf_def(dim, spacing, substeps);
    weir_world *world = make_world(&def);
    *water = make_water(world);
    make_tank(world, v3(0, 0, dim == 3 ? 0 : -1), v3(1, 1, 1));
    return world;
}

/* Steps for two seconds; the largest speed on the way. */
static double run_inside(weir_world *world)
{
    double fastest = 0;
    for (int k = 0; k < 120; k++) {
        step_world(world, 1.0 / 60);
        fastest = fmax(fastest, world->flow.speed_max);
        for (size_t i = 0; i < world->flow.p.count; i++)
            for (int a = 0; a < world->flow.dim; a++)
                assert_between(world->flow.p.x[a][i], -1e-6, 1 + 1e-6);
    }
    return fastest;
}

/* Iterations move a particle by no more than this each. */
static double speed_bound(const weir_world *world, int substeps)
{
    const double *p = world->flow.parameters;
    return 2 * p[PBF_MAX_MOVE] * spacing * p[PBF_ITERATIONS] * 60 * substeps + 10;
}

static void for_all(void (*check)(int dim, int substeps))
{
    for (int dim = 2; dim <= 3; dim++)
        for (int substeps = 1; substeps <= 4; substeps += 3)
            check(dim, substeps);
}

static void check_point(int dim, int substeps)
{
    weir_fluid_id water;
    weir_world *world = make_closed(dim, substeps, &water);
    weir_vec3 at[200];
    for (size_t i = 0; i < COUNT_OF(at); i++)
        at[i] = v3(0.5, 0.5, dim == 3 ? 0.5 : 0);
    weir_error error = {0};
    assert_true(weir_world_add_particles(world, water, at, COUNT_OF(at), v3(0, 0, 0), &error));
    assert_true(run_inside(world) < speed_bound(world, substeps));
    /* They have parted and lie at the bottom. */
    assert_true(weir_world_get_statistics(world).compression_max < 0.2);
    weir_world_destroy(world);
}

static void test_all_in_one_point(void **state)
{
    (void)state;
    for_all(check_point);
}

static void check_shot(int dim, int substeps)
{
    weir_fluid_id water;
    weir_world *world = make_closed(dim, substeps, &water);
    weir_vec3 at = v3(0.5, 0.5, dim == 3 ? 0.5 : 0);
    weir_error error = {0};
    assert_true(weir_world_add_particles(world, water, &at, 1, v3(100, 20, 0), &error));
    run_inside(world);
    assert_true(world->flow.speed_max < 5);
    weir_world_destroy(world);
}

static void test_shot_at_a_wall(void **state)
{
    (void)state;
    for_all(check_shot);
}

static void check_lone(int dim, int substeps)
{
    weir_fluid_id water;
    weir_world *world = make_closed(dim, substeps, &water);
    weir_vec3 at = v3(0.5, 0.5, dim == 3 ? 0.5 : 0);
    weir_error error = {0};
    assert_true(weir_world_add_particles(world, water, &at, 1, v3(0, 0, 0), &error));
    /* It falls from half a metre, and does not bounce higher. */
    assert_true(run_inside(world) < 3.5);
    assert_true(world->flow.p.x[1][0] < 1.5 * spacing);
    weir_world_destroy(world);
}

static void test_lone_particle(void **state)
{
    (void)state;
    for_all(check_lone);
}

/* A plunger that leaves a gap of less than a spacing on each side closes on the fluid below. */
static void check_press(int dim, int substeps)
{
    weir_fluid_id water;
    weir_world *world = make_closed(dim, substeps, &water);
    weir_body_def plunger = weir_body_def_default();
    plunger.kind = WEIR_BODY_ANIMATED;
    plunger.shape.kind = WEIR_SHAPE_BOX;
    plunger.shape.half_extents = v3(0.48, 0.3, dim == 3 ? 0.48 : 1);
    plunger.pose.position = v3(0.5, 0.75, dim == 3 ? 0.5 : 0);
    plunger.motion.velocity = v3(0, -0.5, 0);
    plunger.motion.end = 0.7;
    make_body(world, &plunger);
    fill_box(world, water, dim, spacing, v3(0, 0, 0), v3(1, 0.4, dim == 3 ? 0.3 : 0), 0,
             v3(0, 0, 0));
    assert_true(run_inside(world) < speed_bound(world, substeps));
    weir_world_destroy(world);
}

static void test_trapped_fluid(void **state)
{
    (void)state;
    for_all(check_press);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_in_one_point),
        cmocka_unit_test(test_shot_at_a_wall),
        cmocka_unit_test(test_lone_particle),
        cmocka_unit_test(test_trapped_fluid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
