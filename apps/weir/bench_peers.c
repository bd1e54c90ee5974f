/* Dam breaks that other engines were measured on: time per simulated second, next to how well the
 * fluid kept its density meanwhile. Speed without that figure says nothing. */
#include "bench_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double frame = 1.0 / 60; /* s */

/* ------------------------------------------------------------------ building */

bool bench_world_def(const bench_options *o, int dim, double spacing, weir_world_def *def,
                     weir_error *error)
{
    weir_method method = WEIR_METHOD_CONSTRAINT;
    *def = weir_world_def_default();
    if (o->method && !weir_method_find(o->method, &method))
        return fail(error, WEIR_INVALID, "--method %s: there is no such method; see 'weir info'",
                    o->method);
    weir_world_def_use_method(def, method);
    def->dim = dim;
    def->spacing = spacing;
    def->threads = bench_threads_of(o);
    def->simd = o->simd;
    for (size_t k = 0; k < o->set.count; k++) {
        char name[64], *end = NULL;
        const char *equals = strchr(o->set.items[k], '=');
        double value = equals ? strtod(equals + 1, &end) : 0;
        if (!equals || equals == o->set.items[k] || end == equals + 1 || *end != '\0' ||
            (size_t)(equals - o->set.items[k]) >= sizeof name)
            return fail(error, WEIR_INVALID,
                        "--set %s is not allowed: must be PARAMETER=NUMBER, such as tolerance=0.01",
                        o->set.items[k]);
        snprintf(name, sizeof name, "%.*s", (int)(equals - o->set.items[k]), o->set.items[k]);
        if (strcmp(name, "support") == 0)
            def->support = value;
        else if (!weir_world_def_set(def, name, value, error))
            return fail(error, WEIR_INVALID,
                        "--set %s is not allowed for method %s; see 'weir info' for its parameters "
                        "and their ranges",
                        o->set.items[k], o->method ? o->method : "constraint");
    }
    return true;
}

bool bench_add_block(weir_world *world, int dim, double spacing, weir_vec3 corner,
                     const size_t count[3], double viscosity, weir_error *error)
{
    weir_fluid_def water = weir_fluid_def_default();
    water.name = "water";
    water.viscosity = viscosity;
    weir_fluid_id fluid = weir_fluid_create(world, &water, error);
    size_t layers = dim == 3 ? count[2] : 1, total = count[0] * count[1] * layers, n = 0;
    weir_vec3 *at = malloc(total * sizeof *at);
    if (!at)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu particles", total);
    for (size_t z = 0; z < layers; z++)
        for (size_t y = 0; y < count[1]; y++)
            for (size_t x = 0; x < count[0]; x++)
                at[n++] = (weir_vec3){corner.x + ((double)x + 0.5) * spacing,
                                      corner.y + ((double)y + 0.5) * spacing,
                                      dim == 3 ? corner.z + ((double)z + 0.5) * spacing : 0};
    bool ok = fluid.slot != 0 &&
              weir_world_add_particles(world, fluid, at, total, (weir_vec3){0, 0, 0}, error);
    free(at);
    return ok;
}

bool bench_add_tank(weir_world *world, weir_vec3 size, weir_error *error)
{
    weir_body_def tank = weir_body_def_default();
    tank.name = "tank";
    tank.shape.kind = WEIR_SHAPE_BOX;
    tank.shape.complement = true;
    tank.shape.half_extents = (weir_vec3){size.x / 2, size.y / 2, size.z / 2};
    tank.pose.position = tank.shape.half_extents;
    return weir_body_create(world, &tank, error).slot != 0;
}

/* ------------------------------------------------------------------ measuring */

/* Density errors over the frames of a run: means of means, and the largest of maxima. */
typedef struct density_record {
    int frames;
    double mean, interior_mean, interior_max, wall_max;
} density_record;

static void note_density(density_record *r, const weir_statistics *s)
{
    r->frames++;
    r->mean += (s->compression_mean - r->mean) / r->frames;
    r->interior_mean += (s->interior_compression_mean - r->interior_mean) / r->frames;
    r->interior_max = fmax(r->interior_max, s->interior_compression_max);
    r->wall_max = fmax(r->wall_max, s->wall_compression_max);
}

static void add_column(bench_table *t, const char *group, const char *name, double value)
{
    if (t->columns == BENCH_MAX_COLUMNS)
        return;
    t->groups[t->columns] = group;
    t->names[t->columns] = name;
    t->values[t->rows][t->columns++] = value;
}

