/* Half-space integrals by Gauss-Legendre quadrature, tabulated for cubic Hermite interpolation
 * with exact slopes. The substitution q² = t² + u² turns both marginals into smooth integrals:
 *   3D: w(t) = 2 pi int_0^U W(sqrt(t²+u²)) u du,  2D: w(t) = 2 int_0^U W(sqrt(t²+u²)) du,
 * with U = sqrt(1-t²). */
#include "kernel/half_space.h"

#include "kernel/quadrature.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { PANELS = 16 };

/* A radial weight for h = 1, cut by the plane at normal distance t. */
typedef struct section {
    kernel_weight weight;
    const void *context;
    int dim;
    double t;
} section;

static double section_value(const void *context, double u)
{
    const section *s = context;
    double value = s->weight(s->context, sqrt(s->t * s->t + u * u));
    return s->dim == 3 ? 2 * PI * u * value : 2 * value;
}

static double marginal(const section *s, double t)
{
    section at = *s;
    at.t = fabs(t);
    return at.t < 1 ? quadrature(section_value, &at, 0, sqrt(1 - at.t * at.t), PANELS) : 0;
}

static double marginal_at(const void *context, double t)
{
    return marginal(context, t);
}

static double moment_at(const void *context, double t)
{
    return t * marginal(context, t);
}

static double table_position(int i)
{
    return 2.0 * i / HALF_SPACE_INTERVALS - 1;
}

/* values[i] = int of f from position i to 1; slopes[i] = -f. */
static void tabulate(quadrature_function *f, const section *s, double *values, double *slopes)
{
    values[HALF_SPACE_INTERVALS] = 0;
    slopes[HALF_SPACE_INTERVALS] = 0;
    for (int i = HALF_SPACE_INTERVALS - 1; i >= 0; i--) {
        double from = table_position(i), to = table_position(i + 1);
        values[i] = values[i + 1] + quadrature(f, s, from, to, 1);
        slopes[i] = -f(s, from);
    }
}

static double interpolate(const double *values, const double *slopes, double s, double *derivative)
{
    const double step = 2.0 / HALF_SPACE_INTERVALS;
    double u = (s + 1) / step;
    int i = (int)u;
    if (i > HALF_SPACE_INTERVALS - 1)
        i = HALF_SPACE_INTERVALS - 1;
    return hermite(values + i, slopes + i, step, u - i, derivative);
}

typedef struct unit_kernel {
    weir_kernel kernel;
    int dim;
} unit_kernel;

static double unit_kernel_value(const void *context, double q)
{
    const unit_kernel *k = context;
    return kernel_value(k->kernel, k->dim, q, 1);
}

void half_space_table_fill(half_space_table *t, weir_kernel kernel, int dim)
{
    unit_kernel k = {kernel, dim};
    section s = {unit_kernel_value, &k, dim, 0};
    tabulate(marginal_at, &s, t->volume, t->slope);
    /* The kernel's integral is 1 to the accuracy of the quadrature; scaling makes it exact, so
     * that a point deep inside has B = 1. */
    double scale = 1 / t->volume[0];
    for (int i = 0; i <= HALF_SPACE_INTERVALS; i++) {
        t->volume[i] *= scale;
        t->slope[i] *= scale;
    }
}

double half_space_volume(const half_space_table *t, double s, double *derivative)
{
    if (!(s > -1 && s < 1)) {
        if (derivative)
            *derivative = 0;
        return s <= -1 ? 1 : 0;
    }
    return interpolate(t->volume, t->slope, s, derivative);
}

void wall_moment_table_fill(wall_moment_table *t, int dim, kernel_weight weight,
                            const void *context)
{
    section s = {weight, context, dim, 0};
    tabulate(moment_at, &s, t->moment, t->slope);
}

double wall_moment(const wall_moment_table *t, double s)
{
    if (s >= 1)
        return 0;
    return interpolate(t->moment, t->slope, fmax(s, -1), NULL);
}
