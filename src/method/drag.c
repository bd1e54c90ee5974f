#include "method/drag.h"

#include "matter/reactions.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>

static double weigh(const void *context, double r)
{
    const drag_laplacian *l = context;
    if (l->mueller)
        return kernel_viscosity_laplacian(l->dim, r, l->h);
    double small = 1e-6 * l->h; /* the limit of W'/r at 0 */
    r = r > small ? r : small;
    return -2 * kernel_derivative(l->kernel, l->dim, r, l->h) / r;
}

static double second_moment(const void *context, double r)
{
    return r * r * weigh(context, r);
}

/* All but the particle itself, whose velocity is its own. */
static double weigh_others(const void *context, double r)
{
    return r > 0 ? weigh(context, r) : 0;
}

static double square_moment(const void *context, double r)
{
    const drag_laplacian *l = context;
    double slope = r > 0 ? kernel_derivative(l->kernel, l->dim, r, l->h) : 0;
    return slope * slope;
}

static double value_of_others(const void *context, double r)
{
    const drag_laplacian *l = context;
    return r > 0 ? kernel_value(l->kernel, l->dim, r, l->h) : 0;
}

void drag_prepare(drag_data *d, const flow *f, weir_kernel kernel, bool mueller)
{
    d->laplacian = (drag_laplacian){kernel, f->dim, mueller, f->h};
    double moment = kernel_lattice_sum(f->dim, f->spacing, f->h, second_moment, &d->laplacian);
    d->scale = 2 * f->dim / (f->kappa * f->volume * moment);
    d->pair_rate = f->kappa * f->volume * d->scale *
                   kernel_lattice_sum(f->dim, f->spacing, f->h, weigh_others, &d->laplacian);
    d->xsph_scale = kernel_lattice_sum(f->dim, f->spacing, f->h, value_of_others, &d->laplacian) /
                    kernel_lattice_sum(f->dim, f->spacing, f->h, square_moment, &d->laplacian);
    drag_laplacian unit = {kernel, f->dim, mueller, 1};
    wall_moment_table_fill(&d->no_slip, f->dim, weigh, &unit);
}

/* With weights w the fastest mode decays at no more than 2 Σw, times ν dt, which must stay below 2.
 * The factor leaves room for packings denser than the lattice. */
double drag_step_limit(const drag_data *d, const fluid *liquid)
{
    return 0.8 * liquid->density / (liquid->viscosity * d->pair_rate);
}

/* The velocity goes on linearly through the surface, so that it is the solid's there. */
double drag_wall_rate(const drag_data *d, const flow *f, size_t i, const wall_contact *contact,
                      double inverse)
{
    if (f->bodies[contact->body].wall != WEIR_WALL_NO_SLIP)
        return 0;
    const fluid *liquid = &f->fluids[f->p.fluid[i]];
    double closest = 0.25 * f->spacing;
    double s = fmax(contact->distance, closest) / f->h;
    return liquid->viscosity / liquid->density * inverse * inverse * wall_moment(&d->no_slip, s) /
           (f->h * f->h * s);
}

/* Work of the loop in drag_lanes.c for one liquid. */
static const pass_work drag_work = {.name = "viscosity",
                                    .pair_flops = 14,
                                    .pair_axis_flops = 10,
                                    .pair_roots = 2,
                                    .candidate_bytes = 4,
                                    .particle_axis_bytes = 16};

typedef struct drag_job {
    const drag_data *data;
    flow *f;
    drag_pass_constants k;
    float *const *change;
    double dt;
} drag_job;

static void pass_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    static const drag_pass *const levels[] = LANE_TABLE(drag_pass_);
    const drag_job *job = context;
    (*levels[job->f->level])(job->f, &job->k, job->change, begin, end);
}

static void apply_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const drag_job *job = context;
    flow *f = job->f;
    for (int a = 0; a < f->dim; a++)
        for (size_t i = begin; i < end; i++)
            f->p.v[a][i] += job->change[a][i];
}

/* What a solid that sticks does to a particle, and feels the opposite of. The rate is taken
 * implicitly: however thin the layer, it cannot overshoot. */
static void apply_wall(const void *context, size_t i, uint32_t w, reaction *out)
{
    const drag_job *job = context;
    flow *f = job->f;
    const wall_contact *contact = &f->walls.spans[i].contacts[w];
    double rate = drag_wall_rate(job->data, f, i, contact, 1) * job->dt;
    if (rate == 0) {
        out->body = REACTION_NONE;
        return;
    }
    double change[3] = {0, 0, 0};
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        change[a] = rate / (1 + rate) * ((double)contact->velocity[a] - f->p.v[a][i]);
        f->p.v[a][i] += (float)change[a];
    }
    out->point = flow_nearest(f, flow_position(f, i), &f->bodies[out->body]);
    out->pressure = (vec3){0, 0, 0};
    out->viscous =
        vec3_scale((vec3){change[0], change[1], change[2]}, -f->fluids[f->p.fluid[i]].mass);
}

static bool any_sticks(const flow *f)
{
    for (size_t k = 0; k < f->body_count; k++)
        if (f->bodies[k].alive && f->bodies[k].wall == WEIR_WALL_NO_SLIP)
            return true;
    return false;
}

bool drag_is_needed(const flow *f, double xsph)
{
    double largest = xsph;
    for (int k = 0; k < f->fluid_count; k++)
        largest = fmax(largest, f->fluids[k].viscosity);
    return largest > 0;
}

drag_pass_constants drag_find_constants(const drag_data *d, const flow *f, double dt, double xsph)
{
    double volume = f->kappa * f->volume;
    return (drag_pass_constants){.kernel = d->laplacian.kernel,
                                 .factors = f->kernel_factors,
                                 .viscous = (float)(dt * volume * d->scale),
                                 .xsph = (float)(xsph * volume),
                                 .tiny = (float)(1e-6 * f->h * f->h)};
}

void drag_finish(const drag_data *d, flow *f, double dt, float *const change[3])
{
    drag_job job = {.data = d, .f = f, .change = change, .dt = dt};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, apply_chunk, &job);
    if (any_sticks(f) && !reactions_push(f, apply_wall, &job))
        f->exhausted = true;
}

void drag_apply(const drag_data *d, flow *f, double dt, double xsph, float *const change[3])
{
    if (!drag_is_needed(f, xsph))
        return;
    drag_job job = {.f = f, .change = change, .k = drag_find_constants(d, f, dt, xsph)};
    double since = pass_now();
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, pass_chunk, &job);
    flow_note_pass(f, &drag_work, since);
    drag_finish(d, f, dt, change);
}
