/* A small world with everything in it, emitters and sinks too, for many steps: memory must stay
 * flat, of the world by its own count and of the process by the system's, everything finite, and no
 * body thrown. Prints a line for every twentieth of the way.   soak STEPS [METHOD] */
#include "support/mixed_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REPORTS = 20 };

static int complain(const char *text)
{
    fprintf(stderr, "soak: %s\n", text);
    return 1;
}

/* Bytes of the process that are in memory; 0 where the system does not say. */
static size_t resident_bytes(void)
{
    size_t all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%zu %zu", &all, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* What was held after the warm-up. */
typedef struct held {
    size_t world, process;
} held;

static held held_now(const weir_world *world)
{
    return (held){weir_world_get_counters(world).bytes, resident_bytes()};
}

/* A tenth more than after the warm-up is allowed to the world for a rare crowd, and half a megabyte
 * to the process for what the C library keeps. */
static bool is_sound(weir_world *world, const held *warm)
{
    weir_statistics now = weir_world_get_statistics(world);
    held is = held_now(world);
    if (!isfinite(now.kinetic_energy) || now.speed_max > 100)
        return complain("the fluid is not finite, or far too fast") == 0;
    if (warm->world > 0 && is.world > warm->world / 10 * 11) {
        fprintf(stderr, "soak: %zu bytes, but %zu after the warm-up\n", is.world, warm->world);
        return false;
    }
    if (warm->process > 0 && is.process > warm->process + warm->world / 10 + (512u << 10)) {
        fprintf(stderr, "soak: the process has %zu bytes, but had %zu after the warm-up\n",
                is.process, warm->process);
        return false;
    }
    return true;
}

/* Falling through the tank gives 5 m/s: what is many times as fast was thrown by solids that
 * squeezed it. */
static bool are_bodies_calm(const weir_world *world)
{
    static const double most = 30, reach = 0.15; /* m/s; m, of the largest body */
    for (int k = 0; weir_world_body_at(world, k).slot > 0; k++) {
        weir_body_state b;
        if (!weir_body_get_state(world, weir_world_body_at(world, k), &b) ||
            b.kind != WEIR_BODY_DYNAMIC)
            continue;
        double speed = hypot(b.velocity.x, b.velocity.y), spin = fabs(b.spin.z);
        if (speed + reach * spin <= most)
            continue;
        fprintf(stderr, "soak: %s goes at %g m/s and %g rad/s\n", b.name, speed, spin);
        return false;
    }
    return true;
}

static void report(weir_world *world, long step)
{
    held is = held_now(world);
    weir_flow_state in = weir_world_emitter_state(world, 0), out = weir_world_sink_state(world, 0);
    printf("%9ld %9zu %9llu %9llu %10zu %12zu\n", step, weir_world_get_particles(world).count,
           (unsigned long long)in.particles, (unsigned long long)out.particles, is.world,
           is.process);
    fflush(stdout);
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
    printf("%s, %ld steps\n%9s %9s %9s %9s %10s %12s\n", weir_method_get_info(method)->name, steps,
           "step", "particles", "came", "went", "bytes", "of process");
    held warm = {0, 0};
    for (long k = 1; k <= steps; k++) {
        if (weir_world_step(world, 1.0 / 120, &error) & WEIR_STEP_FAILED)
            return complain(error.text);
        if (!are_bodies_calm(world))
            return 1;
        if (k % (steps / REPORTS + 1) == 0) {
            report(world, k);
            if (!is_sound(world, &warm))
                return 1;
        }
        if (k == steps / 3)
            warm = held_now(world);
    }
    report(world, steps);
    weir_counters counters = weir_world_get_counters(world);
    printf("peak of the world: %zu bytes\n", counters.peak_bytes);
    weir_flow_state in = weir_world_emitter_state(world, 0), out = weir_world_sink_state(world, 0);
    weir_world_destroy(world);
    if (in.particles == 0 || out.particles == 0)
        return complain("nothing came or nothing went");
    return 0;
}
