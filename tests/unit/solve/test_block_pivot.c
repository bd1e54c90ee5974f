/* Block principal pivoting: the literature, and against Lemke on random problems of every rank. */
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
#include "solve/lcp.h"

enum { MOST_ROWS = 300 };

typedef struct fixture {
    memory memory;
    lcp_workspace work;
    uint64_t seed, counter;
    double *m, *g, *q;
    double z[2][MOST_ROWS], w[2][MOST_ROWS];
    lcp_result result[2];
    weir_error error;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){
        .memory = memory_with_hooks(NULL),
        .m = calloc(MOST_ROWS * MOST_ROWS, sizeof(double)),
        .g = calloc(MOST_ROWS * MOST_ROWS, sizeof(double)),
        .q = calloc(MOST_ROWS, sizeof(double)),
    };
    lcp_workspace_init(&f.work, &f.memory);
    *state = &f;
    return f.m && f.g && f.q ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    lcp_workspace_free(&f->work);
    free(f->m);
    free(f->g);
    free(f->q);
    return f->memory.bytes == 0 ? 0 : -1;
}

static double uniform(fixture *f, double low, double high)
{
    return low + (high - low) * random_unit(f->seed, f->counter++);
}

static int integer(fixture *f, int low, int high)
{
    return low + (int)((double)(high - low + 1) * random_unit(f->seed, f->counter++));
}

static void solve_both(fixture *f, int n)
{
    lcp_dense p = {n, f->m, f->q};
    assert_true(lemke_solve(&p, NULL, &f->work, f->z[0], f->w[0], &f->result[0], &f->error));
    assert_true(block_pivot_solve(&p, NULL, &f->work, f->z[1], f->w[1], &f->result[1], &f->error));
}

/* It may find another of several solutions than Lemke, but for one of them M is regular. */
static void solves_the_literature(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < LCP_PROBLEMS; i++) {
        const lcp_problem *p = &lcp_problems[i];
        lcp_dense dense = {p->n, p->m, p->q};
        lcp_result *r = &f->result[0];
        assert_true(block_pivot_solve(&dense, NULL, &f->work, f->z[0], f->w[0], r, &f->error));
        if (r->status != (p->solutions > 0 ? LCP_SOLVED : LCP_RAY))
            fail_msg("%s is %s", p->name, lcp_status_name(r->status));
        if (r->status != LCP_SOLVED)
            continue;
        if (check_residual(&dense, f->z[0], f->w[0]) > 1e-12)
            fail_msg("%s has a residual of %g", p->name, check_residual(&dense, f->z[0], f->w[0]));
    }
}

/* The kinds of problems. All are positive semi-definite and have a solution by construction. */
enum kind {
    REGULAR,    /* symmetric, full rank: z is unique */
    LOW_RANK,   /* rank at most half */
    REPEATED,   /* equal rows */
    DEGENERATE, /* small integers: ties, and pairs that are both zero */
    CONTACTS,   /* a diagonal, zero in places, plus a low rank */
    BAD_UNITS,  /* rows between 1e-4 and 1e4 */
    UNSYMMETRIC,
    KINDS
};

static int rank_of(fixture *f, int kind, int n)
{
    switch (kind) {
    case REGULAR:
        return n;
    case LOW_RANK:
        return integer(f, 1, (n + 1) / 2);
    case CONTACTS:
        return integer(f, 1, 12);
    default:
        return integer(f, 1, n);
    }
}

/* M = G Gᵀ, then what the kind adds. */
static void make_matrix(fixture *f, int kind, int n)
{
    int rank = rank_of(f, kind, n);
    double *g = f->g, *m = f->m;
    for (int i = 0; i < n; i++) {
        double unit = kind == BAD_UNITS ? pow(10, uniform(f, -4, 4)) : 1;
        for (int k = 0; k < rank; k++)
            g[i * rank + k] = unit * (kind == DEGENERATE ? integer(f, -2, 2) : uniform(f, -1, 1));
        if (kind == REPEATED && i > 0 && integer(f, 0, 2) == 0)
            memcpy(g + i * rank, g + integer(f, 0, i - 1) * rank, (size_t)rank * sizeof *g);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += g[i * rank + k] * g[j * rank + k];
            double skew = kind == UNSYMMETRIC && i != j ? uniform(f, -1, 1) : 0;
            m[i * n + j] = sum + skew;
            m[j * n + i] = sum - skew;
        }
    for (int i = 0; kind == CONTACTS && i < n; i++)
        m[i * n + i] += integer(f, 0, 3) > 0 ? uniform(f, 0.1, 3) : 0;
}

