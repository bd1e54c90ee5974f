/* The decomposition gives back the matrix, with orthonormal vectors and descending values. */
#include "cloud.h"
#include "eigen_twin.h"

static void check(const symmetric3 *m, double tolerance)
{
    double values[3], v[3][3];
    eigen_solve(m, values, v);
    assert_true(values[0] >= values[1] && values[1] >= values[2]);
    const double full[3][3] = {{m->xx, m->xy, m->xz}, {m->xy, m->yy, m->yz}, {m->xz, m->yz, m->zz}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double product = 0, dot = 0;
            for (int k = 0; k < 3; k++) {
                product += values[k] * v[k][i] * v[k][j];
                dot += v[i][k] * v[j][k];
            }
            assert_true(fabs(product - full[i][j]) <= tolerance);
            assert_true(fabs(dot - (i == j)) <= 1e-14);
        }
}

static void gives_back_random_matrices(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        double e[6];
        for (uint64_t k = 0; k < 6; k++)
            e[k] = 2 * random_unit(1, 6 * i + k) - 1;
        check(&(symmetric3){e[0], e[1], e[2], e[3], e[4], e[5]}, 1e-14);
    }
}

static void handles_equal_and_tiny_values(void **state)
{
    (void)state;
    check(&(symmetric3){0, 0, 0, 0, 0, 0}, 0);
    check(&(symmetric3){2, 0, 0, 2, 0, 2}, 0);
    check(&(symmetric3){1, 1, 1, 1, 1, 1}, 1e-15);
    check(&(symmetric3){1, 1e-9, 0, 1, 1e-12, 1}, 1e-15);
    check(&(symmetric3){1e-30, 2e-30, 0, 1e-30, 0, 1e-31}, 1e-44);
    check(&(symmetric3){3, 0, 0, 5, 0, 0}, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_random_matrices),
        cmocka_unit_test(handles_equal_and_tiny_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
