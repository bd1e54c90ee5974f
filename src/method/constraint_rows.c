#include "method/constraint_rows.h"

#include "method/constraint_foresee.h"
#include "method/constraint_links.h"
#include "method/constraint_walls.h"
#include "method/constraint_weigh.h"
#include "method/constraint_work.h"
#include "par/parallel.h"

#include <string.h>

typedef struct constraint_job {
    flow *f;
    const constraint_data *data;
    const float *nu;
    float *rows;
} constraint_job;

static const constraint_passes *passes(const flow *f)
{
    static const constraint_passes *const levels[] = LANE_TABLE(constraint_passes_);
    return levels[f->level];
}

static void pull_moments(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    passes(job->f)->pull_moments(job->f, &job->data->constants, begin, end);
}

static void pull_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    passes(job->f)->pull(job->f, &job->data->constants, job->rows, begin, end);
}

static void pull(flow *f, float *rows)
{
    constraint_job job = {.f = f, .data = f->method_data, .rows = rows};
    double since = pass_now();
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, pull_moments, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, pull_chunk, &job);
    flow_note_pass(f, &pull_work, since);
}

static void take_velocities(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const flow *f = ((const constraint_job *)context)->f;
    for (int a = 0; a < f->dim; a++)
        memcpy(f->p.field[CONSTRAINT_WORK_X + a] + begin, f->p.v[a] + begin,
               (end - begin) * sizeof(float));
}

/* The products know solids at rest only. */
static void subtract_solids(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const flow *f = ((const constraint_job *)context)->f;
    for (size_t n = begin; n < end; n++) {
        size_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            float velocity[3];
            constraint_walls_velocity(f, i, &solids->contacts[w], velocity);
            for (int a = 0; a < f->dim; a++)
                f->p.field[CONSTRAINT_RATE][i] -= solids->contacts[w].gradient[a] * velocity[a];
        }
    }
}

static void find_present_rates(flow *f)
{
    constraint_job job = {.f = f, .data = f->method_data};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, take_velocities, &job);
    pull(f, f->p.field[CONSTRAINT_RATE]);
    parallel_for(f->threads, f->walls.touching_count, TOUCHING_GRAIN, subtract_solids, &job);
}

static bool measure(flow *f, double dt)
{
    const constraint_data *data = f->method_data;
    if (!data->weighed)
        return false;
    if (constraint_look_ahead(f, dt) > 0)
        constraint_foresee_mean_rates(f, dt);
    else
        find_present_rates(f);
    return true;
}

/* With gradients from before a move of most of a spacing single particles were 0.4 to 1 % too dense
 * where their rows had left 0.2 %. */
static bool move_rows(flow *f, double dt)
{
    bool far = constraint_look_ahead(f, dt) > 0;
    if (far)
        constraint_weigh_after_move(f, dt);
    else
        constraint_foresee_ratios(f, dt, 0);
    return far;
}

static bool foresee(flow *f, double dt, double mending)
{
    const constraint_data *data = f->method_data;
    if (data->weighed)
        constraint_foresee_excess(f, dt, mending);
    return data->weighed;
}

static void push_moments(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    passes(job->f)->push_moments(job->f, &job->data->constants, job->nu, begin, end);
}

static void push_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const constraint_job *job = context;
    passes(job->f)->push(job->f, &job->data->constants, job->nu, begin, end);
}

static void push(flow *f, const float *nu)
{
    constraint_job job = {.f = f, .data = f->method_data, .nu = nu};
    double since = pass_now();
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, push_moments, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, push_chunk, &job);
    flow_note_pass(f, &push_work, since);
}

const density_rows constraint_rows = {
    .measure = measure,
    .foresee = foresee,
    .predict = move_rows,
    .push = push,
    .pull = pull,
    .count_links = constraint_count_links,
    .fill_links = constraint_fill_links,
    .ratio = CONSTRAINT_RATIO,
    .rate = CONSTRAINT_RATE,
    .diagonal = CONSTRAINT_DIAGONAL,
    .slope = CONSTRAINT_SLOPE_X,
    .inverse_mass = CONSTRAINT_INVERSE_MASS,
    .work = CONSTRAINT_WORK_X,
    .nu = CONSTRAINT_NU,
    .mu = CONSTRAINT_MU,
    .impulse = CONSTRAINT_IMPULSE,
};
