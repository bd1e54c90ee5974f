/* Particles of a scene's fills, with the checks that need them. */
#include "scene/scene_build.h"

#include "scene/scene_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Measured for running worlds of SPH with the default support, neighbour lists included. */
static const double bytes_per_particle[] = {220, 300}; /* 2D, 3D */

typedef struct fills_job {
    scene *s;
    weir_world *world;
    memory mem;
    int threads;
    fill_solid *solids;
    shape **solid_shapes;
    shape **regions;
    fill_def *defs;
    fill *made;
} fills_job;

static size_t count_solids(const scene *s)
{
    return s->data.solid_count + s->data.body_count;
}

/* The scene's solids and bodies as the fills see them, where they are now. */
static bool compile_solids(fills_job *job, const weir_shape_def *shapes, weir_error *error)
{
    const scene_data *d = &job->s->data;
    for (size_t k = 0; k < count_solids(job->s); k++) {
        bool is_solid = k < d->solid_count;
        const node *n = is_solid ? d->solids[k].node : d->bodies[k - d->solid_count].node;
        const char *name = is_solid ? d->solids[k].name : d->bodies[k - d->solid_count].name;
        weir_body_state state;
        job->solid_shapes[k] = shape_create(&job->mem, &shapes[k], d->dim, error);
        if (!job->solid_shapes[k])
            return scene_fail_at(n, "shape", error);
        if (!weir_body_get_state(job->world, weir_world_body_at(job->world, (int)k), &state))
            return fail(error, WEIR_STALE_ID, "solid %s was not created", name);
        job->solids[k] = (fill_solid){name, job->solid_shapes[k], state.pose, d->spacing / 2};
    }
    return true;
}

static bool compile_fill(fills_job *job, size_t k, weir_error *error)
{
    const scene_data *d = &job->s->data;
    const scene_fill *from = &d->fills[k];
    weir_shape_def region;
    if (!scene_build_shape(job->s, &from->shape, job->threads, &region, error))
        return false;
    job->regions[k] = shape_create(&job->mem, &region, d->dim, error);
    if (!job->regions[k])
        return scene_fail_at(from->node, "shape", error);
    job->defs[k] = fill_def_default();
    fill_def *def = &job->defs[k];
    def->name = from->name;
    def->region = job->regions[k];
    def->spacing = d->spacing;
    def->lattice = (fill_lattice)from->lattice;
    def->jitter = from->jitter;
    def->seed = (uint64_t)d->seed + k;
    def->velocity = from->velocity;
    def->solids = job->solids;
    def->solid_count = count_solids(job->s);
    return true;
}

/* Refuses what would not fit into memory before any of it is taken. */
static bool check_size(const fills_job *job, weir_error *error)
{
    const scene_data *d = &job->s->data;
    double particles = 0;
    for (size_t k = 0; k < d->fill_count; k++) {
        double more;
        if (!fill_estimate(&job->defs[k], &more, error))
            return scene_fail_at(d->fills[k].node, NULL, error);
        particles += more;
    }
    if (d->max_particles > 0 && particles > 1.1 * (double)d->max_particles)
        return bind_error_at(d->node, "max_particles", error,
                             "%lld are less than the fills have, about %.0f",
                             (long long)d->max_particles, particles);
    if (!fill_check_memory(particles, bytes_per_particle[d->dim - 2] + FILL_BYTES_PER_PARTICLE, 0,
                           d->spacing, d->dim, error))
        return scene_fail_at(d->node, "spacing", error);
    return true;
}

/* The velocity that a flow has at a place, at the start. */
static vec3 flow_velocity(const scene_flow *f, vec3 place)
{
    double x = place.x - f->center.x, y = place.y - f->center.y;
    double k = f->length > 0 ? 2 * PI / f->length : 0;
    switch (f->kind) {
    case SCENE_FLOW_ROTATION:
        return (vec3){-f->rate * y, f->rate * x, 0};
    case SCENE_FLOW_STRAIN:
        return (vec3){-f->rate * x, f->rate * y, 0};
    case SCENE_FLOW_VORTICES:
        return (vec3){-f->speed * cos(k * x) * sin(k * y), f->speed * sin(k * x) * cos(k * y), 0};
    default:
        return (vec3){0, 0, 0};
    }
}

/* Particles that begin with velocities of their own. */
static bool add_moving(fills_job *job, size_t k, weir_fluid_id fluid, weir_error *error)
{
    const scene_fill *from = &job->s->data.fills[k];
    for (size_t i = 0; i < job->made[k].count; i++) {
        vec3 v = flow_velocity(&from->flow, job->made[k].positions[i]);
        v = vec3_add(v, from->velocity);
        if (!weir_world_add_particles(job->world, fluid, &job->made[k].positions[i], 1, v, error))
            return scene_fail_at(from->node, NULL, error);
    }
    return true;
}

