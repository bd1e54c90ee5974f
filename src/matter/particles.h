/* Particle storage: structure of arrays, one array per axis, re-sorted by place every step.
 * A stable id per particle maps back. Every array can be read 8 elements past its end. */
#ifndef WEIR_MATTER_PARTICLES_H
#define WEIR_MATTER_PARTICLES_H

#include "base/memory.h"
#include "weir/weir.h"

enum { PARTICLE_MAX_FIELDS = 24, PARTICLE_PADDING = 16 };

typedef struct particles {
    int dim;
    size_t count, capacity;
    float *x[3];                       /* m */
    float *v[3];                       /* m/s */
    uint32_t *id;                      /* counts up from 0 in order of creation, never reused */
    uint8_t *fluid;                    /* index of the fluid */
    float *field[PARTICLE_MAX_FIELDS]; /* of the method, in the order of its tables */
    int field_count;
    uint32_t kept_fields; /* bit k: field k is state and moves with its particle when sorted */
    float *spare;         /* for sorting: swapped with the array that is sorted */
    uint8_t *spare_bytes;
    uint32_t next_id;
} particles;

void particles_init(particles *p, int dim, int field_count, uint32_t kept_fields);
void particles_free(particles *p, memory *m);
bool particles_reserve(particles *p, memory *m, size_t count);

/* Appends `count` particles with ids of their own and zero in everything else; returns the index
 * of the first. Room must have been reserved. */
size_t particles_append(particles *p, size_t count);

/* Moves the particle order[i] to place i. */
void particles_permute(particles *p, const uint32_t *order, int threads);

/* Keeps the particles whose `remove` byte is 0, in their order. */
void particles_compact(particles *p, const uint8_t *remove);

#endif
