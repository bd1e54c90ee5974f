/* Viscosity in Pa s: a periodic shear wave v = sin(k y) decays at the rate ν k², whatever the
 * spacing. */
#include "support/viscoelastic_worlds.h"

static const double PI = 3.14159265358979323846;

static double wave_amplitude(const weir_world *world)
{
    weir_particle_view v = weir_world_get_particles(world);
    double sum = 0;
    for (size_t i = 0; i < v.count; i++)
        sum += 2 * v.velocity[0][i] * sin(2 * PI * v.position[1][i]) / (double)v.count;
    return sum;
}

/* Measured viscosity over the one that was asked for. */
static double decay(double spacing, double viscosity)
{
    weir_world_def def = visco_def(2, spacing);
    def.gravity = v3(0, 0, 0);
    def.period[0] = def.period[1] = (weir_axis_period){true, 0, 1};
    set_parameter(&def, "sound_speed", 5);
    set_parameter(&def, "quadratic_viscosity", 0);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_plain_fluid(world, viscosity);
    fill_box(world, liquid, 2, spacing, v3(0, 0, 0), v3(1, 1, 0), 0.2, v3(0, 0, 0));
    particles *p = &world->flow.p;
    for (size_t i = 0; i < p->count; i++)
        p->v[0][i] = (float)(0.3 * sin(2 * PI * p->x[1][i]));
    double kk = 4 * PI * PI, nu = viscosity / 1000;
    step_world(world, 0.2 / (nu * kk));
    double before = wave_amplitude(world);
    step_world(world, 0.8 / (nu * kk));
    double after = wave_amplitude(world);
    weir_world_destroy(world);
    return log(before / after) / 0.8;
}

static void test_shear_wave(void **state)
{
    (void)state;
    const double spacings[] = {0.05, 0.025}, viscosities[] = {20, 80};
    for (size_t k = 0; k < COUNT_OF(spacings); k++)
        for (size_t n = 0; n < COUNT_OF(viscosities); n++) {
            double ratio = decay(spacings[k], viscosities[n]);
            print_message("spacing %.3f m, %.0f Pa s: measured %.2f of it\n", spacings[k],
                          viscosities[n], ratio);
            assert_between(ratio, 0.7, 1.4);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shear_wave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
