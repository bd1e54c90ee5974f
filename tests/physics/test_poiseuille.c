/* Plane Poiseuille flow from rest, driven by a uniform force between sticking walls, against the
 * series solution
 *   u/u_max = 4 y(1 − y) − Σ_{n≥0} 32/((2n+1)³ π³) sin((2n+1) π y) exp(−(2n+1)² π² t)
 * for a gap of 1 m, t = ν t/d² and u_max = F d²/(8 ν) (Morris, Fox, Zhu 1997). */
#include "support/channel.h"

static const double PI = 3.14159265358979323846;

static double poiseuille(double y, double t)
{
    double u = 4 * y * (1 - y);
    for (int n = 0; n < 100; n++) {
        double k = 2 * n + 1;
        u -= 32 / (k * k * k * PI * PI * PI) * sin(k * PI * y) * exp(-k * k * PI * PI * t);
    }
    return u;
}

/* Values of the series, worked out elsewhere. */
static void the_series_is_right(void **state)
{
    (void)state;
    assert_near(poiseuille(0.5, 0.02), 0.159232, 1e-6);
    assert_near(poiseuille(0.1, 0.1), 0.241131, 1e-6);
    assert_near(poiseuille(0.75, 0.2), 0.648627, 1e-6);
    assert_near(poiseuille(0.5, 1), 0.999947, 1e-6);
}

static const double FORCE = 8; /* m/s²: u_max is 1 m/s */

static void profiles_in_2d(void **state)
{
    (void)state;
    check_start_up(&(channel_def){.dim = 2, .cells = 25, .force = FORCE}, poiseuille, 0.02);
}

static void profiles_with_a_wider_kernel(void **state)
{
    (void)state;
    check_start_up(&(channel_def){.dim = 2, .cells = 25, .force = FORCE, .support = 3}, poiseuille,
                   0.03);
}

static void profiles_from_a_disordered_start(void **state)
{
    (void)state;
    check_start_up(&(channel_def){.dim = 2, .cells = 25, .force = FORCE, .jitter = 0.1}, poiseuille,
                   0.03);
}

static void profiles_with_muellers_viscosity(void **state)
{
    (void)state;
    check_start_up(
        &(channel_def){.dim = 2, .cells = 25, .force = FORCE, .support = 3, .viscosity_form = 1},
        poiseuille, 0.03);
}

static void profiles_in_3d(void **state)
{
    (void)state;
    check_start_up(&(channel_def){.dim = 3, .cells = 12, .force = FORCE}, poiseuille, 0.03);
}

/* In steady flow the walls carry all of the force. */
static void walls_take_the_force(void **state)
{
    (void)state;
    weir_world *world = make_channel(&(channel_def){.dim = 2, .cells = 25, .force = FORCE});
    step_world(world, 1);
    step_world(world, 0.05);
    double force = 0, mass = weir_world_get_statistics(world).mass;
    for (int k = 0; k < 2; k++) {
        weir_body_state wall;
        assert_true(weir_body_get_state(world, weir_world_body_at(world, k), &wall));
        force += wall.viscous_force.x;
    }
    assert_near(force, mass * FORCE, 0.01 * mass * FORCE);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_series_is_right),
        cmocka_unit_test(profiles_in_2d),
        cmocka_unit_test(profiles_with_a_wider_kernel),
        cmocka_unit_test(profiles_from_a_disordered_start),
        cmocka_unit_test(profiles_with_muellers_viscosity),
        cmocka_unit_test(profiles_in_3d),
        cmocka_unit_test(walls_take_the_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
