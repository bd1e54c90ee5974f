/* The solvers of bounded problems, bounded conjugate gradients and accelerated gradients, against
 * the twin that tries every active set. */
#include "box_twin.h"
#include "solve/accelerated.h"
#include "solve/mprgp.h"

/* The one under test; all tests run for each. */
static solve_result (*run_solver)(bounded_work *w, const bounded_system *system,
                                  const solve_options *options, float *x);

static void multiply(void *context, const float *x, float *y)
{
    const box_problem *p = context;
    for (int i = 0; i < p->n; i++) {
        double sum = 0;
        for (int k = 0; k < p->n; k++)
            sum += p->a[i][k] * x[k];
        y[i] = (float)sum;
    }
}

static solve_result solve(box_problem *p, int most, double tolerance, float *x)
{
    memory mem = memory_with_hooks(NULL);
    float b[TWIN_MOST], lo[TWIN_MOST], hi[TWIN_MOST];
    for (int i = 0; i < p->n; i++) {
        b[i] = (float)p->b[i];
        lo[i] = (float)p->lo[i];
        hi[i] = (float)p->hi[i];
    }
    bounded_system system = {.count = (size_t)p->n,
                             .rhs = b,
                             .lo = lo,
                             .hi = hi,
                             .multiply = multiply,
                             .context = p,
                             .threads = 1};
    solve_options options = {.tolerance = tolerance, .scale = 1, .max_iterations = most};
    bounded_work solver = {0};
    assert_true(bounded_work_reserve(&solver, &mem, (size_t)p->n));
    solve_result result = run_solver(&solver, &system, &options, x);
    bounded_work_free(&solver, &mem);
    assert_int_equal(mem.bytes, 0);
    return result;
}

static void check(box_problem *p, bool from_random)
{
    double twin[TWIN_MOST], found[TWIN_MOST];
    float x[TWIN_MOST] = {0};
    if (!box_solve_brute(p, twin))
        fail_msg("the twin found no minimum");
    for (int i = 0; i < p->n && from_random; i++)
        x[i] = (float)(3 * random_unit(99, (uint64_t)i) - 1.5);
    solve_result result = solve(p, 2000, 1e-7, x);
    double best = box_objective(p, twin), size = 1;
    for (int i = 0; i < p->n; i++) {
        found[i] = x[i];
        size = fmax(size, fabs(twin[i]));
        /* Bounds hold exactly, as floats. */
        assert_true(x[i] >= (float)p->lo[i] && x[i] <= (float)p->hi[i]);
    }
    assert_near(box_objective(p, found), best, 2e-5 * size * size);
    assert_true(result.residual < 1e-4 * size);
}

static void test_definite_problems(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        int n = 1 + (int)(seed % 7);
        box_problem p = make_box_problem(seed, n, n, seed % 2 == 0);
        for (int i = 0; i < n; i++)
            p.a[i][i] += 0.05; /* float has no hope on worse */
        check(&p, seed % 3 == 0);
    }
}

static void test_semidefinite_problems(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        int n = 2 + (int)(seed % 6);
        box_problem p = make_box_problem(1000 + seed, n, 1 + n / 2, true);
        check(&p, seed % 3 == 0);
    }
}

/* Without bounds it is a linear system. */
static void test_equality_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        box_problem p = make_box_problem(2000 + seed, 6, 6, false);
        for (int i = 0; i < 6; i++) {
            p.a[i][i] += 0.1;
            if (i < 4) {
                p.lo[i] = -INFINITY;
                p.hi[i] = INFINITY;
            }
        }
        check(&p, false);
    }
}

static void test_pinned_rows_stay(void **state)
{
    (void)state;
    box_problem p = make_box_problem(7, 6, 6, true);
    p.lo[2] = p.hi[2] = 0.25;
    p.lo[4] = p.hi[4] = 0;
    float x[6] = {0};
    solve_result result = solve(&p, 500, 1e-6, x);
    assert_near(x[2], 0.25, 0);
    assert_near(x[4], 0, 0);
    /* What they cannot mend does not keep the solve going. */
    assert_true(result.residual <= 1e-6 && result.iterations < 500);
}

static void test_history_ends_at_the_residual(void **state)
{
    (void)state;
    box_problem p = make_box_problem(11, 7, 7, true);
    float x[7] = {0};
    solve_result result = solve(&p, 500, 1e-5, x);
    assert_true(result.history_count > 1 && result.history_count <= result.iterations);
    assert_near(result.history[result.history_count - 1], result.residual, 0);
    assert_true(result.residual <= 1e-5);
    assert_true(result.history[0] > result.residual);
}

static void test_iterations_are_limited(void **state)
{
    (void)state;
    box_problem p = make_box_problem(13, 7, 7, true);
    float x[7] = {0};
    solve_result result = solve(&p, 3, 0, x);
    assert_between(result.iterations, 3, 4); /* an expansion takes two products */
}

static void test_no_rows(void **state)
{
    (void)state;
    bounded_work solver = {0};
    bounded_system system = {.count = 0};
    solve_options options = {.scale = 1, .max_iterations = 10};
    assert_int_equal(run_solver(&solver, &system, &options, NULL).iterations, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definite_problems),
        cmocka_unit_test(test_semidefinite_problems),
        cmocka_unit_test(test_equality_rows),
        cmocka_unit_test(test_pinned_rows_stay),
        cmocka_unit_test(test_history_ends_at_the_residual),
        cmocka_unit_test(test_iterations_are_limited),
        cmocka_unit_test(test_no_rows),
    };
    run_solver = mprgp_solve;
    int failed = cmocka_run_group_tests_name("mprgp", tests, NULL, NULL);
    run_solver = accelerated_solve;
    return failed + cmocka_run_group_tests_name("accelerated", tests, NULL, NULL);
}
