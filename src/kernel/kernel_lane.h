/* The kernels in lanes, as functions of the squared distance. Beyond h they are 0 by a clamp, so
 * that no pair loop needs a branch. */
#ifndef WEIR_KERNEL_KERNEL_LANE_H
#define WEIR_KERNEL_KERNEL_LANE_H

#include "kernel/kernel_constants.h"
#include "lanes/lane.h"

/* W(r), where `root` is that of r2. `kernel` and `dim` are constants of the caller. */
LANE_INLINE lane kernel_lane_value_at(const kernel_constants *k, weir_kernel kernel, lane r2,
                                      lane root)
{
    if (kernel == WEIR_KERNEL_POLY6) {
        lane u = lane_max(lane_set(0), lane_set(1) - r2 * lane_set(k->inv_h2));
        return lane_set(k->value) * (u * u * u);
    }
    lane q = root * lane_set(k->inv_h);
    lane t = lane_max(lane_set(0), lane_set(1) - q);
    lane t2 = t * t;
    if (kernel == WEIR_KERNEL_SPIKY)
        return lane_set(k->value) * (t2 * t);
    if (kernel == WEIR_KERNEL_CUBIC) {
        lane near = lane_set(1) - lane_set(6) * (q * q) * (lane_set(1) - q);
        return lane_set(k->value) * lane_select(q <= lane_set(0.5f), near, lane_set(2) * (t2 * t));
    }
    return lane_set(k->value) * ((t2 * t2) * (lane_set(1) + lane_set(4) * q));
}

LANE_INLINE lane kernel_lane_value(const kernel_constants *k, weir_kernel kernel, lane r2)
{
    return kernel_lane_value_at(k, kernel, r2, lane_sqrt(r2));
}

/* W'(r)/r, which times the vector r_ij is the gradient at i. Never positive. */
LANE_INLINE lane kernel_lane_gradient_at(const kernel_constants *k, weir_kernel kernel, lane r2,
                                         lane root)
{
    if (kernel == WEIR_KERNEL_POLY6) {
        lane u = lane_max(lane_set(0), lane_set(1) - r2 * lane_set(k->inv_h2));
        return lane_set(k->gradient) * (u * u);
    }
    lane q = root * lane_set(k->inv_h);
    lane t = lane_max(lane_set(0), lane_set(1) - q);
    if (kernel == WEIR_KERNEL_SPIKY)
        /* Singular at 0, where the vector that it multiplies is 0. */
        return lane_set(k->gradient) * (t * t) / lane_max(q, lane_set(1e-6f));
    if (kernel == WEIR_KERNEL_CUBIC) {
        lane near = lane_set(2) - lane_set(3) * q;
        lane far = (t * t) / lane_max(q, lane_set(0.25f));
        return lane_set(k->gradient) * lane_select(q <= lane_set(0.5f), near, far);
    }
    return lane_set(k->gradient) * (t * t * t);
}

LANE_INLINE lane kernel_lane_gradient(const kernel_constants *k, weir_kernel kernel, lane r2)
{
    return kernel_lane_gradient_at(k, kernel, r2, lane_sqrt(r2));
}

/* The Laplacian of W. */
LANE_INLINE lane kernel_lane_laplacian(const kernel_constants *k, weir_kernel kernel, int dim,
                                       lane r2)
{
    float d = (float)dim;
    lane q2 = r2 * lane_set(k->inv_h2);
    if (kernel == WEIR_KERNEL_POLY6) {
        lane u = lane_max(lane_set(0), lane_set(1) - q2);
        return lane_set(k->gradient) * u * (lane_set(d) * u - lane_set(4) * q2);
    }
    lane q = lane_sqrt(q2);
    lane t = lane_max(lane_set(0), lane_set(1) - q);
    if (kernel == WEIR_KERNEL_SPIKY)
        return lane_set(k->gradient) * t * (lane_set(d - 1) * t - lane_set(2) * q) /
               lane_max(q, lane_set(1e-6f));
    if (kernel == WEIR_KERNEL_CUBIC) {
        lane near = lane_set(2 * d) - lane_set(3 * (d + 1)) * q;
        lane far = t * (lane_set(d - 1) * t - lane_set(2) * q) / lane_max(q, lane_set(0.25f));
        return lane_set(k->gradient) * lane_select(q <= lane_set(0.5f), near, far);
    }
    return lane_set(k->gradient) * (t * t) *
           ((lane_set(1) - lane_set(4) * q) + lane_set(d - 1) * t);
}

/* The viscosity kernel's Laplacian, ~ (1 - q). */
LANE_INLINE lane kernel_lane_viscosity(const kernel_constants *k, lane r2)
{
    lane q = lane_sqrt(r2) * lane_set(k->inv_h);
    return lane_set(k->viscosity) * lane_max(lane_set(0), lane_set(1) - q);
}

#endif
