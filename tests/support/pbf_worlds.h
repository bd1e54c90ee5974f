/* Small worlds of position based fluids, for tests. */
#ifndef WEIR_TESTS_PBF_WORLDS_H
#define WEIR_TESTS_PBF_WORLDS_H

#include "support/worlds.h"

#include "method/pbf.h"
#include "world/state.h"

/* `substeps` 0: as many as Weir wants; else exactly so many, however long. */
static inline weir_world_def pbf_def(int dim, double spacing, int substeps)
{
    weir_world_def def = small_world_def(dim, spacing);
    weir_world_def_use_method(&def, WEIR_METHOD_PBF);
    def.substeps = substeps;
    def.allow_unstable = substeps > 0;
    return def;
}

static inline weir_fluid_id make_water(weir_world *world)
{
    return make_fluid(world, 1000, 0);
}

/* Adds a ball (a disc in 2D) of particles on a lattice. */
static inline size_t fill_ball(weir_world *world, weir_fluid_id liquid, weir_vec3 centre,
                               double radius, weir_vec3 velocity)
{
    const flow *f = &world->flow;
    int n = (int)ceil(radius / f->spacing), depth = f->dim == 3 ? n : 0;
    size_t count = 0;
    weir_error error = {0};
    for (int k = -depth; k <= depth; k++)
        for (int j = -n; j <= n; j++)
            for (int i = -n; i <= n; i++) {
                weir_vec3 at = v3(i * f->spacing, j * f->spacing, k * f->spacing);
                if (vec3_length(at) > radius)
                    continue;
                at = vec3_add(at, centre);
                if (!weir_world_add_particles(world, liquid, &at, 1, velocity, &error))
                    fail_msg("%s", error.text);
                count++;
            }
    return count;
}

static inline const pbf_data *pbf_of(const weir_world *world)
{
    return world->flow.method_data;
}

#endif
