/* Lemke's algorithm on the problems of the literature: solutions, rays, cycles, pivots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lcp_check.h"
#include "lcp_problems.h"
#include "solve/lcp.h"

enum { ROWS = LCP_PROBLEM_ROWS };

typedef struct fixture {
    memory memory;
    lcp_workspace work;
    double z[ROWS], w[ROWS];
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

static const lcp_problem *find_problem(const char *name)
{
    for (int i = 0; i < LCP_PROBLEMS; i++)
        if (strcmp(lcp_problems[i].name, name) == 0)
            return &lcp_problems[i];
    fail_msg("no problem is called %s", name);
    return NULL;
}

static void solve(fixture *f, const lcp_problem *p, const lcp_options *options)
{
    lcp_dense dense = {p->n, p->m, p->q};
    assert_true(lemke_solve(&dense, options, &f->work, f->z, f->w, &f->result, &f->error));
}

/* Lemke ends at a basic solution, and all of those are known. */
static void solves_the_literature(void **state)
{
    fixture *f = *state;
    assert_int_equal(LCP_PROBLEMS, 26);
    for (int i = 0; i < LCP_PROBLEMS; i++) {
        const lcp_problem *p = &lcp_problems[i];
        lcp_dense dense = {p->n, p->m, p->q};
        solve(f, p, NULL);
        if (p->solutions == 0) {
            if (f->result.status != LCP_RAY)
                fail_msg("%s has no solution, but is %s", p->name,
                         lcp_status_name(f->result.status));
            continue;
        }
        double nearest = INFINITY;
        for (int s = 0; s < p->solutions; s++)
            nearest = fmin(nearest, check_distance(p->n, f->z, p->z[s]));
        if (f->result.status != LCP_SOLVED || nearest > 1e-12 * (1 + check_largest(p->n, f->z)))
            fail_msg("%s is %s, %g from a solution", p->name, lcp_status_name(f->result.status),
                     nearest);
        assert_true(check_residual(&dense, f->z, f->w) < 1e-13);
        assert_true(f->result.residual < 1e-13 && f->result.complementarity < 1e-13);
    }
}

/* Murty 1988, chapter 6: 2^n - 1 pivots. */
static void walks_the_exponential_path(void **state)
{
    fixture *f = *state;
    const lcp_problem *p = find_problem("siconos_exp_murty2");
    solve(f, p, NULL);
    assert_int_equal(f->result.pivots, 63);
    solve(f, p, &(lcp_options){.pivot_limit = 62});
    assert_int_equal(f->result.status, LCP_LIMIT);
    assert_int_equal(f->result.pivots, 62);
    assert_true(f->result.residual > 1e-6);
}

/* From all equal q every ratio is a tie. Without the lexicographic order this path cycles. */
static void does_not_cycle(void **state)
{
    fixture *f = *state;
    solve(f, find_problem("qe_Kostreva_1"), NULL);
    assert_int_equal(f->result.status, LCP_SOLVED);
    assert_true(f->result.pivots <= 8);
    solve(f, find_problem("qe_Kostreva_2"), NULL);
    assert_int_equal(f->result.status, LCP_RAY);
}

/* Murty 1988, example 2.11: the covering vector (5, 16) leads to a ray, (1, 1) to the solution. */
static void follows_the_covering_vector(void **state)
{
    fixture *f = *state;
    const lcp_problem *p = find_problem("qe_Murty_2.11");
    solve(f, p, &(lcp_options){.cover = (const double[]){5, 16}});
    assert_int_equal(f->result.status, LCP_RAY);
    assert_false(f->result.infeasible);
    solve(f, p, &(lcp_options){.cover = (const double[]){1, 1}});
    assert_int_equal(f->result.status, LCP_SOLVED);
}

/* Positive semi-definite and without solution: the ray is a proof. */
static void proves_that_there_is_none(void **state)
{
    fixture *f = *state;
    const double m[] = {1, -1, 0, -1, 1, 0, 0, 0, 2};
    const double q[] = {-2, 1, -4};
    lcp_dense dense = {3, m, q};
    assert_true(lemke_solve(&dense, NULL, &f->work, f->z, f->w, &f->result, &f->error));
    assert_int_equal(f->result.status, LCP_RAY);
    assert_true(f->result.infeasible);
    solve(f, find_problem("drake_infeasible"), NULL);
    assert_true(f->result.infeasible);
}

/* Started at the right set the path has no pivots; at a singular or wrong one it still ends. */
static void starts_where_it_is_told(void **state)
{
    fixture *f = *state;
    const lcp_problem *p = find_problem("dart_6D_illformed");
    const bool sets[3][6] = {{false, true, false, true, true, true},
                             {true, false, true, false, false, false},
                             {true, true, true, true, true, true}};
    for (int s = 0; s < 3; s++) {
        solve(f, p, &(lcp_options){.start = LCP_START_GIVEN, .start_set = sets[s]});
        assert_int_equal(f->result.status, LCP_SOLVED);
        assert_true(check_distance(p->n, f->z, p->z[0]) < 1e-14);
        assert_true(s > 0 || f->result.pivots == 0);
    }
    const lcp_problem *singular = find_problem("siconos_CPS_1");
    const bool both[2] = {true, true};
    solve(f, singular, &(lcp_options){.start = LCP_START_GIVEN, .start_set = both});
    assert_int_equal(f->result.status, LCP_SOLVED);
}

