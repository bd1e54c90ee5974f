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
} reaction;

/* Memory of the sums, kept from step to step. Zero it before the first use. */
typedef struct reactions {
    reaction *items;
    size_t capacity;
    size_t *starts; /* of each chunk of particles */
    size_t start_capacity;
} reactions;

/* The impulses of contact `w` of particle i on its solid, whose number and point are given. Called
 * by several threads at once, for the contacts of a particle in order: it may move that particle.
 */
typedef void (*reaction_finder)(const void *context, size_t i, uint32_t w, reaction *out);

/* Pushes the bodies. False: memory ran out. */
bool reactions_sum(reactions *r, flow *f, reaction_finder find, const void *context);
void reactions_free(reactions *r, memory *m);

#endif
