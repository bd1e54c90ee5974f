/* Sums over the whole world: what a report says of a state. */
#include "par/parallel.h"
#include "world/free_surface.h"
#include "world/state.h"

#include <string.h>

enum {
    SUM_MASS,
    SUM_KINETIC,
    SUM_POTENTIAL,
    SUM_MOMENTUM, /* three */
    SUM_ANGULAR = SUM_MOMENTUM + 3,
    SUM_VOLUME = SUM_ANGULAR + 3,
    SUM_COMPRESSION,
    SUM_INTERIOR,
    SUM_INTERIOR_COMPRESSION,
    SUM_BULK,
    SUM_BULK_ERROR,
    SUM_COUNT,
    MAX_COMPRESSION = 0,
    MAX_INTERIOR,
    MAX_WALL,
    MAX_BULK,
    MAX_COUNT,
};

typedef struct statistics_job {
    const weir_world *w;
    const float *density;   /* NULL when the method has none */
    const uint8_t *surface; /* 1: a free surface is within reach; NULL when not known */
} statistics_job;

static void add_motion(const flow *f, size_t i, double *sums)
{
    double mass = f->fluids[f->p.fluid[i]].mass;
    vec3 x = flow_position(f, i), v = flow_velocity(f, i);
    vec3 momentum = vec3_scale(v, mass), angular = vec3_cross(x, momentum);
    sums[SUM_MASS] += mass;
    sums[SUM_KINETIC] += 0.5 * mass * vec3_dot(v, v);
    sums[SUM_POTENTIAL] -= mass * vec3_dot(x, f->force);
    sums[SUM_MOMENTUM] += momentum.x;
    sums[SUM_MOMENTUM + 1] += momentum.y;
    sums[SUM_MOMENTUM + 2] += momentum.z;
    sums[SUM_ANGULAR] += angular.x;
    sums[SUM_ANGULAR + 1] += angular.y;
    sums[SUM_ANGULAR + 2] += angular.z;
}

static void raise_to(double *maximum, double value)
{
    *maximum = value > *maximum ? value : *maximum;
}

static void add_density(const statistics_job *job, size_t i, double *sums, double *maxima)
{
    const flow *f = &job->w->flow;
    double ratio = job->density[i] / f->fluids[f->p.fluid[i]].density;
    double compression = ratio > 1 ? ratio - 1 : 0;
    sums[SUM_VOLUME] += ratio > 0 ? f->volume / ratio : 0;
    sums[SUM_COMPRESSION] += compression;
    raise_to(&maxima[MAX_COMPRESSION], compression);
    bool asleep = i >= f->p.count;
    bool at_wall = asleep ? (f->p.sight[i] & PARTICLE_SEES_WALL) != 0 : f->walls.spans[i].count > 0;
    bool open =
        asleep ? (f->p.sight[i] & PARTICLE_SEES_SURFACE) != 0 : !job->surface || job->surface[i];
    if (!at_wall) {
        sums[SUM_INTERIOR] += 1;
        sums[SUM_INTERIOR_COMPRESSION] += compression;
        raise_to(&maxima[MAX_INTERIOR], compression);
    } else
        raise_to(&maxima[MAX_WALL], compression);
    if (!open) {
        sums[SUM_BULK] += 1;
        sums[SUM_BULK_ERROR] += fabs(ratio - 1);
        raise_to(&maxima[MAX_BULK], fabs(ratio - 1));
    }
}

static void reduce(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    const statistics_job *job = context;
    for (size_t i = begin; i < end; i++) {
        add_motion(&job->w->flow, i, sums);
        if (job->density)
            add_density(job, i, sums, maxima);
    }
}

/* Velocities of bodies belong to the middle of the last substep: so does the potential. */
static void find_body_energy(const weir_world *w, double *kinetic, double *potential)
{
    for (size_t k = 0; k < w->flow.body_count; k++) {
        const body *b = &w->flow.bodies[k];
        if (!body_has_mass(b))
            continue;
        vec3 middle = vec3_madd(body_centre(b), -0.5 * w->last_substep, b->velocity);
        *kinetic += 0.5 * b->mass * vec3_dot(b->velocity, b->velocity) +
                    0.5 * vec3_dot(body_inertia(b, b->spin), b->spin);
        *potential -= b->mass * vec3_dot(w->flow.force, middle);
    }
}

