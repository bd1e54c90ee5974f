/* The targets for libFuzzer: WEIR_FUZZ=scene ./weir_fuzz CORPUS ... */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static const fuzz_target *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    chosen = fuzz_target_find(getenv("WEIR_FUZZ"));
    if (!chosen) {
        fprintf(stderr, "fuzz: set WEIR_FUZZ to one of:");
        for (int k = 0; fuzz_target_at(k); k++)
            fprintf(stderr, " %s", fuzz_target_at(k)->name);
        fprintf(stderr, "\n");
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= chosen->longest)
        chosen->run(data, size);
    return 0;
}
