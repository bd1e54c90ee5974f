/* Sums over the whole world: what a report says of a state. */
#include "kernel/kernel_radial.h"
#include "par/parallel.h"
#include "world/state.h"

#include <assert.h>
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
    if (f->walls.spans[i].count == 0) {
        sums[SUM_INTERIOR] += 1;
        sums[SUM_INTERIOR_COMPRESSION] += compression;
        raise_to(&maxima[MAX_INTERIOR], compression);
    } else
        raise_to(&maxima[MAX_WALL], compression);
    if (job->surface && !job->surface[i]) {
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

/* ------------------------------------------------------------ the free surface */

typedef struct surface_job {
    const flow *f;
    kernel_radial kernel;
    uint8_t *open;    /* particles whose kernel is not full */
    uint8_t *surface; /* particles with an open one within h */
} surface_job;

/* How much of a particle's kernel neighbours fill, and the gradient of that. */
typedef struct cover {
    double sum, gradient[3];
} cover;

/* Candidates that are looked at together. */
enum { COVER_BATCH = 64 };

/* Lists the candidates within h and where a particle lies from them. Every candidate is written and
 * only the count tells which stay: whether one is near is hard to foresee, and a branch would cost
 * more. */
static int list_covering(const flow *f, const candidate_span *span, uint32_t first, size_t i,
                         double offsets[][3], double squares[])
{
    const float *shift = f->near.shift[span->image];
    uint32_t end = span->count - first < COVER_BATCH ? span->count : first + COVER_BATCH;
    double h2 = f->h * f->h;
    int count = 0;
    for (uint32_t n = first; n < end; n++) {
        uint32_t j = span->candidates[n];
        double x = (double)f->p.x[0][i] - f->p.x[0][j] - shift[0];
        double y = (double)f->p.x[1][i] - f->p.x[1][j] - shift[1];
        double z = f->dim == 3 ? (double)f->p.x[2][i] - f->p.x[2][j] - shift[2] : 0;
        double r2 = x * x + y * y + z * z;
        offsets[count][0] = x;
        offsets[count][1] = y;
        offsets[count][2] = z;
        squares[count] = r2;
        count += (r2 > 0) & (r2 < h2);
    }
    return count;
}

/* Double precision and no lanes: this runs once per report, not per step. */
static void add_cover(const surface_job *job, const candidate_span *span, size_t i, cover *c)
{
    const flow *f = job->f;
    double volume = f->kappa * f->volume, offsets[COVER_BATCH][3], squares[COVER_BATCH];
    for (uint32_t first = 0; first < span->count; first += COVER_BATCH) {
        int count = list_covering(f, span, first, i, offsets, squares);
        for (int n = 0; n < count; n++) {
            /* As many are written as are counted, which the analyzer does not see. */
            double length = sqrt(squares[n]); // NOLINT(clang-analyzer-core.CallAndMessage)
            double slope = kernel_radial_slope(&job->kernel, length) / length;
            c->sum += volume * kernel_radial_value(&job->kernel, length);
            for (int a = 0; a < 3; a++)
                c->gradient[a] += volume * slope * offsets[n][a];
        }
    }
}

/* A flat surface has |gradient| h between 1.5 and 3 in its first layer; noise stays below 0.5.
 * Spray has no cover on any side. */
static bool is_open(const surface_job *job, const cluster *group, size_t i)
{
    const flow *f = job->f;
    const wall_span *solids = &f->walls.spans[i];
    cover c = {f->kappa * f->volume * kernel_radial_value(&job->kernel, 0), {0, 0, 0}};
    for (uint32_t s = 0; s < group->span_count; s++)
        add_cover(job, &group->spans[s], i, &c);
    double length2 = 0;
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        for (uint32_t k = 0; k < solids->count; k++)
            c.gradient[a] += solids->contacts[k].gradient[a];
        length2 += c.gradient[a] * c.gradient[a];
    }
    return sqrt(length2) * f->h > 0.8 || c.sum + solids->volume < 0.8;
}

static void mark_open(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const surface_job *job = context;
    for (size_t c = begin; c < end; c++) {
        const cluster *group = &job->f->near.clusters[c];
        for (uint32_t i = group->first; i < group->first + group->count; i++)
            job->open[i] = is_open(job, group, i);
    }
}

/* Whether a particle has an open one within h. Few are: the mark is read before the place. */
static bool is_near_open(const surface_job *job, const cluster *group, size_t i)
{
    const flow *f = job->f;
    for (uint32_t s = 0; s < group->span_count; s++) {
        const candidate_span *span = &group->spans[s];
        const float *shift = f->near.shift[span->image];
        for (uint32_t n = 0; n < span->count; n++) {
            size_t j = span->candidates[n];
            if (!job->open[j])
                continue;
            double r2 = 0;
            for (int a = 0; a < f->dim; a++) {
                double r = (double)f->p.x[a][i] - f->p.x[a][j] - shift[a];
                r2 += r * r;
            }
            if (r2 < f->h * f->h)
                return true;
        }
    }
    return false;
}

static void mark_surface(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const surface_job *job = context;
    for (size_t c = begin; c < end; c++) {
        const cluster *group = &job->f->near.clusters[c];
        for (uint32_t i = group->first; i < group->first + group->count; i++)
            job->surface[i] = job->open[i] || is_near_open(job, group, i);
    }
}

/* Marks the particles that have a free surface within h. The lists must belong to the present
 * order of particles. */
static void find_surface(const flow *f, uint8_t *open, uint8_t *surface)
{
    surface_job job = {f, kernel_radial_make(f->kernel, f->dim, f->h), open, surface};
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, mark_open, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, mark_surface, &job);
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
    size_t count = f->p.count;
    /* Densities and lists exist after a step and until particles are added. */
    bool listed = w->substeps > 0 && listed_particles(f) == count && count > 0;
    if (listed)
        job.density = weir_world_get_field(w, "density");
    size_t capacity = w->mark_capacity;
    if (listed && memory_grow(&w->mem, (void **)&w->marks, &capacity, 2 * count, 0, 1)) {
        w->mark_capacity = capacity;
        find_surface(f, w->marks, w->marks + count);
        job.surface = w->marks + count;
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
