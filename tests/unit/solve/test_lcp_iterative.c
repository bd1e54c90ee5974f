/* Projected Gauss–Seidel and MPRGP as approximations of the exact solvers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "lcp_check.h"
#include "lcp_problems.h"
#include "solve/lcp_solver.h"

enum { MOST_ROWS = 120 };
static const lcp_solver ITERATIVE[] = {LCP_SOLVER_PGS, LCP_SOLVER_MPRGP};

typedef struct fixture {
    memory memory;
    lcp_workspace work;
    double m[MOST_ROWS * MOST_ROWS], q[MOST_ROWS];
    double exact_z[MOST_ROWS], exact_w[MOST_ROWS], z[MOST_ROWS], w[MOST_ROWS];
    lcp_result result;
    weir_error error;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.memory = memory_with_hooks(NULL)};
    lcp_workspace_init(&f.work, &f.memory);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    lcp_workspace_free(&f->work);
    return f->memory.bytes == 0 ? 0 : -1;
}

static bool is_symmetric(int n, const double *m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (m[i * n + j] != m[j * n + i])
                return false;
    return true;
}

/* Whatever they call solved is solved, to their tolerance, and what has no solution is not. MPRGP
 * refuses what it cannot do. */
static void does_not_claim_too_much(void **state)
{
    fixture *f = *state;
    int solved[2] = {0}, refused = 0;
    for (int k = 0; k < LCP_PROBLEMS; k++)
        for (int s = 0; s < 2; s++) {
            const lcp_problem *p = &lcp_problems[k];
            lcp_dense dense = {p->n, p->m, p->q};
            if (!lcp_solve(ITERATIVE[s], &dense, NULL, &f->work, f->z, f->w, &f->result,
                           &f->error)) {
                assert_int_equal(ITERATIVE[s], LCP_SOLVER_MPRGP);
                assert_false(is_symmetric(p->n, p->m));
                assert_non_null(strstr(f->error.text, "not symmetric"));
                refused++;
                continue;
            }
            assert_true(f->result.status == LCP_SOLVED || f->result.status == LCP_LIMIT);
            if (f->result.status == LCP_LIMIT)
                continue;
            assert_true(p->solutions > 0);
            assert_true(check_residual(&dense, f->z, f->w) < 1e-4);
            solved[s]++;
        }
    assert_true(solved[0] >= 10 && solved[1] >= 5 && refused >= 10);
}

/* A point mass in each row and a body that all share: the kind that contacts are. */
static void make_problem(fixture *f, uint64_t seed, int n)
{
    uint64_t counter = 0;
    double g[MOST_ROWS][6];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++)
            g[i][k] = 0.5 * (2 * random_unit(seed, counter++) - 1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i == j ? 0.5 + random_unit(seed, 1000000 + (uint64_t)i) : 0;
            for (int k = 0; k < 6; k++)
                sum += g[i][k] * g[j][k];
            f->m[i * n + j] = sum;
        }
        f->q[i] = 2 * random_unit(seed, counter++) - 1.5;
    }
}

static void comes_near_the_exact(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        int n = 2 + (int)(random_unit(99, seed) * (MOST_ROWS - 2));
        make_problem(f, seed, n);
        lcp_dense p = {n, f->m, f->q};
        assert_true(lcp_solve(LCP_SOLVER_BLOCK, &p, NULL, &f->work, f->exact_z, f->exact_w,
                              &f->result, &f->error));
        assert_int_equal(f->result.status, LCP_SOLVED);
        double size = check_largest(n, f->exact_z);
        for (int s = 0; s < 2; s++) {
            assert_true(
                lcp_solve(ITERATIVE[s], &p, NULL, &f->work, f->z, f->w, &f->result, &f->error));
            double off = check_distance(n, f->z, f->exact_z) / size;
            if (f->result.status != LCP_SOLVED || off > 1e-4)
                fail_msg("problem %d, %d rows, %s: %s, z off by %g", (int)seed, n,
                         lcp_solver_name(ITERATIVE[s]), lcp_status_name(f->result.status), off);
            assert_true(f->result.iterations > 0 && f->result.pivots == 0);
        }
    }
}

/* A tighter tolerance takes Gauss–Seidel nearer; the exact solvers need none. */
static void follows_the_tolerance(void **state)
{
    fixture *f = *state;
    make_problem(f, 7, 100);
    lcp_dense p = {100, f->m, f->q};
    int sweeps = 0;
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance /= 100) {
        lcp_options options = {.tolerance = tolerance};
        assert_true(
            lcp_solve(LCP_SOLVER_PGS, &p, &options, &f->work, f->z, f->w, &f->result, &f->error));
        assert_int_equal(f->result.status, LCP_SOLVED);
        assert_true(f->result.residual <= tolerance);
        assert_true(f->result.iterations >= sweeps);
        sweeps = f->result.iterations;
    }
    assert_true(sweeps > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_not_claim_too_much),
        cmocka_unit_test(comes_near_the_exact),
        cmocka_unit_test(follows_the_tolerance),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
