/* Cost of a substep: a block of water at rest in a box, of several sizes and thread counts. */
#include "bench.h"

#include "par/parallel.h"

#include <math.h>
#include <stdlib.h>

static const double spacing = 0.01;

enum { MAX_STAGES = 12 };

typedef struct block {
    weir_world *world;
    double dt; /* s, a stable substep */
    size_t particles;
} block;

typedef struct cost {
    double seconds; /* of a substep */
    weir_stage_time stages[MAX_STAGES];
    int stage_count;
} cost;

/* side³ particles in a box that fits them on all sides but the top. */
static bool add_water(weir_world *world, size_t side, weir_error *error)
{
    weir_fluid_def water = weir_fluid_def_default();
    water.name = "water";
    weir_fluid_id fluid = weir_fluid_create(world, &water, error);
    weir_vec3 *positions = malloc(side * side * side * sizeof *positions);
    if (fluid.slot == 0 || !positions) {
        free(positions);
        return fluid.slot != 0 && fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for particles");
    }
    size_t count = 0;
    for (size_t z = 0; z < side; z++)
        for (size_t y = 0; y < side; y++)
            for (size_t x = 0; x < side; x++)
                positions[count++] =
                    (weir_vec3){((double)x + 0.5) * spacing, ((double)y + 0.5) * spacing,
                                ((double)z + 0.5) * spacing};
    bool ok = weir_world_add_particles(world, fluid, positions, count, (weir_vec3){0, 0, 0}, error);
    free(positions);
    return ok;
}

static bool add_tank(weir_world *world, size_t side, weir_error *error)
{
    weir_body_def tank = weir_body_def_default();
    double half = 0.5 * (double)side * spacing;
    tank.name = "tank";
    tank.shape.kind = WEIR_SHAPE_BOX;
    tank.shape.complement = true;
    tank.shape.half_extents = (weir_vec3){half, 2 * half, half};
    tank.pose.position = (weir_vec3){half, 2 * half, half};
    return weir_body_create(world, &tank, error).slot != 0;
}

static bool build(block *b, size_t side, int threads, weir_error *error)
{
    weir_world_def def = weir_world_def_default();
    def.spacing = spacing;
    def.threads = threads;
    b->world = weir_world_create(&def, error);
    if (!b->world)
        return false;
    b->particles = side * side * side;
    if (add_water(b->world, side, error) && add_tank(b->world, side, error)) {
        b->dt = weir_world_get_step_limit(b->world, error).seconds;
        if (b->dt > 0)
            return true;
    }
    weir_world_destroy(b->world);
    return false;
}

static bool step(block *b, int count, weir_error *error)
{
    for (int k = 0; k < count; k++)
        if (weir_world_step(b->world, b->dt, error) & WEIR_STEP_FAILED)
            return false;
    return true;
}

/* The best of five rounds of `count` substeps, after two to warm up. */
static bool measure(block *b, int count, cost *out, weir_error *error)
{
    out->seconds = 1e30;
    if (!step(b, 2, error))
        return false;
    for (int round = 0; round < 5; round++) {
        weir_stage_time before[MAX_STAGES], after[MAX_STAGES];
        int stages = weir_world_get_profile(b->world, before, MAX_STAGES);
        double substeps = (double)weir_world_get_statistics(b->world).substeps;
        double begun = bench_now();
        if (!step(b, count, error))
            return false;
        double took = bench_now() - begun;
        substeps = (double)weir_world_get_statistics(b->world).substeps - substeps;
        weir_world_get_profile(b->world, after, MAX_STAGES);
        if (took / substeps >= out->seconds)
            continue;
        out->seconds = took / substeps;
        out->stage_count = stages;
        for (int k = 0; k < stages; k++)
            out->stages[k] =
                (weir_stage_time){after[k].name, (after[k].seconds - before[k].seconds) / substeps};
    }
    return true;
}

int bench_threads_of(const bench_options *o)
{
    return o->threads > 0 ? (int)o->threads : parallel_cores();
}

/* One row: particles, ns a particle, ratio to the first row, bytes a particle, then stages. */
static bool add_row(bench_table *t, size_t side, int threads, weir_error *error)
{
    block b;
    cost c = {0};
    if (!build(&b, side, threads, error))
        return false;
    int count = (int)fmax(2, 400000.0 / (double)b.particles);
    bool ok = measure(&b, count, &c, error);
    double *row = t->values[t->rows++];
    double per = 1e9 / (double)b.particles;
    row[0] = threads;
    row[1] = (double)b.particles;
    row[2] = c.seconds * per;
    row[3] = row[2] / t->values[0][2];
    row[4] = (double)weir_world_get_counters(b.world).peak_bytes / (double)b.particles;
    t->columns = 5 + c.stage_count;
    for (int k = 0; k < c.stage_count; k++) {
        t->names[5 + k] = c.stages[k].name;
        row[5 + k] = c.stages[k].seconds * per;
    }
    weir_world_destroy(b.world);
    return ok;
}

static void name_columns(bench_table *t)
{
    t->names[0] = "threads";
    t->names[1] = "particles";
    t->names[2] = "ns_per_particle";
    t->names[3] = "ratio";
    t->names[4] = "bytes";
}

bool bench_scaling(const bench_options *o, bench_table *t, weir_error *error)
{
    static const size_t sides[] = {22, 32, 46, 68, 100}; /* 10^4 to 10^6 in half decades */
    int count = o->quick ? 3 : 5;
    name_columns(t);
    for (int k = 0; k < count; k++)
        if (!add_row(t, sides[k], bench_threads_of(o), error))
            return false;
    return true;
}

bool bench_threads(const bench_options *o, bench_table *t, weir_error *error)
{
    int most = bench_threads_of(o);
    name_columns(t);
    for (int n = 1; n <= most && t->rows < BENCH_MAX_ROWS; n = n < 8 ? n + 1 : n + 8)
        if (!add_row(t, o->quick ? 32 : 46, n, error))
            return false;
    return true;
}

bool bench_stages(const bench_options *o, bench_table *t, weir_error *error)
{
    name_columns(t);
    return add_row(t, o->quick ? 32 : 68, bench_threads_of(o), error);
}
