#include "solve/gauss_seidel.h"

#include <math.h>
#include <string.h>

bool gauss_seidel_reserve(gauss_seidel *s, memory *m, size_t count)
{
    return memory_grow(m, (void **)&s->sweep, &s->capacity, count, 0, sizeof *s->sweep);
}

void gauss_seidel_free(gauss_seidel *s, memory *m)
{
    memory_give(m, s->sweep, s->capacity * sizeof *s->sweep);
    *s = (gauss_seidel){0};
}

static inline double dot6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* By how much the row is violated, with the impulses so far. */
static inline double excess(const row *r, const sweep_row *s, const double *work)
{
    double speed = s->rhs - r->softness * s->nu;
    if (r->body_a >= 0)
        speed += dot6(r->on_a, work + 6 * r->body_a);
    if (r->body_b >= 0)
        speed += dot6(r->on_b, work + 6 * r->body_b);
    return speed;
}

/* Adds what a change of the multiplier does. */
static inline void add_push(const sweep_problem *p, const row *r, const sweep_row *s, double change)
{
    if (s->spread) {
        for (size_t n = 0; n < p->member_count; n++)
            for (int k = 0; k < 6; k++)
                p->work[6 * p->members[n] + (uint32_t)k] += s->spread[6 * n + (size_t)k] * change;
        return;
    }
    for (int k = 0; k < 6 && r->body_a >= 0; k++)
        p->work[6 * r->body_a + k] += s->push_a[k] * change;
    for (int k = 0; k < 6 && r->body_b >= 0; k++)
        p->work[6 * r->body_b + k] += s->push_b[k] * change;
}

static inline void push(const sweep_problem *p, const row *r, sweep_row *s, double change)
{
    if (change == 0)
        return;
    s->nu += change;
    add_push(p, r, s, change);
}

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Whether rows k and k + 1 are the two directions of one contact's friction. */
static bool is_pair(const sweep_problem *p, size_t k)
{
    return k + 1 < p->count && p->rows[k].normal != ROW_NONE &&
           p->rows[k + 1].normal == p->rows[k].normal;
}

static double friction_bound(const gauss_seidel *s, const sweep_problem *p, const row *r)
{
    int32_t normal = r->normal - p->first;
    double load = s->sweep[normal].nu + p->rows[normal].impact;
    return load > 0 ? r->friction * load : 0;
}

static void meet_row(gauss_seidel *s, const sweep_problem *p, size_t k)
{
    const row *r = &p->rows[k];
    sweep_row *w = &s->sweep[k];
    if (!(w->answer > 0))
        return;
    double wanted = clamp(w->nu + excess(r, w, p->work) / w->answer, w->lo, w->hi);
    if (r->normal != ROW_NONE) {
        double most = friction_bound(s, p, r);
        wanted = clamp(wanted, -most, most);
    }
    push(p, r, w, wanted - w->nu);
}

static void meet_pair(gauss_seidel *s, const sweep_problem *p, size_t k)
{
    const row *r = &p->rows[k];
    sweep_row *u = &s->sweep[k], *w = &s->sweep[k + 1];
    if (!(u->answer > 0) || !(w->answer > 0) || u->hi == 0)
        return;
    double most = friction_bound(s, p, r);
    double x = u->nu + excess(r, u, p->work) / u->answer;
    double y = w->nu + excess(r + 1, w, p->work) / w->answer;
    double length = sqrt(x * x + y * y), scale = length > most ? most / length : 1;
    double by_u = scale * x - u->nu, by_w = scale * y - w->nu;
    push(p, r, u, by_u);
    push(p, r + 1, w, by_w);
}

/* The velocity changes that the multipliers mean, joints included. */
static void find_work(const gauss_seidel *s, const sweep_problem *p)
{
    memset(p->work, 0, 6 * p->body_count * sizeof *p->work);
    for (size_t k = 0; k < p->count; k++)
        if (s->sweep[k].nu != 0)
            add_push(p, &p->rows[k], &s->sweep[k], s->sweep[k].nu);
    if (p->respond)
        p->respond(p->context, p->work);
}

static void meet_range(gauss_seidel *s, const sweep_problem *p, size_t begin, size_t end)
{
    for (size_t k = begin; k < end; k++) {
        if (is_pair(p, k))
            meet_pair(s, p, k++);
        else
            meet_row(s, p, k);
    }
}

static bool is_same_pair(const row *a, const row *b)
{
    return a->body_a == b->body_a && a->body_b == b->body_b;
}

/* One pass over all rows. Those of one pair of bodies lean on each other most, and are met twice.
 * Returns the sum of the squared changes. */
static double sweep_rows(gauss_seidel *s, const sweep_problem *p)
{
    double squares = 0;
    for (size_t k = 0; k < p->count; k++)
        s->sweep[k].before = s->sweep[k].nu;
    for (size_t begin = 0, end; begin < p->count; begin = end) {
        end = begin + 1;
        while (end < p->count && is_same_pair(&p->rows[end], &p->rows[begin]))
            end++;
        meet_range(s, p, begin, end);
        if (end - begin > 1)
            meet_range(s, p, begin, end);
    }
    for (size_t k = 0; k < p->count; k++) {
        double change = s->sweep[k].nu - s->sweep[k].before;
        squares += change * change * s->sweep[k].answer;
    }
    return squares;
}

/* Goes on along the conjugate direction, which then takes up the change by the last sweep. */
static void step_on(gauss_seidel *s, const sweep_problem *p, double share)
{
    for (size_t k = 0; k < p->count; k++) {
        sweep_row *w = &s->sweep[k];
        double change = w->nu - w->before;
        w->nu += share * w->along;
        w->along = share * w->along + change;
    }
}

solve_result gauss_seidel_solve(gauss_seidel *s, const sweep_problem *p,
                                const solve_options *options)
{
    solve_result result = {0};
    double last = 0;
    for (size_t k = 0; k < p->count; k++)
        s->sweep[k].along = 0;
    find_work(s, p);
    while (p->count > 0) {
        double squares = sweep_rows(s, p);
        result.residual = sqrt(squares / (double)p->count) / options->scale;
        if (result.history_count < SOLVE_MAX_HISTORY)
            result.history[result.history_count++] = result.residual;
        result.iterations++;
        bool enough =
            result.iterations >= options->min_iterations && result.residual <= options->tolerance;
        if (enough || squares == 0 || result.iterations >= options->max_iterations)
            break;
        /* A change that grows means that the direction leads astray: start anew. */
        double share = last > 0 ? squares / last : 0;
        last = squares;
        step_on(s, p, share <= 1 ? share : 0);
        find_work(s, p);
    }
    find_work(s, p);
    return result;
}
