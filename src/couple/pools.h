/* Pools: fluid that hangs together, with the bodies that it moves and what these touch or are
 * jointed to. Nothing of one pool acts on another, so that one can sleep while others move: its
 * particles go behind the awake ones, where no stage sees them, until something comes near. */
#ifndef WEIR_COUPLE_POOLS_H
#define WEIR_COUPLE_POOLS_H

#include "couple/contact_list.h"
#include "couple/joint.h"

typedef struct pool_memory {
    /* nodes are the awake particles, then the bodies */
    uint32_t *parent; /* the root of each node's pool */
    uint8_t *awake;   /* per root: something of the pool is not at rest */
    uint8_t *wet;     /* per root: it has fluid */
    uint32_t *number; /* per root: as which it falls asleep; 0 = it does not */
    size_t node_capacity;
} pool_memory;

void pools_free(pool_memory *p, memory *m);

/* Finds the pools by the lists, contacts and joints of the last substep. False: no memory. */
bool pools_find(pool_memory *p, flow *f, const contact_list *contacts, const joint *joints,
                size_t joint_count);

/* Measures how long bodies have been where they are, give or take what calm fluid does to them. */
void pools_measure_bodies(flow *f, double elapsed);

/* Marks the pools in which something has been at rest for less than `rest_time` s, or moves. */
void pools_mark_awake(pool_memory *p, flow *f, const joint *joints, size_t joint_count,
                      double rest_time);

static inline uint32_t pools_body_node(const flow *f, size_t body_index)
{
    return (uint32_t)(f->p.count + body_index);
}

#endif
