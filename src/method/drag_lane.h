/* What the loops of friction share. For *_lanes.c files. */
#ifndef WEIR_METHOD_DRAG_LANE_H
#define WEIR_METHOD_DRAG_LANE_H

#include "lanes/pair_loop.h"
#include "matter/flow.h"

/* Viscosity and density of the liquids of particles i and on, of which `count` are there; those of
 * the only liquid unless fluids are mixed. */
LANE_INLINE void drag_load_liquids(const flow *f, size_t i, size_t count, bool mixed, lane *mu,
                                   lane *rho)
{
    if (!mixed) {
        *mu = lane_set((float)f->fluids[0].viscosity);
        *rho = lane_set((float)f->fluids[0].density);
        return;
    }
    float viscosity[WEIR_LANES], density[WEIR_LANES];
    for (size_t l = 0; l < WEIR_LANES; l++) {
        const fluid *liquid = &f->fluids[f->p.fluid[l < count ? i + l : i]];
        viscosity[l] = (float)liquid->viscosity;
        density[l] = (float)liquid->density;
    }
    *mu = lane_load(viscosity);
    *rho = lane_load(density);
}

/* Of the liquids of the candidates. */
LANE_INLINE lane drag_viscosity_of(const flow *f, lane_turn t)
{
    const uint8_t *of = f->p.fluid;
    float first = (float)f->fluids[of[t.j[0]]].viscosity;
    float second = (float)f->fluids[of[t.j[LANE_HALVES - 1]]].viscosity;
    return lane_of_two(&first, &second);
}

LANE_INLINE lane drag_density_of(const flow *f, lane_turn t)
{
    const uint8_t *of = f->p.fluid;
    float first = (float)f->fluids[of[t.j[0]]].density;
    float second = (float)f->fluids[of[t.j[LANE_HALVES - 1]]].density;
    return lane_of_two(&first, &second);
}

#endif
