/* Pillars with Weir's settings and few iterations: Sjöström's 1000 particles in 2D and the 10,000
 * of Bodin, Lacoursière, Servin, "Constraint fluids" (2012), figure 1, in 3D. */
#include "method/constraint.h"
#include "support/worlds.h"
#include "world/state.h"

static weir_world_def constraint_def(int dim, double spacing, int solver, int iterations)
{
    weir_world_def def = small_world_def(dim, spacing);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    set_parameter(&def, "solver", solver);
    set_parameter(&def, "iterations", iterations);
    return def;
}

static weir_world *make_own_pillar(int solver, int iterations)
{
    const double SIDE = 0.36, SPACING = 0.01913;
    weir_world_def def = constraint_def(3, SPACING, solver, iterations);
    set_parameter(&def, "density_tolerance", 2e-4);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    make_tank(world, v3(0, 0, 0), v3(SIDE, 1.2, SIDE));
    double layer = SIDE / 18;
    const int layers = 31;
    static weir_vec3 x[18 * 18 * 31];
    for (int i = 0; i < 18 * 18 * layers; i++)
        x[i] = v3((i % 18 + 0.5) * layer, (i / 324 + 0.5) * pow(SPACING, 3) / (layer * layer),
                  (i / 18 % 18 + 0.5) * layer);
    assert_true(weir_world_add_particles(world, water, x, 18 * 18 * 31, v3(0, 0, 0), NULL));
    return world;
}

/* 10,000 particles in 3D: mean density error below 0.05 % with 20 iterations, the volume within
 * 1 %. */
static void own_settings_keep_the_volume(void **state)
{
    (void)state;
    weir_world *world = make_own_pillar(SOLVER_ACCELERATED, 20);
    step_many(world, 1.0 / 120, 48);
    weir_statistics now = weir_world_get_statistics(world);
    print_message("3D: density error %.4f %% mean, %.3f %% max, volume %.4f %%\n",
                  100 * now.bulk_error_mean, 100 * now.bulk_error_max, 100 * now.volume_error);
    assert_true(fabs(now.volume_error) < 0.01);
    assert_true(now.bulk_error_mean < 5e-4);
    weir_world_destroy(world);
}

/* METHODS' 2D pillar: Sjöström's 1000 particles, steps of 1/120 s. */
static void check_flat_pillar(int solver, int iterations, double mean, double most)
{
    weir_world_def def = constraint_def(2, 0.14142, solver, iterations);
    def.gravity = v3(0, -9.82, 0);
    if (solver == SOLVER_MPRGP)
        set_parameter(&def, "density_tolerance", 1e-5);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_fluid(world, 100, 0.001);
    make_tank(world, v3(0, 0, -1), v3(2.97, 12, 1));
    fill_box(world, liquid, 2, 0.14142, v3(0, 0, 0), v3(2.97, 6.79, 0), 0, v3(0, 0, 0));
    step_many(world, 1.0 / 120, 720);
    weir_statistics now = weir_world_get_statistics(world);
    print_message("2D: density error %.4f %% mean, %.3f %% max, compression %.4f %% max\n",
                  100 * now.bulk_error_mean, 100 * now.bulk_error_max, 100 * now.compression_max);
    assert_true(now.bulk_error_mean < mean);
    assert_true(now.bulk_error_max < 1e-2);
    assert_true(now.compression_max < most); /* of all particles, at walls, too */
    weir_world_destroy(world);
}

static void few_sweeps_hold_a_flat_pillar(void **state)
{
    (void)state;
    /* At most 20 sweeps a step, over both solves. */
    check_flat_pillar(SOLVER_GAUSS_SEIDEL, 10, 2e-3, 1e-2);
    check_flat_pillar(SOLVER_MPRGP, 200, 2e-4, 1e-3);
}

/* Ninety spacings deep, at the defaults: it comes to rest and stays as dense as it was. With errors
 * that a splash may have it boils: 0.2 % compressed, single particles by 6 %, and five times the
 * kinetic energy. */
static void a_deep_column_comes_to_rest(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, 0.02);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    make_tank(world, v3(0, 0, -1), v3(0.24, 3, 1));
    fill_box(world, water, 2, 0.02, v3(0, 0, 0), v3(0.24, 1.8, 0), 0, v3(0, 0, 0));
    double most = 0;
    step_many(world, 1.0 / 120, 30); /* the lattice gives way at first */
    for (int k = 0; k < 30; k++) {
        step_many(world, 1.0 / 120, 1);
        most = fmax(most, weir_world_get_statistics(world).compression_max);
    }
    weir_statistics now = weir_world_get_statistics(world);
    double weight = 0.24 * 1.8 * 1000 * 9.81;
    print_message("deep: compression %.4f %% mean, %.3f %% max, kinetic energy %.2e "
                  "of a spacing's fall\n",
                  100 * now.compression_mean, 100 * most, now.kinetic_energy / (weight * 0.02));
    assert_true(now.compression_mean < 2e-4);
    assert_true(most < 1e-2);
    assert_true(now.kinetic_energy < 0.05 * weight * 0.02);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deep_column_comes_to_rest),
        cmocka_unit_test(own_settings_keep_the_volume),
        cmocka_unit_test(few_sweeps_hold_a_flat_pillar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
