#include "couple/body_sweep.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

static int32_t row_body(const row *r, int side)
{
    return side == 0 ? r->body_a : r->body_b;
}

static const double *row_entries(const row *r, int side)
{
    return side == 0 ? r->on_a : r->on_b;
}

/* What a unit multiplier does, once per substep: poses are the same in both phases. */
static void fill_pushes(row_system *s)
{
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        sweep_row *w = &s->sweeps.sweep[k];
        memset(w, 0, sizeof *w);
        w->answer = r->softness;
        for (int side = 0; side < 2; side++) {
            if (row_body(r, side) < 0)
                continue;
            double *push = side == 0 ? w->push_a : w->push_b;
            body_apply_impulse(&s->f->bodies[row_body(r, side)], row_entries(r, side), push);
            w->answer += dot6(row_entries(r, side), push);
            for (int e = 0; e < 6; e++)
                push[e] = -push[e];
        }
    }
}

static double present_speed(const row_system *s, const row *r)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        if (row_body(r, side) < 0)
            continue;
        const body *b = &s->f->bodies[row_body(r, side)];
        const double v[6] = {b->velocity.x, b->velocity.y, b->velocity.z,
                             b->spin.x,     b->spin.y,     b->spin.z};
        sum += dot6(row_entries(r, side), v);
    }
    return sum;
}

static void respond(void *context, double *work)
{
    mechanism_respond(context, work);
}

/* Right sides, bounds and start values. */
static void fill_phase(row_system *s, bool positions)
{
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        sweep_row *w = &s->sweeps.sweep[k];
        bool friction = r->normal != ROW_NONE;
        bool left_out = positions && (friction || r->velocity_only);
        w->rhs = positions ? r->violation : present_speed(s, r) - r->bound;
        w->lo = left_out ? 0 : friction ? -INFINITY : r->lo;
        w->hi = left_out ? 0 : r->hi;
        w->nu = positions ? 0 : fmin(fmax((double)r->nu, w->lo), w->hi);
    }
}

/* rms of what the rows ask for, in the measure of the residual. */
static double rhs_size(const row_system *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->row_count; k++) {
        const sweep_row *w = &s->sweeps.sweep[k];
        if (w->answer > 0 && (w->rhs > 0 || w->lo < 0))
            sum += w->rhs * w->rhs / w->answer;
    }
    return s->row_count > 0 ? sqrt(sum / (double)s->row_count) : 0;
}

/* What a displacement by the size of the smallest body means in that measure. */
static double size_measure(const row_system *s)
{
    double size = INFINITY, sum = 0;
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b]))
            size = fmin(size, s->f->bodies[b].size);
    for (size_t k = 0; k < s->row_count; k++)
        sum += s->sweeps.sweep[k].answer > 0 ? 1 / s->sweeps.sweep[k].answer : 0;
    return sum > 0 && isfinite(size) ? size * sqrt(sum / (double)s->row_count) : 1;
}

/* Few rows may be swept often: that costs little, and tall stacks need it. */
static int most_sweeps(const row_system *s, const system_options *o)
{
    double cheap = 4e4 / (1 + (double)s->row_count);
    return (int)fmax(o->max_iterations, fmin(cheap, 400));
}

static solve_result run(row_system *s, const system_options *o, double scale, double tolerance)
{
    sweep_problem problem = {.rows = s->rows,
                             .count = s->row_count,
                             .work = s->body_work,
                             .body_count = s->f->body_count,
                             .respond = s->mechanism->row_count > 0 ? respond : NULL,
                             .context = s->mechanism};
    solve_options options = {.tolerance = tolerance,
                             .scale = scale,
                             .min_iterations = o->min_iterations,
                             .max_iterations = most_sweeps(s, o)};
    return gauss_seidel_solve(&s->sweeps, &problem, &options);
}

bool body_sweep_solve(row_system *s, const system_options *o, weir_error *error)
{
    flow *f = s->f;
    if (!gauss_seidel_reserve(&s->sweeps, s->mem, s->row_count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to sweep %zu rows", s->row_count);
    fill_pushes(s);
    double size = size_measure(s);
    fill_phase(s, false);
    s->velocity_result = run(s, o, fmax(rhs_size(s), 1e-9 * size / s->mechanism->dt), o->tolerance);
    for (size_t k = 0; k < s->row_count; k++)
        s->rows[k].nu = (float)s->sweeps.sweep[k].nu;
    mechanism_note_impulses(s->mechanism);
    for (size_t b = 0; b < f->body_count; b++)
        if (body_is_moved(&f->bodies[b]))
            body_change_velocity(&f->bodies[b], s->body_work + 6 * b);
    fill_phase(s, true);
    s->position_result = run(s, o, size, o->density_tolerance);
    mechanism_project_positions(s->mechanism, s->body_work);
    for (size_t b = 0; b < f->body_count; b++) {
        const double *w = s->body_work + 6 * b;
        if (body_is_moved(&f->bodies[b]))
            body_displace(&f->bodies[b], (vec3){w[0], w[1], w[2]}, (vec3){w[3], w[4], w[5]});
    }
    mechanism_refine_velocities(s->mechanism);
    return true;
}
