#include "kernel/kernel_constants.h"

kernel_constants kernel_constants_make(weir_kernel kernel, int dim, double h)
{
    /* Each shape function of kernel_lane.h is 1 at q = 0, so that its factor is the value there,
     * except the gradients: -6 W(0)/h² for poly6, -3 for spiky, -6 for cubic, -20 for Wendland. */
    static const double gradient_factor[] = {
        [WEIR_KERNEL_WENDLAND_C2] = -20,
        [WEIR_KERNEL_CUBIC] = -6,
        [WEIR_KERNEL_POLY6] = -6,
        [WEIR_KERNEL_SPIKY] = -3,
    };
    double peak = kernel_value(kernel, dim, 0, h);
    return (kernel_constants){
        .inv_h = (float)(1 / h),
        .inv_h2 = (float)(1 / (h * h)),
        .value = (float)peak,
        .gradient = (float)(gradient_factor[kernel] * peak / (h * h)),
        .viscosity = (float)kernel_viscosity_laplacian(dim, 0, h),
    };
}
