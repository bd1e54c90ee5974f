/* What the products of the one system (row_system.c) and its phases (row_phase.h) share. */
#ifndef WEIR_COUPLE_ROW_PARTS_H
#define WEIR_COUPLE_ROW_PARTS_H

#include "couple/row_system.h"

static inline double row_dot(const double a[6], const double b[6])
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

static inline size_t row_system_density_count(const row_system *s)
{
    return s->density ? s->f->p.count : 0;
}

/* Lists the particles that bodies feel through their density. */
bool row_system_find_couplings(row_system *s);
/* The density's gradient as entries on the body: the opposite of those on the particle. */
void row_system_coupling_entries(const coupling *c, double entries[6]);

/* Fills the scales of densities and rows, one over the root of the diagonal each. */
void row_system_find_scales(row_system *s);

/* Fills the work of particles and bodies: −M⁻¹ Jᵀ ν. */
void row_system_push(row_system *s, const float *nu);
/* Leaves the work of x behind, rows scaled; and y = A x. */
void row_system_apply(void *context, const float *x);
void row_system_multiply(void *context, const float *x, float *y);

#endif
