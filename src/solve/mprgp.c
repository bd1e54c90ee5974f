#include "solve/mprgp.h"

#include "par/parallel.h"

#include <math.h>

/* ----------------------------------------------------------- vector operations */

/* Everything that one pass over the vectors may need. */
typedef struct vectors {
    const bounded_system *system;
    float *x, *gradient, *direction, *product;
    double step;
} vectors;

enum { SUM_FREE, SUM_CHOPPED, SUM_REDUCED, SUM_WIDTH };

/* Squares of the free and the chopped gradient, and free · reduced free, where the reduced one is
 * cut to what a step of length `step` can use before it meets a bound. */
static void sum_gradients(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    const vectors *v = context;
    const bounded_system *s = v->system;
    for (size_t i = begin; i < end; i++) {
        float x = v->x[i], g = v->gradient[i];
        float inside = bounded_free_part(s, x, g, i), outside = bounded_chopped_part(s, x, g, i);
        float room = (float)(((double)x - (inside > 0 ? s->lo[i] : s->hi[i])) / v->step);
        float reduced = inside > 0 ? fminf(room, inside) : fmaxf(room, inside);
        sums[SUM_FREE] += (double)inside * inside;
        sums[SUM_CHOPPED] += (double)outside * outside;
        sums[SUM_REDUCED] += (double)inside * (inside == 0 ? 0 : reduced);
        double part = fabs((double)inside + outside);
        maxima[0] = part > maxima[0] ? part : maxima[0];
    }
}

/* direction · product, direction · gradient, and the longest feasible step as a maximum of its
 * inverse. */
static void sum_direction(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    const vectors *v = context;
    const bounded_system *s = v->system;
    for (size_t i = begin; i < end; i++) {
        double p = v->direction[i];
        sums[0] += p * v->product[i];
        sums[1] += p * v->gradient[i];
        sums[2] += p * p;
        if (p == 0)
            continue;
        double room = p > 0 ? (double)v->x[i] - s->lo[i] : (double)v->x[i] - s->hi[i];
        double inverse = p / room; /* x − step·p stays feasible up to room/p */
        if (inverse > maxima[0])
            maxima[0] = inverse;
    }
}

static void start_free(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    for (size_t i = begin; i < end; i++)
        v->direction[i] = bounded_free_part(v->system, v->x[i], v->gradient[i], i);
}

static void start_chopped(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    for (size_t i = begin; i < end; i++)
        v->direction[i] = bounded_chopped_part(v->system, v->x[i], v->gradient[i], i);
}

/* x −= step·direction, gradient −= step·product. */
static void move(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    float step = (float)v->step;
    for (size_t i = begin; i < end; i++) {
        v->x[i] -= step * v->direction[i];
        v->gradient[i] -= step * v->product[i];
    }
}

/* free gradient · product, for the next conjugate direction. */
static void sum_conjugate(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)maxima;
    const vectors *v = context;
    for (size_t i = begin; i < end; i++)
        sums[0] += (double)bounded_free_part(v->system, v->x[i], v->gradient[i], i) * v->product[i];
}

static void turn(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    float step = (float)v->step;
    for (size_t i = begin; i < end; i++)
        v->direction[i] =
            bounded_free_part(v->system, v->x[i], v->gradient[i], i) - step * v->direction[i];
}

/* A step of fixed length along the free gradient, cut at the bounds. */
static void expand(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    const bounded_system *s = v->system;
    float step = (float)v->step;
    for (size_t i = begin; i < end; i++) {
        float x = v->x[i] - step * bounded_free_part(s, v->x[i], v->gradient[i], i);
        v->x[i] = fminf(fmaxf(x, s->lo[i]), s->hi[i]);
    }
}

static void each(const vectors *v, parallel_body body)
{
    parallel_for(bounded_threads(v->system), v->system->count, BOUNDED_GRAIN, body,
                 (void *)(uintptr_t)v);
}

static void sum(const vectors *v, parallel_reducer reducer, double *sums, int width, double *maxima,
                int max_width)
{
    parallel_reduce(v->system->threads, v->system->count, reducer, (void *)(uintptr_t)v, sums,
                    width, maxima, max_width);
}

/* ------------------------------------------------------------------ the method */

static void find_gradient(vectors *v)
{
    bounded_find_gradient(v->system, v->x, v->gradient);
}

/* What a line along the direction looks like from x. */
typedef struct direction_step {
    double curvature, slope, length2, longest;
} direction_step;

static direction_step look_along(vectors *v)
{
    double sums[3] = {0}, inverse = 0;
    v->system->multiply(v->system->context, v->direction, v->product);
    sum(v, sum_direction, sums, 3, &inverse, 1);
    return (direction_step){sums[0], sums[1], sums[2], inverse > 0 ? 1 / inverse : INFINITY};
}

static void note_norm(bounded_work *w, const direction_step *d)
{
    /* A Rayleigh quotient bounds the norm from below; what has been seen is enough with the
     * margin that the fixed step keeps. */
    if (d->length2 > 0 && d->curvature / d->length2 > w->norm)
        w->norm = d->curvature / d->length2;
}

static double take_step(vectors *v, double step)
{
    v->step = step;
    each(v, move);
    return step;
}

/* Returns the number of products used. */
static int conjugate_step(bounded_work *w, vectors *v)
{
    direction_step d = look_along(v);
    note_norm(w, &d);
    if (!(d.curvature > 0)) { /* flat to rounding: nothing to gain this way */
        each(v, start_free);
        return 1;
    }
    double best = d.slope / d.curvature;
    if (best <= d.longest) {
        take_step(v, best);
        double conjugate = 0;
        sum(v, sum_conjugate, &conjugate, 1, NULL, 0);
        v->step = conjugate / d.curvature;
        each(v, turn);
        return 1;
    }
    take_step(v, d.longest);
    v->step = 1.0 / w->norm;
    each(v, expand);
    find_gradient(v);
    each(v, start_free);
    return 2;
}

static int proportioning_step(bounded_work *w, vectors *v)
{
    each(v, start_chopped);
    direction_step d = look_along(v);
    note_norm(w, &d);
    if (d.curvature > 0) {
        double step = fmin(d.slope / d.curvature, d.longest);
        take_step(v, step);
    }
    bounded_project(v->system, v->x);
    each(v, start_free);
    return 1;
}

solve_result mprgp_solve(bounded_work *w, const bounded_system *system,
                         const solve_options *options, float *x)
{
    solve_result result = {0};
    if (system->count == 0)
        return result;
    vectors v = {system, x, w->gradient, w->direction, w->product, 0};
    bounded_work_find_norm(w, system);
    bounded_project(system, x);
    find_gradient(&v);
    each(&v, start_free);
    result.iterations = 1;
    for (;;) {
        double sums[SUM_WIDTH] = {0}, most = 0;
        v.step = 1.0 / w->norm;
        sum(&v, sum_gradients, sums, SUM_WIDTH, &most, 1);
        double squares = sums[SUM_FREE] + sums[SUM_CHOPPED];
        if (bounded_is_done(options, system->count, squares, most, &result))
            return result;
        if (sums[SUM_CHOPPED] <= sums[SUM_REDUCED])
            result.iterations += conjugate_step(w, &v);
        else
            result.iterations += proportioning_step(w, &v);
    }
}
