/* Half-space integrals against direct sums over a fine lattice and against closed forms. */
#include "kernel/half_space.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* cmocka compares floats only. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const weir_kernel kernels[] = {WEIR_KERNEL_WENDLAND_C2, WEIR_KERNEL_CUBIC, WEIR_KERNEL_POLY6,
                                      WEIR_KERNEL_SPIKY};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static double weight_of(weir_kernel kernel, int dim, double x, double rho)
{
    double measure = dim == 3 ? 2 * M_PI * rho : 2;
    return measure * kernel_value(kernel, dim, sqrt(x * x + rho * rho), 1);
}

/* int_s^1 dx int drho by the midpoint rule on n x n cells: independent of the table's method. */
static double brute_volume(weir_kernel kernel, int dim, double s)
{
    const int n = 1500;
    double sum = 0, dx = (1 - s) / n, dr = 1.0 / n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            sum += weight_of(kernel, dim, s + (i + 0.5) * dx, (k + 0.5) * dr);
    return sum * dx * dr;
}

static void volume_matches_direct_sum(void **state)
{
    (void)state;
    static const double places[] = {-0.71, -0.2, 0, 0.033, 0.5, 0.9};
    for (int k = 0; k < KERNELS; k++)
        for (int dim = 2; dim <= 3; dim++) {
            half_space_table t;
            half_space_table_fill(&t, kernels[k], dim);
            for (size_t i = 0; i < sizeof places / sizeof *places; i++)
                assert_near(half_space_volume(&t, places[i], NULL),
                            brute_volume(kernels[k], dim, places[i]), 1e-6);
        }
}

/* 3D Wendland C2: 21/(2 pi) (1-q)^4 (1+4q) times 2 pi q, integrated over [t, 1]. */
static double wendland_marginal_3d(double t)
{
    double s = 0;
    /* q (1-q)^4 (1+4q) = q - 10 q^3 + 20 q^4 - 15 q^5 + 4 q^6 */
    static const double c[] = {0, 1, 0, -10, 20, -15, 4};
    for (int n = 1; n < 7; n++)
        s += c[n] / (n + 1) * (1 - pow(t, n + 1));
    return 21 * s;
}

static void derivative_is_minus_the_marginal(void **state)
{
    (void)state;
    half_space_table t;
    half_space_table_fill(&t, WEIR_KERNEL_WENDLAND_C2, 3);
    for (int i = 0; i < 1000; i++) {
        double s = -0.999 + 1.998 * i / 999, slope;
        half_space_volume(&t, s, &slope);
        assert_near(slope, -wendland_marginal_3d(fabs(s)), 2e-5);
    }
}

static void derivative_is_that_of_the_value(void **state)
{
    (void)state;
    for (int k = 0; k < KERNELS; k++)
        for (int dim = 2; dim <= 3; dim++) {
            half_space_table t;
            half_space_table_fill(&t, kernels[k], dim);
            for (int i = 0; i < 200; i++) {
                double s = -0.9951 + 1.99 * i / 199, e = 1e-6, slope;
                half_space_volume(&t, s, &slope);
                double difference =
                    half_space_volume(&t, s + e, NULL) - half_space_volume(&t, s - e, NULL);
                assert_near(slope, difference / (2 * e), 1e-6);
            }
        }
}

static void ends_and_symmetry(void **state)
{
    (void)state;
    for (int k = 0; k < KERNELS; k++)
        for (int dim = 2; dim <= 3; dim++) {
            half_space_table t;
            double slope;
            half_space_table_fill(&t, kernels[k], dim);
            assert_near(half_space_volume(&t, 0, NULL), 0.5, 1e-9);
            assert_true(half_space_volume(&t, 1, &slope) == 0 && slope == 0);
            assert_true(half_space_volume(&t, 7, NULL) == 0);
            assert_true(half_space_volume(&t, -1, &slope) == 1 && slope == 0);
            assert_true(half_space_volume(&t, -7, NULL) == 1);
            assert_near(half_space_volume(&t, -0.999999, NULL), 1, 1e-9);
            for (int i = 1; i < 50; i++)
                assert_near(half_space_volume(&t, i / 50.0, NULL) +
                                half_space_volume(&t, -i / 50.0, NULL),
                            1, 1e-9);
        }
}

static double viscosity(const void *context, double q)
{
    return kernel_viscosity_laplacian(*(const int *)context, q, 1);
}

/* int over the half-space x > s of x L, in a volume. */
static double brute_moment(int dim, double s)
{
    const int n = 1500;
    double sum = 0, dx = (1 - s) / n, dr = 1.0 / n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double x = s + (i + 0.5) * dx, rho = (k + 0.5) * dr, q = sqrt(x * x + rho * rho);
            if (q < 1)
                sum += x * viscosity(&dim, q) * (dim == 3 ? 2 * M_PI * rho : 2);
        }
    return sum * dx * dr;
}

static void wall_moment_matches_direct_sum(void **state)
{
    (void)state;
    static const double places[] = {-0.6, 0, 0.1, 0.4, 0.8};
    for (int dim = 2; dim <= 3; dim++) {
        wall_moment_table t;
        wall_moment_table_fill(&t, dim, viscosity, &dim);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            assert_near(wall_moment(&t, places[i]), brute_moment(dim, places[i]), 2e-5);
        assert_true(wall_moment(&t, 1) == 0);
        assert_true(wall_moment(&t, 3) == 0);
        /* The moment of the whole ball vanishes. */
        assert_near(wall_moment(&t, -1), 0, 1e-6);
        assert_true(wall_moment(&t, -5) == wall_moment(&t, -1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_matches_direct_sum),
        cmocka_unit_test(derivative_is_minus_the_marginal),
        cmocka_unit_test(derivative_is_that_of_the_value),
        cmocka_unit_test(ends_and_symmetry),
        cmocka_unit_test(wall_moment_matches_direct_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
