/* Figure 6 of the paper: the density error over the iterations of one substep, in a dam break at 1
 * s, for Jacobi iterations and for those with Chebyshev's momentum. With WEIR_FIGURES set to a
 * folder the curves are written there as pbf-convergence.csv. */
#include "support/pbf_worlds.h"

#include <stdio.h>

enum { LONGEST = 40 };

/* Runs to 1 s with ten Jacobi iterations, then one substep with the solver given; the error before
 * each of its iterations. */
static void find_curve(double solver, int iterations, double curve[LONGEST])
{
    weir_world_def def = pbf_def(2, 0.025, 4);
    set_parameter(&def, "solver", PBF_SOLVER_JACOBI);
    set_parameter(&def, "iterations", 10);
    weir_world *world = make_world(&def);
    make_tank(world, v3(0, 0, 0), v3(3, 3, 1));
    fill_box(world, make_water(world), 2, 0.025, v3(0, 0, 0), v3(1, 1, 0), 0, v3(0, 0, 0));
    step_many(world, 1.0 / 60, 60);
    double *p = world->flow.parameters;
    p[PBF_SOLVER] = solver;
    p[PBF_ITERATIONS] = iterations;
    p[PBF_RELAXATION] = 0;
    weir_error error = {0};
    assert_true(world->method->prepare(&world->flow, &error));
    world->def.substeps = 1;
    step_world(world, 1.0 / 240);
    const pbf_data *data = pbf_of(world);
    assert_int_equal(data->iterations, iterations);
    for (int k = 0; k < iterations; k++)
        curve[k] = data->residual[k];
    weir_world_destroy(world);
}

static void write_curves(const double jacobi[LONGEST], const double momentum[LONGEST])
{
    const char *folder = getenv("WEIR_FIGURES");
    char path[4096];
    if (!folder ||
        snprintf(path, sizeof path, "%s/pbf-convergence.csv", folder) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "w");
    if (!file)
        fail_msg("cannot write %s", path);
    fprintf(file, "iteration,jacobi,chebyshev\n");
    for (int k = 0; k < LONGEST; k++)
        fprintf(file, "%d,%.6g,%.6g\n", k, jacobi[k], momentum[k]);
    assert_int_equal(fclose(file), 0);
}

static void test_error_falls(void **state)
{
    (void)state;
    double jacobi[LONGEST], momentum[LONGEST];
    find_curve(PBF_SOLVER_JACOBI, LONGEST, jacobi);
    find_curve(PBF_SOLVER_CHEBYSHEV, LONGEST, momentum);
    for (int k = 1; k < LONGEST; k++) {
        assert_true(jacobi[k] < jacobi[k - 1]);
        assert_true(momentum[k] < momentum[k - 1]);
    }
    assert_true(momentum[LONGEST - 1] < 0.5 * jacobi[LONGEST - 1]);
    write_curves(jacobi, momentum);
}

/* Five iterations with momentum leave less than ten without; each visits the pairs as often. */
static void test_half_the_cost(void **state)
{
    (void)state;
    double jacobi[LONGEST], momentum[LONGEST];
    find_curve(PBF_SOLVER_JACOBI, 11, jacobi);
    find_curve(PBF_SOLVER_CHEBYSHEV, 6, momentum);
    assert_true(momentum[5] < jacobi[10]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_falls),
        cmocka_unit_test(test_half_the_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
