/* Bounded quadratic problems: minimise ½ xᵀAx − bᵀx with lo <= x <= hi, A symmetric positive
 * (semi)definite and given as a product. This is the mixed complementarity problem of a constraint
 * system, whatever its rows are. The caller scales the rows, so that the diagonal of A is about 1:
 * that is the preconditioner, and bounds stay bounds.
 *
 * Two solvers improve a start in `x`: mprgp.h and accelerated.h. */
#ifndef WEIR_SOLVE_BOUNDED_H
#define WEIR_SOLVE_BOUNDED_H

#include "base/memory.h"
#include "lanes/level.h"

#include <math.h>

typedef struct bounded_system {
    size_t count;
    const float *rhs;     /* b */
    const float *lo, *hi; /* may be infinite */
    /* y = A x */
    void (*multiply)(void *context, const float *x, float *y);
    void *context;
    int threads;
    lane_level level; /* that the solver's own loops use; all give the same bits */
    /* What a product of x leaves behind for the caller, at less than its price: where nobody asks
     * for the residual of a solution. NULL: there is nothing. */
    void (*apply)(void *context, const float *x);
} bounded_system;

enum { SOLVE_MAX_HISTORY = 512 };

typedef struct solve_options {
    double tolerance; /* on the residual below; 0 = run to max_iterations */
    double peak;      /* no row may have more than this many tolerances; 0 = no matter */
    double smooth;    /* what rows side by side have in common counts this many times as much as
                       * what they do not; 0 = no matter. Accelerated gradients only */
    double sure; /* the step from a residual of at most so many tolerances is the last one: what
                  * it leaves is below the tolerance as a rule, and is not measured. Needs
                  * `apply`; 0 = measure it. Accelerated gradients only */
    /* Where peak > 0: strokes (strokes.h) end a solve that leaves at most this share of the rows
     * beyond the peak, none of them `far` times as much. They need `apply`; 0 = none. Accelerated
     * gradients only */
    double few, far;
    size_t single; /* the rows, from the first on, that strokes may change */
    double scale;  /* what a residual is measured by, for example the largest |b| allowed */
    int min_iterations, max_iterations;
} solve_options;

typedef struct solve_result {
    int iterations;                    /* products with A, the first residual included; a step
                                        * that is not measured takes none */
    double residual;                   /* of the projected gradient over rows: rms, or the maximum
                                        * over the peak where that is more; over scale */
    double history[SOLVE_MAX_HISTORY]; /* residual before each iteration */
    int history_count;
} solve_result;

/* Room for the vectors of a solver. */
typedef struct bounded_work {
    float *gradient, *direction, *product, *base; /* count each */
    size_t capacity;
    double norm; /* estimate of the largest eigenvalue of A; kept between solves */
} bounded_work;

bool bounded_work_reserve(bounded_work *w, memory *m, size_t count);
void bounded_work_free(bounded_work *w, memory *m);

/* Estimates the norm once in the life of `w`. */
void bounded_work_find_norm(bounded_work *w, const bounded_system *system);

/* Sets x to the nearest values within the bounds. */
void bounded_project(const bounded_system *system, float *x);
/* gradient = A x − b */
void bounded_find_gradient(const bounded_system *system, const float *x, float *gradient);

/* Notes the residual, rms by default, of rows whose projected gradients have this sum of squares
 * and this maximum; whether the solver is to stop. */
bool bounded_is_done(const solve_options *options, size_t count, double squares, double most,
                     solve_result *result);

/* The part of the gradient that may move x: free where x is inside of its bounds, chopped where x
 * lies on a bound and the gradient points inside. */
static inline float bounded_free_part(const bounded_system *s, float x, float g, size_t i)
{
    return x > s->lo[i] && x < s->hi[i] ? g : 0;
}

static inline float bounded_chopped_part(const bounded_system *s, float x, float g, size_t i)
{
    if (s->lo[i] >= s->hi[i]) /* nowhere to go, as friction without a load */
        return 0;
    if (x <= s->lo[i])
        return g < 0 ? g : 0;
    if (x >= s->hi[i])
        return g > 0 ? g : 0;
    return 0;
}

/* The nearest value within the bounds of row i; plain comparisons, which vectorise. */
static inline float bounded_clamp(const bounded_system *s, float x, size_t i)
{
    x = x > s->lo[i] ? x : s->lo[i];
    return x < s->hi[i] ? x : s->hi[i];
}

/* Vectors are short next to a product: chunks of this size, and one thread for few rows. */
enum { BOUNDED_GRAIN = 16384 };

static inline int bounded_threads(const bounded_system *s)
{
    return s->count < 2 * BOUNDED_GRAIN ? 1 : s->threads;
}

#endif
