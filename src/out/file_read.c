/* Whole files into memory. */
#include "base/error.h"
#include "out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_ALIGNMENT = 64 };

static bool read_all(int descriptor, unsigned char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t got = read(descriptor, bytes, count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0) {
            errno = EIO; /* shorter than a moment ago: somebody else writes to it */
            return false;
        }
        bytes += got;
        count -= (size_t)got;
    }
    return true;
}

static void *read_open_file(int descriptor, const char *path, size_t *size, weir_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        fail(error, WEIR_IO, "cannot read %s: it is not a regular file", path);
        return NULL;
    }
    size_t bytes = (size_t)status.st_size;
    size_t padded = (bytes / READ_ALIGNMENT + 1) * READ_ALIGNMENT;
    unsigned char *content = aligned_alloc(READ_ALIGNMENT, padded);
    if (!content) {
        fail(error, WEIR_OUT_OF_MEMORY, "cannot read %s: no memory for its %zu bytes", path, bytes);
        return NULL;
    }
    if (!read_all(descriptor, content, bytes)) {
        fail(error, WEIR_IO, "cannot read %s: %s", path, file_reason(errno));
        free(content);
        return NULL;
    }
    memset(content + bytes, 0, padded - bytes);
    *size = bytes;
    return content;
}

void *file_read(const char *path, size_t *size, weir_error *error)
{
    /* O_NONBLOCK: a pipe without a writer must not stop the program. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        if (errno == ENOENT)
            fail(error, WEIR_NOT_FOUND, "cannot read %s: there is no such file", path);
        else if (errno == EACCES)
            fail(error, WEIR_IO, "cannot read %s: permission denied", path);
        else
            fail(error, WEIR_IO, "cannot read %s: %s", path, file_reason(errno));
        return NULL;
    }
    void *content = read_open_file(descriptor, path, size, error);
    close(descriptor);
    return content;
}
