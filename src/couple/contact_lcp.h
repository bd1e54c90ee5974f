/* Fluid and bodies by contacts: Kurose and Takahashi, Constraint-Based Simulation of Interactions
 * Between Fluids and Unconstrained Rigid Bodies (2009).
 *
 * Every contact of a particle and a body, of a body and a fixed solid, and of two bodies is a row
 * of one linear complementarity problem (eqs. 7 to 12): impulses f >= 0 along the normals with w =
 * A f + b >= 0 and fᵀw = 0, where w is the relative velocity that is left, plus what the
 * restitution gives back. Fluid particles are point masses, fixed solids do not move.
 *
 * Stages of a substep: the fluid method moves the particles as if there were no bodies; then
 * contact_lcp_solve finds the impulses and changes velocities, and the positions of particles
 * along; bodies move; contact_lcp_mend takes away what has entered by curvature and turning. */
#ifndef WEIR_COUPLE_CONTACT_LCP_H
#define WEIR_COUPLE_CONTACT_LCP_H

#include "couple/meeting.h"
#include "solve/lcp_solver.h"

typedef struct contact_lcp {
    weir_coupling_def def; /* with derived values filled in */
    meeting_finder finder;
    meeting_list meetings; /* of the last substep */
    meeting_list overlaps; /* scratch: of bodies and what they trap, after they have moved */
    double wall_distance;  /* m, that particles keep from fixed solids */

    /* the problem */
    lcp_workspace work;
    lcp_contact *rows;
    lcp_body *bodies;
    double *vectors; /* several of one number per row */
    size_t row_capacity, body_capacity, vector_capacity;

    /* of the last substep, and the most ever */
    lcp_result result;
    size_t pushing, most_pushing;
    double overlap_bodies, overlap_fluid; /* m, the deepest ever, before they are mended */
} contact_lcp;

/* Fills in what the definition leaves open. Bodies and fluids of `f` must be complete. */
bool contact_lcp_init(contact_lcp *c, flow *f, const weir_coupling_def *def, weir_error *error);
void contact_lcp_free(contact_lcp *c);

/* Velocities of particles and bodies, and positions of particles. */
bool contact_lcp_solve(contact_lcp *c, flow *f, double wall_distance, double time, double dt,
                       weir_error *error);

/* Measures overlaps and mends them: positions of bodies and of particles; no velocity changes. The
 * penalty mode leaves them. */
bool contact_lcp_mend(contact_lcp *c, flow *f, weir_error *error);

#endif
