/* What two particles do to each other in PBF, in lanes: i is a lane of particles, j the candidates
 * that they meet. No loops over pairs here. */
#ifndef WEIR_METHOD_PBF_PAIR_H
#define WEIR_METHOD_PBF_PAIR_H

#include "lanes/pair_loop.h"

#include "kernel/kernel_lane.h"
#include "method/pbf.h"

/* Artificial pressure k (W(r)/W(Δq))ⁿ (eq. 13, with the sign of a push), no more than k: it is not
 * solved for, and what rises so steeply would throw particles apart. */
LANE_INLINE lane pbf_pair_artificial(const pbf_constants *k, lane value)
{
    lane u = value * lane_set(k->inverse_weight);
    u = lane_select(u < lane_set(1), u, lane_set(1));
    lane power = u;
    if (k->exponent == 4)
        power = (u * u) * (u * u);
    else
        for (int e = 1; e < k->exponent; e++)
            power = power * u;
    return lane_set(k->artificial) * power;
}

/* Squared distance that the pair had at the predicted positions; r is what it has now. */
LANE_INLINE lane pbf_pair_first_distance(float *const shift[3], const lane shift_i[3], lane_turn t,
                                         const lane r[3], int dim)
{
    lane sum = lane_set(0);
    for (int a = 0; a < dim; a++) {
        lane first = r[a] - (shift_i[a] - lane_of(shift[a], t));
        sum = sum + first * first;
    }
    return sum;
}

/* W(r)/W(0). */
LANE_INLINE lane pbf_pair_weight(const pbf_constants *k, weir_kernel kernel, lane r2)
{
    return lane_set(k->unit_weight) * kernel_lane_value(&k->density, kernel, r2);
}

/* a × b: three components in 3D, the z component in [2] in 2D. */
LANE_INLINE void pbf_cross(const lane a[3], const lane b[3], lane out[3], int dim)
{
    if (dim == 3) {
        out[0] = a[1] * b[2] - a[2] * b[1];
        out[1] = a[2] * b[0] - a[0] * b[2];
    }
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* spin × arm; in 2D the spin is its z component in [2]. */
LANE_INLINE void pbf_turn(const lane spin[3], const lane arm[3], lane out[3], int dim)
{
    if (dim == 3) {
        pbf_cross(spin, arm, out, 3);
        return;
    }
    out[0] = lane_set(0) - spin[2] * arm[1];
    out[1] = spin[2] * arm[0];
}

#endif