static bool add_particles(fills_job *job, size_t k, scene_counts *counts, weir_error *error)
{
    const scene_fill *from = &job->s->data.fills[k];
    size_t index = 0;
    if (!scene_find_fluid(job->s, from->fluid, from->node, &index, error))
        return false;
    weir_fluid_id fluid = {(uint32_t)index + 1, 1};
    counts->fills[k] = job->made[k].count;
    counts->particles += job->made[k].count;
    if (from->flow.kind != SCENE_FLOW_NONE)
        return add_moving(job, k, fluid, error);
    return weir_world_add_particles(job->world, fluid, job->made[k].positions, job->made[k].count,
                                    from->velocity, error) ||
           scene_fail_at(from->node, NULL, error);
}

static bool run_job(fills_job *job, const weir_shape_def *shapes, scene_counts *counts,
                    weir_error *error)
{
    const scene_data *d = &job->s->data;
    if (!compile_solids(job, shapes, error))
        return false;
    for (size_t k = 0; k < d->fill_count; k++)
        if (!compile_fill(job, k, error))
            return false;
    if (!check_size(job, error))
        return false;
    for (size_t k = 0; k < d->fill_count; k++)
        if (!fill_create(&job->made[k], &job->defs[k], error))
            return scene_fail_at(d->fills[k].node, NULL, error);
    if (!fill_check_overlap(job->made, d->fill_count, error))
        return scene_fail_at(node_find(d->node, "fills"), NULL, error);
    for (size_t k = 0; k < d->fill_count; k++)
        if (!add_particles(job, k, counts, error))
            return false;
    return true;
}

static void free_job(fills_job *job)
{
    const scene_data *d = &job->s->data;
    for (size_t k = 0; job->solid_shapes && k < count_solids(job->s); k++)
        if (job->solid_shapes[k])
            shape_destroy(&job->mem, job->solid_shapes[k]);
    for (size_t k = 0; job->regions && k < d->fill_count; k++)
        if (job->regions[k])
            shape_destroy(&job->mem, job->regions[k]);
    for (size_t k = 0; job->made && k < d->fill_count; k++)
        fill_free(&job->made[k]);
    free(job->solids);
    free(job->solid_shapes);
    free(job->regions);
    free(job->defs);
    free(job->made);
}

bool scene_build_fills(scene *s, weir_world *world, const weir_shape_def *shapes, int threads,
                       scene_counts *counts, weir_error *error)
{
    size_t solids = count_solids(s) + 1, fills = s->data.fill_count + 1;
    weir_hooks hooks = {0};
    fills_job job = {.s = s, .world = world, .mem = memory_with_hooks(&hooks), .threads = threads};
    job.solids = calloc(solids, sizeof *job.solids);
    job.solid_shapes = calloc(solids, sizeof(shape *));
    job.regions = calloc(fills, sizeof(shape *));
    job.defs = calloc(fills, sizeof *job.defs);
    job.made = calloc(fills, sizeof *job.made);
    counts->fills = store_take_array(&s->kept, fills, sizeof *counts->fills);
    counts->bytes_per_particle = bytes_per_particle[s->data.dim - 2];
    bool ok =
        job.solids && job.solid_shapes && job.regions && job.defs && job.made && counts->fills;
    ok = ok ? run_job(&job, shapes, counts, error)
            : fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the fills");
    free_job(&job);
    return ok;
}

bool scene_check_room(const scene *s, const scene_solid *solid, const weir_shape_def *def,
                      weir_error *error)
{
    if (!def->complement)
        return true;
    weir_hooks hooks = {0};
    memory mem = memory_with_hooks(&hooks);
    weir_shape_def within = *def;
    within.complement = false;
    shape *inner = shape_create(&mem, &within, s->data.dim, error);
    shape *outer = inner ? shape_create(&mem, def, s->data.dim, error) : NULL;
    bool ok = outer != NULL;
    double room = 1;
    if (ok && vec3_is_finite(shape_bounds(inner).lo) && vec3_is_finite(shape_bounds(inner).hi)) {
        fill_solid wall = {solid->name, outer, pose_identity(), s->data.spacing / 2};
        fill_def test = fill_def_default();
        test.name = solid->name;
        test.region = inner;
        test.spacing = s->data.spacing;
        test.solids = &wall;
        test.solid_count = 1;
        /* A space too large to count is room enough. */
        if (!fill_estimate(&test, &room, NULL))
            room = 1;
    }
    if (ok && room < 1)
        ok = bind_error_at(solid->node, "shape", error,
                           "the solid encloses no fluid space: there is no room inside for one "
                           "particle (spacing %g m); make it larger, or leave out 'inside'",
                           s->data.spacing);
    else if (!ok)
        scene_fail_at(solid->node, "shape", error);
    if (outer)
        shape_destroy(&mem, outer);
    if (inner)
        shape_destroy(&mem, inner);
    return ok;
}
