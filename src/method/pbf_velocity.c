/* What follows the iterations of PBF (Algorithm 1, lines 20-24): velocities from positions, and
 * vorticity confinement. */
#include "method/pbf.h"

#include "par/parallel.h"

#include <math.h>

typedef struct velocity_job {
    flow *f;
    const pbf_data *data;
    double dt;
} velocity_job;

static void update_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    flow *f = job->f;
    float per_second = (float)(1 / job->dt);
    for (int a = 0; a < f->dim; a++)
        for (size_t i = begin; i < end; i++)
            f->p.v[a][i] += per_second * f->p.field[PBF_SHIFT_X + a][i];
}

void pbf_update_velocities(flow *f, double dt)
{
    velocity_job job = {f, f->method_data, dt};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, update_chunk, &job);
}

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

/* v += dt ε h (N × ω), N = η/|η| (eq. 16, with Fedkiw's factor of length). */
static void confine_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const velocity_job *job = context;
    flow *f = job->f;
    float **field = f->p.field;
    double strength = job->dt * f->parameters[PBF_VORTICITY] * f->h;
    for (size_t i = begin; i < end; i++) {
        bool deep = f->dim == 3;
        vec3 slope = {field[PBF_SHIFT_X][i], field[PBF_SHIFT_Y][i],
                      deep ? field[PBF_SHIFT_Z][i] : 0};
        vec3 curl = {deep ? field[PBF_MOVE_X][i] : 0, deep ? field[PBF_MOVE_Y][i] : 0,
                     deep ? field[PBF_MOVE_Z][i] : field[PBF_CURL][i]};
        double length = vec3_length(slope);
        if (length == 0)
            continue;
        vec3 change = vec3_scale(vec3_cross(slope, curl), strength / length);
        f->p.v[0][i] += (float)change.x;
        f->p.v[1][i] += (float)change.y;
        if (deep)
            f->p.v[2][i] += (float)change.z;
    }
}

void pbf_confine_vorticity(flow *f, double dt)
{
    velocity_job job = {f, f->method_data, dt};
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, curl_chunk, &job);
    if (f->parameters[PBF_VORTICITY] == 0)
        return;
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, slope_chunk, &job);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, confine_chunk, &job);
}
