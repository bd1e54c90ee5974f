/* Bodies that move and the joints between them, as one linear operator: what an impulse on any body
 * does to the velocities of all. Equality rows of joints are eliminated directly (a Cholesky factor
 * of J M⁻¹ Jᵀ + Σ within its envelope, which stays narrow along chains), so that a light body on a
 * hinge does not slip off however heavy its neighbours are: J v = c holds to rounding after every
 * impulse. */
#ifndef WEIR_COUPLE_MECHANISM_H
#define WEIR_COUPLE_MECHANISM_H

#include "base/memory.h"
#include "matter/body.h"

typedef struct joint_row joint_row;

/* The value that a row keeps, for other poses of its bodies than the present ones. */
typedef double (*row_measure)(const joint_row *row, pose a, pose b);

/* An equality between two bodies: J v + softness · impulse = bound. */
struct joint_row {
    int32_t body_a, body_b;  /* index of a body that is moved, else -1 */
    double on_a[6], on_b[6]; /* linear, then angular */
    double bound;            /* of the velocity phase */
    double violation;        /* J Δx = −violation in the position phase */
    double softness;         /* added to the diagonal */
    double impulse;          /* found in the velocity phase */
    double before;           /* while values are brought to theirs: the impulse at first */

    /* For rows that keep a value: what it is. NULL for rows of velocities and forces. */
    row_measure measure;
    const void *owner;  /* of the measure: the joint */
    int32_t at_a, at_b; /* its bodies, moved or not; -1 is the world */
    vec3 direction;
    double value; /* at the present poses */
};

typedef struct mechanism {
    memory *mem;
    body *bodies;
    size_t body_count;
    double time, dt;
    joint_row *rows;
    size_t row_count, row_capacity;
    bool factored; /* for the present rows */
    /* Row r of the factor: factor[start[r] + c] for first[r] <= c <= r. */
    double *factor, *scratch;
    size_t *start, *first;
    size_t factor_capacity, scratch_capacity, start_capacity, first_capacity;
    /* Rows of each body: the last one, and for each row the one before on a and on b. */
    int32_t *last_row, *before;
    size_t last_capacity, before_capacity;
    pose *predicted;
    size_t predicted_capacity;
} mechanism;

void mechanism_init(mechanism *m, memory *mem);
void mechanism_free(mechanism *m);
/* Drops all rows; the next ones are for a step from `time` to time + dt. */
void mechanism_clear(mechanism *m, body *bodies, size_t body_count, double time, double dt);
joint_row *mechanism_add_row(mechanism *m);

/* Factors J M⁻¹ Jᵀ + Σ. Rows that contradict or repeat others are softened; false without memory.
 */
bool mechanism_factor(mechanism *m, weir_error *error);

/* Turns impulses (6 per body) into velocity changes, in place, along the joints. */
void mechanism_apply(const mechanism *m, double *work);
/* Adds what the joints answer to velocity changes of the bodies. */
void mechanism_respond(const mechanism *m, double *work);

/* Makes the velocities of the bodies fulfil their rows. Values that rows keep will be kept at the
 * end of the step, not only to first order: the velocities are those of SHAKE (Ryckaert, Ciccotti,
 * Berendsen 1977), so that angular momentum and energy stay. */
void mechanism_project_velocities(mechanism *m);
/* The same after a solve has changed the velocities along the rows: only what is left of second
 * order. */
void mechanism_refine_velocities(mechanism *m);
/* Adds what the joints gave in the last mechanism_apply or _respond, times a factor, to their
 * impulses. */
void mechanism_note_impulses(mechanism *m, double factor);
/* Adds what mends the violations to `work`, displacements of all bodies along the joints. */
void mechanism_mend_positions(const mechanism *m, double *work);

/* Velocity change by an impulse of one body alone. */
void body_apply_impulse(const body *b, const double impulse[6], double change[6]);

#endif
