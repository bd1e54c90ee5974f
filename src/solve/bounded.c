#include "solve/bounded.h"

#include "par/parallel.h"

bool bounded_work_reserve(bounded_work *w, memory *m, size_t count)
{
    const memory_array arrays[] = {{(void **)&w->gradient, sizeof(float)},
                                   {(void **)&w->direction, sizeof(float)},
                                   {(void **)&w->product, sizeof(float)},
                                   {(void **)&w->base, sizeof(float)}};
    return memory_grow_together(m, arrays, 4, &w->capacity, count);
}

void bounded_work_free(bounded_work *w, memory *m)
{
    memory_give(m, w->gradient, w->capacity * sizeof(float));
    memory_give(m, w->direction, w->capacity * sizeof(float));
    memory_give(m, w->product, w->capacity * sizeof(float));
    memory_give(m, w->base, w->capacity * sizeof(float));
    *w = (bounded_work){0};
}

typedef struct bounded_job {
    const bounded_system *system;
    float *values;
} bounded_job;

static void project_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const bounded_job *job = context;
    for (size_t i = begin; i < end; i++)
        job->values[i] = bounded_clamp(job->system, job->values[i], i);
}

void bounded_project(const bounded_system *system, float *x)
{
    bounded_job job = {system, x};
    parallel_for(bounded_threads(system), system->count, BOUNDED_GRAIN, project_chunk, &job);
}

static void subtract_rhs(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const bounded_job *job = context;
    for (size_t i = begin; i < end; i++)
        job->values[i] -= job->system->rhs[i];
}

void bounded_find_gradient(const bounded_system *system, const float *x, float *gradient)
{
    bounded_job job = {system, gradient};
    system->multiply(system->context, x, gradient);
    parallel_for(bounded_threads(system), system->count, BOUNDED_GRAIN, subtract_rhs, &job);
}

/* A few steps of the power method from a fixed rough start: a step of fixed length must stay below
 * 2/norm, and the smooth directions of the first solves would not show the norm. */
void bounded_work_find_norm(bounded_work *w, const bounded_system *system)
{
    enum { STEPS = 12 };
    size_t count = system->count;
    uint32_t noise = 1;
    if (w->norm > 0)
        return;
    w->norm = 1;
    for (size_t i = 0; i < count; i++) {
        noise = noise * 1664525u + 1013904223u;
        w->direction[i] = (float)noise / 4294967296.0f - 0.5f;
    }
    for (int k = 0; k < STEPS; k++) {
        double along = 0, length = 0, squares = 0;
        system->multiply(system->context, w->direction, w->product);
        for (size_t i = 0; i < count; i++) {
            along += (double)w->direction[i] * w->product[i];
            length += (double)w->direction[i] * w->direction[i];
            squares += (double)w->product[i] * w->product[i];
        }
        /* A Rayleigh quotient bounds the norm from below; what has been seen is enough with the
         * margin that the steps keep. */
        if (length > 0 && along / length > w->norm)
            w->norm = along / length;
        if (!(squares > 0))
            break;
        float scale = (float)(1 / sqrt(squares));
        for (size_t i = 0; i < count; i++)
            w->direction[i] = w->product[i] * scale;
    }
}

bool bounded_is_done(const solve_options *options, size_t count, double squares, double most,
                     solve_result *result)
{
    double residual = sqrt(squares / (double)count);
    if (options->peak > 0 && most / options->peak > residual)
        residual = most / options->peak;
    residual /= options->scale;
    result->residual = residual;
    if (result->history_count < SOLVE_MAX_HISTORY)
        result->history[result->history_count++] = residual;
    bool enough = result->iterations >= options->min_iterations && residual <= options->tolerance;
    return enough || residual == 0 || result->iterations >= options->max_iterations;
}