/* q = w − M z for a complementary pair that the solvers have to find again. */
static void make_problem(fixture *f, int kind, int n)
{
    make_matrix(f, kind, n);
    double *z = f->z[0];
    for (int i = 0; i < n; i++) {
        double value = kind == DEGENERATE ? integer(f, 0, 2) : uniform(f, 0.01, 1);
        double unit = kind == BAD_UNITS ? sqrt(f->m[i * n + i]) : 1;
        int which = integer(f, 0, kind == REGULAR ? 2 : 3);
        z[i] = which < 2 ? value / unit : 0;
        f->q[i] = which == 2 ? value * unit : 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            f->q[i] -= f->m[i * n + j] * z[j];
}

/* Residuals in equal units: those of rows with large and small units cannot be compared. */
static void check_pair(fixture *f, int problem, int kind, int n)
{
    lcp_dense p = {n, f->m, f->q};
    double size = check_largest(n, f->q);
    for (int s = 0; s < 2; s++) {
        const lcp_result *r = &f->result[s];
        if (r->status != LCP_SOLVED || r->residual > 1e-10 || r->complementarity > 1e-10)
            fail_msg("problem %d (kind %d, %d rows), solver %d: %s, residual %g", problem, kind, n,
                     s, lcp_status_name(r->status), r->residual);
        if (check_residual(&p, f->z[s], f->w[s]) > 1e-9)
            fail_msg("problem %d (kind %d, %d rows), solver %d: residual %g", problem, kind, n, s,
                     check_residual(&p, f->z[s], f->w[s]));
    }
    /* w is unique where M is symmetric, z where it is regular. */
    if (kind != UNSYMMETRIC && check_distance(n, f->w[0], f->w[1]) > 1e-9 * size)
        fail_msg("problem %d (kind %d, %d rows): w differ by %g", problem, kind, n,
                 check_distance(n, f->w[0], f->w[1]) / size);
    if (kind == REGULAR && check_distance(n, f->z[0], f->z[1]) > 1e-8)
        fail_msg("problem %d (%d rows): z differ by %g", problem, n,
                 check_distance(n, f->z[0], f->z[1]));
}

static void agrees_with_lemke_on_a_thousand(void **state)
{
    fixture *f = *state;
    int largest = 0, smallest = MOST_ROWS;
    for (int problem = 0; problem < 1000; problem++) {
        f->seed = (uint64_t)problem;
        f->counter = 0;
        int n = (int)exp(uniform(f, log(2), log(MOST_ROWS + 1)));
        int kind = problem % KINDS;
        if (kind == UNSYMMETRIC && n > 100)
            n /= 2; /* the slowest kind */
        make_problem(f, kind, n);
        solve_both(f, n);
        check_pair(f, problem, kind, n);
        largest = n > largest ? n : largest;
        smallest = n < smallest ? n : smallest;
    }
    assert_true(largest > 290 && smallest == 2);
}

/* Regular problems need a handful of solves and no help. */
static void needs_few_steps(void **state)
{
    fixture *f = *state;
    for (int problem = 0; problem < 20; problem++) {
        f->seed = (uint64_t)(5000 + problem);
        f->counter = 0;
        make_problem(f, REGULAR, 100);
        lcp_dense p = {100, f->m, f->q};
        lcp_result *r = &f->result[0];
        assert_true(block_pivot_solve(&p, NULL, &f->work, f->z[0], f->w[0], r, &f->error));
        assert_false(r->used_lemke);
        assert_int_equal(r->proximal_steps, 0);
        assert_true(r->block_steps <= 20);
        bool set[100];
        for (int i = 0; i < 100; i++)
            set[i] = f->z[0][i] > 0;
        lcp_options options = {.start = LCP_START_GIVEN, .start_set = set};
        assert_true(block_pivot_solve(&p, &options, &f->work, f->z[0], f->w[0], r, &f->error));
        assert_int_equal(r->block_steps, 1);
    }
}

/* Murty's exponential example defeats Lemke's path, not the blocks. */
static void is_not_trapped_by_the_exponential_path(void **state)
{
    fixture *f = *state;
    int n = 24;
    for (int i = 0; i < n; i++) {
        f->q[i] = 0;
        for (int j = 0; j < n; j++)
            f->m[i * n + j] = j > i ? 2 : j == i ? 1 : 0;
        f->q[i] = -(ldexp(1, n) - ldexp(1, i)) * 2;
    }
    lcp_dense p = {n, f->m, f->q};
    lcp_result *r = &f->result[0];
    assert_true(lemke_solve(&p, NULL, &f->work, f->z[0], f->w[0], r, &f->error));
    assert_int_equal(r->status, LCP_LIMIT);
    assert_true(block_pivot_solve(&p, NULL, &f->work, f->z[0], f->w[0], r, &f->error));
    assert_int_equal(r->status, LCP_SOLVED);
    assert_false(r->used_lemke);
    for (int i = 0; i < n; i++)
        assert_true(f->z[0][i] == (i == n - 1 ? -f->q[i] : 0));
}

/* Without a solution: q leaves the range of M downwards along a null vector of positive sign. */
static void both_prove_that_there_is_none(void **state)
{
    fixture *f = *state;
    for (int problem = 0; problem < 30; problem++) {
        f->seed = (uint64_t)(9000 + problem);
        f->counter = 0;
        int n = integer(f, 3, 40);
        make_matrix(f, REGULAR, n);
        /* Last row and column: minus the sum of the others, so that M · (1, …, 1) = 0. */
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int j = 0; j < n - 1; j++)
                    sum += pass == 0 ? f->m[i * n + j] : f->m[j * n + i];
                f->m[pass == 0 ? i * n + n - 1 : (n - 1) * n + i] = -sum;
            }
        for (int i = 0; i < n; i++)
            f->q[i] = uniform(f, -1, 0.5);
        solve_both(f, n);
        for (int s = 0; s < 2; s++) {
            assert_int_equal(f->result[s].status, LCP_RAY);
            assert_true(f->result[s].infeasible);
        }
    }
}

