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

/* Rows of particles come first; those of bodies alone are the rest. */
static row *body_rows(const row_system *s)
{
    return s->rows + s->first_body_row;
}

static size_t body_row_count(const row_system *s)
{
    return s->row_count - s->first_body_row;
}

/* What a unit multiplier does to the bodies of its row, without joints. */
static void fill_push(const row_system *s, const row *r, sweep_row *w)
{
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

static bool is_jointed(const row_system *s, const row *r)
{
    return (r->body_a >= 0 && s->f->bodies[r->body_a].jointed) ||
           (r->body_b >= 0 && s->f->bodies[r->body_b].jointed);
}

/* Lists what rows along joints move: bodies with joints and those that touch one. Returns how many
 * rows there are, or 0 when their spreads would take too much room. */
static size_t list_members(row_system *s)
{
    enum { MOST_NUMBERS = 1 << 20 };
    size_t rows = 0;
    memset(s->marks, 0, s->f->body_count);
    for (size_t k = 0; k < body_row_count(s); k++) {
        const row *r = &body_rows(s)[k];
        if (!is_jointed(s, r))
            continue;
        rows++;
        for (int side = 0; side < 2; side++)
            if (row_body(r, side) >= 0)
                s->marks[row_body(r, side)] = 1;
    }
    s->member_count = 0;
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b]) && (s->marks[b] || s->f->bodies[b].jointed))
            s->members[s->member_count++] = (uint32_t)b;
    return 6 * rows * s->member_count <= MOST_NUMBERS ? rows : 0;
}

/* The response of a row along the joints, through all of them at once: sweeps that left the joints
 * for later would fight them, the slower the stiffer they are. */
static void fill_spread(row_system *s, const row *r, sweep_row *w, double *spread)
{
    memset(s->body_work, 0, 6 * s->f->body_count * sizeof *s->body_work);
    for (int side = 0; side < 2; side++)
        if (row_body(r, side) >= 0)
            memcpy(s->body_work + 6 * row_body(r, side), side == 0 ? w->push_a : w->push_b,
                   sizeof w->push_a);
    mechanism_respond(s->mechanism, s->body_work);
    w->answer = r->softness;
    for (int side = 0; side < 2; side++)
        if (row_body(r, side) >= 0)
            w->answer -= dot6(row_entries(r, side), s->body_work + 6 * row_body(r, side));
    for (size_t n = 0; n < s->member_count; n++)
        memcpy(spread + 6 * n, s->body_work + 6 * s->members[n], 6 * sizeof *spread);
    w->spread = spread;
}

/* Once per substep: poses are the same in both phases. */
static bool fill_pushes(row_system *s)
{
    if (!memory_grow(s->mem, (void **)&s->members, &s->member_capacity, s->f->body_count, 0,
                     sizeof *s->members) ||
        !memory_grow(s->mem, (void **)&s->marks, &s->mark_capacity, s->f->body_count, 0,
                     sizeof *s->marks))
        return false;
    size_t spreads = s->mechanism->row_count > 0 ? list_members(s) : 0;
    if (!memory_grow(s->mem, (void **)&s->spreads, &s->spread_capacity,
                     6 * spreads * s->member_count, 0, sizeof *s->spreads))
        return false;
    double *next = s->spreads;
    for (size_t k = 0; k < body_row_count(s); k++) {
        fill_push(s, &body_rows(s)[k], &s->sweeps.sweep[k]);
        if (spreads > 0 && is_jointed(s, &body_rows(s)[k])) {
            fill_spread(s, &body_rows(s)[k], &s->sweeps.sweep[k], next);
            next += 6 * s->member_count;
        }
    }
    s->spread_known = spreads > 0;
    return true;
}

/* Without spreads the joints answer after each sweep. */
static bool needs_response(const row_system *s)
{
    bool any = false;
    for (size_t k = 0; k < body_row_count(s) && !s->spread_known; k++)
        any = any || is_jointed(s, &body_rows(s)[k]);
    return any;
}

