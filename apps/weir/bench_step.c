/* Cost of a substep of each method: over the number of particles, and over threads. */
#include "bench_block.h"

#include "base/system_memory.h"
#include "par/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int bench_threads_of(const bench_options *o)
{
    return o->threads > 0 ? (int)o->threads : parallel_cores();
}

void bench_name_columns(bench_table *t, const char *const *names, int count)
{
    t->columns = count;
    for (int c = 0; c < count; c++)
        t->names[c] = names[c];
}

static bool is_wanted(const bench_options *o, const char *method)
{
    return !o->method || strcmp(o->method, method) == 0;
}

static bool check_method(const bench_options *o, weir_error *error)
{
    for (int m = 0; bench_methods[m]; m++)
        if (is_wanted(o, bench_methods[m]))
            return true;
    return fail(error, WEIR_INVALID,
                "--method %s is not allowed here: must be sph, pbf, viscoelastic or constraint",
                o->method);
}

static size_t particles_at_most(const bench_options *o, size_t usual, size_t quick)
{
    return o->most > 0 ? (size_t)o->most : o->quick ? quick : usual;
}

/* --------------------------------------------------------------------- sizes */

enum { SCALING_COLUMNS = 9 };

/* Whether a block fits into memory, by what the last smaller one took for a particle. */
static bool fits(size_t particles, double bytes_each, const char *method)
{
    double needed = 1.1 * bytes_each * (double)particles;
    double available = (double)system_memory_available();
    if (needed < available)
        return true;
    fprintf(stderr,
            "weir: %zu particles of method %s need about %.1f GB, %.1f GB are free: left out\n",
            particles, method, needed / 1e9, available / 1e9);
    return false;
}

/* One row; `bytes` gives what a particle took. Costs are per particle and thread. */
static bool add_size(bench_table *t, const bench_options *o, const char *method, size_t side,
                     double reference, double *bytes, weir_error *error)
{
    block b;
    block_cost c;
    int threads = bench_threads_of(o);
    if (!block_build(&b, o, method, side, threads, error))
        return false;
    /* The smallest blocks are done in less than a tick of other programs: more looks at them. */
    int substeps = b.particles < 50000 ? 20 : b.particles < 500000 ? 5 : 2;
    bool ok = block_measure(&b, method, 2, substeps, &c, error);
    if (ok) {
        double each = 1e9 * threads / (double)b.particles;
        *bytes = (double)weir_world_get_counters(b.world).peak_bytes / (double)b.particles;
        double *row = t->values[t->rows];
        row[0] = threads;
        row[1] = (double)b.particles;
        row[2] = each * c.seconds;
        row[3] = each * c.iteration_seconds;
        row[4] = reference > 0 ? row[3] / reference : NAN;
        row[5] = *bytes;
        for (int k = 0; k < c.pass_count; k++)
            if (strncmp(c.passes[k].name, "search", 6) == 0)
                row[6] += each * c.passes[k].seconds;
        for (int k = 0; k < c.stage_count; k++)
            if (strcmp(c.stages[k].name, "walls") == 0)
                row[7] = each * c.stages[k].seconds;
        row[8] = c.iteration_pairs / (double)b.particles;
        t->labels[t->rows++] = method;
    }
    block_free(&b);
    return ok;
}

bool bench_scaling(const bench_options *o, bench_table *t, weir_error *error)
{
    static const char *const names[SCALING_COLUMNS] = {
        "threads",          "particles", "ns_per_particle",
        "ns_per_iteration", "growth",    "bytes",
        "search_ns",        "walls_ns",  "pairs"};
    static const size_t sides[] = {10, 15, 22, 32, 46, 68, 100, 147, 215}; /* 10³ to 10⁷ */
    enum { SIDES = sizeof sides / sizeof sides[0], FIRST_FLAT = 2 };
    size_t most = particles_at_most(o, 1000000, 40000);
    t->label = "method";
    bench_name_columns(t, names, SCALING_COLUMNS);
    if (!check_method(o, error))
        return false;
    for (int m = 0; bench_methods[m]; m++) {
        double reference = 0, bytes = 0;
        for (int k = 0; k < SIDES && is_wanted(o, bench_methods[m]); k++) {
            size_t particles = sides[k] * sides[k] * sides[k];
            if (particles > most || !fits(particles, bytes, bench_methods[m]))
                break;
            if (!add_size(t, o, bench_methods[m], sides[k], reference, &bytes, error))
                return false;
            /* Growth is that of an iteration's cost over 10⁴ particles. */
            if (k == FIRST_FLAT) {
                reference = t->values[t->rows - 1][3];
                t->values[t->rows - 1][4] = 1;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------- threads */

enum { THREAD_COLUMNS = 7 };

static const struct {
    const char *method, *strong, *weak;
} thread_labels[] = {
    {"sph", "sph strong", "sph weak"},
    {"pbf", "pbf strong", "pbf weak"},
    {"viscoelastic", "viscoelastic strong", "viscoelastic weak"},
    {"constraint", "constraint strong", "constraint weak"},
};

/* Strong: the same block for all; weak: a block that grows with the threads. */
static bool add_threads(bench_table *t, const bench_options *o, int m, size_t side, int threads,
                        bool weak, int first, weir_error *error)
{
    block b;
    block_cost c;
    const char *method = thread_labels[m].method;
    if (!block_build(&b, o, method, side, threads, error))
        return false;
    bool ok = block_measure(&b, method, 1, 2, &c, error);
    if (ok) {
        double *row = t->values[t->rows];
        double n = (double)b.particles;
        row[0] = threads;
        row[1] = n;
        row[2] = 1e3 * c.seconds;
        row[3] = 1e9 * threads * c.seconds / n;
        row[4] = t->rows > first ? t->values[first][3] / row[3] * threads : 1;
        row[5] = row[4] / threads;
        row[6] = 1e9 * threads * c.iteration_seconds / n;
        t->labels[t->rows++] = weak ? thread_labels[m].weak : thread_labels[m].strong;
    }
    block_free(&b);
    return ok;
}

static int next_threads(int threads, int most)
{
    return threads < most && 2 * threads > most ? most : 2 * threads;
}

bool bench_threads(const bench_options *o, bench_table *t, weir_error *error)
{
    static const char *const names[THREAD_COLUMNS] = {"threads",         "particles", "ms_per_step",
                                                      "ns_per_particle", "speedup",   "share",
                                                      "ns_per_iteration"};
    int most = bench_threads_of(o);
    double full = (double)particles_at_most(o, 1000000, 32768);
    t->label = "method";
    bench_name_columns(t, names, THREAD_COLUMNS);
    if (!check_method(o, error))
        return false;
    for (int weak = 0; weak <= 1; weak++)
        for (int m = 0; m < 4; m++) {
            int first = t->rows;
            for (int n = 1; n <= most && is_wanted(o, bench_methods[m]) && t->rows < BENCH_MAX_ROWS;
                 n = next_threads(n, most)) {
                double particles = weak ? full * n / most : full;
                size_t side = (size_t)lround(cbrt(particles));
                if (!add_threads(t, o, m, side, n, weak == 1, first, error))
                    return false;
            }
        }
    return true;
}
