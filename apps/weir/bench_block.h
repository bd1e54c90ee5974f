/* A block of water at rest in a box, by any method: what a substep of it costs. */
#ifndef WEIR_APP_BENCH_BLOCK_H
#define WEIR_APP_BENCH_BLOCK_H

#include "bench_scene.h"

enum { BLOCK_MAX_STAGES = 16, BLOCK_MAX_PASSES = 32 };

/* The methods in the order in which benches go through them; ends with NULL. */
extern const char *const bench_methods[];

typedef struct block {
    weir_world *world;
    double dt; /* s, a stable substep */
    size_t particles;
    int threads;
} block;

/* Costs of one substep: the least of several. */
typedef struct block_cost {
    double seconds;
    weir_stage_time stages[BLOCK_MAX_STAGES];
    int stage_count;
    /* Of one run each, the fastest, but for `runs`, which are those of a substep. */
    weir_pass passes[BLOCK_MAX_PASSES];
    int pass_count;
    double iteration_seconds; /* the loops that an iteration of the method goes through, once */
    double iteration_pairs;   /* of each of them */
} block_cost;

/* side³ particles in a box that fits them on all sides but the top. The constraint method takes ten
 * iterations in each solve, so that costs do not depend on how soon it converges. */
bool block_build(block *b, const bench_options *o, const char *method, size_t side, int threads,
                 weir_error *error);
void block_free(block *b);

/* After `warm_up` substeps, which take memory, `substeps` that are measured. */
bool block_measure(block *b, const char *method, int warm_up, int substeps, block_cost *cost,
                   weir_error *error);

#endif