/* The changes by all multipliers, and what the joints gave for them. */
static void find_joint_impulses(row_system *s)
{
    memset(s->body_work, 0, 6 * s->f->body_count * sizeof *s->body_work);
    for (size_t k = 0; k < body_row_count(s); k++) {
        const row *r = &body_rows(s)[k];
        const sweep_row *w = &s->sweeps.sweep[k];
        for (int side = 0; side < 2; side++)
            for (int e = 0; e < 6 && row_body(r, side) >= 0; e++)
                s->body_work[6 * row_body(r, side) + e] +=
                    w->nu * (side == 0 ? w->push_a : w->push_b)[e];
    }
    mechanism_respond(s->mechanism, s->body_work);
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
    for (size_t k = 0; k < body_row_count(s); k++) {
        const row *r = &body_rows(s)[k];
        sweep_row *w = &s->sweeps.sweep[k];
        bool friction = r->normal != ROW_NONE;
        bool left_out = positions && (friction || r->velocity_only);
        w->rhs = positions ? r->violation : present_speed(s, r) - r->bound;
        w->lo = left_out ? 0 : friction ? -INFINITY : r->lo;
        w->hi = left_out ? 0 : r->hi;
        w->nu = positions ? 0 : fmin(fmax((double)r->nu, w->lo), w->hi);
    }
}

/* N s: the momentum of all bodies that move, and what joints and motors give in the step. Efforts
 * and torques count alike: an order of magnitude is asked for. */
static double whole_momentum(const row_system *s, double *mass)
{
    double sum = 0;
    *mass = 0;
    for (size_t b = 0; b < s->f->body_count; b++) {
        const body *one = &s->f->bodies[b];
        if (!body_is_moved(one))
            continue;
        *mass += one->mass;
        sum += one->mass * (vec3_length(one->velocity) + one->radius * vec3_length(one->spin));
    }
    for (size_t k = 0; k < s->mechanism->row_count; k++)
        sum += fabs(s->mechanism->rows[k].impulse);
    for (size_t k = 0; k < body_row_count(s); k++)
        if (body_rows(s)[k].velocity_only)
            sum += (double)body_rows(s)[k].hi;
    return sum;
}

/* Solids that move as they are told would push with any force. Where two of them, or one and a
 * wall, squeeze a body, no velocity fulfils the rows: multipliers would grow from step to step, and
 * the smallest turn of their normals would throw the body. So a push is limited to many times what
 * is needed to take all bodies along; what is squeezed harder gives way. */
static void limit_pushes(row_system *s)
{
    static const double MANY = 10;
    double mass, momentum = whole_momentum(s, &mass);
    for (size_t k = 0; k < body_row_count(s); k++) {
        const row *r = &body_rows(s)[k];
        sweep_row *w = &s->sweeps.sweep[k];
        if (r->normal != ROW_NONE || r->ground == ROW_NONE || !(w->answer > 0) ||
            s->f->bodies[r->ground].kind != WEIR_BODY_ANIMATED)
            continue;
        double alone = fmax(w->rhs, 0) / w->answer;
        w->hi = fmin(w->hi, MANY * (momentum + mass * fabs(r->prescribed) + alone));
        w->nu = fmin(w->nu, w->hi);
    }
}

/* rms of what the rows ask for, in the measure of the residual. */
static double rhs_size(const row_system *s)
{
    double sum = 0;
    for (size_t k = 0; k < body_row_count(s); k++) {
        const sweep_row *w = &s->sweeps.sweep[k];
        if (w->answer > 0 && (w->rhs > 0 || w->lo < 0))
            sum += w->rhs * w->rhs / w->answer;
    }
    return body_row_count(s) > 0 ? sqrt(sum / (double)body_row_count(s)) : 0;
}

/* What a displacement by the size of the smallest body means in that measure. */
static double size_measure(const row_system *s)
{
    double size = INFINITY, sum = 0;
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b]))
            size = fmin(size, s->f->bodies[b].size);
    for (size_t k = 0; k < body_row_count(s); k++)
        sum += s->sweeps.sweep[k].answer > 0 ? 1 / s->sweeps.sweep[k].answer : 0;
    return sum > 0 && isfinite(size) ? size * sqrt(sum / (double)body_row_count(s)) : 1;
}

/* Few rows may be swept often: that costs little, and tall stacks need it. Of many, what is left
 * goes in the steps to come. */
static int most_sweeps(const row_system *s)
{
    return (int)fmin(fmax(1e5 / (1 + (double)body_row_count(s)), 30), 400);
}

/* Many rows need not be solved as closely: each step goes on from the multipliers of the last. */
static double loosen(const row_system *s, double tolerance)
{
    double crowd = fmax((double)body_row_count(s) / 400, 1);
    return fmin(tolerance * crowd * crowd, fmax(tolerance, 3e-3));
}

