/* A small world with everything in it, emitters and sinks too, for many steps: memory must stay
 * flat and everything finite.   soak STEPS [METHOD] */
#include "support/mixed_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int complain(const char *text)
{
    fprintf(stderr, "soak: %s\n", text);
    return 1;
}

/* What a step may not change once the world is warm. */
static bool is_sound(weir_world *world, size_t most_bytes)
{
    weir_statistics now = weir_world_get_statistics(world);
    weir_counters counters = weir_world_get_counters(world);
    if (!isfinite(now.kinetic_energy) || now.speed_max > 100)
        return complain("the fluid is not finite, or far too fast") == 0;
    if (counters.bytes > most_bytes) {
        fprintf(stderr, "soak: %zu bytes, but %zu after the warm-up\n", counters.bytes, most_bytes);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    weir_error error = {WEIR_OK, ""};
    weir_method method = WEIR_METHOD_PBF;
    long steps = argc > 1 ? atol(argv[1]) : 1000;
    if (argc > 2 && !weir_method_find(argv[2], &method))
        return complain("there is no such method");
    mixed_options options = mixed_options_default(2, method);
    options.spacing = 0.06;
    weir_world *world = mixed_world_create(&options, &error);
    if (!world)
        return complain(error.text);
    size_t most = SIZE_MAX;
    for (long k = 1; k <= steps; k++) {
        if (weir_world_step(world, 1.0 / 120, &error) & WEIR_STEP_FAILED)
            return complain(error.text);
        /* A third of the way is warm-up; then a tenth more is allowed for a rare crowd. */
        if (k == steps / 3)
            most = weir_world_get_counters(world).bytes * 11 / 10;
        if (k % (steps / 20 + 1) == 0 && !is_sound(world, most))
            return 1;
    }
    weir_counters counters = weir_world_get_counters(world);
    weir_flow_state in = weir_world_emitter_state(world, 0), out = weir_world_sink_state(world, 0);
    printf("%s: %ld steps, %zu particles, %llu came, %llu went, %zu bytes, peak %zu\n",
           weir_method_get_info(method)->name, steps, weir_world_get_particles(world).count,
           (unsigned long long)in.particles, (unsigned long long)out.particles, counters.bytes,
           counters.peak_bytes);
    weir_world_destroy(world);
    return 0;
}
