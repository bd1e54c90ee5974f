/* Projected Gauss–Seidel with conjugate steps, against the twin that tries every active set. */
#include "box_twin.h"
#include "solve/gauss_seidel.h"

/* Rows on one body of mass 1 and inertia 1: A = J Jᵀ of rank 6 at most. */
typedef struct row_problem {
    row rows[TWIN_MOST];
    double work[6];
    gauss_seidel solver;
    memory mem;
    box_problem box; /* the same as a box problem */
} row_problem;

static void start(row_problem *p, uint64_t seed, int n, bool closed)
{
    memset(p, 0, sizeof *p);
    p->mem = memory_with_hooks(NULL);
    p->box = make_box_problem(seed, n, n < 6 ? n : 6, closed);
    assert_true(gauss_seidel_reserve(&p->solver, &p->mem, (size_t)n));
    uint64_t counter = 0;
    for (int i = 0; i < n; i++) {
        row *r = &p->rows[i];
        r->body_b = r->particle = r->normal = r->ground = ROW_NONE;
        for (int k = 0; k < 6; k++)
            r->on_a[k] = twin_random(seed + 500, &counter);
        r->softness = 0.05 * (1 + random_unit(seed, counter++));
        sweep_row *w = &p->solver.sweep[i];
        *w = (sweep_row){
            .rhs = p->box.b[i], .lo = p->box.lo[i], .hi = p->box.hi[i], .answer = r->softness};
        for (int k = 0; k < 6; k++) {
            w->push_a[k] = -r->on_a[k];
            w->answer += r->on_a[k] * r->on_a[k];
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            p->box.a[i][k] = i == k ? p->rows[i].softness : 0;
            for (int c = 0; c < 6; c++)
                p->box.a[i][k] += p->rows[i].on_a[c] * p->rows[k].on_a[c];
        }
}

static solve_result run(row_problem *p, double tolerance, int most)
{
    sweep_problem problem = {
        .rows = p->rows, .count = (size_t)p->box.n, .work = p->work, .body_count = 1};
    solve_options options = {.tolerance = tolerance, .scale = 1, .max_iterations = most};
    return gauss_seidel_solve(&p->solver, &problem, &options);
}

static void finish(row_problem *p)
{
    gauss_seidel_free(&p->solver, &p->mem);
    assert_int_equal(p->mem.bytes, 0);
}

static void test_bounded_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        row_problem p;
        start(&p, seed, 1 + (int)(seed % 7), seed % 2 == 0);
        double twin[TWIN_MOST];
        if (!box_solve_brute(&p.box, twin))
            fail_msg("the twin found no minimum");
        solve_result result = run(&p, 1e-12, 5000);
        assert_true(result.residual <= 1e-12);
        for (int i = 0; i < p.box.n; i++)
            assert_near(p.solver.sweep[i].nu, twin[i], 1e-7 * (1 + fabs(twin[i])));
        /* The work is what the multipliers do. */
        for (int k = 0; k < 6; k++) {
            double sum = 0;
            for (int i = 0; i < p.box.n; i++)
                sum -= p.rows[i].on_a[k] * p.solver.sweep[i].nu;
            assert_near(p.work[k], sum, 1e-12 * (1 + fabs(sum)));
        }
        finish(&p);
    }
}

/* Conjugate steps need far fewer sweeps than sweeps alone on a chain of unit masses that lean on
 * each other, where a load travels one mass a sweep. */
static void test_long_chain(void **state)
{
    (void)state;
    enum { LENGTH = 40 };
    static row rows[LENGTH];
    static double work[6 * LENGTH];
    memory mem = memory_with_hooks(NULL);
    gauss_seidel solver = {0};
    assert_true(gauss_seidel_reserve(&solver, &mem, LENGTH));
    for (int k = 0; k < LENGTH; k++) {
        rows[k] = (row){.particle = ROW_NONE, .normal = ROW_NONE, .body_a = k, .body_b = k - 1};
        rows[k].on_a[1] = -1; /* not falling onto the one below */
        rows[k].on_b[1] = 1;
        solver.sweep[k] = (sweep_row){.rhs = k == 0 ? 1 : 0, .hi = INFINITY, .answer = k ? 2 : 1};
        solver.sweep[k].push_a[1] = 1;
        solver.sweep[k].push_b[1] = -1;
    }
    sweep_problem problem = {.rows = rows, .count = LENGTH, .work = work, .body_count = LENGTH};
    solve_options options = {.tolerance = 1e-8, .scale = 1, .max_iterations = 3000};
    solve_result result = gauss_seidel_solve(&solver, &problem, &options);
    assert_true(result.residual <= 1e-8);
    /* The lowest contact stops all: it bears the whole column. */
    for (int k = 0; k < LENGTH; k++)
        assert_near(solver.sweep[k].nu, LENGTH - k, 1e-3);
    /* Sweeps alone: 0.9985 each, the square of the cosine of π/81. */
    assert_between(result.iterations, 10, 2000);
    gauss_seidel_free(&solver, &mem);
}

/* A mass on a floor, pushed sideways in two directions at once. */
static void test_friction_is_a_circle(void **state)
{
    (void)state;
    row rows[3] = {0};
    double work[6];
    memory mem = memory_with_hooks(NULL);
    gauss_seidel solver = {0};
    assert_true(gauss_seidel_reserve(&solver, &mem, 3));
    for (int push = 0; push < 2; push++) {
        /* v = (3, −1, 4) s, with s small enough to stick or not. */
        double s = push == 0 ? 0.05 : 1;
        const double rhs[3] = {1, -3 * s, -4 * s};
        const int axis[3] = {1, 0, 2};
        for (int k = 0; k < 3; k++) {
            rows[k] = (row){.particle = ROW_NONE, .body_b = ROW_NONE, .normal = k ? 0 : ROW_NONE};
            rows[k].friction = 0.5;
            rows[k].on_a[axis[k]] = -1;
            solver.sweep[k] =
                (sweep_row){.rhs = rhs[k], .lo = k ? -INFINITY : 0, .hi = INFINITY, .answer = 1};
            solver.sweep[k].push_a[axis[k]] = 1;
        }
        sweep_problem problem = {.rows = rows, .count = 3, .work = work, .body_count = 1};
        solve_options options = {.tolerance = 1e-12, .scale = 1, .max_iterations = 200};
        gauss_seidel_solve(&solver, &problem, &options);
        double size = push == 0 ? 5 * s : 0.5; /* stopped, or braked with half of the normal one */
        assert_near(solver.sweep[0].nu, 1, 1e-9);
        assert_near(solver.sweep[1].nu, -0.6 * size, 1e-9);
        assert_near(solver.sweep[2].nu, -0.8 * size, 1e-9);
    }
    gauss_seidel_free(&solver, &mem);
}

static void test_no_rows(void **state)
{
    (void)state;
    double work[6] = {1, 1, 1, 1, 1, 1};
    gauss_seidel solver = {0};
    sweep_problem problem = {.work = work, .body_count = 1};
    solve_options options = {.scale = 1, .max_iterations = 10};
    assert_int_equal(gauss_seidel_solve(&solver, &problem, &options).iterations, 0);
    assert_near(work[0], 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounded_rows),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_friction_is_a_circle),
        cmocka_unit_test(test_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
