#include "solve/accelerated.h"

#include "par/parallel.h"
#include "solve/accelerated_passes.h"
#include "solve/strokes.h"

#include <math.h>
#include <string.h>

LANE_DECLARE(accelerated_passes, accelerated_passes_);

const accelerated_passes *accelerated_passes_of(lane_level level)
{
    static const accelerated_passes *const tables[] = LANE_TABLE(accelerated_passes_);
    return tables[level];
}

typedef struct accelerated_job {
    const bounded_system *system;
    const accelerated_passes *passes;
    accelerated_vectors v;
    float step, momentum;
} accelerated_job;

/* About 1/scale: a power of 2, so that nothing is rounded. */
static float unit_of(double scale)
{
    return scale > 1e-30 && scale < 1e30 ? (float)ldexp(1, -ilogb(scale)) : 1;
}

/* Nothing has moved yet. */
static accelerated_job start(bounded_work *w, const bounded_system *system, double scale, float *x)
{
    memset(w->direction, 0, system->count * sizeof(float));
    memset(w->product, 0, system->count * sizeof(float));
    memcpy(w->base, x, system->count * sizeof(float));
    return (accelerated_job){.system = system,
                             .passes = accelerated_passes_of(system->level),
                             .v = {.count = system->count,
                                   .rhs = system->rhs,
                                   .lo = system->lo,
                                   .hi = system->hi,
                                   .x = x,
                                   .moved = w->direction,
                                   .base = w->base,
                                   .gradient = w->gradient,
                                   .last = w->product,
                                   .unit = unit_of(scale)}};
}

static void measure_groups(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    const accelerated_job *job = context;
    job->passes->measure(&job->v, begin, end, sums, maxima);
}

/* The gradient at x, and what is to be known of it. */
static void measure(accelerated_job *job, double sums[ACCELERATED_SUM_COUNT], double *peak)
{
    const bounded_system *system = job->system;
    system->multiply(system->context, job->v.x, job->v.gradient);
    parallel_reduce(system->threads, accelerated_group_count(system->count), measure_groups, job,
                    sums, ACCELERATED_SUM_COUNT, peak, 1);
}

static void move_groups(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const accelerated_job *job = context;
    job->passes->move(&job->v, job->step, job->momentum, begin, end);
}

static void move(accelerated_job *job)
{
    accelerated_vectors *v = &job->v;
    parallel_for(bounded_threads(job->system), accelerated_group_count(v->count),
                 BOUNDED_GRAIN / ACCELERATED_GROUP, move_groups, job);
    float *spare = v->last;
    v->last = v->gradient;
    v->gradient = spare;
}

/* The first steps, over 1/norm: those of Chebyshev, that shrink all directions from the norm down
 * to a fourteenth of it alike, short ones first. A solve that starts a few tolerances away needs
 * hardly more than these. */
enum { FIRST_STEPS = 4 };
static const double first_steps[FIRST_STEPS] = {1.0366, 1.4018, 2.7930, 9.3659};

/* Then spectral ones: the long step s·s/s·y, unless the short one s·y/y·y says that the move had
 * much of the stiff directions in it, which the long one would stir up. They leave the least noise
 * from row to row, which is what keeps calm fluid moving. */
static double spectral_step(const bounded_work *w, const double sums[ACCELERATED_SUM_COUNT])
{
    double mixed = sums[ACCELERATED_MIXED];
    if (!(mixed > 0))
        return 1 / w->norm;
    double across = sums[ACCELERATED_MOVE] / mixed, along = mixed / sums[ACCELERATED_CHANGE];
    return along < 0.8 * across ? along : across;
}

/* What is then left is smooth. Nesterov's momentum (t − 1)/t⁺ begins where it is worth something:
 * the steps before have taken the place of those that gather it. */
enum { STEPS_BEFORE_MOMENTUM = 16 };
static const double FIRST_AGE = 4;

static double next_age(double age)
{
    return 0.5 * (1 + sqrt(1 + 4 * age * age));
}

/* Chooses step and momentum of the next move. A step must stay below 2/norm, so a larger norm is
 * noted; momentum that leads uphill begins anew (O'Donoghue and Candès 2015). */
static void choose_move(accelerated_job *job, bounded_work *w, int iterations,
                        const double sums[ACCELERATED_SUM_COUNT], double *age)
{
    if (sums[ACCELERATED_MIXED] > w->norm * sums[ACCELERATED_MOVE])
        w->norm = sums[ACCELERATED_MIXED] / sums[ACCELERATED_MOVE];
    job->momentum = 0;
    if (iterations <= FIRST_STEPS)
        job->step = (float)(first_steps[iterations - 1] / w->norm);
    else if (iterations <= STEPS_BEFORE_MOMENTUM)
        job->step = (float)spectral_step(w, sums);
    else {
        if (sums[ACCELERATED_UPHILL] > 0)
            *age = FIRST_AGE;
        job->step = (float)(1 / w->norm);
        job->momentum = (float)((*age - 1) / next_age(*age));
        *age = next_age(*age);
    }
}

/* Whether the step from this residual needs no look at what it leaves. */
static bool is_sure(const bounded_system *system, const solve_options *options,
                    const solve_result *result)
{
    return system->apply && result->iterations >= options->min_iterations &&
           result->residual <= options->sure * options->tolerance;
}

/* Makes the last strokes, if these may end the solve; then all rows take one plain step. */
static bool end_by_strokes(accelerated_job *job, const bounded_work *w,
                           const solve_options *options, const solve_result *result, double squares,
                           double peak)
{
    accelerated_vectors *v = &job->v;
    if (result->iterations < options->min_iterations ||
        !strokes_suffice(job->system, options, v->gradient, v->x, squares, peak))
        return false;
    strokes_make(job->system, options, v->gradient, v->x);
    job->step = (float)(1 / w->norm);
    job->momentum = 0;
    return true;
}

solve_result accelerated_solve(bounded_work *w, const bounded_system *system,
                               const solve_options *options, float *x)
{
    solve_result result = {0};
    if (system->count == 0)
        return result;
    bounded_work_find_norm(w, system);
    bounded_project(system, x);
    accelerated_job job = start(w, system, options->scale, x);
    double age = FIRST_AGE;
    for (;;) {
        double peak = 0, sums[ACCELERATED_SUM_COUNT] = {0};
        measure(&job, sums, &peak);
        result.iterations++;
        double smooth = options->smooth * options->smooth * sums[ACCELERATED_SMOOTH];
        double squares = fmax(sums[ACCELERATED_RESIDUAL], smooth) / job.v.unit / job.v.unit;
        if (bounded_is_done(options, system->count, squares, peak, &result))
            return result;
        choose_move(&job, w, result.iterations, sums, &age);
        bool last = end_by_strokes(&job, w, options, &result, squares, peak) ||
                    is_sure(system, options, &result);
        move(&job);
        if (last) {
            system->apply(system->context, x);
            return result;
        }
    }
}
