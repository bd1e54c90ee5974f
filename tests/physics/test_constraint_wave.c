/* A standing wave of the constraint method: half a wave in a tank of 1 m, 0.5 m deep, 50 spacings
 * long. ω² = g k tanh(k D). */
#include "support/worlds.h"

#include <math.h>

static const double LENGTH = 1, DEPTH = 0.5, AMPLITUDE = 0.05, GRAVITY = 9.81;
static const double PI = 3.14159265358979323846;

/* The first mode of the surface, from the mean of cos(k x) over all particles: water that rises on
 * one side has come from the other. */
static double first_mode(const weir_world *world)
{
    weir_particle_view p = weir_world_get_particles(world);
    double sum = 0;
    for (size_t i = 0; i < p.count; i++)
        sum += cos(PI * (double)p.position[0][i] / LENGTH) / (double)p.count;
    return sum;
}

/* Steps until the mode has its next zero; returns the time of it, and the largest deflection
 * since the last. */
static double next_zero(weir_world *w, double *largest)
{
    double before = first_mode(w), dt = 1.0 / 120, most = 0;
    for (int k = 0; k < 600; k++) {
        step_world(w, dt);
        double now = first_mode(w);
        most = fmax(most, fabs(now));
        if (before * now < 0) {
            *largest = most;
            return weir_world_get_time(w) - dt * now / (now - before);
        }
        before = now;
    }
    fail_msg("the wave has stopped");
    return 0;
}

/* What a wave of finite amplitude swings faster by, as a share: Tadjbakhsh and Keller, J. Fluid
 * Mech. 8, 1960, with lengths in 1/k and times in 1/sqrt(g k). Negative in deep water. */
static double finite_amplitude(double k, double amplitude)
{
    double w = sqrt(tanh(k * DEPTH)), a = k * amplitude;
    double second = (9 * pow(w, -7) - 12 * pow(w, -3) - 3 * w - 2 * pow(w, 5)) / 32;
    return a * a * second / (2 * w);
}

typedef struct wave {
    double period; /* over that of theory */
    double kept;   /* of the amplitude, per period */
} wave;

static wave run_wave(double amplitude)
{
    double d = LENGTH / 50, k = PI / LENGTH;
    double period = 2 * PI / sqrt(GRAVITY * k * tanh(k * DEPTH));
    weir_world_def def = small_world_def(2, d);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    set_parameter(&def, "xsph", 0);
    def.gravity = v3(0, -GRAVITY, 0);
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0.001);
    make_tank(w, v3(0, 0, 0), v3(LENGTH, 2, 0));
    /* Columns as high as the wave: each a stretched lattice. */
    weir_error error = {0};
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < 25; j++) {
            double x = (i + 0.5) * d, y = (j + 0.5) * d;
            double lift = amplitude * sinh(k * y) / sinh(k * DEPTH);
            double aside = -amplitude * cosh(k * y) / sinh(k * DEPTH);
            weir_vec3 at = v3(x + aside * sin(k * x), y + lift * cos(k * x), 0);
            assert_true(weir_world_add_particles(w, water, &at, 1, v3(0, 0, 0), &error));
        }
    double largest[8], zero[8];
    for (int n = 0; n < 8; n++)
        zero[n] = next_zero(w, &largest[n]);
    double measured = (zero[7] - zero[1]) / 3, squares = 0;
    for (int n = 2; n < 8; n++)
        squares += pow(largest[n] / largest[0], 2) / 6;
    period /= 1 + finite_amplitude(k, amplitude * sqrt(squares));
    double kept = pow(largest[7] / largest[1], 1.0 / 3);
    print_message("period %g s of %g s: %+.2f %%; loss per period %.3f (first %.3f)\n", measured,
                  period, 100 * (measured / period - 1), 1 - kept, 1 - largest[2] / largest[0]);
    weir_world_destroy(w);
    return (wave){measured / period, kept};
}

/* How the particles rearrange in the crest scatters single periods by half a percent: the mean of
 * waves of slightly different heights is asserted. */
static void waves_keep_their_period(void **state)
{
    (void)state;
    enum { WAVES = 5 };
    double period = 0;
    for (int n = 0; n < WAVES; n++) {
        wave one = run_wave(AMPLITUDE * (1 + 0.02 * (n - WAVES / 2)));
        period += one.period / WAVES;
        assert_true(one.kept > 0.8);
    }
    print_message("mean: %+.2f %%\n", 100 * (period - 1));
    assert_true(fabs(period - 1) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waves_keep_their_period)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
