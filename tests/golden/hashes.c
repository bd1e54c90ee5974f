/* Prints the hash of a mixed world of every method, dimension and coupling after some steps. What
 * it prints must not depend on the compiler, its options, the threads or the instruction set.
 *   hashes [THREADS [SIMD]]                 one line a world
 *   hashes --all                            fails where threads 1 to 8 or instruction sets differ
 */
#include "support/mixed_world.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 12 };

static bool run(const mixed_options *options, uint64_t *hash)
{
    weir_error error = {0};
    weir_world *world = mixed_world_create(options, &error);
    bool ok = world != NULL;
    for (int k = 0; ok && k < STEPS; k++)
        ok = !(weir_world_step(world, 1.0 / 120, &error) & WEIR_STEP_FAILED);
    if (!ok)
        fprintf(stderr, "hashes: %s\n", error.text);
    *hash = ok ? weir_world_hash(world) : 0;
    weir_world_destroy(world);
    return ok;
}

/* Whether threads and instruction sets give the same hash as one thread of the best set. */
static bool compare(mixed_options options, const char *name, uint64_t expected)
{
    bool same = true;
    for (const char *const *simd = weir_simd_levels(); *simd; simd++)
        for (int threads = 1; threads <= 8; threads++) {
            uint64_t hash;
            /* All threads with the best, and a few with the others. */
            if (simd[1] && threads != 1 && threads != 3)
                continue;
            options.simd = *simd;
            options.threads = threads;
            if (!run(&options, &hash) || hash != expected) {
                printf("%s: %s with %d threads gives %016llx, not %016llx\n", name, *simd, threads,
                       (unsigned long long)hash, (unsigned long long)expected);
                same = false;
            }
        }
    return same;
}

static bool visit(mixed_options options, bool all)
{
    static const char *const couplings[] = {"boundary-volume", "contact-lcp", "penalty"};
    char name[100];
    uint64_t hash;
    snprintf(name, sizeof name, "%s %dD %s", weir_method_get_info(options.method)->name,
             options.dim, couplings[options.coupling]);
    if (!run(&options, &hash))
        return false;
    printf("%016llx %s\n", (unsigned long long)hash, name);
    return !all || compare(options, name, hash);
}

int main(int argc, char **argv)
{
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0, ok = true;
    for (int method = 0; method < WEIR_METHOD_COUNT; method++)
        for (int dim = 2; dim <= 3; dim++)
            for (int coupling = 0; coupling <= WEIR_COUPLING_PENALTY; coupling++) {
                mixed_options options = mixed_options_default(dim, (weir_method)method);
                if (method == WEIR_METHOD_CONSTRAINT && coupling > 0)
                    continue;
                options.coupling = (weir_coupling_mode)coupling;
                options.threads = argc > 1 && !all ? atoi(argv[1]) : 1;
                options.simd = argc > 2 ? argv[2] : NULL;
                ok = visit(options, all) && ok;
            }
    return ok ? 0 : 1;
}
