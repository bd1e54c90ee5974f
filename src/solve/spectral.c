#include "solve/spectral.h"

#include "par/parallel.h"

#include <math.h>
#include <string.h>

typedef struct spectral_job {
    const bounded_system *system;
    float *x, *gradient, *moved, *last; /* `last` is the gradient before the move */
    float step;
} spectral_job;

/* x := P(x − step·gradient); keeps the move and the gradient. */
static void move(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const spectral_job *job = context;
    for (size_t i = begin; i < end; i++) {
        float to = bounded_clamp(job->system, job->x[i] - job->step * job->gradient[i], i);
        job->moved[i] = to - job->x[i];
        job->last[i] = job->gradient[i];
        job->x[i] = to;
    }
}

enum { SUM_RESIDUAL, SUM_SMOOTH, SUM_MOVE, SUM_MIXED, SUM_CHANGE, SUM_COUNT };

/* Squares of the residual; of its sums over blocks of rows, over the size of a block: as much as
 * the squares where rows have nothing in common, and more where neighbours are alike. Then s·s, s·y
 * and y·y of the move s and the change y of the gradient. */
static void sum_up(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    enum { BLOCK = 64 };
    const spectral_job *job = context;
    for (size_t first = begin; first < end; first += BLOCK) {
        double block = 0;
        size_t last = first + BLOCK < end ? first + BLOCK : end;
        for (size_t i = first; i < last; i++) {
            double part = bounded_moving_part(job->system, job->x[i], job->gradient[i], i);
            double s = job->moved[i], y = (double)job->gradient[i] - job->last[i];
            block += part;
            sums[SUM_RESIDUAL] += part * part;
            maxima[0] = part * part > maxima[0] ? part * part : maxima[0];
            sums[SUM_MOVE] += s * s;
            sums[SUM_MIXED] += s * y;
            sums[SUM_CHANGE] += y * y;
        }
        sums[SUM_SMOOTH] += block * block / BLOCK;
    }
}

/* The long step s·s/s·y, unless the short one s·y/y·y says that the move had much of the stiff
 * directions in it, which the long one would stir up. */
static double next_step(bounded_work *w, const double sums[SUM_COUNT])
{
    if (!(sums[SUM_MIXED] > 0))
        return 1 / w->norm;
    double across = sums[SUM_MOVE] / sums[SUM_MIXED], along = sums[SUM_MIXED] / sums[SUM_CHANGE];
    if (1 / across > w->norm)
        w->norm = 1 / across;
    return along < 0.8 * across ? along : across;
}

solve_result spectral_solve(bounded_work *w, const bounded_system *system,
                            const solve_options *options, float *x)
{
    solve_result result = {0};
    if (system->count == 0)
        return result;
    spectral_job job = {system, x, w->gradient, w->direction, w->product, 0};
    bounded_work_find_norm(w, system);
    bounded_project(system, x);
    bounded_find_gradient(system, x, w->gradient);
    memset(job.moved, 0, system->count * sizeof(float));
    result.iterations = 1;
    for (;;) {
        double largest = 0, sums[SUM_COUNT] = {0};
        parallel_reduce(system->threads, system->count, sum_up, &job, sums, SUM_COUNT, &largest, 1);
        double smooth = options->smooth * options->smooth * sums[SUM_SMOOTH];
        double squares = fmax(sums[SUM_RESIDUAL], smooth);
        if (bounded_is_done(options, system->count, squares, sqrt(largest), &result))
            return result;
        job.step = (float)next_step(w, sums);
        parallel_for(bounded_threads(system), system->count, BOUNDED_GRAIN, move, &job);
        bounded_find_gradient(system, x, w->gradient);
        result.iterations++;
    }
}
