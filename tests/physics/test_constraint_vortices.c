/* Taylor-Green vortices in a periodic square of 1 m: the energy of (sin kx cos ky, −cos kx sin ky)
 * decays by exp(−4 ν k² t), whatever the speed. */
#include "support/worlds.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static weir_world *make_vortices(size_t side, double kinematic_viscosity)
{
    const double d = 1.0 / (double)side, k = 2 * PI, density = 1000;
    weir_world_def def = small_world_def(2, d);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    set_parameter(&def, "xsph", 0);
    def.gravity = v3(0, 0, 0);
    for (int a = 0; a < 2; a++)
        def.period[a] = (weir_axis_period){true, 0, 1};
    weir_world *w = make_world(&def);
    weir_fluid_id liquid = make_fluid(w, density, density * kinematic_viscosity);
    for (size_t n = 0; n < side * side; n++) {
        /* A lattice would hold for a while, and then break up. */
        double jitter[2];
        for (int a = 0; a < 2; a++)
            jitter[a] = 0.3 * d * (2 * random_unit(7, 2 * n + (size_t)a) - 1);
        weir_vec3 at = {((double)(n % side) + 0.5) * d + jitter[0],
                        ((double)(n / side) + 0.5) * d + jitter[1], 0};
        weir_vec3 velocity = {sin(k * at.x) * cos(k * at.y), -cos(k * at.x) * sin(k * at.y), 0};
        weir_error error = {0};
        assert_true(weir_world_add_particles(w, liquid, &at, 1, velocity, &error));
    }
    return w;
}

/* From the time on at which the lattice of the start is gone. What positions were corrected by had
 * become speed, which nothing pressed on: the energy went 15 % faster than this. */
static void energy_decays_by_the_viscosity(void **state)
{
    (void)state;
    const double viscosity = 0.01, step = 0.01;
    weir_world *w = make_vortices(40, viscosity);
    step_many(w, step, 40);
    double before = weir_world_get_statistics(w).kinetic_energy;
    step_many(w, step, 60);
    double rate = log(before / weir_world_get_statistics(w).kinetic_energy) / 0.6;
    double expected = 16 * PI * PI * viscosity;
    print_message("%.3f times the rate of the viscosity\n", rate / expected);
    assert_between(rate / expected, 0.95, 1.1);
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_decays_by_the_viscosity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
