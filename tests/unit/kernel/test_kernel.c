/* The kernels: normalised, with the gradients and Laplacians that belong to them, and the same in
 * the lanes of the pair loops. */
#define WEIR_LANES 1
#define WEIR_LEVEL scalar

#include "kernel/kernel.h"
#include "kernel/kernel_lane.h"
#include "support/unit.h"

static const double PI = 3.14159265358979323846;
static const double supports[] = {0.03, 1, 7};

/* Runs `check` for every kernel, dimension and support radius. */
static void for_each(void (*check)(weir_kernel kernel, int dim, double h))
{
    for (int kernel = WEIR_KERNEL_WENDLAND_C2; kernel <= WEIR_KERNEL_SPIKY; kernel++)
        for (int dim = 2; dim <= 3; dim++)
            for (size_t k = 0; k < COUNT_OF(supports); k++)
                check((weir_kernel)kernel, dim, supports[k]);
}

/* ∫ f r^power over all space, by the midpoint rule over shells. */
static double integrate(double (*f)(weir_kernel, int, double, double), weir_kernel kernel, int dim,
                        double h, int power)
{
    enum { SHELLS = 4000 };
    double sum = 0, step = h / SHELLS;
    for (int i = 0; i < SHELLS; i++) {
        double r = (i + 0.5) * step;
        double shell = dim == 2 ? 2 * PI * r : 4 * PI * r * r;
        sum += f(kernel, dim, r, h) * pow(r, power) * shell * step;
    }
    return sum;
}

static void check_integral(weir_kernel kernel, int dim, double h)
{
    assert_near(integrate(kernel_value, kernel, dim, h, 0), 1, 1e-4);
}

static void integrates_to_one(void **state)
{
    (void)state;
    for_each(check_integral);
}

static void check_derivative(weir_kernel kernel, int dim, double h)
{
    double step = 1e-5 * h, scale = kernel_value(kernel, dim, 0, h) / h;
    for (double r = 0.01 * h; r < 1.1 * h; r += 0.013 * h) {
        double difference =
            (kernel_value(kernel, dim, r + step, h) - kernel_value(kernel, dim, r - step, h)) /
            (2 * step);
        assert_near(kernel_derivative(kernel, dim, r, h), difference, 1e-6 * scale);
        assert_true(kernel_derivative(kernel, dim, r, h) <= 0);
    }
}

static void gradient_is_the_derivative_of_the_value(void **state)
{
    (void)state;
    for_each(check_derivative);
}

static void check_end(weir_kernel kernel, int dim, double h)
{
    assert_true(kernel_value(kernel, dim, h, h) == 0);
    assert_true(kernel_value(kernel, dim, 2 * h, h) == 0);
    assert_true(kernel_derivative(kernel, dim, h, h) == 0);
    assert_true(kernel_viscosity_laplacian(dim, h, h) == 0);
}

static void ends_at_h(void **state)
{
    (void)state;
    for_each(check_end);
}

static double viscosity_laplacian(weir_kernel kernel, int dim, double r, double h)
{
    (void)kernel;
    return kernel_viscosity_laplacian(dim, r, h);
}

/* Σ V L (v_j − v_i) is ∇²v for a parabola v = r² when ∫ L r² = 2 D. */
static void viscosity_kernel_measures_a_parabola(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        assert_near(integrate(viscosity_laplacian, WEIR_KERNEL_SPIKY, dim, 0.3, 2), 2 * dim, 1e-4);
}

/* ------------------------------------------------------- the forms of the loops */

static void check_lanes(weir_kernel kernel, int dim, double h)
{
    kernel_constants k = kernel_constants_make(kernel, dim, h);
    double peak = kernel_value(kernel, dim, 0, h);
    for (double r = 0.02 * h; r < 1.2 * h; r += 0.0171 * h) {
        float r2 = (float)(r * r);
        assert_near(kernel_lane_value(&k, kernel, r2), kernel_value(kernel, dim, r, h),
                    2e-6 * peak);
        assert_near(kernel_lane_gradient(&k, kernel, r2) * r, kernel_derivative(kernel, dim, r, h),
                    2e-5 * peak / h);
        assert_near(kernel_lane_viscosity(&k, r2), kernel_viscosity_laplacian(dim, r, h),
                    1e-5 * kernel_viscosity_laplacian(dim, 0, h));
    }
}

static void lanes_agree_with_double_precision(void **state)
{
    (void)state;
    for_each(check_lanes);
}

