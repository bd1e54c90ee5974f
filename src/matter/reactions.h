/* What particles give back to solids: found by all threads, added to the bodies in the order of the
 * particles, so that the sums are always the same. */
#ifndef WEIR_MATTER_REACTIONS_H
#define WEIR_MATTER_REACTIONS_H

#include "matter/flow.h"

#define REACTION_NONE UINT32_MAX

typedef struct reaction {
    uint32_t body;          /* or REACTION_NONE */
    vec3 point;             /* where, seen from the body */
    vec3 pressure, viscous; /* N s */
    vec3 owed;              /* N s, what reactions_owe shall add up */
} reaction;

/* The impulses of contact `w` of particle i on its solid, whose number is given. Called by several
 * threads at once, for the contacts of a particle in order: it may move that particle. */
typedef void (*reaction_finder)(const void *context, size_t i, uint32_t w, reaction *out);

/* Pushes the bodies. False: memory ran out. */
bool reactions_push(flow *f, reaction_finder find, const void *context);
/* Notes it only: the bodies have it already. */
bool reactions_note(flow *f, reaction_finder find, const void *context);
/* Notes it, and adds what moved bodies are owed to `owed`: six numbers for each body, momentum and
 * angular momentum about its centre. */
bool reactions_owe(flow *f, reaction_finder find, const void *context, double *owed);

#endif
