/* What two particles do to each other in SPH, in lanes: i is a lane of particles, j one particle
 * for all of them. No loops and no memory here. */
#ifndef WEIR_METHOD_SPH_PAIR_H
#define WEIR_METHOD_SPH_PAIR_H

#include "kernel/kernel_lane.h"
#include "method/sph.h"

/* Pressure of the pair, which times −volume/ρ0_i · W'/r · r_ij is an acceleration of i.
 * Müller (Sjöström eq. 3.28): (p_i + p_j)/(2 δ_i δ_j); symmetric (Bodin eq. 8):
 * p_i/δ_i² + p_j/δ_j². Both are the same for i and j, so that momentum is conserved. */
LANE_INLINE lane sph_pair_pressure(bool mueller_form, lane p_i, lane inverse_i, lane p_j,
                                   lane inverse_j)
{
    if (mueller_form)
        return lane_set(0.5f) * (p_i + p_j) * (inverse_i * inverse_j);
    return p_i * (inverse_i * inverse_i) + p_j * (inverse_j * inverse_j);
}

/* Weight of (v_j − v_i) in the viscous acceleration, without volume/ρ0_i: μ_ij ∇²W/(δ_i δ_j), with
 * the viscosity kernel (Sjöström eq. 3.32) or −2 W'/r, which has the same second moment. */
LANE_INLINE lane sph_pair_viscosity(const sph_constants *k, lane gradient, lane r2, lane mu_i,
                                    lane inverse_i, lane mu_j, lane inverse_j)
{
    lane laplacian =
        k->mueller_viscosity ? kernel_lane_viscosity(&k->pressure, r2) : lane_set(-2) * gradient;
    return lane_set(0.5f * k->viscosity_scale) * (mu_i + mu_j) * (inverse_i * inverse_j) *
           laplacian;
}

/* Shape of the pull between two particles of a liquid with surface tension, as a function of q =
 * r/h: attraction that ends at h, repulsion below about a quarter of it, so that they do not clump
 * (Akinci, Akinci, Teschner: Versatile Surface Tension and Adhesion for SPH Fluids, 2013, eq. 2,
 * here 1 at q = 1/2). */
LANE_INLINE lane sph_pair_cohesion(lane q)
{
    lane t = lane_max(lane_set(0), lane_set(1) - q);
    lane hill = lane_set(64) * (t * t * t) * (q * q * q);
    return lane_select(q > lane_set(0.5f), hill, hill + hill - lane_set(1));
}

#endif
