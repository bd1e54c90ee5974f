/* Worlds of viscoelastic fluid for tests. */
#ifndef WEIR_TESTS_VISCOELASTIC_WORLDS_H
#define WEIR_TESTS_VISCOELASTIC_WORLDS_H

#include "method/viscoelastic.h"
#include "support/worlds.h"
#include "world/state.h"

/* The values of the parameter "material". */
enum { CUSTOM, WATER, HONEY, PAINT, MUD, CLAY, GEL, JELLY, PAPER };

static inline weir_world_def visco_def(int dim, double spacing)
{
    weir_world_def def = small_world_def(dim, spacing);
    weir_world_def_use_method(&def, WEIR_METHOD_VISCOELASTIC);
    return def;
}

/* Without a surface tension of its own. */
static inline weir_fluid_id make_plain_fluid(weir_world *world, double viscosity)
{
    weir_error error = {0};
    weir_fluid_def def = weir_fluid_def_default();
    def.surface_tension = 0;
    def.viscosity = viscosity;
    weir_fluid_id id = weir_fluid_create(world, &def, &error);
    if (id.slot == 0)
        fail_msg("%s", error.text);
    return id;
}

static inline void schedule_change(weir_world *world, double time, const char *name, double value)
{
    weir_error error = {0};
    if (!weir_world_schedule_parameter(world, time, name, value, &error))
        fail_msg("%s", error.text);
}

/* Mean distance from the centre along an axis: few strays do not move it. */
static inline double mean_spread(const weir_world *world, int axis)
{
    weir_particle_view v = weir_world_get_particles(world);
    double centre = 0, spread = 0;
    for (size_t i = 0; i < v.count; i++)
        centre += v.position[axis][i] / (double)v.count;
    for (size_t i = 0; i < v.count; i++)
        spread += fabs(v.position[axis][i] - centre) / (double)v.count;
    return spread;
}

#endif
