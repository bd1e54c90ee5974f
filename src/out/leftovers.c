#include "out/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Whether a name is of a temporary file of out/file.c whose process has ended. */
static bool is_left_over(const char *name)
{
    long process;
    int number, length = 0;
    if (sscanf(name, ".weir-%ld-%d.tmp%n", &process, &number, &length) != 2 ||
        length != (int)strlen(name) || process <= 0)
        return false;
    return process != (long)getpid() && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

void leftovers_remove(const char *folder)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return;
    for (struct dirent *e = readdir(entries); e; e = readdir(entries))
        if (is_left_over(e->d_name))
            unlinkat(dirfd(entries), e->d_name, 0);
    closedir(entries);
}
