/* The targets for libFuzzer: WEIR_FUZZ=scene ./weir_fuzz CORPUS ... */
#include "fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

/* CPU seconds that one input may take: inputs are at most some thousand bytes, so that more is out
 * of proportion even under the sanitizers. */
enum { CPU_LIMIT = 20 };

static const fuzz_target *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void too_long(int signal_number)
{
    (void)signal_number;
    abort();
}

/* By the process's own time: on a busy machine the clock on the wall would blame any input. */
static void limit_cpu(int seconds)
{
    struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &limit, NULL);
}

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
    signal(SIGPROF, too_long);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > chosen->longest)
        return 0;
    limit_cpu(CPU_LIMIT);
    chosen->run(data, size);
    limit_cpu(0);
    return 0;
}
