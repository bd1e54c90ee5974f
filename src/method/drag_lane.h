/* What the loops of friction share. For *_lanes.c files. */
#ifndef WEIR_METHOD_DRAG_LANE_H
#define WEIR_METHOD_DRAG_LANE_H

#include "lanes/lane.h"
#include "matter/flow.h"

/* Viscosity and density of the liquids of particles i and on, of which `count` are there; those of
 * the only liquid unless fluids are mixed. */
LANE_INLINE void drag_load_liquids(const flow *f, size_t i, size_t count, bool mixed, lane *mu,
                                   lane *rho)
{
    float viscosity[WEIR_LANES], density[WEIR_LANES];
    for (size_t l = 0; l < WEIR_LANES; l++) {
        const fluid *liquid = &f->fluids[mixed ? f->p.fluid[l < count ? i + l : i] : 0];
        viscosity[l] = (float)liquid->viscosity;
        density[l] = (float)liquid->density;
    }
    *mu = lane_load(viscosity);
    *rho = lane_load(density);
}

#endif
