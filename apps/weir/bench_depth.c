/* Iterations that the density solve takes for columns of water of growing depth: when one that
 * stands begins to carry its weight, and while one falls apart in a tank. */
#include "bench_scene.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 8, DEPTHS = 3 };

static const double spacing = 0.01; /* m */

typedef struct column_case {
    const char *label;
    int dim;
    bool dam;
    size_t across, depth; /* particles, of the shallowest */
} column_case;

/* Totals of the solver over the substeps of a run. */
typedef struct iteration_record {
    double velocity, position, substeps;
} iteration_record;

static bool build(weir_world **world, const bench_options *o, const column_case *c, size_t depth,
                  weir_error *error)
{
    weir_world_def def;
    bench_options own = *o;
    own.method = "constraint";
    if (!bench_world_def(&own, c->dim, spacing, &def, error))
        return false;
    *world = weir_world_create(&def, error);
    if (!*world)
        return false;
    /* A dam keeps its shape: it is as wide as deep, and its tank four times as wide. */
    size_t wide = c->dam ? depth : c->across, thick = c->dim == 3 ? c->across : 1;
    double x = (double)wide * spacing * (c->dam ? 4 : 1), z = c->dim == 3 ? (double)thick : 100;
    bool ok =
        bench_add_tank(*world, (weir_vec3){x, 2 * (double)depth * spacing, z * spacing}, error) &&
        bench_add_block(*world, c->dim, spacing, (weir_vec3){0, 0, 0},
                        (size_t[]){wide, depth, thick}, 0.001, error);
    if (!ok)
        weir_world_destroy(*world);
    return ok;
}

/* Runs until `seconds`, one substep at a time. */
static bool run(weir_world *world, double seconds, iteration_record *r, weir_error *error)
{
    double time = 0;
    while (time < seconds) {
        double dt = weir_world_get_step_limit(world, error).seconds;
        if (!(dt > 0) || weir_world_step(world, dt, error) & WEIR_STEP_FAILED)
            return false;
        weir_solve_info info = weir_world_get_solve_info(world);
        r->velocity += info.velocity_iterations;
        r->position += info.position_iterations;
        r->substeps++;
        time += dt;
    }
    return true;
}

/* In units of √(H/g), so that all depths see the same: standing columns for 0.4, in which they come
 * to carry their weight; dams for 1.5, in which the front runs farther than the column was deep. */
static bool add_row(bench_table *t, const bench_options *o, const column_case *c, size_t depth,
                    double first, weir_error *error)
{
    weir_world *world;
    iteration_record r = {0};
    if (!build(&world, o, c, depth, error))
        return false;
    double fall = sqrt((double)depth * spacing / 9.81);
    bool ok = run(world, (c->dam ? 1.5 : 0.4) * fall, &r, error);
    if (ok) {
        double all = (r.velocity + r.position) / r.substeps;
        const double values[COLUMNS] = {c->dim,
                                        (double)depth,
                                        (double)weir_world_get_statistics(world).particles,
                                        r.substeps,
                                        r.velocity / r.substeps,
                                        r.position / r.substeps,
                                        all,
                                        first > 0 ? all / first : 1};
        t->labels[t->rows] = c->label;
        memcpy(t->values[t->rows++], values, sizeof values);
    }
    weir_world_destroy(world);
    return ok;
}

bool bench_depth(const bench_options *o, bench_table *t, weir_error *error)
{
    static const char *const names[COLUMNS] = {"dim",      "depth",    "particles",  "substeps",
                                               "velocity", "position", "iterations", "growth"};
    static const column_case cases[] = {{"standing 2D", 2, false, 40, 40},
                                        {"standing 3D", 3, false, 16, 20},
                                        {"dam 2D", 2, true, 0, 40},
                                        {"dam 3D", 3, true, 10, 16}};
    t->label = "column";
    bench_name_columns(t, names, COLUMNS);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double first = 0;
        for (int level = 0; level < DEPTHS; level++) {
            size_t depth = (cases[k].depth << level) / (o->quick ? 2 : 1);
            if (!add_row(t, o, &cases[k], depth, first, error))
                return false;
            if (level == 0)
                first = t->values[t->rows - 1][6];
        }
    }
    return true;
}