/* ------------------------------------------------------------------- reading */

static size_t listed_particles(const flow *f)
{
    size_t count = 0;
    for (size_t c = 0; c < f->near.cluster_count; c++)
        count += f->near.clusters[c].count;
    return count;
}

weir_statistics weir_world_get_statistics(weir_world *w)
{
    flow *f = &w->flow;
    statistics_job job = {.w = w};
    size_t count = f->p.total, awake = f->p.count;
    /* Densities and lists exist after a step and until particles are added. */
    bool listed = w->substeps > 0 && listed_particles(f) == awake && count > 0;
    if (listed)
        job.density = weir_world_get_field(w, "density");
    size_t capacity = w->mark_capacity;
    if (listed && memory_grow(&w->mem, (void **)&w->marks, &capacity, 2 * awake, 0, 1)) {
        w->mark_capacity = capacity;
        surface_find(f, NULL, NULL, w->marks, w->marks + awake);
        job.surface = w->marks + awake;
    }
    double sums[SUM_COUNT] = {0}, maxima[MAX_COUNT] = {0};
    parallel_reduce(f->threads, count, reduce, &job, sums, SUM_COUNT, maxima, MAX_COUNT);
    double volume = (double)count * f->volume;
    double interior = fmax(sums[SUM_INTERIOR], 1), bulk = fmax(sums[SUM_BULK], 1);
    double body_kinetic = 0, body_potential = 0;
    find_body_energy(w, &body_kinetic, &body_potential);
    return (weir_statistics){
        .time = w->time,
        .steps = w->steps,
        .substeps = w->substeps,
        .particles = count,
        .particles_asleep = count - awake,
        .mass = sums[SUM_MASS],
        .volume = volume,
        .volume_error = job.density && volume > 0 ? sums[SUM_VOLUME] / volume - 1 : 0,
        .compression_mean = count > 0 ? sums[SUM_COMPRESSION] / (double)count : 0,
        .compression_max = maxima[MAX_COMPRESSION],
        .interior_compression_mean = sums[SUM_INTERIOR_COMPRESSION] / interior,
        .interior_compression_max = maxima[MAX_INTERIOR],
        .wall_compression_max = maxima[MAX_WALL],
        .bulk_error_mean = sums[SUM_BULK_ERROR] / bulk,
        .bulk_error_max = maxima[MAX_BULK],
        .bulk_particles = (size_t)sums[SUM_BULK],
        .kinetic_energy = sums[SUM_KINETIC],
        .potential_energy = sums[SUM_POTENTIAL],
        .body_kinetic_energy = body_kinetic,
        .body_potential_energy = body_potential,
        .total_energy = sums[SUM_KINETIC] + sums[SUM_POTENTIAL] + body_kinetic + body_potential,
        .momentum = {sums[SUM_MOMENTUM], sums[SUM_MOMENTUM + 1], sums[SUM_MOMENTUM + 2]},
        .angular_momentum = {sums[SUM_ANGULAR], sums[SUM_ANGULAR + 1], sums[SUM_ANGULAR + 2]},
        .speed_max = f->speed_max,
    };
}

weir_counters weir_world_get_counters(const weir_world *w)
{
    weir_counters counters = {
        .bytes = w->mem.bytes,
        .peak_bytes = w->mem.peak_bytes,
        .allocations = w->mem.allocations,
        .candidates = w->flow.near.candidate_count,
        .clusters = w->flow.near.cluster_count,
        .wall_contacts = w->flow.walls.contact_count,
    };
    if (w->method->count)
        w->method->count(&w->flow, &counters);
    return counters;
}

double weir_world_get_parameter(const weir_world *w, const char *name)
{
    const weir_method_info *info = &w->method->info;
    for (int k = 0; k < info->parameter_count; k++)
        if (strcmp(info->parameters[k].name, name) == 0)
            return w->flow.parameters[k];
    return NAN;
}

double weir_world_get_time(const weir_world *w)
{
    return w->time;
}
