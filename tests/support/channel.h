/* A channel between two sticking planes at y = 0 and y = 1 m, periodic along x (and z), for flows
 * whose profiles are known. Kinematic viscosity 1 m²/s, so that time is ν t/d². */
#ifndef WEIR_TESTS_CHANNEL_H
#define WEIR_TESTS_CHANNEL_H

#include "support/worlds.h"

typedef struct channel_def {
    int dim, cells; /* particles across */
    double jitter;  /* of the start, in spacings */
    double force;   /* m/s² along x */
    double lid;     /* m/s of the upper plane along x */
    double support;
    int viscosity_form;
} channel_def;

static inline weir_world *make_channel(const channel_def *c)
{
    double spacing = 1.0 / c->cells, length = 10 * spacing;
    weir_world_def def = small_world_def(c->dim, spacing);
    def.gravity = v3(0, 0, 0);
    def.acceleration = v3(c->force, 0, 0);
    if (c->support > 0)
        def.support = c->support;
    def.period[0] = (weir_axis_period){true, 0, length};
    if (c->dim == 3)
        def.period[2] = (weir_axis_period){true, 0, length};
    set_parameter(&def, "sound_speed", 10); /* ten times the largest speed of these flows */
    set_parameter(&def, "viscosity_form", c->viscosity_form);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_fluid(world, 1000, 1000);
    weir_body_def lower = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_NO_SLIP);
    weir_body_def upper = plane_def(v3(0, 1, 0), v3(0, -1, 0), WEIR_WALL_NO_SLIP);
    upper.kind = WEIR_BODY_ANIMATED;
    upper.motion.velocity = v3(c->lid, 0, 0);
    make_body(world, &lower);
    make_body(world, &upper);
    fill_box(world, liquid, c->dim, spacing, v3(0, 0, 0), v3(length, 1, length), c->jitter,
             v3(0, 0, 0));
    return world;
}

/* The largest difference to the profile u(y, t), of the means over layers of one spacing. */
static inline double profile_error(const weir_world *world, int cells,
                                   double (*profile)(double, double))
{
    weir_particle_view view = weir_world_get_particles(world);
    double worst = 0;
    for (int layer = 0; layer < cells; layer++) {
        double y = 0, u = 0, count = 0;
        for (size_t i = 0; i < view.count; i++)
            if ((int)(view.position[1][i] * (float)cells) == layer) {
                y += view.position[1][i];
                u += view.velocity[0][i];
                count++;
            }
        if (count > 0)
            worst = fmax(worst, fabs(u / count - profile(y / count, weir_world_get_time(world))));
    }
    return worst;
}

/* Runs to the times ν t/d² = 0.02, 0.05, 0.1, 0.2, 0.5, 1 and holds the profile against u(y, t). */
static inline void check_start_up(const channel_def *c, double (*profile)(double, double),
                                  double tolerance)
{
    static const double times[] = {0.02, 0.05, 0.1, 0.2, 0.5, 1};
    weir_world *world = make_channel(c);
    for (size_t k = 0; k < COUNT_OF(times); k++) {
        step_world(world, times[k] - weir_world_get_time(world));
        assert_between(profile_error(world, c->cells, profile), 0, tolerance);
    }
    weir_world_destroy(world);
}

#endif
