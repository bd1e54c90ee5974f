/* What two particles do to each other in a viscoelastic fluid, in lanes: i is a lane of particles,
 * j one particle for all of them. No loops and no memory here. Clavet et al. 2005. */
#ifndef WEIR_METHOD_VISCOELASTIC_PAIR_H
#define WEIR_METHOD_VISCOELASTIC_PAIR_H

#include "lanes/lane.h"
#include "method/viscoelastic.h"

/* The core of the kernels: 1 − q, or 1 − q²; 0 beyond h. */
LANE_INLINE lane visco_lane_core(visco_kernels kernels, lane q)
{
    lane t = kernels == VISCO_KERNELS_PAPER ? lane_set(1) - q : lane_set(1) - q * q;
    return lane_max(lane_set(0), t);
}

/* Contributions to ρ (eq. 1) and ρ_near (eq. 4). */
LANE_INLINE void visco_lane_density(visco_kernels kernels, lane q, lane *far, lane *near)
{
    lane t = visco_lane_core(kernels, q);
    *far = t * t;
    *near = *far * t;
}

/* Displacement of i away from j (eq. 6): the mean of what i and j give each other. */
LANE_INLINE lane visco_lane_displacement(visco_kernels kernels, lane q, lane far, lane near)
{
    lane t = visco_lane_core(kernels, q);
    lane push = far * t + near * (t * t);
    return kernels == VISCO_KERNELS_SQUARED ? lane_set(2) * q * push : push;
}

/* Velocity that i and j lose towards each other (Algorithm 5), for an inward speed u. */
LANE_INLINE lane visco_lane_drag(lane q, lane u, lane sigma, lane beta)
{
    lane t = lane_max(lane_set(0), lane_set(1) - q);
    lane inward = lane_max(lane_set(0), u);
    return t * (sigma + beta * inward) * inward;
}

#endif
