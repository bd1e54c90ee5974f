/* A phase of a step of the one system: velocities, or positions. What is asked for (row_fill.c),
 * its solve (row_phases.c), and what the multipliers do (row_apply.c). */
#ifndef WEIR_COUPLE_ROW_PHASE_H
#define WEIR_COUPLE_ROW_PHASE_H

#include "couple/row_parts.h"
#include "par/parallel.h"

typedef struct row_phase {
    row_system *s;
    const system_options *o;
    bool positions;
    bool at_once; /* velocities for the densities after the move */
    bool again;   /* densities alone, after a first solve of the positions */
    double dt;
    double feedback; /* 1/s: what displacements become in the velocities */
    bool at_end;     /* gradients are those after the move: so displacements belong there */
    double asked;    /* rms change of the density that the velocities asked for */
} row_phase;

static inline void row_phase_for_densities(const row_phase *job, parallel_body loop)
{
    const row_system *s = job->s;
    parallel_for(s->f->threads, row_system_density_count(s), PARTICLE_GRAIN, loop,
                 (void *)(uintptr_t)job);
}

/* How much of a displacement is made now: where rows are those after the move, that by the changed
 * velocities is a part of it. */
static inline double row_phase_share_now(const row_phase *job)
{
    return job->at_end ? 1 - job->feedback * job->dt : 1;
}

/* Right sides, bounds and starts of all rows. */
void row_phase_fill(const row_phase *job);
/* rms of the right side: what the forces of this step ask for. */
double row_phase_drive(row_system *s);

/* Multipliers out of the scaled solution, kept for the next step; then what they do. */
void row_phase_take_solution(const row_phase *job);
void row_phase_apply_velocities(const row_phase *job);
void row_phase_apply_positions(const row_phase *job);
/* Of the particles alone. */
void row_phase_displace_particles(const row_phase *job);

#endif
