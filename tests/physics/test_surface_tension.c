/* Surface tension of SPH: a square of liquid without gravity becomes a disc, and stays in place. */
#include "weir/weir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIDE = 16 };
static const double SPACING = 0.02;

static weir_world *make_square(double viscosity)
{
    weir_error error = {0};
    double d = SPACING;
    weir_world_def def = weir_world_def_default();
    def.dim = 2;
    def.spacing = d;
    def.threads = 1;
    def.gravity = (weir_vec3){0, 0, 0};
    assert_true(weir_world_def_set(&def, "sound_speed", 15, &error));
    weir_world *w = weir_world_create(&def, &error);
    weir_fluid_def liquid = weir_fluid_def_default();
    liquid.surface_tension = 10;
    liquid.viscosity = viscosity;
    weir_fluid_id id = weir_fluid_create(w, &liquid, &error);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            weir_vec3 x = {(i + 0.5 - SIDE / 2.0) * d, (j + 0.5 - SIDE / 2.0) * d, 0};
            assert_true(weir_world_add_particles(w, id, &x, 1, (weir_vec3){0, 0, 0}, &error));
        }
    for (int k = 0; k < 60; k++)
        assert_false(weir_world_step(w, 1.0 / 60, &error) & WEIR_STEP_FAILED);
    return w;
}

static void a_square_becomes_a_disc(void **state)
{
    (void)state;
    weir_world *w = make_square(1);
    /* Radius in twelve directions, against that of a disc of the same volume: the outermost layer
     * lies half a spacing inside. */
    weir_particle_view p = weir_world_get_particles(w);
    double disc = sqrt(SIDE * SIDE * SPACING * SPACING / 3.14159265358979);
    for (int k = 0; k < 12; k++) {
        double angle = k * 3.14159265358979 / 6, reach = 0;
        for (size_t i = 0; i < p.count; i++)
            reach = fmax(reach, p.position[0][i] * cos(angle) + p.position[1][i] * sin(angle));
        assert_true(fabs(reach + SPACING / 2 - disc) < 0.1 * disc);
    }
    weir_statistics s = weir_world_get_statistics(w);
    assert_true(fabs(s.momentum.x) + fabs(s.momentum.y) < 1e-5 * s.mass);
    weir_world_destroy(w);
}

/* Forces between two particles lie along what joins them, but for viscosity. */
static void tension_turns_nothing(void **state)
{
    (void)state;
    weir_world *w = make_square(0);
    weir_statistics s = weir_world_get_statistics(w);
    print_message("angular momentum %.2g m2/s\n", s.angular_momentum.z / s.mass);
    assert_true(fabs(s.momentum.x) + fabs(s.momentum.y) < 1e-5 * s.mass);
    assert_true(fabs(s.angular_momentum.z) < 1e-7 * s.mass);
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_square_becomes_a_disc),
                                       cmocka_unit_test(tension_turns_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
