/* Whole scenes as benches: how they are built and measured. */
#ifndef WEIR_APP_BENCH_SCENE_H
#define WEIR_APP_BENCH_SCENE_H

#include "bench.h"

/* The definition of a world by the options: method, threads and parameters. */
bool bench_world_def(const bench_options *o, int dim, double spacing, weir_world_def *def,
                     weir_error *error);

/* A block of water whose lowest corner is given. */
bool bench_add_block(weir_world *world, int dim, double spacing, weir_vec3 corner,
                     const size_t count[3], double viscosity, weir_error *error);
/* A box with the origin in its corner that holds everything. */
bool bench_add_tank(weir_world *world, weir_vec3 size, weir_error *error);

/* Runs frames of 1/60 s and adds a row with time, density errors and stages. */
bool bench_run_scene(weir_world *world, int threads, double seconds, bench_table *t,
                     weir_error *error);

#endif
