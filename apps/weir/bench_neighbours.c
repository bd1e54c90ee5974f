/* Cost of the neighbour search with its sort, as a running fluid has it: particles that lie in the
 * order of the last search and have moved a little since. */
#include "bench.h"

#include "base/random.h"
#include "space/neighbours.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 12, ROUNDS = 12 };

/* A cube (square) of particles a unit apart, each moved by up to 0.15. */
static bool fill(particles *p, memory *m, int dim, size_t side)
{
    size_t count = dim == 3 ? side * side * side : side * side;
    particles_init(p, dim, 0, 0);
    if (!particles_reserve(p, m, count))
        return false;
    p->count = p->total = count;
    for (size_t i = 0; i < count; i++) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        p->id[i] = (uint32_t)i;
        p->fluid[i] = 0;
        for (int a = 0; a < dim; a++) {
            p->x[a][i] = (float)((double)at[a] + 0.3 * (random_unit(7, 3 * i + (size_t)a) - 0.5));
            p->v[a][i] = 0;
        }
    }
    return true;
}

/* A step's way: a twentieth of a spacing, to and fro. */
static void stir(particles *p, int round)
{
    double sign = round % 2 == 0 ? 0.1 : -0.1;
    for (int a = 0; a < p->dim; a++)
        for (size_t i = 0; i < p->count; i++)
            p->x[a][i] += (float)(sign * (random_unit(9, 3 * p->id[i] + (size_t)a) - 0.5));
}

static double count_neighbours(const neighbours *n, const particles *p)
{
    size_t found = 0;
    for (size_t k = 0; k < n->cluster_count; k++) {
        const cluster *c = &n->clusters[k];
        for (uint32_t s = 0; s < c->span_count; s++)
            for (uint32_t j = 0; j < c->spans[s].count; j++)
                for (uint32_t i = c->first; i < c->first + c->count; i++) {
                    float r2 = 0;
                    for (int a = 0; a < p->dim; a++) {
                        float d = p->x[a][i] - p->x[a][c->spans[s].candidates[j]];
                        r2 += d * d;
                    }
                    found += r2 < (float)(n->h * n->h) ? 1u : 0u;
                }
    }
    return (double)found;
}

static bool add_row(bench_table *t, const bench_options *o, int dim, double support, size_t side,
                    weir_error *error)
{
    static const char *const parts[] = {"search sort", "search cut", "search lists"};
    int threads = bench_threads_of(o);
    const weir_axis_period open[3] = {{0}};
    memory m = memory_with_hooks(NULL);
    particles p = {0};
    neighbours n = {0};
    bool ok = fill(&p, &m, dim, side) ||
              fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the particles of the bench");
    ok = ok && neighbours_init(&n, &m, dim, support, open, threads, error);
    double best = INFINITY, part[3] = {INFINITY, INFINITY, INFINITY};
    n.level = lane_level_find(o->simd);
    for (int k = 0; ok && k < ROUNDS; k++) {
        pass_log log = {0};
        n.passes = &log;
        stir(&p, k);
        double begun = bench_now();
        ok = neighbours_build(&n, &p, error);
        best = fmin(best, bench_now() - begun);
        for (int q = 0; q < log.count; q++)
            for (int w = 0; w < 3; w++)
                if (strcmp(log.passes[q].name, parts[w]) == 0)
                    part[w] = fmin(part[w], log.passes[q].seconds);
    }
    if (ok) {
        double count = (double)p.count, each = 1e9 * threads / count;
        const double values[COLUMNS] = {dim,
                                        support,
                                        threads,
                                        count,
                                        each * best,
                                        each * part[0],
                                        each * part[1],
                                        each * part[2],
                                        (double)n.candidate_count / (double)n.cluster_count,
                                        count_neighbours(&n, &p) / count,
                                        count / (double)n.cluster_count,
                                        (double)m.peak_bytes / count};
        memcpy(t->values[t->rows++], values, sizeof values);
    }
    neighbours_free(&n);
    particles_free(&p, &m);
    return ok;
}

bool bench_neighbours(const bench_options *o, bench_table *t, weir_error *error)
{
    static const char *const names[COLUMNS] = {
        "dim",    "support",  "threads",    "particles",  "ns_per_particle", "sort_ns",
        "cut_ns", "lists_ns", "candidates", "neighbours", "per_cluster",     "bytes"};
    static const struct {
        int dim;
        double support;
    } cases[] = {{3, 2}, {3, 2.5}, {2, 2.5}, {2, 3}};
    double most = o->most > 0 ? (double)o->most : o->quick ? 10000 : 100000;
    bench_name_columns(t, names, COLUMNS);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double side = cases[k].dim == 3 ? cbrt(most) : sqrt(most);
        if (!add_row(t, o, cases[k].dim, cases[k].support, (size_t)lround(side), error))
            return false;
    }
    return true;
}
