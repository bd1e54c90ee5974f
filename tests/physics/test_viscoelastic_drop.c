/* Surface tension: a stretched drop swings about the circle at the same rate for every resolution,
 * and a square becomes a circle. */
#include "support/viscoelastic_worlds.h"

static const double RADIUS = 0.2, TENSION = 1; /* m, N/m */

/* (Ixx − Iyy)/(Ixx + Iyy) of the particles' second moments. */
static double elongation(const weir_world *world)
{
    weir_particle_view v = weir_world_get_particles(world);
    double centre[2] = {0, 0}, moment[2] = {0, 0};
    for (int a = 0; a < 2; a++) {
        for (size_t i = 0; i < v.count; i++)
            centre[a] += v.position[a][i] / (double)v.count;
        for (size_t i = 0; i < v.count; i++)
            moment[a] += pow(v.position[a][i] - centre[a], 2);
    }
    return (moment[0] - moment[1]) / (moment[0] + moment[1]);
}

/* Particles in a hexagonal lattice inside of |x| < extent, as `inside` says. */
static size_t fill_form(weir_world *world, weir_fluid_id liquid, double spacing, double stretch,
                        bool square)
{
    weir_vec3 points[4000];
    size_t count = 0;
    double step = spacing * sqrt(2 / sqrt(3.0)), layer = step * sqrt(3.0) / 2;
    int n = (int)(2 * RADIUS / layer);
    for (int j = -n; j <= n; j++)
        for (int i = -n; i <= n; i++) {
            double x = (i + (j & 1 ? 0.5 : 0)) * step, y = j * layer;
            double half = RADIUS * 0.8862; /* a square of the circle's area */
            bool in = square ? fabs(x) < half && fabs(y) < half
                             : pow(x / stretch, 2) + pow(y * stretch, 2) < RADIUS * RADIUS;
            if (in && count < COUNT_OF(points))
                points[count++] = v3(x, y, 0);
        }
    weir_error error = {0};
    assert_true(weir_world_add_particles(world, liquid, points, count, v3(0, 0, 0), &error));
    return count;
}

static weir_world *make_drop(double spacing, double stretch, bool square)
{
    weir_world_def def = visco_def(2, spacing);
    def.gravity = v3(0, 0, 0);
    def.support = 4; /* in 2D fewer neighbours make a crystal */
    set_parameter(&def, "surface_tension", TENSION);
    set_parameter(&def, "quadratic_viscosity", 0);
    set_parameter(&def, "courant", 0.5);
    weir_world *world = make_world(&def);
    fill_form(world, make_plain_fluid(world, 0), spacing, stretch, square);
    return world;
}

/* Angular frequency and decay of y(t) = e^(−γt)(A cos ωt + B sin ωt) + C, by least squares. */
static double fit_frequency(const double *y, size_t count, double dt)
{
    double best = INFINITY, found = 0;
    for (double omega = 0.3; omega < 4; omega *= 1.01)
        for (double gamma = 0; gamma < 0.6; gamma += 0.05) {
            double m[3][4] = {{0}};
            double squares = 0;
            for (size_t s = 0; s < count; s++) {
                double t = (double)(s + 1) * dt, decay = exp(-gamma * t);
                const double basis[3] = {decay * cos(omega * t), decay * sin(omega * t), 1};
                for (int r = 0; r < 3; r++) {
                    for (int c = 0; c < 3; c++)
                        m[r][c] += basis[r] * basis[c];
                    m[r][3] += basis[r] * y[s];
                }
                squares += y[s] * y[s];
            }
            double right[3] = {m[0][3], m[1][3], m[2][3]};
            for (int k = 0; k < 3; k++)
                for (int r = 0; r < 3; r++) {
                    double factor = r == k ? 0 : m[r][k] / m[k][k];
                    for (int c = k; c < 4; c++)
                        m[r][c] -= factor * m[k][c];
                }
            double error = squares;
            for (int k = 0; k < 3; k++)
                error -= right[k] * m[k][3] / m[k][k];
            if (error < best) {
                best = error;
                found = omega;
            }
        }
    return found;
}

static void test_frequency(void **state)
{
    (void)state;
    enum { STEPS = 200 };
    const double spacings[] = {0.025, 0.02, 0.016};
    double omega[COUNT_OF(spacings)], mean = 0;
    for (size_t k = 0; k < COUNT_OF(spacings); k++) {
        weir_world *world = make_drop(spacings[k], 1.5, false);
        double history[STEPS];
        for (int s = 0; s < STEPS; s++) {
            step_world(world, 0.05);
            history[s] = elongation(world);
        }
        weir_world_destroy(world);
        omega[k] = fit_frequency(history, STEPS, 0.05);
        mean += omega[k] / COUNT_OF(spacings);
    }
    /* Rayleigh: ω² = 6 σ/(ρ R³) for a drop in 2D. */
    double rayleigh = sqrt(6 * TENSION / (1000 * pow(RADIUS, 3)));
    print_message("omega %.3f %.3f %.3f rad/s, Rayleigh %.3f\n", omega[0], omega[1], omega[2],
                  rayleigh);
    for (size_t k = 0; k < COUNT_OF(spacings); k++)
        assert_near(omega[k] / mean, 1, 0.1);
    assert_between(mean / rayleigh, 0.8, 1.25);
}

/* How far the outline is from a circle: spread of the largest distance over 16 directions. */
static double roundness_error(const weir_world *world)
{
    weir_particle_view v = weir_world_get_particles(world);
    double centre[2] = {0, 0}, reach[16] = {0}, mean = 0, error = 0;
    for (size_t i = 0; i < v.count; i++)
        for (int a = 0; a < 2; a++)
            centre[a] += v.position[a][i] / (double)v.count;
    for (size_t i = 0; i < v.count; i++) {
        double x = v.position[0][i] - centre[0], y = v.position[1][i] - centre[1];
        int sector = (int)((atan2(y, x) / 3.14159265358979 + 1) * 8) % 16;
        reach[sector] = fmax(reach[sector], hypot(x, y));
    }
    for (int k = 0; k < 16; k++)
        mean += reach[k] / 16;
    for (int k = 0; k < 16; k++)
        error += pow(reach[k] / mean - 1, 2) / 16;
    return sqrt(error);
}

static void test_square_becomes_round(void **state)
{
    (void)state;
    weir_world *world = make_drop(0.02, 1, true);
    double before = roundness_error(world);
    step_many(world, 0.1, 150);
    double after = roundness_error(world);
    weir_world_destroy(world);
    print_message("roundness error: square %.3f, after 15 s %.3f\n", before, after);
    assert_true(before > 0.09);
    assert_true(after < 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frequency),
        cmocka_unit_test(test_square_becomes_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
