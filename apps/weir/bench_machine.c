/* Speed of the machine itself, as a yardstick for the costs of a step: additions and
 * multiplications in registers, a triad through memory (as in McCalpin's STREAM), and square
 * roots, of which a processor does far fewer. */
#include "bench.h"

#include "par/parallel.h"

#include <math.h>
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

/* Roots of numbers that end at 1: every one of them takes the full time. */
static void take_roots(void *context, size_t begin, size_t end, int thread)
{
    machine_job *job = context;
    float x[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        x[k] = 2 + (float)k;
    for (size_t i = begin; i < end; i++)
        for (int n = 0; n < ROUNDS; n++)
            for (int k = 0; k < CHAINS; k++)
                x[k] = sqrtf(x[k]);
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

__attribute__((target("avx2"))) static void take_wide_roots(void *context, size_t begin, size_t end,
                                                            int thread)
{
    enum { VECTORS = CHAINS / 8 };
    machine_job *job = context;
    __m256 x[VECTORS];
    for (int k = 0; k < VECTORS; k++)
        x[k] = _mm256_set1_ps(2 + (float)k);
    for (size_t i = begin; i < end; i++)
        for (int n = 0; n < ROUNDS; n++)
            for (int k = 0; k < VECTORS; k++)
                x[k] = _mm256_sqrt_ps(x[k]);
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

static parallel_body find_roots(void)
{
    return __builtin_cpu_supports("avx2") ? take_wide_roots : take_roots;
}
#else
static parallel_body find_roots(void)
{
    return take_roots;
}

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

bool bench_find_limits(int threads, bool quick, machine_limits *out, weir_error *error)
{
    /* About a millisecond each: long enough for threads to wake, and short enough for some to be
     * free of other programs. */
    int repeats = quick ? 12 : 40;
    size_t pieces = (size_t)threads * 24;
    size_t count = quick ? 1 << 24 : 1 << 26;
    machine_job *job = calloc(1, sizeof *job);
    float *block = calloc(3 * count, sizeof(float));
    bool ok = job && block;
    if (ok) {
        *job = (machine_job){block, block + count, block + 2 * count, {0}};
        double rounds = (double)pieces * ROUNDS * CHAINS / 1e9;
        out->gflops = 2 * rounds / best_of(repeats, threads, pieces, 1, find_compute(), job);
        size_t fewer = (pieces + 3) / 4;
        out->groots_per_s = (double)fewer / (double)pieces * rounds /
                            best_of(repeats, threads, fewer, 1, find_roots(), job);
        /* The array that is written is read first. */
        out->gbytes_per_s = 4.0 * sizeof(float) * (double)count / 1e9 /
                            best_of(repeats, threads, count, 65536, triad, job);
    } else {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out: the bench needs %zu MB",
             3 * count * sizeof(float) / 1000000);
    }
    free(block);
    free(job);
    return ok;
}

static bool add_row(bench_table *t, int threads, bool quick, weir_error *error)
{
    machine_limits limits;
    if (!bench_find_limits(threads, quick, &limits, error))
        return false;
    const double values[] = {threads, limits.gflops, limits.gbytes_per_s, limits.groots_per_s};
    for (int c = 0; c < t->columns; c++)
        t->values[t->rows][c] = values[c];
    t->rows++;
    return true;
}

bool bench_machine(const bench_options *o, bench_table *t, weir_error *error)
{
    static const char *const names[] = {"threads", "gflops", "gbytes_per_s", "groots_per_s"};
    int all = bench_threads_of(o);
    bench_name_columns(t, names, 4);
    return add_row(t, 1, o->quick, error) && (all == 1 || add_row(t, all, o->quick, error));
}