/* ∇²W = W'' + (D − 1) W'/r. Spiky is singular at 0 and its Laplacian large near it. */
static void check_laplacian(weir_kernel kernel, int dim, double h)
{
    kernel_constants k = kernel_constants_make(kernel, dim, h);
    double step = 1e-5 * h, scale = kernel_value(kernel, dim, 0, h) / (h * h);
    for (double r = 0.05 * h; r < 0.995 * h; r += 0.0173 * h) {
        double second = (kernel_derivative(kernel, dim, r + step, h) -
                         kernel_derivative(kernel, dim, r - step, h)) /
                        (2 * step);
        double laplacian = second + (dim - 1) * kernel_derivative(kernel, dim, r, h) / r;
        assert_near(kernel_lane_laplacian(&k, kernel, dim, (float)(r * r)), laplacian,
                    1e-4 * scale + 1e-5 * fabs(laplacian));
    }
}

static void laplacian_is_the_divergence_of_the_gradient(void **state)
{
    (void)state;
    for_each(check_laplacian);
}

static void check_finite_at_zero(weir_kernel kernel, int dim, double h)
{
    kernel_constants k = kernel_constants_make(kernel, dim, h);
    assert_near(kernel_lane_value(&k, kernel, 0), kernel_value(kernel, dim, 0, h),
                1e-6 * kernel_value(kernel, dim, 0, h));
    assert_true(isfinite(kernel_lane_gradient(&k, kernel, 0)));
    assert_true(isfinite(kernel_lane_laplacian(&k, kernel, dim, 0)));
}

static void particles_in_one_point_are_finite(void **state)
{
    (void)state;
    for_each(check_finite_at_zero);
}

/* -------------------------------------------------------------- lattice sums */

static double weigh_wendland_2d(const void *h, double r)
{
    return kernel_value(WEIR_KERNEL_WENDLAND_C2, 2, r, *(const double *)h);
}

/* The sum over a square lattice by hand: a site at 0, then rings. */
static void lattice_sum_is_the_mean_of_two_lattices(void **state)
{
    (void)state;
    double h = 1.3, square = 0, hexagonal = 0, a = sqrt(2 / sqrt(3.0));
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) {
            square += weigh_wendland_2d(&h, hypot(i, j));
            hexagonal += weigh_wendland_2d(&h, hypot(a * (i + 0.5 * j), a * j * sqrt(3.0) / 2));
        }
    assert_near(kernel_lattice_sum(2, 1, h, weigh_wendland_2d, &h), (square + hexagonal) / 2,
                1e-12);
}

/* Measured for Wendland C2 before this code was written: 0.963 at 2 spacings, 0.988 at 2.5. */
static void volume_factor_makes_rest_density_one(void **state)
{
    (void)state;
    assert_near(kernel_volume_factor(WEIR_KERNEL_WENDLAND_C2, 2, 0.1, 0.2), 0.963, 0.001);
    assert_near(kernel_volume_factor(WEIR_KERNEL_WENDLAND_C2, 2, 0.1, 0.25), 0.988, 0.001);
    assert_near(kernel_volume_factor(WEIR_KERNEL_WENDLAND_C2, 3, 0.1, 0.25), 0.989, 0.001);
    /* 0.5 and 0.7 of the way to the lattices with the smallest sums: body-centred (0.342 %) and
     * hexagonal (0.126 %). */
    assert_near(kernel_settled_factor(WEIR_KERNEL_WENDLAND_C2, 3, 0.1, 0.25) /
                    kernel_volume_factor(WEIR_KERNEL_WENDLAND_C2, 3, 0.1, 0.25),
                1.0017, 5e-5);
    assert_near(kernel_settled_factor(WEIR_KERNEL_WENDLAND_C2, 2, 0.1, 0.25) /
                    kernel_volume_factor(WEIR_KERNEL_WENDLAND_C2, 2, 0.1, 0.25),
                1.00088, 5e-5);
    for (int dim = 2; dim <= 3; dim++)
        assert_near(kernel_volume_factor(WEIR_KERNEL_WENDLAND_C2, dim, 1, 4), 1, 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrates_to_one),
        cmocka_unit_test(gradient_is_the_derivative_of_the_value),
        cmocka_unit_test(ends_at_h),
        cmocka_unit_test(viscosity_kernel_measures_a_parabola),
        cmocka_unit_test(lanes_agree_with_double_precision),
        cmocka_unit_test(laplacian_is_the_divergence_of_the_gradient),
        cmocka_unit_test(particles_in_one_point_are_finite),
        cmocka_unit_test(lattice_sum_is_the_mean_of_two_lattices),
        cmocka_unit_test(volume_factor_makes_rest_density_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
