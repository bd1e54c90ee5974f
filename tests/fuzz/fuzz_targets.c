#include "fuzz.h"

#include "base/system_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const fuzz_target targets[] = {
    {"scene", fuzz_scene, 4096}, {"checkpoint", fuzz_checkpoint, 16384},
    {"mesh", fuzz_mesh, 4096},   {"lcp", fuzz_lcp, 2048},
    {"study", fuzz_study, 4096}, {"api", fuzz_api, 1024},
};

const fuzz_target *fuzz_target_at(int index)
{
    return index >= 0 && index < (int)(sizeof targets / sizeof targets[0]) ? &targets[index] : NULL;
}

const fuzz_target *fuzz_target_find(const char *name)
{
    for (int k = 0; name && fuzz_target_at(k); k++)
        if (strcmp(targets[k].name, name) == 0)
            return &targets[k];
    return NULL;
}

/* In place of the machine's: scenes that are large but right would take the fuzzer's time. */
uint64_t system_memory_available(void)
{
    return 2u << 20;
}

static char *last_file;

static void remove_file(void)
{
    if (last_file)
        unlink(last_file);
}

const char *fuzz_file(const char *ending, const void *data, size_t size)
{
    static char path[200];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/weir-fuzz-%ld%s", folder, (long)getpid(), ending);
    if (!last_file)
        atexit(remove_file);
    last_file = path;
    FILE *file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(data, 1, size, file) != size) || fclose(file) != 0) {
        fprintf(stderr, "fuzz: %s cannot be written\n", path);
        exit(2);
    }
    return path;
}
