/* What follows the iterations of PBF (Algorithm 1, lines 20-24): velocities from positions, the
 * angular momentum that this loses, and vorticity confinement. */
#include "method/pbf.h"

#include "method/pbf_work.h"
#include "par/parallel.h"

#include <math.h>

typedef struct velocity_job {
    flow *f;
    const pbf_data *data;
    double dt;
} velocity_job;

static vec3 read_vector(const flow *f, int field, size_t i)
{
    float *const *from = &f->p.field[field];
    return (vec3){from[0][i], from[1][i], f->dim == 3 ? from[2][i] : 0};
}

static void write_vector(flow *f, int field, size_t i, vec3 value)
{
    float *const *to = &f->p.field[field];
    to[0][i] = (float)value.x;
    to[1][i] = (float)value.y;
    if (f->dim == 3)
        to[2][i] = (float)value.z;
}

static void add_velocity(flow *f, size_t i, vec3 change)
{
    f->p.v[0][i] += (float)change.x;
    f->p.v[1][i] += (float)change.y;
    if (f->dim == 3)
        f->p.v[2][i] += (float)change.z;
}

/* An angular quantity: three components in 3D, the last one in 2D. */
static vec3 read_turn(const flow *f, int field, size_t i)
{
    float *const *from = &f->p.field[field];
    return (vec3){f->dim == 3 ? from[0][i] : 0, f->dim == 3 ? from[1][i] : 0, from[2][i]};
}

static void write_turn(flow *f, int field, size_t i, vec3 value)
{
    float *const *to = &f->p.field[field];
    if (f->dim == 3) {
        to[0][i] = (float)value.x;
        to[1][i] = (float)value.y;
    }
    to[2][i] = (float)value.z;
}

/* --------------------------------------------------------------- velocities */

/* Moves are central where they are found, but act as velocities at the new positions: a particle
 * gains m (shift × v − twist/dt) of angular momentum that nobody loses. It is noted, negated, in
 * the twist. */
static void update_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    flow *f = job->f;
    double per_second = 1 / job->dt;
    for (size_t i = begin; i < end; i++) {
        vec3 shift = read_vector(f, PBF_SHIFT_X, i);
        vec3 gain = vec3_madd(vec3_cross(shift, flow_velocity(f, i)), -per_second,
                              read_turn(f, PBF_TWIST_X, i));
        write_turn(f, PBF_TWIST_X, i, vec3_scale(gain, -f->fluids[f->p.fluid[i]].mass));
        add_velocity(f, i, vec3_scale(shift, per_second));
    }
}

void pbf_update_velocities(flow *f, double dt)
{
    velocity_job job = {f, f->method_data, dt};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, update_chunk, &job);
}

/* --------------------------------------------------------------------- spin */

/* Solves I x = b for a symmetric, positive I given by its second moments `own` and `mixed` (xy, yz,
 * zx): I = tr(S) 1 − S. A line of particles has no inertia about itself, hence the small term. */
static vec3 solve_inertia(vec3 own, vec3 mixed, vec3 b)
{
    double trace = own.x + own.y + own.z, least = 1e-7 * trace;
    double a00 = own.y + own.z + least, a11 = own.x + own.z + least, a22 = own.x + own.y + least;
    double a01 = -mixed.x, a12 = -mixed.y, a02 = -mixed.z;
    double c00 = a11 * a22 - a12 * a12, c01 = a02 * a12 - a01 * a22, c02 = a01 * a12 - a02 * a11;
    double c11 = a00 * a22 - a02 * a02, c12 = a01 * a02 - a00 * a12, c22 = a00 * a11 - a01 * a01;
    double det = a00 * c00 + a01 * c01 + a02 * c02;
    return (vec3){(c00 * b.x + c01 * b.y + c02 * b.z) / det,
                  (c01 * b.x + c11 * b.y + c12 * b.z) / det,
                  (c02 * b.x + c12 * b.y + c22 * b.z) / det};
}

/* The spin that the neighbourhood of each particle takes on, and the centre that it turns about. */
static void moments_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    flow *f = job->f;
    pbf_get_passes(f)->moments(f, &job->data->constants, begin, end);
    size_t first, last;
    flow_chunk_range(f, begin, end, &first, &last);
    for (size_t i = first; i < last; i++) {
        double weight = f->p.field[PBF_STEP][i];
        vec3 centre = vec3_scale(read_vector(f, PBF_MOVE_X, i), 1 / weight);
        vec3 own = read_vector(f, PBF_LAST_SHIFT_X, i), mixed = read_vector(f, PBF_LAST_TWIST_X, i);
        own.x -= weight * centre.x * centre.x;
        own.y -= weight * centre.y * centre.y;
        own.z -= weight * centre.z * centre.z;
        mixed.x -= weight * centre.x * centre.y;
        mixed.y = f->dim == 3 ? mixed.y - weight * centre.y * centre.z : 0;
        mixed.z -= weight * centre.z * centre.x;
        vec3 spin = {0, 0, 0};
        /* Particles at solids exchange it with them; those on their own have none to give it to. */
        if (own.x + own.y + own.z > 1e-4 && f->walls.spans[i].count == 0)
            spin = vec3_scale(solve_inertia(own, mixed, read_turn(f, PBF_TWIST_X, i)),
                              1 / (f->h * f->h));
        write_vector(f, PBF_LAST_TWIST_X, i, vec3_scale(centre, f->h));
        write_turn(f, PBF_MOVE_X, i, spin);
    }
}

static void give_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    pbf_get_passes(job->f)->give_spin(job->f, &job->data->constants, begin, end);
}

static void apply_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    flow *f = job->f;
    for (size_t i = begin; i < end; i++)
        add_velocity(
            f, i, vec3_scale(read_vector(f, PBF_LAST_SHIFT_X, i), f->p.field[PBF_INVERSE_MASS][i]));
}

void pbf_restore_spin(flow *f, double dt)
{
    velocity_job job = {f, f->method_data, dt};
    double since = pass_now();
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, moments_chunk, &job);
    flow_note_pass(f, &moments_work, since);
    since = pass_now();
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, give_chunk, &job);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, apply_chunk, &job);
    flow_note_pass(f, &spin_work, since);
}

/* ---------------------------------------------------------------- vorticity */

static void curl_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    pbf_get_passes(job->f)->curl(job->f, &job->data->constants, begin, end);
}

static void slope_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    pbf_get_passes(job->f)->curl_slope(job->f, &job->data->constants, begin, end);
}

/* v += dt ε h (N × ω), N = η/|η| (eq. 16, with the factor of length of Fedkiw et al. 2001, so that
 * ε means the same at every resolution). */
static void confine_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    flow *f = job->f;
    double strength = job->dt * f->parameters[PBF_VORTICITY] * f->h;
    for (size_t i = begin; i < end; i++) {
        vec3 slope = read_vector(f, PBF_SHIFT_X, i);
        vec3 curl =
            f->dim == 3 ? read_vector(f, PBF_MOVE_X, i) : (vec3){0, 0, f->p.field[PBF_CURL][i]};
        double length = vec3_length(slope);
        if (length > 0)
            add_velocity(f, i, vec3_scale(vec3_cross(slope, curl), strength / length));
    }
}

void pbf_confine_vorticity(flow *f, double dt)
{
    velocity_job job = {f, f->method_data, dt};
    double since = pass_now();
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, curl_chunk, &job);
    flow_note_pass(f, &curl_work, since);
    if (f->parameters[PBF_VORTICITY] == 0)
        return;
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, slope_chunk, &job);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, confine_chunk, &job);
}
