/* Front factors of a kernel for one dimension and support radius, in single precision. */
#ifndef WEIR_KERNEL_KERNEL_CONSTANTS_H
#define WEIR_KERNEL_KERNEL_CONSTANTS_H

#include "kernel/kernel.h"

typedef struct kernel_constants {
    float inv_h, inv_h2;
    float value;     /* of W */
    float gradient;  /* of W'/r and of the Laplacian */
    float viscosity; /* of the viscosity kernel's Laplacian */
} kernel_constants;

kernel_constants kernel_constants_make(weir_kernel kernel, int dim, double h);

#endif
