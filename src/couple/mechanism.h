/* Bodies that move and the joints between them, as one linear operator: what an impulse on any body
 * does to the velocities of all. Equality rows of joints are eliminated directly (a dense Cholesky
 * factor of J M⁻¹ Jᵀ), so that a light body on a hinge does not slip off however heavy its
 * neighbours are: J v = c holds to rounding after every impulse. */
#ifndef WEIR_COUPLE_MECHANISM_H
#define WEIR_COUPLE_MECHANISM_H

#include "base/memory.h"
#include "matter/body.h"

/* An equality between two bodies: J v = bound. */
typedef struct joint_row {
    int32_t body_a, body_b;  /* index, or -1 for the world */
    double on_a[6], on_b[6]; /* linear, then angular */
    double bound;            /* of the velocity phase */
    double violation;        /* J Δx = −violation in the position phase */
    double softness;         /* added to the diagonal */
    double impulse;          /* found in the velocity phase */
} joint_row;

typedef struct mechanism {
    memory *mem;
    body *bodies;
    size_t body_count;
    joint_row *rows;
    size_t row_count, row_capacity;
    double *factor, *scratch; /* lower triangle of row_count², row_count */
    size_t factor_capacity, scratch_capacity;
} mechanism;

void mechanism_init(mechanism *m, memory *mem);
void mechanism_free(mechanism *m);
void mechanism_clear(mechanism *m, body *bodies, size_t body_count);
joint_row *mechanism_add_row(mechanism *m);

/* Factors J M⁻¹ Jᵀ. Rows that contradict or repeat others are softened; false without memory. */
bool mechanism_factor(mechanism *m, weir_error *error);

/* Turns impulses (6 per body) into velocity changes, in place, along the joints. */
void mechanism_apply(const mechanism *m, double *work);

/* Makes the velocities of the bodies fulfil J v = bound (`positions`: turns `work`, displacements
 * of all bodies, into ones that also mend the violations). */
void mechanism_project_velocities(mechanism *m);
/* Adds what the joints gave in the last mechanism_apply to their impulses. */
void mechanism_note_impulses(mechanism *m);
void mechanism_project_positions(const mechanism *m, double *work);

/* Velocity change by an impulse of one body alone. */
void body_apply_impulse(const body *b, const double impulse[6], double change[6]);

#endif
