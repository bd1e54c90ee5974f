/* The field at single points, with what vertices carry: gradient, velocity, fluid. */
#include "surface/iso_field.h"

#include <assert.h>
#include <math.h>

/* Central differences: across an edge of the solid they give the mean of both sides. */
static iso_field_sample sample_solid(const iso_field *f, const iso_field_block *b,
                                     const float point[3])
{
    iso_field_sample s = {.value = (float)iso_field_depth(f, b, point)};
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        float low[3] = {point[0], point[1], point[2]}, high[3] = {point[0], point[1], point[2]};
        low[a] -= 0.1f;
        high[a] += 0.1f;
        s.gradient[a] = (float)((iso_field_depth(f, b, high) - iso_field_depth(f, b, low)) * 5);
    }
    return s;
}

/* The value of a kernel at G d = u, and its derivative by q² = |u|². */
static float kernel_value(const iso_field *f, float weight, float q2, float *slope)
{
    if (f->kind == SURFACE_ISOTROPIC) {
        float q = sqrtf(q2);
        *slope = q > 0 ? -weight * (1 - q) / q : 0;
        return weight * (1 - q) * (1 - q);
    }
    float rest = 1 - q2;
    *slope = -3 * weight * rest * rest;
    return weight * rest * rest * rest;
}

/* Adds the gradient of one kernel and returns its value. */
static float add_kernel(const iso_field *f, const iso_field_kernel *k, const float d[3],
                        float gradient[3])
{
    const float *g = k->inverse;
    float u[3] = {g[0] * d[0] + g[1] * d[1] + g[2] * d[2], g[1] * d[0] + g[3] * d[1] + g[4] * d[2],
                  g[2] * d[0] + g[4] * d[1] + g[5] * d[2]};
    float q2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], slope;
    if (q2 >= 1)
        return 0;
    float value = kernel_value(f, k->weight, q2, &slope);
    gradient[0] += 2 * slope * (g[0] * u[0] + g[1] * u[1] + g[2] * u[2]);
    gradient[1] += 2 * slope * (g[1] * u[0] + g[3] * u[1] + g[4] * u[2]);
    gradient[2] += 2 * slope * (g[2] * u[0] + g[4] * u[1] + g[5] * u[2]);
    return value;
}

iso_field_sample iso_field_sample_at(const iso_field *f, const iso_field_block *b,
                                     const float point[3])
{
    if (f->solid)
        return sample_solid(f, b, point);
    const surface_particles *p = f->particles;
    iso_field_sample s = {0};
    float total = 0, largest = 0;
    for (size_t n = 0; n < b->kernel_count; n++) {
        const iso_field_kernel *k = &f->kernels[b->kernels[n]];
        float d[3];
        bool near = true;
        for (int a = 0; a < 3 && near; a++) {
            d[a] = (float)(b->node[a] - k->node[a]) + point[a] - k->offset[a];
            near = a >= f->dim || fabsf(d[a]) < k->extent[a];
        }
        float share = near ? add_kernel(f, k, d, s.gradient) : 0;
        if (share == 0)
            continue;
        total += share;
        if (p->vx) {
            s.velocity[0] += share * p->vx[k->particle];
            s.velocity[1] += share * p->vy[k->particle];
            s.velocity[2] += p->vz ? share * p->vz[k->particle] : 0;
        }
        if (p->fluid && share > largest)
            s.fluid = p->fluid[k->particle];
        largest = fmaxf(largest, share);
    }
    s.value = f->kind == SURFACE_ISOTROPIC ? sqrtf(total) : total;
    for (int a = 0; a < 3 && total > 0; a++)
        s.velocity[a] /= total;
    return s;
}
