/* A settled pool of the constraint method: incompressible, at hydrostatic pressure, at rest. */
#include "support/worlds.h"

#include <math.h>

/* Sjöström's pillar (thesis, chapter 6): 1000 particles of 2 kg at 100 kg/m², 3 m high, steps of
 * 1/120 s. */
static void check_pillar(bool exact)
{
    weir_error error = {0};
    double d = sqrt(0.02);
    int columns = 47, rows = 21;
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    if (exact) {
        set_parameter(&def, "solver", 1);
        set_parameter(&def, "density_tolerance", 1e-4);
    }
    def.dim = 2;
    def.spacing = d;
    def.threads = 1;
    def.gravity.y = -9.82;
    weir_world *w = weir_world_create(&def, &error);
    weir_fluid_def fluid = weir_fluid_def_default();
    fluid.density = 100;
    weir_fluid_id id = weir_fluid_create(w, &fluid, &error);
    weir_body_def tank = weir_body_def_default();
    tank.shape.kind = WEIR_SHAPE_BOX;
    tank.shape.complement = true;
    tank.shape.half_extents = (weir_vec3){columns * d / 2, 5, 1};
    tank.pose.position = (weir_vec3){columns * d / 2, 5, 0};
    assert_true(weir_body_create(w, &tank, &error).slot);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            weir_vec3 x = {(i + 0.5) * d, (j + 0.5) * d, 0};
            assert_true(weir_world_add_particles(w, id, &x, 1, (weir_vec3){0, 0, 0}, &error));
        }
    double early = 0;
    for (int k = 0; k < 240; k++) {
        assert_false(weir_world_step(w, 1.0 / 120, &error) & WEIR_STEP_FAILED);
        if (k == 120)
            early = weir_world_get_statistics(w).kinetic_energy;
    }
    weir_statistics s = weir_world_get_statistics(w);
    print_message("compression %.5f, at most %.5f; error in the bulk %.5f\n", s.compression_mean,
                  s.compression_max, s.bulk_error_mean);
    assert_true(s.compression_mean < 0.0005);
    assert_true(s.compression_max < (exact ? 0.001 : 0.0025));
    assert_true(s.bulk_error_mean < (exact ? 0.0005 : 0.001));
    assert_true(s.kinetic_energy < early);

    /* Pressure in the bulk, against the depth below the level that the centre of mass tells. */
    const float *pressure = weir_world_get_field(w, "pressure");
    weir_particle_view p = weir_world_get_particles(w);
    double level = 0, measured = 0, expected = 0;
    for (size_t i = 0; i < p.count; i++)
        level += 2.0 * p.position[1][i] / (double)p.count;
    for (size_t i = 0; i < p.count; i++) {
        double x = p.position[0][i], y = p.position[1][i];
        if (x < 3 * d || x > (columns - 3) * d || y < 3 * d || y > level - 3 * d)
            continue;
        measured += pressure[i];
        expected += 100 * 9.82 * (level - y);
    }
    assert_true(fabs(measured / expected - 1) < 0.05);
    weir_world_destroy(w);
}

static void pillar_keeps_its_density(void **state)
{
    (void)state;
    check_pillar(false);
}

/* With bounded conjugate gradients and a tight tolerance. */
static void pillar_is_solved_exactly(void **state)
{
    (void)state;
    check_pillar(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pillar_keeps_its_density),
                                       cmocka_unit_test(pillar_is_solved_exactly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
