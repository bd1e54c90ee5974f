/* What makes up for the energy of free surfaces. Rows only push, so the topmost layer, which misses
 * half of its neighbours, lies low and close: a surface is worth ρ g M per area with M < 0, as a
 * negative surface tension would be, and presses sideways on all that cuts it. The opposite energy
 * is given to the slopes s_i of the density, which are large at a surface and next to nothing
 * elsewhere, C ρ g d³ V Σ s_i²/2, so that a body floats where Archimedes says however it leans at
 * its waterline. */
#ifndef WEIR_METHOD_CONSTRAINT_SURFACE_H
#define WEIR_METHOD_CONSTRAINT_SURFACE_H

#include "matter/flow.h"

/* Particles are marked in blocks of so many. */
enum { SURFACE_BLOCK = 8 };

typedef struct surface_constants {
    unsigned char *marks; /* per block: whether one of its particles lies at a surface */
    float change;         /* of velocities, for the pull of pairs over a particle's mass */
    float reach2;         /* beyond this square of a distance over h pairs do not count */
    bool looked_ahead;    /* the search: nor do those that it saw so far apart */
} surface_constants;

/* Once per instruction level: changes velocities by what `work` says of both sides of each pair;
 * clusters [begin, end). */
typedef void (*surface_pass)(flow *f, const surface_constants *k, size_t begin, size_t end);

LANE_DECLARE(surface_pass, surface_pass_);

/* After the slopes are known. */
void constraint_surface_balance(flow *f, double dt);

#endif
