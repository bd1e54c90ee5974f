/* Folders: made with all above them, and asked whether a file can be written there. */
#include "base/error.h"
#include "out/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static bool make_one_folder(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return true;
    int code = errno;
    struct stat status;
    bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    errno = code;
    return is_folder;
}

bool file_make_folder(const char *path, weir_error *error)
{
    char *part = strdup(path);
    if (!part)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot create the folder %s: memory ran out", path);
    bool done = true;
    for (char *end = part; done && *end; end++) {
        bool ends_name = end[0] != '/' && (end[1] == '/' || end[1] == '\0');
        if (!ends_name)
            continue;
        char after = end[1];
        end[1] = '\0';
        if (!make_one_folder(part))
            done = fail(error, WEIR_IO, "cannot create the folder %s: %s", path,
                        errno == EEXIST ? "a file stands in its way" : file_reason(errno));
        end[1] = after;
    }
    free(part);
    return done;
}

/* Shortens `folder` to the nearest existing path above it, "." at the last. */
static void find_existing(char *folder)
{
    while (access(folder, F_OK) != 0 && errno == ENOENT && strcmp(folder, ".") != 0) {
        char *slash = strrchr(folder, '/');
        if (slash && slash > folder)
            *slash = '\0';
        else
            strcpy(folder, slash ? "/" : ".");
    }
}

bool file_check_folder(const char *path, uint64_t *free_bytes, weir_error *error)
{
    /* Room for "." where the path is empty, and for a slash that makes it a folder. */
    char *folder = malloc(strlen(path) + 3);
    if (!folder)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot check the folder %s: memory ran out", path);
    strcpy(folder, path);
    find_existing(folder);
    struct statvfs space;
    char *temporary = NULL;
    int descriptor = -1;
    if (statvfs(folder, &space) == 0) {
        if (folder[strlen(folder) - 1] != '/')
            strcat(folder, "/");
        /* Only a file that was created proves that files can be created. */
        descriptor = file_open_temporary(folder, &temporary);
    }
    int code = errno;
    free(folder);
    if (descriptor < 0)
        return fail(error, WEIR_IO, "cannot write to the folder %s: %s", path, file_reason(code));
    close(descriptor);
    unlink(temporary);
    free(temporary);
    if (free_bytes)
        *free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
    return true;
}