bool bench_run_scene(weir_world *world, int threads, double seconds, bench_table *t,
                     weir_error *error)
{
    int frames = (int)ceil(seconds / frame - 1e-9);
    density_record density = {0};
    double wall = 0;
    for (int k = 0; k < frames; k++) {
        double begun = bench_now();
        if (weir_world_step(world, frame, error) & WEIR_STEP_FAILED)
            return false;
        wall += bench_now() - begun; /* without the measuring */
        weir_statistics s = weir_world_get_statistics(world);
        note_density(&density, &s);
    }
    weir_statistics s = weir_world_get_statistics(world);
    weir_stage_time stages[BENCH_MAX_COLUMNS];
    int stage_count = weir_world_get_profile(world, stages, BENCH_MAX_COLUMNS);
    double substeps = (double)s.substeps, simulated = frames * frame;
    t->columns = 0;
    add_column(t, NULL, "particles", (double)s.particles);
    add_column(t, NULL, "threads", threads);
    add_column(t, NULL, "simulated_s", simulated);
    add_column(t, NULL, "wall_s", wall);
    add_column(t, NULL, "wall_per_simulated_s", wall / simulated);
    add_column(t, NULL, "ms_per_frame", 1e3 * wall / frames);
    add_column(t, NULL, "ms_per_step", 1e3 * wall / substeps);
    add_column(t, NULL, "steps", substeps);
    add_column(t, NULL, "iterations_per_step",
               (double)weir_world_get_solve_info(world).iterations / substeps);
    add_column(t, "compression", "mean", density.mean);
    add_column(t, "compression", "interior_mean", density.interior_mean);
    add_column(t, "compression", "interior_max", density.interior_max);
    add_column(t, "compression", "wall_max", density.wall_max);
    for (int k = 0; k < stage_count; k++)
        add_column(t, "stages", stages[k].name, 1e3 * stages[k].seconds / substeps);
    t->rows++;
    return true;
}

/* -------------------------------------------------------------------- scenes */

static double length_of(const bench_options *o, double full)
{
    return o->seconds > 0 ? o->seconds : o->quick ? 0.1 * full : full;
}

/* A cube of a metre, 5 cm from the floor and the end wall, in a tank of 4 × 3 × 1.5 m. */
bool bench_peer_dam(const bench_options *o, bench_table *t, weir_error *error)
{
    const double spacing = 0.0215;
    const size_t side = o->quick ? 23 : 46;
    double d = spacing * 46 / (double)side;
    weir_world_def def;
    if (!bench_world_def(o, 3, d, &def, error))
        return false;
    weir_world *world = weir_world_create(&def, error);
    if (!world)
        return false;
    double cube = (double)side * d;
    bool ok = bench_add_tank(world, (weir_vec3){4, 3, 1.5}, error) &&
              bench_add_block(world, 3, d, (weir_vec3){0.05, 0.05, 0.75 - cube / 2},
                              (size_t[]){side, side, side}, 0.01, error) &&
              bench_run_scene(world, def.threads, length_of(o, 1), t, error);
    weir_world_destroy(world);
    return ok;
}

static bool add_floating_box(weir_world *world, double side, weir_vec3 at, double density,
                             weir_error *error)
{
    weir_body_def box = weir_body_def_default();
    box.kind = WEIR_BODY_DYNAMIC;
    box.shape.kind = WEIR_SHAPE_BOX;
    box.shape.half_extents = (weir_vec3){side / 2, side / 2, 0.5};
    box.density = density;
    box.pose.position = at;
    return weir_body_create(world, &box, error).slot != 0;
}

/* Where densities are constraints, a game takes what stays below 1 % of the volume, unless --set
 * says otherwise. */
static bool use_game_tolerance(const bench_options *o, weir_world_def *def, weir_error *error)
{
    for (size_t k = 0; k < o->set.count; k++)
        if (strncmp(o->set.items[k], "density_tolerance=", 18) == 0)
            return true;
    return def->method != WEIR_METHOD_CONSTRAINT ||
           weir_world_def_set(def, "density_tolerance", 0.06, error);
}

/* A square column that falls into a tank four times as wide, with five boxes of half the density
 * of water ahead of it: what a game would do. */
static bool run_dam_2d(const bench_options *o, size_t side, bench_table *t, weir_error *error)
{
    const double column = 2; /* m */
    double d = column / (double)side;
    weir_world_def def;
    if (!bench_world_def(o, 2, d, &def, error) || !use_game_tolerance(o, &def, error))
        return false;
    weir_world *world = weir_world_create(&def, error);
    if (!world)
        return false;
    bool ok =
        bench_add_tank(world, (weir_vec3){4 * column, 2 * column, 1}, error) &&
        bench_add_block(world, 2, d, (weir_vec3){0, 0, 0}, (size_t[]){side, side, 1}, 0.001, error);
    for (int k = 0; ok && k < 5; k++)
        ok = add_floating_box(world, 0.3, (weir_vec3){3 + 0.6 * k, 0.15, 0}, 500, error);
    ok = ok && bench_run_scene(world, def.threads, length_of(o, 3), t, error);
    weir_world_destroy(world);
    return ok;
}

bool bench_peer_dam_2d(const bench_options *o, bench_table *t, weir_error *error)
{
    static const size_t sides[] = {45, 100, 223}; /* 2,025, 10,000 and 49,729 particles */
    int count = o->quick ? 1 : 3;
    for (int k = 0; k < count; k++)
        if ((k == 0 || o->most == 0 || sides[k] * sides[k] <= (size_t)o->most) &&
            !run_dam_2d(o, sides[k], t, error))
            return false;
    return true;
}
