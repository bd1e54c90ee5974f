#include "solve/spectral.h"

#include "par/parallel.h"
#include "solve/spectral_passes.h"

#include <math.h>
#include <string.h>

LANE_DECLARE(spectral_passes, spectral_passes_);

const spectral_passes *spectral_passes_of(lane_level level)
{
    static const spectral_passes *const tables[] = LANE_TABLE(spectral_passes_);
    return tables[level];
}

typedef struct spectral_job {
    const bounded_system *system;
    const spectral_passes *passes;
    spectral_vectors v;
    float step;
} spectral_job;

/* About 1/scale: a power of 2, so that nothing is rounded. */
static float unit_of(double scale)
{
    return scale > 1e-30 && scale < 1e30 ? (float)ldexp(1, -ilogb(scale)) : 1;
}

/* Nothing has moved yet. */
static spectral_job start(bounded_work *w, const bounded_system *system, double scale, float *x)
{
    memset(w->direction, 0, system->count * sizeof(float));
    memset(w->product, 0, system->count * sizeof(float));
    return (spectral_job){.system = system,
                          .passes = spectral_passes_of(system->level),
                          .v = {.count = system->count,
                                .rhs = system->rhs,
                                .lo = system->lo,
                                .hi = system->hi,
                                .x = x,
                                .moved = w->direction,
                                .gradient = w->gradient,
                                .last = w->product,
                                .unit = unit_of(scale)}};
}

static void measure_groups(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    const spectral_job *job = context;
    job->passes->measure(&job->v, begin, end, sums, maxima);
}

/* The gradient at x, and what is to be known of it. */
static void measure(spectral_job *job, double sums[SPECTRAL_SUM_COUNT], double *peak)
{
    const bounded_system *system = job->system;
    system->multiply(system->context, job->v.x, job->v.gradient);
    parallel_reduce(system->threads, spectral_group_count(system->count), measure_groups, job, sums,
                    SPECTRAL_SUM_COUNT, peak, 1);
}

static void move_groups(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const spectral_job *job = context;
    job->passes->move(&job->v, job->step, begin, end);
}

static void move(spectral_job *job)
{
    spectral_vectors *v = &job->v;
    parallel_for(bounded_threads(job->system), spectral_group_count(v->count),
                 BOUNDED_GRAIN / SPECTRAL_GROUP, move_groups, job);
    float *spare = v->last;
    v->last = v->gradient;
    v->gradient = spare;
}

/* The long step s·s/s·y, unless the short one s·y/y·y says that the move had much of the stiff
 * directions in it, which the long one would stir up. */
static double next_step(bounded_work *w, const double sums[SPECTRAL_SUM_COUNT])
{
    double mixed = sums[SPECTRAL_MIXED];
    if (!(mixed > 0))
        return 1 / w->norm;
    double across = sums[SPECTRAL_MOVE] / mixed, along = mixed / sums[SPECTRAL_CHANGE];
    if (1 / across > w->norm)
        w->norm = 1 / across;
    return along < 0.8 * across ? along : across;
}

/* The first steps, over 1/norm: those of Chebyshev, that shrink all directions from the norm down
 * to a fourteenth of it alike, short ones first. A solve that starts a few tolerances away needs
 * hardly more than these, and spectral steps would grow to such lengths one by one. */
enum { FIRST_STEPS = 4 };
static const double first_steps[FIRST_STEPS] = {1.0366, 1.4018, 2.7930, 9.3659};

solve_result spectral_solve(bounded_work *w, const bounded_system *system,
                            const solve_options *options, float *x)
{
    solve_result result = {0};
    if (system->count == 0)
        return result;
    bounded_work_find_norm(w, system);
    bounded_project(system, x);
    spectral_job job = start(w, system, options->scale, x);
    for (;;) {
        double peak = 0, sums[SPECTRAL_SUM_COUNT] = {0};
        measure(&job, sums, &peak);
        result.iterations++;
        double smooth = options->smooth * options->smooth * sums[SPECTRAL_SMOOTH];
        double squares = fmax(sums[SPECTRAL_RESIDUAL], smooth) / job.v.unit / job.v.unit;
        if (bounded_is_done(options, system->count, squares, peak, &result))
            return result;
        double step = next_step(w, sums); /* it notes a larger norm, too */
        int k = result.iterations - 1;
        job.step = (float)(k < FIRST_STEPS ? first_steps[k] / w->norm : step);
        move(&job);
    }
}
