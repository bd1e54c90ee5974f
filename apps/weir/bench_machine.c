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
 * each other, or those of so many vectors, which registers still hold. */
enum { CHAINS = 96, VECTORS = 12, ROUNDS = 20000 };

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
/* The same by vectors of BITS bits, and with fused operations, which Weir itself leaves aside
 * because they round differently: the limit of the machine. */
#define DEFINE_VECTORS(BITS, PREFIX, TARGET)                                                       \
    __attribute__((target(TARGET))) static void compute_##BITS(void *context, size_t begin,        \
                                                               size_t end, int thread)             \
    {                                                                                              \
        machine_job *job = context;                                                                \
        __m##BITS x[VECTORS], factor = PREFIX##_set1_ps(0.999f),                                   \
                              summand = PREFIX##_set1_ps(1e-4f);                                   \
        for (int k = 0; k < VECTORS; k++)                                                          \
            x[k] = PREFIX##_set1_ps(1 + 1e-3f * (float)k + (float)thread);                         \
        for (size_t i = begin; i < end; i++)                                                       \
            for (int n = 0; n < ROUNDS; n++)                                                       \
                for (int k = 0; k < VECTORS; k++)                                                  \
                    x[k] = PREFIX##_fmadd_ps(x[k], factor, summand);                               \
        for (int k = 0; k < VECTORS; k++)                                                          \
            job->sink[thread] += x[k][0];                                                          \
    }                                                                                              \
                                                                                                   \
    __attribute__((target(TARGET))) static void take_roots_##BITS(void *context, size_t begin,     \
                                                                  size_t end, int thread)          \
    {                                                                                              \
        machine_job *job = context;                                                                \
        __m##BITS x[VECTORS];                                                                      \
        for (int k = 0; k < VECTORS; k++)                                                          \
            x[k] = PREFIX##_set1_ps(2 + (float)k);                                                 \
        for (size_t i = begin; i < end; i++)                                                       \
            for (int n = 0; n < ROUNDS; n++)                                                       \
                for (int k = 0; k < VECTORS; k++)                                                  \
                    x[k] = PREFIX##_sqrt_ps(x[k]);                                                 \
        for (int k = 0; k < VECTORS; k++)                                                          \
            job->sink[thread] += x[k][0];                                                          \
    }

DEFINE_VECTORS(256, _mm256, "avx2,fma")
DEFINE_VECTORS(512, _mm512, "avx512f")

static bool has_vectors(int bits)
{
    return bits == 512 ? __builtin_cpu_supports("avx512f")
                       : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int count_chains(int bits)
{
    return has_vectors(bits) ? VECTORS * bits / 32 : CHAINS;
}

static parallel_body find_compute(int bits)
{
    return !has_vectors(bits) ? compute : bits == 512 ? compute_512 : compute_256;
}

static parallel_body find_roots(int bits)
{
    return !has_vectors(bits) ? take_roots : bits == 512 ? take_roots_512 : take_roots_256;
}
#else
static int count_chains(int bits)
{
    (void)bits;
    return CHAINS;
}

static parallel_body find_compute(int bits)
{
    (void)bits;
    return compute;
}

static parallel_body find_roots(int bits)
{
    (void)bits;
    return take_roots;
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

/* In 1e9 per second, of vectors of so many bits. */
static double measure_flops(int repeats, int threads, int bits, machine_job *job)
{
    size_t pieces = (size_t)threads * 24;
    double work = 2e-9 * (double)pieces * ROUNDS * count_chains(bits);
    return work / best_of(repeats, threads, pieces, 1, find_compute(bits), job);
}

/* Fewer pieces, as a root takes longer. */
static double measure_roots(int repeats, int threads, int bits, machine_job *job)
{
    size_t pieces = (size_t)threads * 6;
    double work = 1e-9 * (double)pieces * ROUNDS * count_chains(bits);
    return work / best_of(repeats, threads, pieces, 1, find_roots(bits), job);
}

bool bench_find_limits(int threads, bool quick, machine_limits *out, weir_error *error)
{
    /* About a millisecond each: long enough for threads to wake, and short enough for some to be
     * free of other programs. */
    int repeats = quick ? 12 : 40;
    size_t count = quick ? 1 << 24 : 1 << 26;
    machine_job *job = calloc(1, sizeof *job);
    float *block = calloc(3 * count, sizeof(float));
    bool ok = job && block;
    if (ok) {
        *job = (machine_job){block, block + count, block + 2 * count, {0}};
        out->gflops = measure_flops(repeats, threads, 256, job);
        out->groots_per_s = measure_roots(repeats, threads, 256, job);
        out->wide_gflops = fmax(measure_flops(repeats, threads, 512, job), out->gflops);
        out->wide_groots_per_s = fmax(measure_roots(repeats, threads, 512, job), out->groots_per_s);
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
    const double values[] = {threads,
                             limits.gflops,
                             limits.gbytes_per_s,
                             limits.groots_per_s,
                             limits.wide_gflops,
                             limits.wide_groots_per_s};
    for (int c = 0; c < t->columns; c++)
        t->values[t->rows][c] = values[c];
    t->rows++;
    return true;
}

bool bench_machine(const bench_options *o, bench_table *t, weir_error *error)
{
    static const char *const names[] = {"threads",      "gflops",      "gbytes_per_s",
                                        "groots_per_s", "wide_gflops", "wide_groots_per_s"};
    int all = bench_threads_of(o);
    bench_name_columns(t, names, 6);
    return add_row(t, 1, o->quick, error) && (all == 1 || add_row(t, all, o->quick, error));
}
