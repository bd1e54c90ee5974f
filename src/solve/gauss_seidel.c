#include "solve/gauss_seidel.h"

#include <math.h>
#include <string.h>

enum { PLANAR = 3, SPATIAL = 6 }; /* directions in which bodies move */

bool gauss_seidel_reserve(gauss_seidel *s, memory *m, size_t count)
{
    return memory_grow(m, (void **)&s->sweep, &s->capacity, count, 0, sizeof *s->sweep) &&
           memory_grow(m, (void **)&s->lean, &s->lean_capacity, count, 0, sizeof *s->lean) &&
           memory_grow(m, (void **)&s->entries, &s->entry_capacity, 4 * SPATIAL * count, 0,
                       sizeof *s->entries);
}

void gauss_seidel_free(gauss_seidel *s, memory *m)
{
    memory_give(m, s->sweep, s->capacity * sizeof *s->sweep);
    memory_give(m, s->lean, s->lean_capacity * sizeof *s->lean);
    memory_give(m, s->entries, s->entry_capacity * sizeof *s->entries);
    *s = (gauss_seidel){0};
}

/* ------------------------------------------------------------------- set-up */

static bool is_flat(const double *entries)
{
    return entries[2] == 0 && entries[3] == 0 && entries[4] == 0;
}

/* Whether all motion is along x and y and about z: the rest would add zeros. */
static int find_directions(const gauss_seidel *s, const sweep_problem *p)
{
    for (size_t k = 0; k < p->count; k++) {
        const row *r = &p->rows[k];
        const sweep_row *w = &s->sweep[k];
        if ((r->body_a >= 0 && !(is_flat(r->on_a) && is_flat(w->push_a))) ||
            (r->body_b >= 0 && !(is_flat(r->on_b) && is_flat(w->push_b))))
            return SPATIAL;
    }
    return PLANAR;
}

static void pack(double *to, const double *from, int directions)
{
    to[0] = from[0];
    to[1] = from[1];
    if (directions == PLANAR)
        to[2] = from[5];
    else
        memcpy(to + 2, from + 2, 4 * sizeof *to);
}

static bool is_same_pair(const row *a, const row *b)
{
    return a->body_a == b->body_a && a->body_b == b->body_b;
}

static void fill_lean(gauss_seidel *s, const sweep_problem *p, int directions)
{
    for (size_t k = 0; k < p->count; k++) {
        const row *r = &p->rows[k];
        const sweep_row *w = &s->sweep[k];
        double *entries = s->entries + 4 * (size_t)directions * k;
        pack(entries, r->on_a, directions);
        pack(entries + directions, r->on_b, directions);
        pack(entries + 2 * directions, w->push_a, directions);
        pack(entries + 3 * directions, w->push_b, directions);
        s->lean[k] = (lean_row){.a = r->body_a,
                                .b = r->body_b,
                                .normal = r->normal == ROW_NONE ? ROW_NONE : r->normal - p->first,
                                .paired = k + 1 < p->count && r->normal != ROW_NONE &&
                                          p->rows[k + 1].normal == r->normal,
                                .rhs = w->rhs,
                                .softness = r->softness,
                                .answer = w->answer,
                                .lo = w->lo,
                                .hi = w->hi,
                                .friction = r->friction,
                                .impact = r->impact,
                                .nu = w->nu,
                                .spread = w->spread};
    }
    for (size_t begin = 0, end; begin < p->count; begin = end) {
        end = begin + 1;
        while (end < p->count && is_same_pair(&p->rows[end], &p->rows[begin]))
            end++;
        for (size_t k = begin; k < end; k++) {
            s->lean[k].begin = (uint32_t)begin;
            s->lean[k].end = (uint32_t)end;
        }
    }
}

/* ------------------------------------------------------------------- sweeps */

static inline double dot(const double *entries, const double *work, int directions)
{
    if (directions == PLANAR)
        return entries[0] * work[0] + entries[1] * work[1] + entries[2] * work[5];
    return entries[0] * work[0] + entries[1] * work[1] + entries[2] * work[2] +
           entries[3] * work[3] + entries[4] * work[4] + entries[5] * work[5];
}

static inline void add(double *work, const double *push, double change, int directions)
{
    work[0] += push[0] * change;
    work[1] += push[1] * change;
    if (directions == PLANAR)
        work[5] += push[2] * change;
    for (int k = 2; k < SPATIAL && directions == SPATIAL; k++)
        work[k] += push[k] * change;
}

/* By how much the row is violated, with the impulses so far. */
static inline double excess(const lean_row *r, const double *entries, const double *work,
                            int directions)
{
    double speed = r->rhs - r->softness * r->nu;
    if (r->a >= 0)
        speed += dot(entries, work + 6 * r->a, directions);
    if (r->b >= 0)
        speed += dot(entries + directions, work + 6 * r->b, directions);
    return speed;
}

/* Adds what a change of the multiplier does. */
static inline void add_push(const sweep_problem *p, const lean_row *r, const double *entries,
                            double change, int directions)
{
    if (r->spread) {
        for (size_t n = 0; n < p->member_count; n++)
            for (int k = 0; k < 6; k++)
                p->work[6 * p->members[n] + (uint32_t)k] += r->spread[6 * n + (size_t)k] * change;
        return;
    }
    if (r->a >= 0)
        add(p->work + 6 * r->a, entries + 2 * directions, change, directions);
    if (r->b >= 0)
        add(p->work + 6 * r->b, entries + 3 * directions, change, directions);
}

