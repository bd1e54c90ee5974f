/* Complementarity problems from text: what is read, what is refused, and the result as JSON. */
#include "scene/lcp_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void reads_one_problem(void **state)
{
    (void)state;
    const char *text = "{\"M\": [[2, 1], [\"1/2\", 2]], \"q\": [-5, -6e0], \"note\": {\"a\": 1}}";
    lcp_file file;
    weir_error error = {0};
    assert_true(lcp_file_parse(&file, text, strlen(text), "a.json", &error));
    assert_int_equal(file.count, 1);
    const lcp_file_problem *p = &file.problems[0];
    assert_string_equal(p->name, "");
    assert_int_equal(p->dense.n, 2);
    assert_null(p->cover);
    const double m[] = {2, 1, 0.5, 2}, q[] = {-5, -6};
    assert_memory_equal(p->dense.m, m, sizeof m);
    assert_memory_equal(p->dense.q, q, sizeof q);
    lcp_file_free(&file);
    assert_null(file.tree);
}

static void reads_a_collection(void **state)
{
    (void)state;
    const char *text = "comment: two problems\n"
                       "problems:\n"
                       "- name: first\n"
                       "  n: 1\n"
                       "  M: [[-1]]\n"
                       "  q: [-1]\n"
                       "- name: second\n"
                       "  M: [[1, 0], [0, 1]]\n"
                       "  q: [1, -1]\n"
                       "  cover: [1, 2]\n";
    lcp_file file;
    weir_error error = {0};
    assert_true(lcp_file_parse(&file, text, strlen(text), "a.yaml", &error));
    assert_int_equal(file.count, 2);
    assert_string_equal(file.problems[0].name, "first");
    assert_true(file.problems[1].cover[1] == 2);
    lcp_file_free(&file);
}

static void refuses(const char *text, const char *message)
{
    lcp_file file;
    weir_error error = {0};
    assert_false(lcp_file_parse(&file, text, strlen(text), "a.yaml", &error));
    assert_string_equal(error.text, message);
    assert_null(file.tree);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    refuses("M: [[1]]\n",
            "a.yaml:1: q: is missing: a problem has q, and M, a list of rows, or contacts");
    refuses("q: [1]\n",
            "a.yaml:1: M: is missing: a problem has q, and M, a list of rows, or contacts");
    refuses("q: [1, 2]\nM: [[1, 2]]\n",
            "a.yaml:2: M: has 1 rows: must be a list of 2, as many as q has");
    refuses("q: [1, 2]\nM: [[1, 2], [1]]\n", "a.yaml:2: M.1: has 1 numbers: must have 2");
    refuses("q: [1, x]\nM: [[1, 2], [1, 3]]\n",
            "a.yaml:1: q.1: 'x' is not allowed: must be a finite number");
    refuses("q: [1, .inf]\nM: [[1, 2], [1, 3]]\n",
            "a.yaml:1: q.1: .inf is not allowed: must be a finite number");
    refuses("q: [1]\nM: [[1]]\nn: 2\n", "a.yaml:3: n: is 2, but q has 1 numbers");
    refuses("q: []\nM: []\n", "a.yaml:1: q: has 0 numbers: must have 1 to 20000");
    refuses("q: [1]\nM: [[1]]\ncover: 3\n",
            "a.yaml:3: cover: 3 is not allowed: must be a list of numbers");
    refuses("problems: 5\n", "a.yaml:1: problems: must be a list of problems");
    refuses("problems: [5]\n",
            "a.yaml:1: problems.0: 5 is not allowed: must be a mapping with M and q");
    lcp_file file;
    weir_error error = {0};
    assert_false(lcp_file_load(&file, "no/such/file.json", &error));
    assert_int_not_equal(error.code, WEIR_OK);
}

static void writes_the_result(void **state)
{
    (void)state;
    const char *text = "{name: small, M: [[2, 1], [1, 2]], q: [-5, -6]}";
    lcp_file file;
    weir_error error = {0};
    assert_true(lcp_file_parse(&file, text, strlen(text), "a.yaml", &error));
    memory m = memory_with_hooks(NULL);
    lcp_workspace work;
    lcp_workspace_init(&work, &m);
    double z[2], w[2];
    lcp_result result;
    assert_true(lemke_solve(&file.problems[0].dense, NULL, &work, z, w, &result, &error));
    json out = {0};
    lcp_file_write_result(&out, &file.problems[0], "lemke", z, w, &result);
    assert_false(out.failed);
    assert_non_null(strstr(out.text, "\"name\": \"small\""));
    assert_non_null(strstr(out.text, "\"status\": \"solved\""));
    assert_non_null(strstr(out.text, "\"pivots\": 2"));
    json_free(&out);
    lcp_workspace_free(&work);
    lcp_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_one_problem),
        cmocka_unit_test(reads_a_collection),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(writes_the_result),
    };
    return cmocka_run_group_tests_name("lcp_file", tests, NULL, NULL);
}
