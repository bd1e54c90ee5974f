/* Fluid at rest that sleeps: what a world keeps of it (sleep.c, sleep_loads.c). */
#ifndef WEIR_WORLD_SLEEP_H
#define WEIR_WORLD_SLEEP_H

#include "couple/pools.h"
#include "matter/asleep.h"
#include "matter/calm.h"

/* What a pool that sleeps does to a solid which does not sleep with it: as in its last step. */
typedef struct sleep_load {
    double pool, body; /* number of the pool, index of the body; numbers alone, to be saved */
    vec3 force[3];     /* N, N m: pressure, friction, torque */
} sleep_load;

enum { SLEEP_LOAD_NUMBERS = sizeof(sleep_load) / sizeof(double) };

typedef struct sleep_memory {
    /* state */
    double since_check; /* s */
    sleep_load *loads;  /* by pool and body */
    size_t load_count, load_capacity;

    /* follows from the state of particles and bodies */
    asleep_memory asleep;

    /* scratch */
    pool_memory pools;
    calm_memory calm;
    uint32_t *order;
    size_t order_capacity;
    double *weights; /* per body */
    size_t weight_capacity;
    uint8_t *surface; /* two bytes a particle */
    size_t surface_capacity;
    double step_begun;   /* s */
    size_t slept, woken; /* pools, in this step */
} sleep_memory;

void sleep_memory_free(sleep_memory *s, memory *m);

/* Shares out what solids feel among the pools that fall asleep; after the forces of the step are
 * known, before particles move in the arrays. False: no memory. */
bool sleep_loads_take(sleep_memory *s, flow *f, const float *pressure);
/* Drops the loads of pools that wake; what they gave in this step so far stays. */
void sleep_loads_drop(sleep_memory *s, flow *f, double elapsed);
/* Sums the loads of each body. */
void sleep_loads_sum(const sleep_memory *s, flow *f);

#endif