static inline void push(const sweep_problem *p, lean_row *r, const double *entries, double change,
                        int directions)
{
    if (change == 0)
        return;
    r->nu += change;
    add_push(p, r, entries, change, directions);
}

static inline double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static inline double friction_bound(const gauss_seidel *s, const lean_row *r)
{
    double load = s->lean[r->normal].nu + s->lean[r->normal].impact;
    return load > 0 ? r->friction * load : 0;
}

static inline void meet_row(gauss_seidel *s, const sweep_problem *p, size_t k, int directions)
{
    lean_row *r = &s->lean[k];
    const double *entries = s->entries + 4 * (size_t)directions * k;
    if (!(r->answer > 0))
        return;
    double wanted =
        clamp(r->nu + excess(r, entries, p->work, directions) / r->answer, r->lo, r->hi);
    if (r->normal != ROW_NONE) {
        double most = friction_bound(s, r);
        wanted = clamp(wanted, -most, most);
    }
    push(p, r, entries, wanted - r->nu, directions);
}

static inline void meet_pair(gauss_seidel *s, const sweep_problem *p, size_t k, int directions)
{
    lean_row *u = &s->lean[k], *w = u + 1;
    const double *on_u = s->entries + 4 * (size_t)directions * k, *on_w = on_u + 4 * directions;
    if (!(u->answer > 0) || !(w->answer > 0) || u->hi == 0)
        return;
    double most = friction_bound(s, u);
    double x = u->nu + excess(u, on_u, p->work, directions) / u->answer;
    double y = w->nu + excess(w, on_w, p->work, directions) / w->answer;
    double length = sqrt(x * x + y * y), scale = length > most ? most / length : 1;
    double by_u = scale * x - u->nu, by_w = scale * y - w->nu;
    push(p, u, on_u, by_u, directions);
    push(p, w, on_w, by_w, directions);
}

static inline void meet_range(gauss_seidel *s, const sweep_problem *p, size_t begin, size_t end,
                              int directions)
{
    for (size_t k = begin; k < end; k++) {
        if (s->lean[k].paired)
            meet_pair(s, p, k++, directions);
        else
            meet_row(s, p, k, directions);
    }
}

/* There and back, pair of bodies by pair. */
static inline void sweep(gauss_seidel *s, const sweep_problem *p, int directions)
{
    for (size_t begin = 0; begin < p->count; begin = s->lean[begin].end)
        meet_range(s, p, begin, s->lean[begin].end, directions);
    for (size_t end = p->count; end > 0; end = s->lean[end - 1].begin)
        meet_range(s, p, s->lean[end - 1].begin, end, directions);
}

static void sweep_planar(gauss_seidel *s, const sweep_problem *p)
{
    sweep(s, p, PLANAR);
}

static void sweep_spatial(gauss_seidel *s, const sweep_problem *p)
{
    sweep(s, p, SPATIAL);
}

/* One sweep. Returns the sum of the squared changes. */
static double sweep_rows(gauss_seidel *s, const sweep_problem *p, int directions)
{
    double squares = 0;
    for (size_t k = 0; k < p->count; k++)
        s->lean[k].before = s->lean[k].nu;
    if (directions == PLANAR)
        sweep_planar(s, p);
    else
        sweep_spatial(s, p);
    for (size_t k = 0; k < p->count; k++) {
        double change = s->lean[k].nu - s->lean[k].before;
        squares += change * change * s->lean[k].answer;
    }
    return squares;
}

/* The velocity changes that the multipliers mean, joints included. */
static void find_work(const gauss_seidel *s, const sweep_problem *p, int directions)
{
    memset(p->work, 0, 6 * p->body_count * sizeof *p->work);
    for (size_t k = 0; k < p->count; k++)
        if (s->lean[k].nu != 0)
            add_push(p, &s->lean[k], s->entries + 4 * (size_t)directions * k, s->lean[k].nu,
                     directions);
    if (p->respond)
        p->respond(p->context, p->work);
}

/* Goes on along the conjugate direction, which then takes up the change by the last sweep. */
static void step_on(gauss_seidel *s, const sweep_problem *p, double share)
{
    for (size_t k = 0; k < p->count; k++) {
        lean_row *r = &s->lean[k];
        double change = r->nu - r->before;
        r->nu += share * r->along;
        r->along = share * r->along + change;
    }
}

solve_result gauss_seidel_solve(gauss_seidel *s, const sweep_problem *p,
                                const solve_options *options)
{
    solve_result result = {0};
    double last = 0;
    int directions = find_directions(s, p);
    fill_lean(s, p, directions);
    find_work(s, p, directions);
    while (p->count > 0) {
        double squares = sweep_rows(s, p, directions);
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
        find_work(s, p, directions);
    }
    find_work(s, p, directions);
    for (size_t k = 0; k < p->count; k++)
        s->sweep[k].nu = s->lean[k].nu;
    return result;
}
