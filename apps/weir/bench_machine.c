/* Speed of the machine itself, as a yardstick for the costs of a step: additions and
 * multiplications in registers, and a triad through memory (as in McCalpin's STREAM). */
#include "bench.h"

#include "par/parallel.h"

#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Rounds of a piece of work; each has CHAINS multiplications and additions that do not wait for
 * each other. */
enum { CHAINS = 96, ROUNDS = 20000 };

typedef struct machine_job {
    float *a, *b, *c;
    float sink[PARALLEL_MAX_THREADS];
} machine_job;

static void compute(void *context, size_t begin, size_t end, int thread)
{
    machine_job *job = context;
    float x[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        x[k] = 1 + 1e-3f * (float)k + (float)thread;
    for (size_t i = begin; i < end; i++)
        for (int n = 0; n < ROUNDS; n++)
            for (int k = 0; k < CHAINS; k++)
                x[k] = x[k] * 0.999f + 1e-4f;
    for (int k = 0; k < CHAINS; k++)
        job->sink[thread] += x[k];
}

#if defined(__x86_64__) && defined(__GNUC__)
/* The same with the widest fused operations of AVX2, which Weir itself leaves aside because they
 * round differently: the limit of the machine. */
__attribute__((target("avx2,fma"))) static void compute_fused(void *context, size_t begin,
                                                              size_t end, int thread)
{
    enum { VECTORS = CHAINS / 8 };
    machine_job *job = context;
    __m256 x[VECTORS], factor = _mm256_set1_ps(0.999f), summand = _mm256_set1_ps(1e-4f);
    for (int k = 0; k < VECTORS; k++)
        x[k] = _mm256_set1_ps(1 + 1e-3f * (float)k + (float)thread);
    for (size_t i = begin; i < end; i++)
        for (int n = 0; n < ROUNDS; n++)
            for (int k = 0; k < VECTORS; k++)
                x[k] = _mm256_fmadd_ps(x[k], factor, summand);
    for (int k = 0; k < VECTORS; k++) {
        float lanes[8];
        _mm256_storeu_ps(lanes, x[k]);
        job->sink[thread] += lanes[0];
    }
}

static parallel_body find_compute(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? compute_fused
                                                                           : compute;
}
#else
static parallel_body find_compute(void)
{
    return compute;
}
#endif

static void triad(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    machine_job *job = context;
    for (size_t i = begin; i < end; i++)
        job->a[i] = job->b[i] + 3 * job->c[i];
}

static double best_of(int repeats, int threads, size_t count, size_t grain, parallel_body body,
                      machine_job *job)
{
    double best = 1e30;
    for (int k = 0; k < repeats; k++) {
        double begun = bench_now();
        parallel_for(threads, count, grain, body, job);
        double took = bench_now() - begun;
        best = took < best ? took : best;
    }
    return best;
}

static void add_row(bench_table *t, int threads, const bench_options *o, size_t count,
                    machine_job *job)
{
    int repeats = o->quick ? 2 : 5;
    size_t pieces = (size_t)threads * (o->quick ? 4 : 16);
    double flops = (double)pieces * ROUNDS * CHAINS * 2;
    double *row = t->values[t->rows++];
    row[0] = threads;
    row[1] = flops / best_of(repeats, threads, pieces, 1, find_compute(), job) / 1e9;
    /* The array that is written is read first. */
    row[2] = 4.0 * sizeof(float) * (double)count /
             best_of(repeats, threads, count, 65536, triad, job) / 1e9;
}

bool bench_machine(const bench_options *o, bench_table *t, weir_error *error)
{
    size_t count = o->quick ? 1 << 24 : 1 << 26;
    machine_job *job = calloc(1, sizeof *job);
    float *memory_block = calloc(3 * count, sizeof(float));
    bool ok = job && memory_block;
    t->columns = 3;
    t->names[0] = "threads";
    t->names[1] = "gflops";
    t->names[2] = "gbytes_per_s";
    if (ok) {
        *job = (machine_job){memory_block, memory_block + count, memory_block + 2 * count, {0}};
        int all = o->threads > 0 ? (int)o->threads : parallel_cores();
        add_row(t, 1, o, count, job);
        if (all > 1)
            add_row(t, all, o, count, job);
    } else {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out: the bench needs %zu MB",
             3 * count * sizeof(float) / 1000000);
    }
    free(memory_block);
    free(job);
    return ok;
}
