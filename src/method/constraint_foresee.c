#include "method/constraint_foresee.h"

#include "method/constraint_walls.h"
#include "method/constraint_weigh.h"
#include "method/constraint_work.h"
#include "par/parallel.h"

#include <math.h>
#include <string.h>

typedef struct foresee_job {
    flow *f;
    const constraint_data *data;
    double dt;
    double fallen;      /* s of weight that a prediction leaves out of v */
    float mended_share; /* of what is too dense, in this step */
} foresee_job;

/* Places after the move, in `work`. Weight is left out of a mean rate: what bears it is not known
 * yet, and volumes of solids bend, so that fluid at rest would be lifted. */
static void find_target_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const foresee_job *job = context;
    flow *f = job->f;
    const double force[3] = {f->force.x, f->force.y, f->force.z};
    float dt = (float)job->dt;
    for (int a = 0; a < f->dim; a++) {
        float last = (float)(job->fallen * force[a]);
        for (size_t i = begin; i < end; i++)
            f->p.field[CONSTRAINT_WORK_X + a][i] =
                (f->p.x[a][i] + dt * (f->p.v[a][i] - last)) * f->kernel_factors.inv_h;
    }
}

static void predict_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const foresee_job *job = context;
    flow *f = job->f;
    size_t first, last;
    flow_chunk_range(f, begin, end, &first, &last);
    constraint_weigh_passes_of(f)->predict(f, &job->data->constants, begin, end);
    size_t beyond = walls_first_touching(&f->walls, last);
    for (size_t n = walls_first_touching(&f->walls, first); n < beyond; n++) {
        size_t i = f->walls.touching[n];
        f->p.field[CONSTRAINT_RATIO][i] +=
            constraint_walls_predict(f, i, job->dt, job->fallen, NULL);
    }
}

void constraint_foresee_ratios(flow *f, double dt, double fallen)
{
    foresee_job job = {.f = f, .data = f->method_data, .dt = dt, .fallen = fallen};
    double since = pass_now();
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_target_chunk, &job);
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, predict_chunk, &job);
    flow_note_pass(f, &predict_work, since);
}

/* The ratio after the move has taken the place of that before it, which the rates hold. */
static void find_mean_rate_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const foresee_job *job = context;
    float *ratio = job->f->p.field[CONSTRAINT_RATIO], *rate = job->f->p.field[CONSTRAINT_RATE];
    float per_second = (float)(1 / job->dt);
    for (size_t i = begin; i < end; i++) {
        float before = rate[i];
        rate[i] = (ratio[i] - before) * per_second;
        ratio[i] = before;
    }
}

/* Over a step that is long next to the neighbours' distances densities are no linear function of
 * the way: with rates of this moment particles that pass each other come nearer in every step, and
 * positions have to mend it. */
void constraint_foresee_mean_rates(flow *f, double dt)
{
    foresee_job job = {.f = f, .dt = dt};
    memcpy(f->p.field[CONSTRAINT_RATE], f->p.field[CONSTRAINT_RATIO], f->p.count * sizeof(float));
    constraint_foresee_ratios(f, dt, f->gravity_time);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_mean_rate_chunk, &job);
}

/* What is too dense already is mended by so much a step: all at once, it would be thrown apart. */
static const float MENDED = 0.05f;

static void find_allowed_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const foresee_job *job = context;
    const float *ratio = job->f->p.field[CONSTRAINT_RATIO];
    float *rate = job->f->p.field[CONSTRAINT_RATE], share = job->mended_share;
    for (size_t i = begin; i < end; i++) {
        float excess = ratio[i] > 1 ? ratio[i] - 1 : 0;
        float mended = excess < MENDED ? excess : MENDED;
        rate[i] = 1 + (excess - share * mended);
    }
}

/* Crowds by a share of what is beyond, too: long steps leave waves' particles in the corners of
 * tanks, where else they came to ten times their density. Not beside bodies that give way, from
 * which single ones would shoot out and shorten all steps. */
static void part_crowds_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    static const float CROWD = 1.15f, SHARE = 0.3f, MOST = 0.15f;
    const foresee_job *job = context;
    const flow *f = job->f;
    for (size_t n = begin; n < end; n++) {
        size_t i = f->walls.touching[n];
        float beyond = f->p.field[CONSTRAINT_RATIO][i] - CROWD;
        if (beyond > 0 && !flow_reaches_moved(f, i))
            f->p.field[CONSTRAINT_RATE][i] -= job->mended_share * fminf(SHARE * beyond, MOST);
    }
}

/* Where a move ends, towards the middle of a solid or of another particle, densities rise much
 * faster than where it begins: rows that hardly feel their particle yet would throw it back with
 * many times its speed. No row asks for more than what moves its particle, if it were alone, so
 * many spacings. */
static const float MOST_MOVED = 2;

static void find_excess_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const foresee_job *job = context;
    flow *f = job->f;
    const float *ratio = f->p.field[CONSTRAINT_RATIO];
    const float *diagonal = f->p.field[CONSTRAINT_DIAGONAL];
    const float *inverse_mass = f->p.field[CONSTRAINT_INVERSE_MASS];
    float *rate = f->p.field[CONSTRAINT_RATE], per_second = (float)(1 / job->dt);
    float way = MOST_MOVED * (float)f->spacing;
    for (size_t i = begin; i < end; i++) {
        float excess = ratio[i] - rate[i], most = way * sqrtf(diagonal[i] / inverse_mass[i]);
        rate[i] = (excess < most ? excess : most) * per_second;
    }
}

void constraint_foresee_excess(flow *f, double dt, double mending)
{
    float share = dt < mending ? (float)(dt / mending) : 1;
    foresee_job job = {.f = f, .data = f->method_data, .dt = dt, .mended_share = share};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_allowed_chunk, &job);
    parallel_for(f->threads, f->walls.touching_count, TOUCHING_GRAIN, part_crowds_chunk, &job);
    constraint_foresee_ratios(f, dt, 0);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, find_excess_chunk, &job);
}
