/* A kernel of one dimension and support radius in double precision, with what does not depend on
 * the distance worked out once: for loops over many distances. The same bits as kernel_value and
 * kernel_derivative, which are made of it. */
#ifndef WEIR_KERNEL_KERNEL_RADIAL_H
#define WEIR_KERNEL_KERNEL_RADIAL_H

#include "weir/weir.h"

typedef struct kernel_radial {
    weir_kernel kernel;
    double h;
    double value, slope; /* front factors of W and of W' */
} kernel_radial;

kernel_radial kernel_radial_make(weir_kernel kernel, int dim, double h);

static inline double kernel_power(double base, int exponent)
{
    double result = 1;
    for (int i = 0; i < exponent; i++)
        result *= base;
    return result;
}

/* W at distance r. */
static inline double kernel_radial_value(const kernel_radial *k, double r)
{
    double h = k->h, q = r / h;
    if (r >= h)
        return 0;
    switch (k->kernel) {
    case WEIR_KERNEL_POLY6:
        return k->value * kernel_power(h * h - r * r, 3);
    case WEIR_KERNEL_SPIKY:
        return k->value * kernel_power(h - r, 3);
    case WEIR_KERNEL_CUBIC:
        return k->value * (q <= 0.5 ? 6 * (q * q * q - q * q) + 1 : 2 * kernel_power(1 - q, 3));
    case WEIR_KERNEL_WENDLAND_C2:
        break;
    }
    return k->value * kernel_power(1 - q, 4) * (1 + 4 * q);
}

/* W' at distance r. */
static inline double kernel_radial_slope(const kernel_radial *k, double r)
{
    double h = k->h, q = r / h;
    if (r >= h)
        return 0;
    switch (k->kernel) {
    case WEIR_KERNEL_POLY6:
        return k->slope * r * kernel_power(h * h - r * r, 2);
    case WEIR_KERNEL_SPIKY:
        return k->slope * kernel_power(h - r, 2);
    case WEIR_KERNEL_CUBIC:
        return (q <= 0.5 ? 18 * q * q - 12 * q : -6 * kernel_power(1 - q, 2)) / h * k->slope;
    case WEIR_KERNEL_WENDLAND_C2:
        break;
    }
    return k->slope * q * kernel_power(1 - q, 3);
}

#endif
