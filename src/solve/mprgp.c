#include "solve/mprgp.h"

#include "par/parallel.h"

#include <math.h>

enum { GRAIN = 16384 };

bool mprgp_reserve(mprgp *s, memory *m, size_t count)
{
    float **arrays[] = {&s->gradient, &s->direction, &s->product};
    size_t capacity = s->capacity;
    for (int k = 0; k < 3; k++) {
        capacity = s->capacity;
        if (!memory_grow(m, (void **)arrays[k], &capacity, count, 0, sizeof(float)))
            return false;
    }
    s->capacity = capacity;
    return true;
}

void mprgp_free(mprgp *s, memory *m)
{
    memory_give(m, s->gradient, s->capacity * sizeof(float));
    memory_give(m, s->direction, s->capacity * sizeof(float));
    memory_give(m, s->product, s->capacity * sizeof(float));
    *s = (mprgp){0};
}

/* ----------------------------------------------------------- vector operations */

/* Everything that one pass over the vectors may need. */
typedef struct vectors {
    const bounded_system *system;
    float *x, *gradient, *direction, *product;
    double step;
} vectors;

/* The part of the gradient that may move x: free where x is inside of its bounds, chopped where x
 * lies on a bound and the gradient points inside. */
static inline float free_part(const bounded_system *s, float x, float g, size_t i)
{
    return x > s->lo[i] && x < s->hi[i] ? g : 0;
}

static inline float chopped_part(const bounded_system *s, float x, float g, size_t i)
{
    if (x <= s->lo[i])
        return g < 0 ? g : 0;
    if (x >= s->hi[i])
        return g > 0 ? g : 0;
    return 0;
}

enum { SUM_FREE, SUM_CHOPPED, SUM_REDUCED, SUM_WIDTH };

/* Squares of the free and the chopped gradient, and free · reduced free, where the reduced one is
 * cut to what a step of length `step` can use before it meets a bound. */
static void sum_gradients(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)maxima;
    const vectors *v = context;
    const bounded_system *s = v->system;
    for (size_t i = begin; i < end; i++) {
        float x = v->x[i], g = v->gradient[i];
        float inside = free_part(s, x, g, i), outside = chopped_part(s, x, g, i);
        float room = (float)(((double)x - (inside > 0 ? s->lo[i] : s->hi[i])) / v->step);
        float reduced = inside > 0 ? fminf(room, inside) : fmaxf(room, inside);
        sums[SUM_FREE] += (double)inside * inside;
        sums[SUM_CHOPPED] += (double)outside * outside;
        sums[SUM_REDUCED] += (double)inside * (inside == 0 ? 0 : reduced);
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

static void project(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    for (size_t i = begin; i < end; i++)
        v->x[i] = fminf(fmaxf(v->x[i], v->system->lo[i]), v->system->hi[i]);
}

static void subtract_rhs(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    for (size_t i = begin; i < end; i++)
        v->gradient[i] -= v->system->rhs[i];
}

static void start_free(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    for (size_t i = begin; i < end; i++)
        v->direction[i] = free_part(v->system, v->x[i], v->gradient[i], i);
}

static void start_chopped(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    for (size_t i = begin; i < end; i++)
        v->direction[i] = chopped_part(v->system, v->x[i], v->gradient[i], i);
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
        sums[0] += (double)free_part(v->system, v->x[i], v->gradient[i], i) * v->product[i];
}

static void turn(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    float step = (float)v->step;
    for (size_t i = begin; i < end; i++)
        v->direction[i] = free_part(v->system, v->x[i], v->gradient[i], i) - step * v->direction[i];
}

/* A step of fixed length along the free gradient, cut at the bounds. */
static void expand(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = context;
    const bounded_system *s = v->system;
    float step = (float)v->step;
    for (size_t i = begin; i < end; i++) {
        float x = v->x[i] - step * free_part(s, v->x[i], v->gradient[i], i);
        v->x[i] = fminf(fmaxf(x, s->lo[i]), s->hi[i]);
    }
}

static void each(const vectors *v, parallel_body body)
{
    size_t count = v->system->count;
    parallel_for(count < 2 * GRAIN ? 1 : v->system->threads, count, GRAIN, body,
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
    v->system->multiply(v->system->context, v->x, v->gradient);
    each(v, subtract_rhs);
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

static void note_norm(mprgp *s, const direction_step *d)
{
    /* A Rayleigh quotient bounds the norm from below; what has been seen is enough with the
     * margin that the fixed step keeps. */
    if (d->length2 > 0 && d->curvature / d->length2 > s->norm)
        s->norm = d->curvature / d->length2;
}

static double take_step(vectors *v, double step)
{
    v->step = step;
    each(v, move);
    return step;
}

/* Returns the number of products used. */
static int conjugate_step(mprgp *s, vectors *v)
{
    direction_step d = look_along(v);
    note_norm(s, &d);
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
    v->step = 1.0 / s->norm;
    each(v, expand);
    find_gradient(v);
    each(v, start_free);
    return 2;
}

static int proportioning_step(mprgp *s, vectors *v)
{
    each(v, start_chopped);
    direction_step d = look_along(v);
    note_norm(s, &d);
    if (d.curvature > 0) {
        double step = fmin(d.slope / d.curvature, d.longest);
        take_step(v, step);
    }
    each(v, project);
    each(v, start_free);
    return 1;
}

/* A few steps of the power method from a fixed rough start, once in the life of a solver: the fixed
 * step of an expansion must stay below 2/norm, and the smooth directions of the first solves would
 * not show the norm. */
static void find_norm(mprgp *s, vectors *v)
{
    enum { STEPS = 12 };
    size_t count = v->system->count;
    uint32_t noise = 1;
    for (size_t i = 0; i < count; i++) {
        noise = noise * 1664525u + 1013904223u;
        v->direction[i] = (float)noise / 4294967296.0f - 0.5f;
    }
    for (int k = 0; k < STEPS; k++) {
        direction_step d = look_along(v);
        note_norm(s, &d);
        double length = 0;
        for (size_t i = 0; i < count; i++)
            length += (double)v->product[i] * v->product[i];
        if (!(length > 0))
            break;
        float scale = (float)(1 / sqrt(length));
        for (size_t i = 0; i < count; i++)
            v->direction[i] = v->product[i] * scale;
    }
}

solve_result mprgp_solve(mprgp *s, const bounded_system *system, const solve_options *options,
                         float *x)
{
    solve_result result = {0};
    if (system->count == 0)
        return result;
    vectors v = {system, x, s->gradient, s->direction, s->product, 0};
    if (!(s->norm > 0)) {
        s->norm = 1;
        find_norm(s, &v);
    }
    each(&v, project);
    find_gradient(&v);
    each(&v, start_free);
    result.iterations = 1;
    for (;;) {
        double sums[SUM_WIDTH] = {0};
        v.step = 1.0 / s->norm;
        sum(&v, sum_gradients, sums, SUM_WIDTH, NULL, 0);
        double squares = sums[SUM_FREE] + sums[SUM_CHOPPED];
        result.residual = sqrt(squares / (double)system->count) / options->scale;
        if (result.history_count < SOLVE_MAX_HISTORY)
            result.history[result.history_count++] = result.residual;
        bool enough =
            result.iterations >= options->min_iterations && result.residual <= options->tolerance;
        if (enough || squares == 0 || result.iterations >= options->max_iterations)
            break;
        if (sums[SUM_CHOPPED] <= sums[SUM_REDUCED])
            result.iterations += conjugate_step(s, &v);
        else
            result.iterations += proportioning_step(s, &v);
    }
    return result;
}
