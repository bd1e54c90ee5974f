/* Time series: rows appear at once, and resuming gives the file of an unbroken run. */
#include "scratch.h"

#include "out/csv.h"

#include <math.h>

static const char *const columns[] = {"height", "gate, left \"A\""};
static const char header[] = "time,height,\"gate, left \"\"A\"\"\"\n";

static csv begin(const char *path, double resume_time)
{
    csv c;
    weir_error error;
    if (!csv_open(&c, path, columns, 2, resume_time, &error))
        fail_msg("%s", error.text);
    return c;
}

static void add(csv *c, int row)
{
    assert_true(csv_add(c, row * 0.1, (double[]){row / 3.0, -row}, NULL));
}

static void rows_appear_at_once(void **state)
{
    (void)state;
    const char *path = scratch_path("a.csv");
    csv c = begin(path, -INFINITY);
    scratch_assert_content(path, header);
    assert_true(csv_add(&c, 0, (double[]){0.1, 1e-30}, NULL));
    assert_true(csv_add(&c, 0.1 + 0.2, (double[]){1.0 / 3, NAN}, NULL));
    char expected[200];
    snprintf(expected, sizeof expected, "%s%s", header,
             "0,0.1,1e-30\n0.30000000000000004,0.3333333333333333,nan\n");
    scratch_assert_content(path, expected);
    assert_true(csv_close(&c, NULL));
    scratch_assert_content(path, expected);
    assert_int_equal(scratch_count(scratch_folder), 1);
}

static void a_new_run_replaces_the_file(void **state)
{
    (void)state;
    const char *path = scratch_path("a.csv");
    scratch_put(path, "something else", 14);
    csv c = begin(path, -INFINITY);
    assert_true(csv_close(&c, NULL));
    scratch_assert_content(path, header);
}

static void resumes_like_an_unbroken_run(void **state)
{
    (void)state;
    const char *whole = scratch_path("whole.csv"), *path = scratch_path("parts.csv");
    enum { ROWS = 50 };
    csv a = begin(whole, -INFINITY);
    for (int i = 0; i < ROWS; i++)
        add(&a, i);
    assert_true(csv_close(&a, NULL));
    size_t size;
    char *expected = scratch_get(whole, &size);
    for (int cut = -1; cut < ROWS; cut++) {
        /* The first run got some rows beyond its last checkpoint, the last one in part. */
        csv c = begin(path, -INFINITY);
        for (int i = 0; i < ROWS && i < cut + 4; i++)
            add(&c, i);
        assert_true(csv_close(&c, NULL));
        FILE *file = fopen(path, "ab");
        fprintf(file, "%g,0.1", cut * 0.1);
        fclose(file);
        c = begin(path, cut * 0.1);
        for (int i = cut + 1; i < ROWS; i++)
            add(&c, i);
        assert_true(csv_close(&c, NULL));
        scratch_assert_content(path, expected);
    }
    free(expected);
}

static void resumes_without_a_file(void **state)
{
    (void)state;
    const char *path = scratch_path("none.csv");
    csv c = begin(path, 1.5);
    assert_true(csv_close(&c, NULL));
    scratch_assert_content(path, header);
}

static void assert_refused(const char *content, const char *reason)
{
    const char *path = scratch_path("bad.csv");
    csv c;
    weir_error error = {0};
    scratch_put(path, content, strlen(content));
    assert_false(csv_open(&c, path, columns, 2, 10, &error));
    assert_int_equal(error.code, WEIR_FORMAT);
    assert_non_null(strstr(error.text, "bad.csv"));
    if (!strstr(error.text, reason))
        fail_msg("\"%s\" does not say \"%s\"", error.text, reason);
    scratch_assert_content(path, content);
}

static void refuses_other_files(void **state)
{
    (void)state;
    char text[200];
    assert_refused("", "other columns");
    assert_refused("time,height\n0,1\n", "other columns");
    assert_refused("\x89PNG", "other columns");
    snprintf(text, sizeof text, "%s0,1,2\nhello\n", header);
    assert_refused(text, "line 3");
    snprintf(text, sizeof text, "%s0,1,2\n1;2;3\n", header);
    assert_refused(text, "line 3");
    snprintf(text, sizeof text, "%s\n5,6,7\n", header);
    assert_refused(text, "line 2");
    weir_error error = {0};
    csv c;
    assert_false(csv_open(&c, scratch_path("none/a.csv"), columns, 2, -INFINITY, &error));
    assert_int_equal(error.code, WEIR_IO);
    assert_false(csv_open(&c, scratch_folder, columns, 2, 1, &error));
    assert_int_equal(error.code, WEIR_IO);
}

/* A disk that fills up keeps the rows before and no part of the one that failed. */
static void a_full_disk_keeps_whole_rows(void **state)
{
    (void)state;
    const char *path = scratch_path("full.csv");
    pid_t child = fork();
    if (child == 0) {
        scratch_limit_size(1000);
        csv c = begin(path, -INFINITY);
        weir_error error = {0};
        int row = 0;
        while (row < 1000 && csv_add(&c, row * 0.1, (double[]){row / 3.0, -row}, &error))
            row++;
        bool told = strstr(error.text, "full.csv") && strstr(error.text, "largest size");
        _exit(row > 10 && row < 1000 && told ? row : 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) > 0);
    csv c = begin(scratch_path("some.csv"), -INFINITY);
    for (int i = 0; i < WEXITSTATUS(status); i++)
        add(&c, i);
    assert_true(csv_close(&c, NULL));
    size_t size;
    char *expected = scratch_get(scratch_path("some.csv"), &size);
    scratch_assert_content(path, expected);
    free(expected);
}

static void reports_a_full_device(void **state)
{
    (void)state;
    struct stat status;
    if (stat("/dev/full", &status) != 0) {
        print_message("skipped: no /dev/full\n");
        return;
    }
    csv c;
    weir_error error = {0};
    assert_false(csv_open(&c, "/dev/full", columns, 2, -INFINITY, &error));
    assert_non_null(strstr(error.text, "disk is full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_appear_at_once),
        cmocka_unit_test(a_new_run_replaces_the_file),
        cmocka_unit_test(resumes_like_an_unbroken_run),
        cmocka_unit_test(resumes_without_a_file),
        cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(a_full_disk_keeps_whole_rows),
        cmocka_unit_test(reports_a_full_device),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
