/* Gauss-Legendre quadrature with five points per panel. */
#ifndef WEIR_KERNEL_QUADRATURE_H
#define WEIR_KERNEL_QUADRATURE_H

typedef double quadrature_function(const void *context, double x);

static inline double quadrature(quadrature_function *f, const void *context, double from, double to,
                                int panels)
{
    static const double x[3] = {0, 0.53846931010568309104, 0.90617984593866399280};
    static const double weight[3] = {0.56888888888888888889, 0.47862867049936646804,
                                     0.23692688505618908751};
    double half = 0.5 * (to - from) / panels, sum = 0;
    for (int i = 0; i < panels; i++) {
        double middle = from + (2 * i + 1) * half;
        sum += weight[0] * f(context, middle);
        for (int k = 1; k < 3; k++)
            sum +=
                weight[k] * (f(context, middle - half * x[k]) + f(context, middle + half * x[k]));
    }
    return sum * half;
}

/* Cubic Hermite interpolation on one interval: values and slopes at its ends, u in [0, 1] along
 * it. `derivative` (may be NULL) is that of the result. */
static inline double hermite(const double *values, const double *slopes, double step, double u,
                             double *derivative)
{
    double rise = values[1] - values[0];
    double a = slopes[0] * step - rise, b = rise - slopes[1] * step;
    double bend = a * (1 - u) + b * u;
    if (derivative)
        *derivative = (rise + (1 - 2 * u) * bend + u * (1 - u) * (b - a)) / step;
    return values[0] + u * rise + u * (1 - u) * bend;
}

#endif
