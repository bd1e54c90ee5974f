/* Fluids and their particles. */
#include "base/error.h"
#include "base/notice.h"
#include "matter/density.h"
#include "world/state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const weir_fluid_def presets[] = {
    /* Density, viscosity and surface tension at 20 °C: CRC Handbook of Chemistry and Physics,
     * 97th ed., for water, glycerine and mercury; olive oil and honey vary, typical values. */
    {"water", 998.2, 1.002e-3, 0.0728},  {"oil", 911, 0.084, 0.032},
    {"honey", 1420, 10, 0.06},           {"glycerine", 1261, 1.412, 0.0634},
    {"mercury", 13546, 1.526e-3, 0.486},
};

weir_fluid_def weir_fluid_def_default(void)
{
    return (weir_fluid_def){"fluid", 1000, 0.001, 0};
}

const weir_fluid_def *weir_fluid_preset(int index)
{
    int count = (int)(sizeof presets / sizeof presets[0]);
    return index >= 0 && index < count ? &presets[index] : NULL;
}

weir_fluid_id weir_fluid_create(weir_world *w, const weir_fluid_def *def, weir_error *error)
{
    weir_fluid_id none = {0, 0};
    flow *f = &w->flow;
    if (!REQUIRE(&w->def.hooks, error, def != NULL))
        return none;
    const char *name = def->name ? def->name : "fluid";
    if (!density_is_allowed(def->density)) {
        fail(error, WEIR_INVALID,
             "fluid %s: a density of %g kg/m3 is not allowed: must be from %g to %g", name,
             def->density, DENSITY_LEAST, DENSITY_MOST);
        return none;
    }
    if (!(def->viscosity >= 0 && def->surface_tension >= 0) ||
        !isfinite(def->viscosity + def->surface_tension)) {
        fail(error, WEIR_INVALID,
             "fluid %s: viscosity %g Pa s and surface tension %g N/m must be >= 0", name,
             def->viscosity, def->surface_tension);
        return none;
    }
    if (f->fluid_count == MAX_FLUIDS) {
        fail(error, WEIR_INVALID, "a world holds at most %d fluids", MAX_FLUIDS);
        return none;
    }
    fluid *liquid = &f->fluids[f->fluid_count++];
    memset(liquid, 0, sizeof *liquid);
    strncpy(liquid->name, name, NAME_LENGTH - 1);
    liquid->density = def->density;
    liquid->viscosity = def->viscosity;
    liquid->surface_tension = def->surface_tension;
    liquid->mass = def->density * f->volume;
    world_note_definition(w, liquid, sizeof *liquid);
    world_wake_fluid(w);
    w->prepared = false;         /* what the method derived does not know of it */
    w->flow.reference_speed = 0; /* by which a saved state says the same */
    return (weir_fluid_id){(uint32_t)f->fluid_count, 1};
}

int weir_world_fluid_count(const weir_world *w)
{
    return w->flow.fluid_count;
}

bool world_find_fluid(const weir_world *w, weir_fluid_id id, int *index, weir_error *error)
{
    if (id.slot == 0 || id.slot > (uint32_t)w->flow.fluid_count)
        return fail(error, WEIR_STALE_ID, "the fluid id is null or of another world");
    *index = (int)id.slot - 1;
    return true;
}

static bool check_positions(const flow *f, const weir_vec3 *positions, size_t count,
                            weir_vec3 velocity, weir_error *error)
{
    if (!vec3_is_finite(velocity))
        return fail(error, WEIR_INVALID, "the velocity of new particles must be finite");
    for (size_t i = 0; i < count; i++) {
        if (!vec3_is_finite(positions[i]))
            return fail(error, WEIR_INVALID, "position %zu of new particles is not finite", i);
        for (int a = 0; a < f->dim; a++) {
            double x = vec3_part(positions[i], a);
            const weir_axis_period *period = &f->period[a];
            if (period->enabled && !(x >= period->lo && x < period->hi))
                return fail(error, WEIR_INVALID,
                            "position %zu of new particles lies at %g m along %c, outside of the "
                            "period from %g to %g m",
                            i, x, "xyz"[a], period -> lo, period -> hi);
        }
    }
    return true;
}

bool weir_world_add_particles(weir_world *w, weir_fluid_id id, const weir_vec3 *positions,
                              size_t count, weir_vec3 velocity, weir_error *error)
{
    flow *f = &w->flow;
    int index = 0;
    if (!REQUIRE(&w->def.hooks, error, positions != NULL || count == 0) ||
        !world_find_fluid(w, id, &index, error) ||
        !check_positions(f, positions, count, velocity, error))
        return false;
    if (w->def.max_particles > 0 && f->p.total + count > w->def.max_particles)
        return fail(error, WEIR_INVALID, "%zu particles are more than max_particles allows (%zu)",
                    f->p.total + count, w->def.max_particles);
    if (!particles_reserve(&f->p, &w->mem, f->p.total + count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu particles", f->p.total + count);
    size_t first = particles_append(&f->p, count);
    const double v[3] = {velocity.x, velocity.y, velocity.z};
    assert(f->dim <= 3);
    for (size_t i = 0; i < count; i++) {
        const double x[3] = {positions[i].x, positions[i].y, positions[i].z};
        for (int a = 0; a < f->dim; a++) {
            f->p.x[a][first + i] = (float)x[a];
            f->p.v[a][first + i] = (float)v[a];
        }
        f->p.fluid[first + i] = (uint8_t)index;
    }
    /* What it rests on is found out as it moves. */
    f->fluid_depth = fmax(f->fluid_depth, depth_of_range(f, first, f->p.count));
    return true;
}

weir_particle_view weir_world_get_particles(const weir_world *w)
{
    const particles *p = &w->flow.p;
    return (weir_particle_view){
        .count = p->total,
        .position = {p->x[0], p->x[1], p->x[2]},
        .velocity = {p->v[0], p->v[1], p->v[2]},
        .id = p->id,
        .fluid = p->fluid,
    };
}

const float *weir_world_get_field(const weir_world *w, const char *name)
{
    for (int k = 0; k < w->method->info.field_count; k++)
        if (strcmp(w->method->info.fields[k].name, name) == 0)
            return w->flow.p.field[k];
    return NULL;
}
