/* Loops over threads. Work is cut into chunks that depend on the count alone, never on the number
 * of threads, so that every sum has one order and results are the same bits for any of them. */
#ifndef WEIR_PAR_PARALLEL_H
#define WEIR_PAR_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/types.h"

enum { PARALLEL_MAX_THREADS = 256 };

/* How many threads this machine runs at once. */
int parallel_cores(void);

/* Handles [begin, end) of the range; `thread` < threads is for scratch memory only. */
typedef void (*parallel_body)(void *context, size_t begin, size_t end, int thread);

/* Runs `body` over [0, count) in chunks of `grain`. */
void parallel_for(int threads, size_t count, size_t grain, parallel_body body, void *context);

enum { REDUCE_MAX_WIDTH = 32 };

/* Adds the contributions of [begin, end) to `sums`, and raises `maxima`. */
typedef void (*parallel_reducer)(void *context, size_t begin, size_t end, double *sums,
                                 double *maxima);

/* `sums` and `maxima` of the given widths must hold their start values. */
void parallel_reduce(int threads, size_t count, parallel_reducer reducer, void *context,
                     double *sums, int sum_width, double *maxima, int max_width);

/* Lets the host's run_tasks, where it has one, run the loops of this thread; returns what was in
 * use before. NULL: none. */
const weir_hooks *parallel_use_hooks(const weir_hooks *hooks);

/* For the rare moment in which threads must take turns, such as taking memory. */
void parallel_lock(void);
void parallel_unlock(void);

#endif
