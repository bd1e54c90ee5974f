/* A folder for the files of one test program, and readers from outside to check them with. */
#ifndef WEIR_TESTS_OUT_SCRATCH_H
#define WEIR_TESTS_OUT_SCRATCH_H

/* Before cmocka.h, which makes a macro of the name fail. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char scratch_folder[200];

static inline int scratch_begin(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(scratch_folder, sizeof scratch_folder, "%s/weir-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_remove(const char *path, const struct stat *status, int type,
                                 struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline int scratch_end(void **state)
{
    (void)state;
    return nftw(scratch_folder, scratch_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path of a file in the folder; holds until 15 more were asked for. */
static inline const char *scratch_path(const char *name)
{
    static char paths[16][300];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline void scratch_put(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The content of a file, with a zero after its end; the caller frees it. */
static inline char *scratch_get(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static inline void scratch_assert_content(const char *path, const char *expected)
{
    size_t size;
    char *content = scratch_get(path, &size);
    assert_string_equal(content, expected);
    assert_int_equal(size, strlen(expected));
    free(content);
}

/* How many files lie in a folder: shows temporaries that were left behind. */
static inline int scratch_count(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count++;
    closedir(dir);
    return count;
}

/* From here on no file of this process grows beyond `bytes`, as on a disk that fills up. */
static inline void scratch_limit_size(rlim_t bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Runs a Python script with two arguments; returns its exit status. */
static inline int scratch_run_python(const char *python, const char *script, const char *first,
                                     const char *second)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execlp(python, python, "-c", script, first, second, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A Python that has the module, or NULL with a message. */
static inline const char *scratch_find_python(const char *module)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    for (int i = 0; i < 2; i++)
        if (scratch_run_python(pythons[i],
                               "import sys, importlib.util as u\n"
                               "sys.exit(0 if u.find_spec(sys.argv[1]) else 1)",
                               module, "") == 0)
            return pythons[i];
    print_message("skipped: no Python with the module %s\n", module);
    return NULL;
}

#endif
