/* Files are whole or absent, whatever fails; earlier content stays. */
#include "scratch.h"

#include "out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <sys/mount.h>

static void write_text(const char *path, const char *text)
{
    file_writer w;
    weir_error error;
    file_begin(&w, path);
    file_print(&w, "%s", text);
    if (!file_commit(&w, &error))
        fail_msg("%s", error.text);
}

/* A writer that fails must name the file and the reason. */
static void assert_refused(file_writer *w, const char *path, const char *reason)
{
    weir_error error = {0};
    assert_false(file_commit(w, &error));
    assert_int_equal(error.code, WEIR_IO);
    assert_non_null(strstr(error.text, path));
    if (!strstr(error.text, reason))
        fail_msg("\"%s\" does not say \"%s\"", error.text, reason);
}

static void writes_and_replaces(void **state)
{
    (void)state;
    const char *path = scratch_path("plain.txt");
    write_text(path, "first\n");
    scratch_assert_content(path, "first\n");
    write_text(path, "second and longer\n");
    scratch_assert_content(path, "second and longer\n");
    assert_int_equal(scratch_count(scratch_folder), 1);
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
}

static void takes_pieces_of_every_size(void **state)
{
    (void)state;
    enum { SIZE = 3000000 };
    unsigned char *bytes = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    const char *path = scratch_path("pieces");
    file_writer w;
    file_begin(&w, path);
    size_t done = 0;
    for (size_t piece = 1; done < SIZE; piece = piece * 3 + 1) {
        size_t count = piece < SIZE - done ? piece : SIZE - done;
        file_write(&w, bytes + done, count);
        done += count;
        assert_int_equal(w.length, done);
    }
    file_patch(&w, 1, "patched", 7);
    file_patch(&w, SIZE - 3, "end", 3);
    file_write(&w, "tail", 4);
    assert_true(file_commit(&w, NULL));
    memcpy(bytes + 1, "patched", 7);
    memcpy(bytes + SIZE - 3, "end", 3);
    size_t size;
    char *content = file_read(path, &size, NULL);
    assert_non_null(content);
    assert_int_equal(size, SIZE + 4);
    assert_int_equal((uintptr_t)content % 64, 0);
    assert_memory_equal(content, bytes, SIZE);
    assert_string_equal(content + SIZE, "tail");
    free(content);
    free(bytes);
    unlink(path);
}

static void nothing_appears_before_the_commit(void **state)
{
    (void)state;
    const char *path = scratch_path("plain.txt");
    write_text(path, "kept\n");
    file_writer w;
    file_begin(&w, path);
    for (int i = 0; i < 100000; i++)
        file_print(&w, "line %d\n", i);
    scratch_assert_content(path, "kept\n");
    assert_int_equal(scratch_count(scratch_folder), 2);
    file_discard(&w);
    scratch_assert_content(path, "kept\n");
    assert_int_equal(scratch_count(scratch_folder), 1);
}

static void a_failure_of_the_caller_counts(void **state)
{
    (void)state;
    const char *path = scratch_path("plain.txt");
    write_text(path, "kept\n");
    file_writer w;
    file_begin(&w, path);
    file_fail(&w, WEIR_IO, "%s: the first reason", path);
    file_fail(&w, WEIR_INVALID, "the second reason");
    file_write(&w, "lost", 4);
    assert_refused(&w, path, "the first reason");
    scratch_assert_content(path, "kept\n");
    assert_int_equal(scratch_count(scratch_folder), 1);
}

static void refuses_bad_paths(void **state)
{
    (void)state;
    write_text(scratch_path("plain.txt"), "kept\n");
    const char *missing = scratch_path("missing/file.txt");
    file_writer w;
    file_begin(&w, missing);
    file_print(&w, "text");
    assert_refused(&w, missing, "folder does not exist");

    file_begin(&w, scratch_folder);
    assert_refused(&w, scratch_folder, "is a folder");

    const char *below = scratch_path("plain.txt/file");
    file_begin(&w, below);
    assert_refused(&w, below, "not a folder");

    file_begin(&w, "");
    weir_error error = {0};
    assert_false(file_commit(&w, &error));
    assert_int_equal(scratch_count(scratch_folder), 1);
}

static void follows_links(void **state)
{
    (void)state;
    const char *link = scratch_path("link");
    assert_int_equal(symlink("plain.txt", link), 0);
    write_text(link, "through the link\n");
    scratch_assert_content(scratch_path("plain.txt"), "through the link\n");
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    unlink(link);
}

