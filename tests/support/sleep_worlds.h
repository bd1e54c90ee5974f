/* Tanks of fluid that falls asleep, for tests. */
#ifndef WEIR_TESTS_SLEEP_WORLDS_H
#define WEIR_TESTS_SLEEP_WORLDS_H

#include "support/worlds.h"

static const double SLEEP_SPACING = 0.02;
static const double SLEEP_STEP = 1.0 / 60;

typedef struct sleep_tank {
    weir_world_def def;
    int width, depth; /* spacings */
    double viscosity;
} sleep_tank;

/* A tank of 24 by 12 spacings, in 3D as wide as deep, whose fluid sleeps after two seconds. */
static inline sleep_tank sleep_tank_default(weir_method by, int dim)
{
    sleep_tank t = {.def = small_world_def(dim, SLEEP_SPACING),
                    .width = dim == 2 ? 24 : 10,
                    .depth = dim == 2 ? 12 : 8,
                    .viscosity = 0.001};
    weir_world_def_use_method(&t.def, by);
    t.def.sleep_time = 2;
    return t;
}

/* Adds a tank whose lower left corner lies at x, and fills it. */
static inline weir_body_id sleep_add_tank(weir_world *world, const sleep_tank *t,
                                          weir_fluid_id water, double x)
{
    double s = t->def.spacing, length = t->width * s;
    weir_body_id tank = make_tank(world, v3(x, 0, 0), v3(x + length, 4 * length, length));
    fill_box(world, water, t->def.dim, s, v3(x, 0, 0), v3(x + length, t->depth * s, length), 0,
             v3(0, 0, 0));
    return tank;
}

static inline weir_world *make_sleep_tank(const sleep_tank *t, weir_fluid_id *water)
{
    weir_world *world = make_world(&t->def);
    weir_fluid_id liquid = make_fluid(world, 1000, t->viscosity);
    sleep_add_tank(world, t, liquid, 0);
    if (water)
        *water = liquid;
    return world;
}

static inline size_t count_asleep(weir_world *world)
{
    return weir_world_get_statistics(world).particles_asleep;
}

/* Steps until so many particles sleep; when that was. */
static inline double step_until_asleep(weir_world *world, size_t count, double most)
{
    double end = weir_world_get_time(world) + most;
    while (weir_world_get_time(world) < end) {
        step_world(world, SLEEP_STEP);
        if (count_asleep(world) == count)
            return weir_world_get_time(world);
    }
    fail_msg("%zu of %zu particles sleep after %g s", count_asleep(world), count, most);
    return 0;
}

static inline double step_until_all_asleep(weir_world *world, double most)
{
    return step_until_asleep(world, weir_world_get_particles(world).count, most);
}

/* How many steps pass until none sleeps; most + 1 where some sleep on. */
static inline int steps_until_awake(weir_world *world, int most)
{
    for (int k = 0; k <= most; k++) {
        if (count_asleep(world) == 0)
            return k;
        step_world(world, SLEEP_STEP);
    }
    return most + 1;
}

#endif
