#include "par/parallel.h"

#include "par/pool.h"

#include <stdatomic.h>

int parallel_cores(void)
{
    int cores = pool_cores();
    return cores < PARALLEL_MAX_THREADS ? cores : PARALLEL_MAX_THREADS;
}

/* Loops do not know their world; the step says whose hooks count while it runs on this thread. */
static _Thread_local const weir_hooks *host;

const weir_hooks *parallel_use_hooks(const weir_hooks *hooks)
{
    const weir_hooks *before = host;
    host = hooks;
    return before;
}

/* What one thread begins with of a loop: chunks side by side, the same ones in every loop, so that
 * what it wrote is still in the caches of its core. In lines of the cache of their own. */
typedef struct loop_part {
    _Alignas(64) atomic_size_t next;
    size_t end;
} loop_part;

typedef struct shared_loop {
    parallel_body body;
    void *context;
    size_t count, grain;
    int part_count;
    loop_part parts[PARALLEL_MAX_THREADS];
} shared_loop;

static void run_part(const shared_loop *loop, loop_part *part, int thread)
{
    for (;;) {
        size_t chunk = atomic_fetch_add(&part->next, 1), begin = chunk * loop->grain;
        if (chunk >= part->end)
            return;
        size_t end = begin + loop->grain < loop->count ? begin + loop->grain : loop->count;
        loop->body(loop->context, begin, end, thread);
    }
}

/* A thread that is done with its own part helps with those that follow. */
static void run_parts(void *data, int index)
{
    shared_loop *loop = data;
    for (int k = 0; k < loop->part_count; k++)
        run_part(loop, &loop->parts[(index + k) % loop->part_count], index);
}

/* The same chunks without a counter that others see: a short loop takes less than that. */
static void run_alone(size_t count, size_t grain, parallel_body body, void *context)
{
    for (size_t begin = 0; begin < count; begin += grain) {
        size_t end = begin + grain < count ? begin + grain : count;
        body(context, begin, end, 0);
    }
}

void parallel_for(int threads, size_t count, size_t grain, parallel_body body, void *context)
{
    size_t chunks = (count + grain - 1) / grain;
    int tasks = chunks < (size_t)threads ? (int)chunks : threads;
    if (tasks <= 1) {
        run_alone(count, grain, body, context);
        return;
    }
    shared_loop loop;
    loop.body = body;
    loop.context = context;
    loop.count = count;
    loop.grain = grain;
    loop.part_count = tasks;
    for (int k = 0; k < tasks; k++) {
        atomic_init(&loop.parts[k].next, chunks * (size_t)k / (size_t)tasks);
        loop.parts[k].end = chunks * (size_t)(k + 1) / (size_t)tasks;
    }
    if (host && host->run_tasks)
        host->run_tasks(host->user, run_parts, &loop, tasks);
    else
        pool_run(tasks, run_parts, &loop);
}

enum { REDUCE_CHUNKS = 128 };

typedef struct reduction {
    parallel_reducer reducer;
    void *context;
    size_t grain;
    double sums[REDUCE_CHUNKS][REDUCE_MAX_WIDTH];
    double maxima[REDUCE_CHUNKS][REDUCE_MAX_WIDTH];
} reduction;

static void reduce_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    reduction *r = context;
    size_t chunk = begin / r->grain;
    r->reducer(r->context, begin, end, r->sums[chunk], r->maxima[chunk]);
}

void parallel_reduce(int threads, size_t count, parallel_reducer reducer, void *context,
                     double *sums, int sum_width, double *maxima, int max_width)
{
    if (count == 0)
        return;
    reduction r;
    r.reducer = reducer;
    r.context = context;
    r.grain = (count + REDUCE_CHUNKS - 1) / REDUCE_CHUNKS;
    size_t chunks = (count + r.grain - 1) / r.grain;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        for (int i = 0; i < sum_width; i++)
            r.sums[chunk][i] = 0;
        for (int i = 0; i < max_width; i++)
            r.maxima[chunk][i] = maxima[i];
    }
    /* A loop of a few thousand items is done before other threads wake up. */
    parallel_for(count < 4096 ? 1 : threads, count, r.grain, reduce_chunk, &r);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        for (int i = 0; i < sum_width; i++)
            sums[i] += r.sums[chunk][i];
        for (int i = 0; i < max_width; i++)
            if (r.maxima[chunk][i] > maxima[i])
                maxima[i] = r.maxima[chunk][i];
    }
}

/* A spin lock: it is held for a few instructions and hardly ever contended. */
static atomic_flag taken = ATOMIC_FLAG_INIT;

void parallel_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) {
    }
}

void parallel_unlock(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_release);
}