/* Root may write everywhere, so the tests of rights put it off for a while. */
static bool become_user(void)
{
    assert_int_equal(chmod(scratch_folder, 0755), 0);
    if (geteuid() != 0)
        return false;
    assert_int_equal(seteuid(65534), 0);
    return true;
}

static void respects_closed_folders(void **state)
{
    (void)state;
    const char *folder = scratch_path("closed");
    const char *path = scratch_path("closed/file.txt");
    assert_true(file_make_folder(folder, NULL));
    write_text(path, "kept\n");
    assert_int_equal(chmod(folder, 0555), 0);
    bool was_root = become_user();

    file_writer w;
    weir_error error = {0};
    file_begin(&w, path);
    file_print(&w, "other");
    assert_refused(&w, path, "permission denied");
    const char *other = scratch_path("closed/new.txt");
    file_begin(&w, other);
    assert_refused(&w, other, "permission denied");
    assert_false(file_check_folder(folder, NULL, &error));
    assert_non_null(strstr(error.text, "permission denied"));
    assert_false(file_make_folder(scratch_path("closed/a/b"), &error));
    assert_non_null(strstr(error.text, "permission denied"));

    if (was_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    scratch_assert_content(path, "kept\n");
    assert_int_equal(scratch_count(folder), 1);
}

static void respects_protected_files(void **state)
{
    (void)state;
    const char *folder = scratch_path("open");
    const char *path = scratch_path("open/file.txt");
    assert_true(file_make_folder(folder, NULL));
    write_text(path, "kept\n");
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    bool was_root = become_user();
    file_writer w;
    file_begin(&w, path);
    file_print(&w, "other");
    assert_refused(&w, path, "permission denied");
    if (was_root)
        assert_int_equal(seteuid(0), 0);
    scratch_assert_content(path, "kept\n");
    assert_int_equal(scratch_count(folder), 1);
}

/* Writes to devices go directly: a rename would replace the device. */
static void reports_a_full_device(void **state)
{
    (void)state;
    struct stat status;
    if (stat("/dev/full", &status) != 0 || !S_ISCHR(status.st_mode)) {
        print_message("skipped: no /dev/full\n");
        return;
    }
    file_writer w;
    file_begin(&w, "/dev/full");
    file_print(&w, "text");
    assert_refused(&w, "/dev/full", "disk is full");
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    write_text("/dev/null", "text");
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

/* In a child, so that the limit does not hold for the other tests. */
static void reports_a_size_limit(void **state)
{
    (void)state;
    const char *path = scratch_path("plain.txt");
    write_text(path, "kept\n");
    int before = scratch_count(scratch_folder);
    pid_t child = fork();
    if (child == 0) {
        scratch_limit_size(100000);
        static const char bytes[1000000];
        static const size_t sizes[] = {100001, 1000000, 300};
        for (int i = 0; i < 3; i++) {
            file_writer w;
            weir_error error = {0};
            file_begin(&w, path);
            for (size_t sum = 0; sum <= 100000; sum += sizes[i])
                file_write(&w, bytes, sizes[i]);
            if (file_commit(&w, &error) || !strstr(error.text, "largest size"))
                _exit(1);
        }
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    scratch_assert_content(path, "kept\n");
    assert_int_equal(scratch_count(scratch_folder), before);
}

/* A real disk of 64 KiB, where the system lets us make one; it is gone with the child. */
static void reports_a_full_disk(void **state)
{
    (void)state;
    const char *disk = scratch_path("disk");
    assert_true(file_make_folder(disk, NULL));
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 ||
            mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("tmpfs", disk, "tmpfs", 0, "size=64k") != 0)
            _exit(77);
        const char *path = scratch_path("disk/file");
        static const char bytes[40000];
        for (int i = 0; i < 2; i++) {
            file_writer w;
            weir_error error = {0};
            uint64_t space;
            file_begin(&w, path);
            file_write(&w, bytes, i == 0 ? 30000 : 40000);
            bool done = file_commit(&w, &error);
            if (done != (i == 0) || (!done && !strstr(error.text, "disk is full")))
                _exit(1);
            if (!file_check_folder(disk, &space, NULL) || space > 65536 - 30000)
                _exit(2);
        }
        struct stat status;
        _exit(stat(path, &status) == 0 && status.st_size == 30000 && scratch_count(disk) == 1 ? 0
                                                                                              : 3);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        print_message("skipped: no right to mount a small disk\n");
    else
        assert_int_equal(WEXITSTATUS(status), 0);
}

static void makes_folders(void **state)
{
    (void)state;
    weir_error error = {0};
    struct stat status;
    assert_true(file_make_folder(scratch_path("a/b//c/"), &error));
    assert_int_equal(stat(scratch_path("a/b/c"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_true(file_make_folder(scratch_path("a/b/c"), &error));
    assert_true(file_make_folder(".", &error));
    assert_true(file_make_folder("/", &error));
    assert_false(file_make_folder(scratch_path("plain.txt"), &error));
    assert_non_null(strstr(error.text, "a file stands in its way"));
    assert_false(file_make_folder(scratch_path("plain.txt/a"), &error));
    assert_int_equal(error.code, WEIR_IO);
    char before[400];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch_folder), 0);
    assert_true(file_make_folder("s", &error));
    assert_true(file_make_folder("t/u", &error));
    assert_int_equal(stat(scratch_path("s"), &status), 0);
    assert_int_equal(stat(scratch_path("t/u"), &status), 0);
    assert_int_equal(chdir(before), 0);
}

static void checks_folders(void **state)
{
    (void)state;
    uint64_t space = 0;
    weir_error error = {0};
    int before = scratch_count(scratch_folder);
    assert_true(file_check_folder(scratch_folder, &space, &error));
    assert_true(space > 0);
    assert_true(file_check_folder(scratch_path("not/yet/there"), &space, &error));
    assert_true(file_check_folder(scratch_path("a/"), NULL, &error));
    assert_int_equal(scratch_count(scratch_folder), before);
    assert_false(file_check_folder(scratch_path("plain.txt"), NULL, &error));
    assert_non_null(strstr(error.text, "not a folder"));
    assert_false(file_check_folder(scratch_path("plain.txt/x"), NULL, &error));
}

static void reads_only_regular_files(void **state)
{
    (void)state;
    weir_error error = {0};
    size_t size = 1;
    assert_null(file_read(scratch_path("none"), &size, &error));
    assert_int_equal(error.code, WEIR_NOT_FOUND);
    assert_null(file_read(scratch_folder, &size, &error));
    assert_int_equal(error.code, WEIR_IO);
    assert_null(file_read("/dev/zero", &size, &error));
    const char *pipe = scratch_path("pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_null(file_read(pipe, &size, &error));
    assert_non_null(strstr(error.text, "not a regular file"));
    write_text(scratch_path("empty"), "");
    char *empty = file_read(scratch_path("empty"), &size, &error);
    assert_non_null(empty);
    assert_int_equal(size, 0);
    assert_string_equal(empty, "");
    free(empty);
}

static void numbers_read_back(void **state)
{
    (void)state;
    static const double values[] = {0,      -0.0, 1,       0.1,     1.0 / 3,
                                    1e-320, -42,  1.7e308, 1234567, 0.30000000000000004};
    char text[FILE_NUMBER_LENGTH];
    /* A locale with a decimal comma must change nothing; it may not be installed. */
    setlocale(LC_ALL, "de_DE.UTF-8");
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double back;
        file_format_number(text, values[i]);
        assert_null(strchr(text, ','));
        assert_ptr_equal(file_parse_number(text, &back), text + strlen(text));
        assert_memory_equal(&back, &values[i], sizeof back);
    }
    assert_string_equal(file_format_number(text, 0.1), "0.1");
    assert_string_equal(file_format_number(text, -1.7976931348623157e308),
                        "-1.7976931348623157e+308");
    assert_string_equal(file_format_number(text, (double)INFINITY), "inf");
    double back;
    assert_null(file_parse_number("x", &back));
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_and_replaces),
        cmocka_unit_test(takes_pieces_of_every_size),
        cmocka_unit_test(nothing_appears_before_the_commit),
        cmocka_unit_test(a_failure_of_the_caller_counts),
        cmocka_unit_test(refuses_bad_paths),
        cmocka_unit_test(follows_links),
        cmocka_unit_test(respects_closed_folders),
        cmocka_unit_test(respects_protected_files),
        cmocka_unit_test(reports_a_full_device),
        cmocka_unit_test(reports_a_size_limit),
        cmocka_unit_test(reports_a_full_disk),
        cmocka_unit_test(makes_folders),
        cmocka_unit_test(checks_folders),
        cmocka_unit_test(reads_only_regular_files),
        cmocka_unit_test(numbers_read_back),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
