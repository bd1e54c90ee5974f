#include "kernel/kernel.h"

#include "kernel/kernel_radial.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double value_factor(weir_kernel kernel, int dim, double h)
{
    switch (kernel) {
    case WEIR_KERNEL_POLY6:
        return dim == 2 ? 4 / (PI * kernel_power(h, 8)) : 315 / (64 * PI * kernel_power(h, 9));
    case WEIR_KERNEL_SPIKY:
        return dim == 2 ? 10 / (PI * kernel_power(h, 5)) : 15 / (PI * kernel_power(h, 6));
    case WEIR_KERNEL_CUBIC:
        return dim == 2 ? 40 / (7 * PI * h * h) : 8 / (PI * h * h * h);
    case WEIR_KERNEL_WENDLAND_C2:
        break;
    }
    return dim == 2 ? 7 / (PI * h * h) : 21 / (2 * PI * h * h * h);
}

static double slope_factor(weir_kernel kernel, int dim, double h)
{
    switch (kernel) {
    case WEIR_KERNEL_POLY6:
        return -(dim == 2 ? 24 / (PI * kernel_power(h, 8)) : 945 / (32 * PI * kernel_power(h, 9)));
    case WEIR_KERNEL_SPIKY:
        return -(dim == 2 ? 30 / (PI * kernel_power(h, 5)) : 45 / (PI * kernel_power(h, 6)));
    case WEIR_KERNEL_CUBIC:
        return value_factor(kernel, dim, h);
    case WEIR_KERNEL_WENDLAND_C2:
        break;
    }
    return -value_factor(kernel, dim, h) / h * 20;
}

kernel_radial kernel_radial_make(weir_kernel kernel, int dim, double h)
{
    return (kernel_radial){kernel, h, value_factor(kernel, dim, h), slope_factor(kernel, dim, h)};
}

double kernel_value(weir_kernel kernel, int dim, double r, double h)
{
    kernel_radial k = {.kernel = kernel, .h = h, .value = value_factor(kernel, dim, h)};
    return kernel_radial_value(&k, r);
}

double kernel_derivative(weir_kernel kernel, int dim, double r, double h)
{
    kernel_radial k = {.kernel = kernel, .h = h, .slope = slope_factor(kernel, dim, h)};
    return kernel_radial_slope(&k, r);
}

double kernel_viscosity_laplacian(int dim, double r, double h)
{
    if (r >= h)
        return 0;
    return (dim == 2 ? 40 / (PI * kernel_power(h, 5)) : 45 / (PI * kernel_power(h, 6))) * (h - r);
}

/* Sum over the lattice spanned by the rows of `basis`. */
static double sum_sites(int dim, double basis[3][3], double h, kernel_weight weight,
                        const void *context)
{
    /* The basis vectors of these lattices are nearly orthogonal: four spacings beyond h is ample
     * for every support up to 4 spacings. */
    double shortest =
        sqrt(basis[0][0] * basis[0][0] + basis[0][1] * basis[0][1] + basis[0][2] * basis[0][2]);
    int reach = (int)ceil(2 * h / shortest) + 1;
    double sum = 0;
    for (int c = dim == 3 ? -reach : 0; c <= (dim == 3 ? reach : 0); c++)
        for (int b = -reach; b <= reach; b++)
            for (int a = -reach; a <= reach; a++) {
                double r2 = 0;
                for (int axis = 0; axis < 3; axis++) {
                    double x = a * basis[0][axis] + b * basis[1][axis] + c * basis[2][axis];
                    r2 += x * x;
                }
                if (r2 < h * h)
                    sum += weight(context, sqrt(r2));
            }
    return sum;
}

typedef double lattice[3][3];

/* Lattices with as many sites a volume as the square one; returns how many, the first two being
 * those of kernel_lattice_sum. */
enum { MOST_LATTICES = 3 };
static int make_lattices(int dim, double d, lattice made[MOST_LATTICES])
{
    const lattice square = {{d, 0, 0}, {0, d, 0}, {0, 0, d}};
    memcpy(made[0], square, sizeof square);
    if (dim == 2) {
        double a = d * sqrt(2 / sqrt(3.0));
        const lattice hexagonal = {{a, 0, 0}, {a / 2, a * sqrt(3.0) / 2, 0}, {0, 0, 0}};
        memcpy(made[1], hexagonal, sizeof hexagonal);
        return 2;
    }
    double a = d * cbrt(4.0) / 2, c = d * cbrt(2.0) / 2; /* half the edges of cells of 4, 2 sites */
    const lattice face_centred = {{a, a, 0}, {a, 0, a}, {0, a, a}};
    const lattice body_centred = {{-c, c, c}, {c, -c, c}, {c, c, -c}};
    memcpy(made[1], face_centred, sizeof face_centred);
    memcpy(made[2], body_centred, sizeof body_centred);
    return 3;
}

double kernel_lattice_sum(int dim, double spacing, double h, kernel_weight weight,
                          const void *context)
{
    lattice made[MOST_LATTICES];
    make_lattices(dim, spacing, made);
    return (sum_sites(dim, made[0], h, weight, context) +
            sum_sites(dim, made[1], h, weight, context)) /
           2;
}

typedef struct kernel_context {
    weir_kernel kernel;
    int dim;
    double h;
} kernel_context;

static double weigh_by_kernel(const void *context, double r)
{
    const kernel_context *k = context;
    return kernel_value(k->kernel, k->dim, r, k->h);
}

double kernel_volume_factor(weir_kernel kernel, int dim, double spacing, double h)
{
    kernel_context context = {kernel, dim, h};
    double sum = kernel_lattice_sum(dim, spacing, h, weigh_by_kernel, &context);
    return 1 / (sum * kernel_power(spacing, dim));
}

double kernel_settled_factor(weir_kernel kernel, int dim, double spacing, double h)
{
    const double settled = dim == 2 ? 0.7 : 0.5;
    kernel_context context = {kernel, dim, h};
    lattice made[MOST_LATTICES];
    int count = make_lattices(dim, spacing, made);
    double least = INFINITY;
    for (int k = 0; k < count; k++)
        least = fmin(least, sum_sites(dim, made[k], h, weigh_by_kernel, &context));
    double mean = kernel_lattice_sum(dim, spacing, h, weigh_by_kernel, &context);
    return 1 / ((mean + settled * (least - mean)) * kernel_power(spacing, dim));
}

static double weigh_by_square(const void *context, double r)
{
    const kernel_context *k = context;
    double slope = kernel_derivative(k->kernel, k->dim, r, k->h);
    return slope * slope;
}

static double weigh_by_moment(const void *context, double r)
{
    const kernel_context *k = context;
    return -r * kernel_derivative(k->kernel, k->dim, r, k->h) / k->dim;
}

double kernel_lattice_squares(weir_kernel kernel, int dim, double spacing, double h)
{
    kernel_context context = {kernel, dim, h};
    return kernel_lattice_sum(dim, spacing, h, weigh_by_square, &context);
}

double kernel_lattice_moment(weir_kernel kernel, int dim, double spacing, double h)
{
    kernel_context context = {kernel, dim, h};
    return kernel_lattice_sum(dim, spacing, h, weigh_by_moment, &context);
}

const char *kernel_name(weir_kernel kernel)
{
    static const char *const names[] = {"wendland", "cubic", "poly6", "spiky"};
    return names[kernel];
}
