#include "bench_block.h"

#include <math.h>
#include <string.h>

static const double spacing = 0.01; /* m */

const char *const bench_methods[] = {"sph", "pbf", "viscoelastic", "constraint", NULL};

static bool add_matter(block *b, size_t side, weir_error *error)
{
    double edge = (double)side * spacing;
    return bench_add_tank(b->world, (weir_vec3){edge, 2 * edge, edge}, error) &&
           bench_add_block(b->world, 3, spacing, (weir_vec3){0, 0, 0}, (size_t[]){side, side, side},
                           0.001, error);
}

bool block_build(block *b, const bench_options *o, const char *method, size_t side, int threads,
                 weir_error *error)
{
    bench_options own = *o;
    weir_world_def def;
    own.method = method;
    own.threads = threads;
    *b = (block){.particles = side * side * side, .threads = threads};
    if (!bench_world_def(&own, 3, spacing, &def, error))
        return false;
    if (strcmp(method, "constraint") == 0 && o->set.count == 0 &&
        !(weir_world_def_set(&def, "iterations", 10, error) &&
          weir_world_def_set(&def, "min_iterations", 10, error)))
        return false;
    b->world = weir_world_create(&def, error);
    if (b->world && add_matter(b, side, error))
        return true;
    block_free(b);
    return false;
}

void block_free(block *b)
{
    weir_world_destroy(b->world);
    b->world = NULL;
}

/* Totals before a substep; costs are differences to them. */
typedef struct totals {
    weir_stage_time stages[BLOCK_MAX_STAGES];
    weir_pass passes[BLOCK_MAX_PASSES];
    int stage_count, pass_count;
} totals;

static void read_totals(const block *b, totals *t)
{
    int stages = weir_world_get_profile(b->world, t->stages, BLOCK_MAX_STAGES);
    int passes = weir_world_get_passes(b->world, t->passes, BLOCK_MAX_PASSES);
    t->stage_count = stages < BLOCK_MAX_STAGES ? stages : BLOCK_MAX_STAGES;
    t->pass_count = passes < BLOCK_MAX_PASSES ? passes : BLOCK_MAX_PASSES;
}

static void note_substep(block_cost *c, const totals *before, const totals *after, double seconds)
{
    c->seconds = fmin(c->seconds, seconds);
    c->stage_count = after->stage_count;
    c->pass_count = after->pass_count;
    for (int k = 0; k < after->stage_count; k++) {
        double took = after->stages[k].seconds - before->stages[k].seconds;
        c->stages[k].seconds = c->stages[k].name ? fmin(c->stages[k].seconds, took) : took;
        c->stages[k].name = after->stages[k].name;
    }
    for (int k = 0; k < after->pass_count; k++) {
        const weir_pass *now = &after->passes[k], none = {.name = now->name};
        const weir_pass *then = k < before->pass_count ? &before->passes[k] : &none;
        weir_pass *to = &c->passes[k];
        double runs = now->runs - then->runs;
        to->name = now->name; /* of one that ran before these substeps only, that is all */
        if (runs == 0)
            continue;
        *to = (weir_pass){.name = now->name,
                          .seconds = now->least_seconds,
                          .runs = runs,
                          .pairs = (now->pairs - then->pairs) / runs,
                          .flops = (now->flops - then->flops) / runs,
                          .roots = (now->roots - then->roots) / runs,
                          .bytes = (now->bytes - then->bytes) / runs};
    }
}

/* The loops of one iteration; methods without iterations have one a substep. */
static const struct {
    const char *method, *loops[3];
} iterations[] = {
    {"sph", {"sph density", "sph force"}},
    {"pbf", {"pbf measure", "pbf correct"}},
    {"viscoelastic", {"visco drag", "visco density", "visco displace"}},
    {"constraint", {"constraint push", "constraint pull"}},
};

static void find_iteration(block_cost *c, const char *method)
{
    for (size_t m = 0; m < sizeof iterations / sizeof iterations[0]; m++)
        for (int l = 0; l < 3 && strcmp(iterations[m].method, method) == 0; l++)
            for (int k = 0; k < c->pass_count && iterations[m].loops[l]; k++)
                if (strcmp(c->passes[k].name, iterations[m].loops[l]) == 0) {
                    c->iteration_seconds += c->passes[k].seconds;
                    c->iteration_pairs = c->passes[k].pairs;
                }
}

/* The limit changes with the speed of the fluid, which settles. */
static bool step(block *b, weir_error *error)
{
    b->dt = weir_world_get_step_limit(b->world, error).seconds;
    return b->dt > 0 && (weir_world_step(b->world, b->dt, error) & WEIR_STEP_FAILED) == 0;
}

bool block_measure(block *b, const char *method, int warm_up, int substeps, block_cost *cost,
                   weir_error *error)
{
    *cost = (block_cost){.seconds = INFINITY};
    for (int k = 0; k < warm_up; k++)
        if (!step(b, error))
            return false;
    for (int k = 0; k < substeps; k++) {
        totals before, after;
        read_totals(b, &before);
        double begun = bench_now();
        if (!step(b, error))
            return false;
        double took = bench_now() - begun;
        read_totals(b, &after);
        note_substep(cost, &before, &after, took);
    }
    find_iteration(cost, method);
    return true;
}
