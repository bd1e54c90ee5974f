/* Every loop of a substep, beside the least time that the machine's limits allow for its work. */
#include "bench_block.h"

#include "base/random.h"
#include "surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGE_COLUMNS = 13 };

static const char *const names[STAGE_COLUMNS] = {
    "threads", "particles", "runs",     "ms",       "ns_per_particle", "mflop",      "mroots",
    "mbytes",  "flops_ms",  "roots_ms", "bytes_ms", "limit_ms",        "times_limit"};

static void add_row(bench_table *t, const weir_pass *pass, size_t particles, int threads,
                    const machine_limits *limits)
{
    if (t->rows == BENCH_MAX_ROWS)
        return;
    double *row = t->values[t->rows];
    row[0] = threads;
    row[1] = (double)particles;
    row[2] = pass->runs;
    row[3] = 1e3 * pass->seconds;
    row[4] = 1e9 * threads * pass->seconds / (double)particles;
    row[5] = 1e-6 * pass->flops;
    row[6] = 1e-6 * pass->roots;
    row[7] = 1e-6 * pass->bytes;
    row[8] = row[5] / limits->wide_gflops;
    row[9] = row[6] / limits->wide_groots_per_s;
    row[10] = row[7] / limits->gbytes_per_s;
    row[11] = fmax(row[8], fmax(row[9], row[10]));
    row[12] = row[11] > 0 ? row[3] / row[11] : NAN;
    t->labels[t->rows++] = pass->name;
}

/* Search and walls are the same for all methods: once is enough. */
static bool is_common(const char *name)
{
    return strncmp(name, "search", 6) == 0 || strcmp(name, "walls") == 0;
}

static bool is_listed(const bench_table *t, const char *name)
{
    for (int r = 0; r < t->rows; r++)
        if (strcmp(t->labels[r], name) == 0)
            return true;
    return false;
}

static bool add_method(bench_table *t, const bench_options *o, const char *method, size_t side,
                       const machine_limits *limits, weir_error *error)
{
    block b;
    block_cost c;
    int threads = bench_threads_of(o);
    if (!block_build(&b, o, method, side, threads, error))
        return false;
    bool ok = block_measure(&b, method, 2, o->quick ? 3 : 5, &c, error);
    for (int k = 0; ok && k < c.pass_count; k++)
        if (c.passes[k].runs > 0 &&
            !(is_common(c.passes[k].name) && is_listed(t, c.passes[k].name)))
            add_row(t, &c.passes[k], b.particles, threads, limits);
    block_free(&b);
    return ok;
}

/* A sheet four particles thick, whose surface is most of it. Counted is what the
 * method cannot do without: a particle's kernel is shaped by its neighbours within reach (distance,
 * weight and six second moments of each, 31 operations), and found at the grid nodes of a ball of
 * the reach (a quadratic form and the kernel's value, 18); particles come in, vertices and
 * triangles go out. */
static bool add_surface(bench_table *t, const bench_options *o, const machine_limits *limits,
                        weir_error *error)
{
    size_t side = o->quick ? 40 : 112, count = 4 * side * side;
    float *at = malloc(3 * count * sizeof *at);
    if (!at)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for %zu particles", count);
    for (size_t i = 0; i < count; i++) {
        const size_t place[3] = {i % side, i / side % 4, i / side / 4};
        for (size_t a = 0; a < 3; a++)
            at[a * count + i] = (float)((double)place[a] + 0.2 * (random_unit(5, 3 * i + a) - 0.5));
    }
    surface_particles view = {
        .count = count, .dim = 3, .spacing = 1, .x = at, .y = at + count, .z = at + 2 * count};
    surface_settings settings = surface_settings_default();
    settings.threads = bench_threads_of(o);
    double ball = 4.19 * pow(settings.reach, 3);
    double work = ball * (31 + 18 / pow(settings.cell, 3));
    weir_pass pass = {.name = "surface mesh",
                      .seconds = INFINITY,
                      .runs = 1,
                      .flops = (double)count * work,
                      .roots = (double)count * ball};
    bool ok = true;
    for (int k = 0; ok && k < 3; k++) {
        surface_mesh mesh;
        double begun = bench_now();
        ok = surface_mesh_build(&mesh, &view, &settings, error);
        if (!ok)
            break;
        pass.seconds = fmin(pass.seconds, bench_now() - begun);
        pass.bytes = (double)(12 * count + 2 * (24 * mesh.vertex_count + 12 * mesh.triangle_count));
        surface_mesh_free(&mesh);
    }
    if (ok)
        add_row(t, &pass, count, bench_threads_of(o), limits);
    free(at);
    return ok;
}

bool bench_stages(const bench_options *o, bench_table *t, weir_error *error)
{
    machine_limits limits;
    size_t side = o->quick ? 24 : 68;
    if (o->most > 0)
        side = (size_t)fmax(8, cbrt((double)o->most));
    t->label = "loop";
    bench_name_columns(t, names, STAGE_COLUMNS);
    if (!bench_find_limits(bench_threads_of(o), o->quick, &limits, error))
        return false;
    for (int m = 0; bench_methods[m]; m++)
        if ((!o->method || strcmp(o->method, bench_methods[m]) == 0) &&
            !add_method(t, o, bench_methods[m], side, &limits, error))
            return false;
    return o->method || add_surface(t, o, &limits, error);
}
