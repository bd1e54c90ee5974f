#include "out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 18, MAX_NAME_TRIES = 1000 };

const char *file_reason(int code)
{
    switch (code) {
    case ENOSPC:
        return "the disk is full; free some space or choose another folder";
    case EDQUOT:
        return "the disk quota is used up; free some space or choose another folder";
    case EFBIG:
        return "the file would exceed the largest size that this process may write";
    case EACCES:
    case EPERM:
        return "permission denied; make it writable or choose another folder";
    case EROFS:
        return "the file system is read-only; choose another folder";
    case EISDIR:
        return "it is a folder; give the name of a file";
    case ENOTDIR:
        return "a part of the path is a file, not a folder";
    default:
        return strerror(code);
    }
}

void file_fail(file_writer *w, weir_code code, const char *format, ...)
{
    if (w->failed)
        return;
    w->failed = true;
    w->error.code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(w->error.text, sizeof w->error.text, format, args);
    va_end(args);
}

static void fail_system(file_writer *w, int code)
{
    file_fail(w, WEIR_IO, "cannot write %s: %s", w->path, file_reason(code));
}

/* Writes all bytes, however the system cuts them. Returns 0 or the errno. */
static int write_all(int descriptor, const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

/* The name is short, so that it fits wherever the name of the file fits, and O_EXCL keeps it apart
 * from those of other threads and processes. */
int file_open_temporary(const char *path, char **temporary)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    for (int i = 0; i < MAX_NAME_TRIES; i++) {
        if (asprintf(temporary, "%.*s.weir-%ld-%d.tmp", folder, path, (long)getpid(), i) < 0) {
            *temporary = NULL;
            errno = ENOMEM;
            return -1;
        }
        int descriptor = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0)
            return descriptor;
        free(*temporary);
        *temporary = NULL;
        if (errno != EEXIST && errno != EINTR)
            return -1;
    }
    return -1;
}

/* Opens what is written first. A rename would replace a device such as /dev/stdout by a file, so
 * devices and pipes are written directly. */
static int open_target(file_writer *w)
{
    struct stat status;
    bool exists = stat(w->target, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (exists && !S_ISREG(status.st_mode))
        return open(w->target, O_WRONLY | O_CLOEXEC);
    /* A rename needs no right to write the file itself; respect a file that is protected. */
    if (exists && faccessat(AT_FDCWD, w->target, W_OK, AT_EACCESS) != 0)
        return -1;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the name stays in `w` until it is closed. */
    return file_open_temporary(w->target, &w->temporary);
}

void file_begin(file_writer *w, const char *path)
{
    *w = (file_writer){.descriptor = -1};
    w->path = strdup(path);
    w->target = realpath(path, NULL);
    if (!w->target)
        w->target = strdup(path);
    w->buffer = malloc(BUFFER_SIZE);
    if (!w->path || !w->target || !w->buffer) {
        file_fail(w, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
        return;
    }
    w->descriptor = open_target(w);
    if (w->descriptor < 0 && errno == ENOENT)
        file_fail(w, WEIR_IO, "cannot write %s: its folder does not exist", path);
    else if (w->descriptor < 0)
        fail_system(w, errno);
}

static void flush(file_writer *w)
{
    if (w->failed)
        return;
    int code = write_all(w->descriptor, w->buffer, w->used);
    if (code)
        fail_system(w, code);
    w->used = 0;
}

void file_write(file_writer *w, const void *bytes, size_t count)
{
    if (w->failed || count == 0)
        return;
    if (count > BUFFER_SIZE - w->used)
        flush(w);
    if (w->failed)
        return;
    if (count >= BUFFER_SIZE) {
        int code = write_all(w->descriptor, bytes, count);
        if (code)
            fail_system(w, code);
    } else {
        memcpy(w->buffer + w->used, bytes, count);
        w->used += count;
    }
    w->length += count;
}

void file_print(file_writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) {
        file_fail(w, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", w->path);
        return;
    }
    file_write(w, text, (size_t)length);
    free(text);
}

void file_patch(file_writer *w, uint64_t offset, const void *bytes, size_t count)
{
    flush(w);
    const unsigned char *from = bytes;
    while (!w->failed && count > 0) {
        ssize_t written = pwrite(w->descriptor, from, count, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            if (errno == ESPIPE)
                file_fail(w, WEIR_IO, "cannot write %s: this format needs a file, not a pipe",
                          w->path);
            else
                fail_system(w, errno);
            return;
        }
        from += written;
        offset += (uint64_t)written;
        count -= (size_t)written;
    }
}

/* Closes the descriptor. Errors of a disk may show only here, so they count. */
static void finish(file_writer *w)
{
    flush(w);
    if (w->descriptor < 0)
        return;
    /* EINVAL: a file system that has nothing to bring to a disk. */
    if (!w->failed && w->temporary && fsync(w->descriptor) != 0 && errno != EINVAL)
        fail_system(w, errno);
    if (close(w->descriptor) != 0 && errno != EINTR)
        fail_system(w, errno);
    w->descriptor = -1;
}

static void release(file_writer *w)
{
    if (w->descriptor >= 0)
        close(w->descriptor);
    if (w->temporary)
        unlink(w->temporary);
    free(w->temporary);
    free(w->target);
    free(w->path);
    free(w->buffer);
    w->descriptor = -1;
    w->temporary = w->target = w->path = NULL;
    w->buffer = NULL;
}

bool file_commit(file_writer *w, weir_error *error)
{
    finish(w);
    if (!w->failed && w->temporary) {
        if (rename(w->temporary, w->target) != 0) {
            fail_system(w, errno);
        } else {
            free(w->temporary);
            w->temporary = NULL;
        }
    }
    bool done = !w->failed;
    if (!done && error)
        *error = w->error;
    release(w);
    return done;
}

void file_discard(file_writer *w)
{
    release(w);
}

/* The host may have chosen a locale with a decimal comma; this thread leaves it for a moment. */
typedef struct numerals {
    locale_t plain, before;
} numerals;

static numerals enter_plain(void)
{
    numerals n = {.plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)};
    if (n.plain)
        n.before = uselocale(n.plain);
    return n;
}

static void leave_plain(numerals n)
{
    if (!n.plain)
        return;
    uselocale(n.before);
    freelocale(n.plain);
}

const char *file_format_number(char text[FILE_NUMBER_LENGTH], double value)
{
    numerals n = enter_plain();
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, FILE_NUMBER_LENGTH, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    leave_plain(n);
    return text;
}

const char *file_parse_number(const char *text, double *value)
{
    numerals n = enter_plain();
    char *end;
    *value = strtod(text, &end);
    leave_plain(n);
    return end == text ? NULL : end;
}

bool file_write_json(const char *path, json *j, weir_error *error)
{
    file_writer w;
    file_begin(&w, path);
    if (j->failed)
        file_fail(&w, WEIR_OUT_OF_MEMORY, "memory ran out");
    else
        file_write(&w, j->text, j->length);
    json_free(j);
    return file_commit(&w, error);
}