static void repeats_its_bits_without_new_memory(void **state)
{
    fixture *f = *state;
    uint64_t allocations = 0;
    for (int round = 0; round < 4; round++) {
        f->seed = 77;
        f->counter = 0;
        make_problem(f, REPEATED, 80);
        lcp_dense p = {80, f->m, f->q};
        int s = round == 0 ? 0 : 1;
        assert_true(block_pivot_solve(&p, NULL, &f->work, f->z[s], f->w[s], &f->result[s], NULL));
        if (round == 0)
            memcpy(f->z[1], f->z[0], sizeof f->z[0]);
        if (round == 1)
            allocations = f->memory.allocations;
        assert_memory_equal(f->w[s], f->w[0], 80 * sizeof(double));
    }
    assert_true(f->memory.allocations == allocations);
}

static void refuses_what_is_no_problem(void **state)
{
    fixture *f = *state;
    double m[] = {NAN}, q[] = {-1};
    lcp_dense p = {1, m, q};
    assert_false(block_pivot_solve(&p, NULL, &f->work, f->z[0], f->w[0], f->result, &f->error));
    assert_int_equal(f->result[0].status, LCP_INVALID);
    assert_int_equal(f->error.code, WEIR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(solves_the_literature, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agrees_with_lemke_on_a_thousand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(needs_few_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(is_not_trapped_by_the_exponential_path, set_up, tear_down),
        cmocka_unit_test_setup_teardown(both_prove_that_there_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(repeats_its_bits_without_new_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_problem, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("block_pivot", tests, NULL, NULL);
}
