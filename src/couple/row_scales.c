/* What rows are scaled by, so that the diagonal of their system is about 1. */
#include "couple/row_parts.h"
#include "par/parallel.h"

#include <math.h>

/* What one row alone answers to a unit multiplier, through bodies without their joints: an upper
 * bound of the diagonal, good enough to scale by. */
static double body_diagonal(const flow *f, int32_t index, const double entries[6])
{
    double change[6];
    if (index < 0)
        return 0;
    body_apply_impulse(&f->bodies[index], entries, change);
    return row_dot(entries, change);
}

static double row_diagonal(const row_system *s, const row *r)
{
    double sum = r->softness + body_diagonal(s->f, r->body_a, r->on_a) +
                 body_diagonal(s->f, r->body_b, r->on_b);
    for (int a = 0; r->particle >= 0 && a < s->f->dim; a++)
        sum += (double)r->on_particle[a] * r->on_particle[a] *
               s->f->p.field[s->density->inverse_mass][r->particle];
    return sum;
}

static float inverse_root(double diagonal)
{
    return diagonal > 1e-30 ? (float)(1 / sqrt(diagonal)) : 0;
}

static void copy_diagonal(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    row_system *s = context;
    const float *diagonal = s->f->p.field[s->density->diagonal];
    for (size_t i = begin; i < end; i++)
        s->scale[i] = (float)(diagonal[i] + s->regularization);
}

static void invert_roots(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    row_system *s = context;
    for (size_t i = begin; i < end; i++)
        s->scale[i] = inverse_root(s->scale[i]);
}

void row_system_find_scales(row_system *s)
{
    size_t densities = row_system_density_count(s);
    parallel_for(s->f->threads, densities, PARTICLE_GRAIN, copy_diagonal, s);
    for (size_t c = 0; c < s->coupling_count; c++) {
        double entries[6];
        row_system_coupling_entries(&s->couplings[c], entries);
        s->scale[s->couplings[c].particle] +=
            (float)body_diagonal(s->f, (int32_t)s->couplings[c].body, entries);
    }
    parallel_for(s->f->threads, densities, PARTICLE_GRAIN, invert_roots, s);
    for (size_t r = 0; r < s->row_count; r++)
        s->scale[densities + r] = inverse_root(row_diagonal(s, &s->rows[r]));
}
