/* Particle storage: structure of arrays, one array per axis, re-sorted by place every step.
 * A stable id per particle maps back. Every array can be read 8 elements past its end.
 *
 * Fluid that sleeps (couple/pools.h) lies behind what is awake, in the same arrays: stages loop
 * over `count` particles and never see it, whoever asks for all goes on to `total`. */
#ifndef WEIR_MATTER_PARTICLES_H
#define WEIR_MATTER_PARTICLES_H

#include "base/memory.h"
#include "weir/weir.h"

enum { PARTICLE_MAX_FIELDS = 24, PARTICLE_PADDING = 16 };
enum { PARTICLE_SEES_WALL = 1, PARTICLE_SEES_SURFACE = 2 };

typedef struct particles {
    int dim;
    size_t count; /* awake: what the stages of a step see */
    size_t total; /* with those that sleep, which lie behind */
    size_t capacity;
    float *x[3];                       /* m */
    float *v[3];                       /* m/s */
    uint32_t *id;                      /* counts up from 0 in order of creation, never reused */
    uint8_t *fluid;                    /* index of the fluid */
    float *field[PARTICLE_MAX_FIELDS]; /* of the method, in the order of its tables */
    int field_count;
    bool may_sleep;       /* the next four exist */
    float *still[3];      /* m, where its rest began (matter/calm.h) */
    float *still_time;    /* s since then */
    uint32_t *pool;       /* that it sleeps in, from 1 on; 0 = awake */
    uint32_t *sight;      /* of those that sleep: PARTICLE_SEES_... bits, for statistics */
    uint32_t kept_fields; /* bit k: field k is state and moves with its particle when sorted */
    float *spare;         /* for sorting: swapped with the array that is sorted */
    uint8_t *spare_bytes;
    uint32_t next_id;
} particles;

void particles_init(particles *p, int dim, int field_count, uint32_t kept_fields);
void particles_free(particles *p, memory *m);
/* Room for `count` in all, those that sleep included. */
bool particles_reserve(particles *p, memory *m, size_t count);

/* Appends `count` awake particles with ids of their own and zero in everything else; returns the
 * index of the first. Room must have been reserved. Those that sleep change places. */
size_t particles_append(particles *p, size_t count);

/* Moves the particle order[i] to place i, of those that are awake. */
void particles_permute(particles *p, const uint32_t *order, int threads);

/* Moves the particle order[i] to place begin + i, all that there is of it, up to `end`. */
void particles_rearrange(particles *p, size_t begin, size_t end, const uint32_t *order);

/* Keeps the awake particles whose `remove` byte is 0, in their order. Those that sleep stay, but
 * change places. */
void particles_compact(particles *p, const uint8_t *remove);

#endif
