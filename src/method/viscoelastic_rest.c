/* Particles at rest: what the paper's sums give in a lattice of the scene's spacing. From them
 * follow, for what the user says in SI, the paper's numbers ρ0, k, k_near, σ and k_spring.
 *
 * With all pairs seen at once a pair repels with P g(q) + P_near g_near(q) in a fluid of uniform
 * density. The virial of that force is the pressure: p/ρ = (P Σ r g + P_near Σ r g_near)/(2 D).
 * It vanishes at rest, which gives ρ0; its derivative by the density is the speed of sound. */
#include "method/viscoelastic.h"

#include "kernel/half_space.h"

#include <math.h>

static double core(visco_kernels kernels, double q)
{
    double t = kernels == VISCO_KERNELS_PAPER ? 1 - q : 1 - q * q;
    return t > 0 ? t : 0;
}

double visco_far(visco_kernels kernels, double q)
{
    double t = core(kernels, q);
    return t * t;
}

double visco_near(visco_kernels kernels, double q)
{
    double t = core(kernels, q);
    return t * t * t;
}

double visco_far_slope(visco_kernels kernels, double q)
{
    return (kernels == VISCO_KERNELS_SQUARED ? 2 * q : 1) * core(kernels, q);
}

double visco_near_slope(visco_kernels kernels, double q)
{
    double t = core(kernels, q);
    return (kernels == VISCO_KERNELS_SQUARED ? 2 * q : 1) * t * t;
}

typedef struct lattice_context {
    visco_kernels kernels;
    int dim;
    double h;
} lattice_context;

static double weigh_far(const void *context, double r)
{
    const lattice_context *c = context;
    return r > 0 ? visco_far(c->kernels, r / c->h) : 0;
}

static double weigh_near(const void *context, double r)
{
    const lattice_context *c = context;
    return r > 0 ? visco_near(c->kernels, r / c->h) : 0;
}

static double weigh_far_virial(const void *context, double r)
{
    const lattice_context *c = context;
    return r * visco_far_slope(c->kernels, r / c->h);
}

static double weigh_near_virial(const void *context, double r)
{
    const lattice_context *c = context;
    return r * visco_near_slope(c->kernels, r / c->h);
}

static double weigh_reach(const void *context, double r)
{
    const lattice_context *c = context;
    return r > 0 ? 1 - r / c->h : 0;
}

/* In simple shear a pair along r̂ closes at γ̇ r r̂x r̂y. Half of the pairs close and lose
 * (1/2) σ (1 − q) of it; the mean of r̂x² r̂y² is 1/8 in 2D and 1/15 in 3D. */
static double weigh_shear(const void *context, double r)
{
    const lattice_context *c = context;
    return (1 - r / c->h) * r * r / (c->dim == 2 ? 64 : 120);
}

visco_rest visco_find_rest(const flow *f, visco_kernels kernels, double spacing)
{
    lattice_context c = {kernels, f->dim, f->h};
    return (visco_rest){
        .density = kernel_lattice_sum(f->dim, spacing, f->h, weigh_far, &c),
        .near = kernel_lattice_sum(f->dim, spacing, f->h, weigh_near, &c),
        .far_virial = kernel_lattice_sum(f->dim, spacing, f->h, weigh_far_virial, &c),
        .near_virial = kernel_lattice_sum(f->dim, spacing, f->h, weigh_near_virial, &c),
        .reach = kernel_lattice_sum(f->dim, spacing, f->h, weigh_reach, &c),
        .shear = kernel_lattice_sum(f->dim, spacing, f->h, weigh_shear, &c),
    };
}

double visco_balanced_density(const visco_rest *rest, double near_ratio)
{
    return rest->density + near_ratio * rest->near * rest->near_virial / rest->far_virial;
}

void visco_find_sounds(const flow *f, visco_kernels kernels, double *far, double *near)
{
    /* p/ρ at rest and under a compression; a finite one, because lattice sums have kinks where
     * shells of neighbours leave h. The near part is balanced by a constant P at rest. */
    const double step = 0.1;
    visco_rest rest = visco_find_rest(f, kernels, f->spacing);
    visco_rest at = visco_find_rest(f, kernels, f->spacing / pow(1 + step, 1.0 / f->dim));
    double balance = rest.near * rest.near_virial / rest.far_virial;
    double per_step = 1 / (2 * f->dim * step);
    *far = (at.density - rest.density) * at.far_virial * per_step;
    *near = (at.near * at.near_virial - balance * at.far_virial) * per_step;
}

double visco_unit_tension(int dim)
{
    return dim == 2 ? 0.0125 : 0.008;
}

/* -------------------------------------------------------------------- solids */

enum { QUADRATURE = 400, DISTANCES = 400 };

/* What a plane at distance t (h = 1) sees of a kernel, up to a factor. */
static double marginal(double (*kernel)(visco_kernels, double), visco_kernels kernels, int dim,
                       double t)
{
    double end = sqrt(1 - t * t), sum = 0;
    for (int k = 0; k < QUADRATURE; k++) {
        double u = end * (k + 0.5) / QUADRATURE;
        sum += kernel(kernels, sqrt(t * t + u * u)) * (dim == 3 ? u : 1);
    }
    return sum * end / QUADRATURE;
}

/* part[k]: of the kernel beyond a plane at distance k/DISTANCES, of one whole. */
static void find_parts(double (*kernel)(visco_kernels, double), visco_kernels kernels, int dim,
                       double part[DISTANCES + 1])
{
    part[DISTANCES] = 0;
    for (int k = DISTANCES - 1; k >= 0; k--)
        part[k] = part[k + 1] + marginal(kernel, kernels, dim, (k + 0.5) / DISTANCES);
    double whole = 2 * part[0];
    for (int k = 0; k <= DISTANCES; k++)
        part[k] /= whole;
}

static double part_at(const double part[DISTANCES + 1], double s)
{
    if (s < 0)
        return 1 - part_at(part, -s);
    double at = fmin(s, 1) * DISTANCES;
    int k = (int)fmin(at, DISTANCES - 1);
    return part[k] + (at - k) * (part[k + 1] - part[k]);
}

/* The distance at which a flat wall has the boundary volume B. */
static double distance_of(const half_space_table *t, double volume)
{
    double lo = -1, hi = 1;
    for (int k = 0; k < 50; k++) {
        double middle = (lo + hi) / 2;
        if (half_space_volume(t, middle, NULL) > volume)
            lo = middle;
        else
            hi = middle;
    }
    return (lo + hi) / 2;
}

void visco_find_shares(visco_shares *s, const flow *f, visco_kernels kernels)
{
    double far[DISTANCES + 1], near[DISTANCES + 1];
    find_parts(visco_far, kernels, f->dim, far);
    find_parts(visco_near, kernels, f->dim, near);
    for (int k = 0; k <= VISCO_SHARES; k++) {
        double distance = distance_of(&f->flat_wall, (double)k / VISCO_SHARES);
        s->far[k] = part_at(far, distance);
        s->near[k] = part_at(near, distance);
    }
    s->far[0] = s->near[0] = 0;
    s->far[VISCO_SHARES] = s->near[VISCO_SHARES] = 1;
}

double visco_share(const double table[VISCO_SHARES + 1], double volume, double *slope)
{
    double at = fmin(fmax(volume, 0), 1) * VISCO_SHARES;
    int k = (int)fmin(at, VISCO_SHARES - 1);
    if (slope)
        *slope = (table[k + 1] - table[k]) * VISCO_SHARES;
    return table[k] + (at - k) * (table[k + 1] - table[k]);
}
