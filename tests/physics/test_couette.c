/* Plane Couette flow from rest, dragged along by a sticking wall that moves, against the series
 *   u/U = y + Σ_{n≥1} 2 (−1)ⁿ/(n π) sin(n π y) exp(−n² π² t)
 * for a gap of 1 m and t = ν t/d² (Morris, Fox, Zhu 1997). */
#include "support/channel.h"

static const double PI = 3.14159265358979323846;

static double couette(double y, double t)
{
    double u = y;
    for (int n = 1; n < 200; n++)
        u += 2 * (n % 2 ? -1 : 1) / (n * PI) * sin(n * PI * y) * exp(-n * n * PI * PI * t);
    return u;
}

/* Values of the series, worked out elsewhere. */
static void the_series_is_right(void **state)
{
    (void)state;
    assert_near(couette(0.5, 0.02), 0.012419, 1e-6);
    assert_near(couette(0.9, 0.02), 0.617075, 1e-6);
    assert_near(couette(0.75, 0.1), 0.576059, 1e-6);
    assert_near(couette(0.5, 0.5), 0.495422, 1e-6);
}

static void profiles_in_2d(void **state)
{
    (void)state;
    check_start_up(&(channel_def){.dim = 2, .cells = 25, .lid = 1}, couette, 0.01);
}

static void profiles_from_a_disordered_start(void **state)
{
    (void)state;
    check_start_up(&(channel_def){.dim = 2, .cells = 25, .lid = 1, .jitter = 0.1}, couette, 0.03);
}

static void profiles_with_muellers_viscosity(void **state)
{
    (void)state;
    check_start_up(
        &(channel_def){.dim = 2, .cells = 25, .lid = 1, .support = 3, .viscosity_form = 1}, couette,
        0.03);
}

static void profiles_in_3d(void **state)
{
    (void)state;
    check_start_up(&(channel_def){.dim = 3, .cells = 12, .lid = 1}, couette, 0.03);
}

/* The steady shear stress is μ U/d on both walls: forward on the lower one, backward above. */
static void walls_feel_the_shear_stress(void **state)
{
    (void)state;
    weir_world *world = make_channel(&(channel_def){.dim = 2, .cells = 25, .lid = 1});
    step_world(world, 1);
    step_world(world, 0.05);
    double area = 10.0 / 25, stress = 1000;
    weir_body_state lower, upper;
    assert_true(weir_body_get_state(world, weir_world_body_at(world, 0), &lower));
    assert_true(weir_body_get_state(world, weir_world_body_at(world, 1), &upper));
    assert_near(lower.viscous_force.x, stress * area, 0.03 * stress * area);
    assert_near(upper.viscous_force.x, -stress * area, 0.03 * stress * area);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_series_is_right),
        cmocka_unit_test(profiles_in_2d),
        cmocka_unit_test(profiles_from_a_disordered_start),
        cmocka_unit_test(profiles_with_muellers_viscosity),
        cmocka_unit_test(profiles_in_3d),
        cmocka_unit_test(walls_feel_the_shear_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
