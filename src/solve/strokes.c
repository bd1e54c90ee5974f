#include "solve/strokes.h"

#include "par/parallel.h"

/* Of the residual. Measured for dam breaks, as the next one: with 0.6 five times as many rows
 * are beyond the peak in the end. */
static const float STROKE = 0.9f;
/* Of the peak, from which on rows are raised: those a little below it might be lifted over it. */
static const double AIM = 0.6;

typedef struct stroke_job {
    const bounded_system *system;
    const float *gradient, *x; /* to be counted */
    float *cleared, *raised;   /* the same, to be changed */
    float bound;
} stroke_job;

static double find_peak(const solve_options *options)
{
    return options->peak * options->tolerance * options->scale;
}

static void count_chunk(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)maxima;
    const stroke_job *job = context;
    const float *g = job->gradient, *x = job->x, *lo = job->system->lo, *hi = job->system->hi;
    int count = 0; /* without branches, which would be guessed wrong */
    for (size_t i = begin; i < end; i++)
        count += ((g[i] > job->bound) & (x[i] > lo[i])) | ((g[i] < -job->bound) & (x[i] < hi[i]));
    sums[0] += count;
}

bool strokes_suffice(const bounded_system *system, const solve_options *options,
                     const float *gradient, const float *x, double squares, double most)
{
    double within = options->tolerance * options->scale, beyond = 0;
    if (!(options->few > 0) || !system->apply || most > options->far * find_peak(options) ||
        squares > (double)system->count * within * within)
        return false;
    stroke_job job = {
        .system = system, .gradient = gradient, .x = x, .bound = (float)find_peak(options)};
    parallel_reduce(system->threads, system->count, count_chunk, &job, &beyond, 1, NULL, 0);
    return beyond <= options->few * (double)system->count;
}

static void stroke_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const stroke_job *job = context;
    const float *hi = job->system->hi;
    for (size_t i = begin; i < end; i++) {
        float g = job->cleared[i], x = job->raised[i];
        if (g >= -job->bound || x >= hi[i])
            continue;
        job->raised[i] = bounded_clamp(job->system, x - STROKE * g, i);
        job->cleared[i] = 0;
    }
}

void strokes_make(const bounded_system *system, const solve_options *options, float *gradient,
                  float *x)
{
    stroke_job job = {.system = system,
                      .cleared = gradient,
                      .raised = x,
                      .bound = (float)(AIM * find_peak(options))};
    parallel_for(bounded_threads(system), options->single, BOUNDED_GRAIN, stroke_chunk, &job);
}