/* Rows and columns in other units, by powers of two: the same pivots, the same digits. */
static void does_not_depend_on_units(void **state)
{
    fixture *f = *state;
    const lcp_problem *p = find_problem("siconos_ortiz");
    lcp_problem scaled = *p;
    const double unit[] = {1024, 0x1p-20, 1, 0x1p-7};
    double cover[4], z[4];
    for (int i = 0; i < 4; i++) {
        scaled.q[i] *= unit[i];
        cover[i] = unit[i];
        for (int j = 0; j < 4; j++)
            scaled.m[4 * i + j] *= unit[i] * unit[j];
    }
    solve(f, p, NULL);
    int pivots = f->result.pivots;
    memcpy(z, f->z, sizeof z);
    solve(f, &scaled, &(lcp_options){.cover = cover});
    assert_int_equal(f->result.pivots, pivots);
    for (int i = 0; i < 4; i++)
        assert_true(f->z[i] * unit[i] == z[i]);
}

static void repeats_its_bits_without_new_memory(void **state)
{
    fixture *f = *state;
    const lcp_problem *p = find_problem("dart_4D_illformed");
    double z[ROWS];
    solve(f, p, NULL);
    memcpy(z, f->z, sizeof z);
    solve(f, find_problem("drake_testProblem1_n16"), NULL);
    solve(f, p, NULL);
    uint64_t allocations = f->memory.allocations;
    for (int i = 0; i < LCP_PROBLEMS; i++)
        solve(f, &lcp_problems[i], NULL);
    solve(f, p, NULL);
    assert_true(f->memory.allocations == allocations);
    assert_memory_equal(f->z, z, (size_t)p->n * sizeof *z);
}

static void solves_small_cases(void **state)
{
    fixture *f = *state;
    lcp_dense none = {0, NULL, NULL};
    assert_true(lemke_solve(&none, NULL, &f->work, f->z, f->w, &f->result, &f->error));
    assert_int_equal(f->result.status, LCP_SOLVED);
    const double m[] = {4, 0, 0, -1}, q[] = {2, 3}, zero[] = {0, 0};
    lcp_dense two = {2, m, q};
    assert_true(lemke_solve(&two, NULL, &f->work, f->z, f->w, &f->result, &f->error));
    assert_int_equal(f->result.status, LCP_SOLVED);
    assert_int_equal(f->result.pivots, 0);
    assert_true(f->z[0] == 0 && f->z[1] == 0 && f->w[0] == 2 && f->w[1] == 3);
    two.q = zero;
    assert_true(lemke_solve(&two, NULL, &f->work, f->z, f->w, &f->result, &f->error));
    assert_int_equal(f->result.status, LCP_SOLVED);
}

static void refuses_what_is_no_problem(void **state)
{
    fixture *f = *state;
    double m[] = {1, 0, NAN, 1}, q[] = {1, -1};
    lcp_dense dense = {2, m, q};
    assert_false(lemke_solve(&dense, NULL, &f->work, f->z, f->w, &f->result, &f->error));
    assert_int_equal(f->result.status, LCP_INVALID);
    assert_int_equal(f->error.code, WEIR_INVALID);
    assert_non_null(strstr(f->error.text, "M[1][0]"));
    m[2] = 0;
    q[1] = INFINITY;
    assert_false(lemke_solve(&dense, NULL, &f->work, f->z, f->w, &f->result, &f->error));
    assert_non_null(strstr(f->error.text, "q[1]"));
    q[1] = -1;
    lcp_options options = {.cover = (const double[]){1, 0}};
    assert_false(lemke_solve(&dense, &options, &f->work, f->z, f->w, &f->result, &f->error));
    assert_non_null(strstr(f->error.text, "covering vector"));
    options = (lcp_options){.start = LCP_START_GIVEN};
    assert_false(lemke_solve(&dense, &options, &f->work, f->z, f->w, &f->result, NULL));
    dense.n = -1;
    assert_false(lemke_solve(&dense, NULL, &f->work, f->z, f->w, &f->result, &f->error));
}

static void *allocate_nothing(void *user, size_t bytes)
{
    (void)user;
    (void)bytes;
    return NULL;
}

static void release_nothing(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)block;
    (void)bytes;
}

static void says_that_memory_ran_out(void **state)
{
    fixture *f = *state;
    weir_hooks hooks = {.allocate = allocate_nothing, .release = release_nothing};
    memory none = memory_with_hooks(&hooks);
    lcp_workspace work;
    lcp_workspace_init(&work, &none);
    const lcp_problem *p = &lcp_problems[0];
    lcp_dense dense = {p->n, p->m, p->q};
    assert_false(lemke_solve(&dense, NULL, &work, f->z, f->w, &f->result, &f->error));
    assert_int_equal(f->error.code, WEIR_OUT_OF_MEMORY);
    assert_int_equal(f->result.status, LCP_INVALID);
    lcp_workspace_free(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(solves_the_literature, set_up, tear_down),
        cmocka_unit_test_setup_teardown(walks_the_exponential_path, set_up, tear_down),
        cmocka_unit_test_setup_teardown(does_not_cycle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(follows_the_covering_vector, set_up, tear_down),
        cmocka_unit_test_setup_teardown(proves_that_there_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(starts_where_it_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(does_not_depend_on_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(repeats_its_bits_without_new_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(solves_small_cases, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_problem, set_up, tear_down),
        cmocka_unit_test_setup_teardown(says_that_memory_ran_out, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("lemke", tests, NULL, NULL);
}
