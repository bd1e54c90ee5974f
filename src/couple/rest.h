/* Bodies at rest. What has not moved for half a second, with everything that it touches or is
 * jointed to, sleeps: it counts as fixed until something touches it. Fluid keeps bodies awake,
 * unless it sleeps itself (couple/pools.h). */
#ifndef WEIR_COUPLE_REST_H
#define WEIR_COUPLE_REST_H

#include "couple/contact_list.h"
#include "couple/joint.h"

typedef struct rest_memory {
    uint32_t *parent; /* of the islands' trees, per body */
    uint8_t *awake;   /* per root: something keeps the island awake */
    size_t parent_capacity, awake_capacity;
} rest_memory;

void rest_memory_free(rest_memory *r, memory *m);

/* Wakes a sleeping body and those that fell asleep with it. Within a substep, `missed` is the time
 * of gravity that has been given to others already; else 0. */
void rest_wake(flow *f, size_t index, double missed);
void rest_wake_all(flow *f);

/* Wakes what the fluid touches and starts its time at rest anew; after the search for walls. */
void rest_note_fluid(flow *f);

/* Whether a joint keeps what it holds awake: by a motor, or by a body that moves. */
bool rest_is_driven(const flow *f, const joint *j);

/* Wakes what a joint moves that has a motor or a body that moves; `missed` as of rest_wake. */
void rest_note_joints(flow *f, const joint *joints, size_t count, double missed);

/* Measures how long bodies have been at rest and lets islands sleep; at the end of a substep. */
bool rest_update(rest_memory *r, flow *f, const contact_list *contacts, const joint *joints,
                 size_t count, double dt, weir_error *error);

#endif
