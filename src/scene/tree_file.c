#include "scene/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Reads at most `most` bytes and sets *length; more than that is reported by the caller. */
static char *read_file(FILE *file, size_t most, size_t *length)
{
    char *bytes = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (used == capacity) {
            capacity = capacity > 0 ? capacity * 2 : 64 * 1024;
            char *grown = realloc(bytes, capacity);
            if (!grown)
                break;
            bytes = grown;
        }
        size_t got = fread(bytes + used, 1, capacity - used, file);
        used += got;
        if (got == 0 || used > most) {
            *length = used;
            return bytes;
        }
    }
    free(bytes);
    return NULL;
}

tree *tree_load(const char *path, const tree_limits *limits, weir_error *error)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (file && fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
        fclose(file);
        fail(error, WEIR_IO, "%s: is a folder: a scene file is expected", path);
        return NULL;
    }
    if (!file) {
        fail(error, errno == ENOENT ? WEIR_NOT_FOUND : WEIR_IO, "%s: cannot be read: %s", path,
             strerror(errno));
        return NULL;
    }
    tree *t = NULL;
    size_t length = 0, most = limits ? limits->bytes : tree_limits_default().bytes;
    char *bytes = read_file(file, most, &length);
    if (!bytes)
        fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", path);
    else if (ferror(file))
        fail(error, WEIR_IO, "%s: cannot be read to its end", path);
    else
        t = tree_parse(bytes, length, path, limits, error);
    free(bytes);
    fclose(file);
    return t;
}