static solve_result run(row_system *s, const system_options *o, double scale, double tolerance)
{
    sweep_problem problem = {.rows = body_rows(s),
                             .count = body_row_count(s),
                             .first = (int32_t)s->first_body_row,
                             .work = s->body_work,
                             .body_count = s->f->body_count,
                             .respond = needs_response(s) ? respond : NULL,
                             .context = s->mechanism,
                             .members = s->members,
                             .member_count = s->member_count};
    solve_options options = {.tolerance = tolerance,
                             .scale = scale,
                             .min_iterations = o->min_iterations,
                             .max_iterations = most_sweeps(s)};
    return gauss_seidel_solve(&s->sweeps, &problem, &options);
}

static bool prepare(row_system *s, weir_error *error)
{
    s->first_body_row = 0;
    while (s->first_body_row < s->row_count && s->rows[s->first_body_row].particle >= 0)
        s->first_body_row++;
    if (!gauss_seidel_reserve(&s->sweeps, s->mem, body_row_count(s)) || !fill_pushes(s))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to sweep %zu rows", body_row_count(s));
    return true;
}

static void change_velocities(row_system *s, double sign)
{
    flow *f = s->f;
    for (size_t b = 0; b < f->body_count; b++) {
        double change[6];
        for (int e = 0; e < 6; e++)
            change[e] = sign * s->body_work[6 * b + (size_t)e];
        if (body_is_moved(&f->bodies[b]))
            body_change_velocity(&f->bodies[b], change);
    }
}

static solve_result sweep_velocities(row_system *s, const system_options *o)
{
    fill_phase(s, false);
    limit_pushes(s);
    double least = 1e-9 * size_measure(s) / s->mechanism->dt;
    solve_result result = run(s, o, fmax(rhs_size(s), least), loosen(s, o->tolerance));
    for (size_t k = 0; k < body_row_count(s); k++)
        body_rows(s)[k].nu = (float)s->sweeps.sweep[k].nu;
    find_joint_impulses(s);
    mechanism_note_impulses(s->mechanism, 1);
    change_velocities(s, 1);
    return result;
}

/* The share of a displacement that takes no point of the body further than a part of its size. */
static double allowed_share(const row_system *s, size_t index)
{
    static const double MOST = 0.1; /* sizes */
    const body *b = &s->f->bodies[index];
    const double *w = s->body_work + 6 * index;
    double way =
        vec3_length((vec3){w[0], w[1], w[2]}) + b->radius * vec3_length((vec3){w[3], w[4], w[5]});
    return way > MOST * b->size ? MOST * b->size / way : 1;
}

/* A body in a wedge would have to go far to mend a little, and out of what squeezes it nowhere.
 * What is left goes in the steps to come; bodies on joints keep together. */
static void displace(row_system *s)
{
    double jointed = 1;
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b]) && s->f->bodies[b].jointed)
            jointed = fmin(jointed, allowed_share(s, b));
    for (size_t b = 0; b < s->f->body_count; b++) {
        body *one = &s->f->bodies[b];
        if (!body_is_moved(one))
            continue;
        const double *w = s->body_work + 6 * b;
        double share = one->jointed ? jointed : allowed_share(s, b);
        body_displace(one, vec3_scale((vec3){w[0], w[1], w[2]}, share),
                      vec3_scale((vec3){w[3], w[4], w[5]}, share));
    }
}

bool body_sweep_solve(row_system *s, const system_options *o, weir_error *error)
{
    if (!prepare(s, error))
        return false;
    s->velocity_result = sweep_velocities(s, o);
    fill_phase(s, true);
    s->position_result = run(s, o, size_measure(s), o->density_tolerance);
    mechanism_mend_positions(s->mechanism, s->body_work);
    displace(s);
    mechanism_refine_velocities(s->mechanism);
    return true;
}

bool body_sweep_polish(row_system *s, const system_options *o, weir_error *error)
{
    if (!prepare(s, error))
        return false;
    if (body_row_count(s) == 0)
        return true;
    for (size_t k = 0; k < body_row_count(s); k++)
        s->sweeps.sweep[k].nu = body_rows(s)[k].nu;
    find_joint_impulses(s);
    mechanism_note_impulses(s->mechanism, -1);
    change_velocities(s, -1);
    system_options fine = *o;
    fine.tolerance = fmin(o->tolerance, 1e-5);
    sweep_velocities(s, &fine);
    return true;
}

void body_sweep_mend(row_system *s, const system_options *o)
{
    if (body_row_count(s) == 0)
        return;
    fill_phase(s, true);
    run(s, o, size_measure(s), 1e-6);
    displace(s);
}
