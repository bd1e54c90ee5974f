#include "base/system_memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The number behind `key` in a file of "key number" lines; with an empty key the number that the
 * file starts with. */
static bool read_number(const char *path, const char *key, uint64_t *value)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    char line[256];
    bool found = false;
    size_t length = strlen(key);
    while (!found && fgets(line, sizeof line, file))
        found = strncmp(line, key, length) == 0 && sscanf(line + length, "%" SCNu64, value) == 1;
    fclose(file);
    return found;
}

uint64_t system_memory_available(void)
{
    uint64_t available = UINT64_MAX;
    uint64_t kibibytes = 0;
    if (read_number("/proc/meminfo", "MemAvailable:", &kibibytes))
        available = kibibytes * 1024;
    /* A container has a limit of its own (cgroup v2); "max" there reads as no number. */
    uint64_t limit = 0;
    uint64_t used = 0;
    if (read_number("/sys/fs/cgroup/memory.max", "", &limit) &&
        read_number("/sys/fs/cgroup/memory.current", "", &used)) {
        uint64_t left = limit > used ? limit - used : 0;
        if (left < available)
            available = left;
    }
    return available;
}
