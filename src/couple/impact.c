#include "couple/impact.h"

#include "base/error.h"

#include <string.h>

typedef struct impact_job {
    row_system *s;
    mechanism *m;
    flow *f;
    double resting; /* m/s: what meets more slowly rests */
} impact_job;

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

/* How fast a contact closes, and the part of it that gravity gave in this step. */
typedef struct closing {
    double speed, by_gravity;
} closing;

static closing find_closing(const impact_job *job, const row *r)
{
    closing c = {r->prescribed, 0};
    const int32_t bodies[2] = {r->body_a, r->body_b};
    const double *on[2] = {r->on_a, r->on_b};
    for (int k = 0; k < 2; k++) {
        if (bodies[k] < 0)
            continue;
        const body *b = &job->f->bodies[bodies[k]];
        const double v[6] = {b->velocity.x, b->velocity.y, b->velocity.z,
                             b->spin.x,     b->spin.y,     b->spin.z};
        c.speed += dot6(on[k], v);
        c.by_gravity +=
            job->f->gravity_time *
            (on[k][0] * job->f->force.x + on[k][1] * job->f->force.y + on[k][2] * job->f->force.z);
    }
    return c;
}

static bool may_bounce(const row *r)
{
    return r->restitution > 0 && r->normal == ROW_NONE && (r->body_a >= 0 || r->body_b >= 0);
}

/* Whether the surfaces meet in this step, and fast. The bound is the speed at which they just touch
 * at its end. */
static bool bounces(const impact_job *job, const row *r, double *speed)
{
    if (!may_bounce(r))
        return false;
    closing c = find_closing(job, r);
    *speed = c.speed - c.by_gravity;
    return c.speed > r->bound + r->prescribed && *speed > job->resting;
}

static bool is_jointed(const impact_job *job, const row *r)
{
    return (r->body_a >= 0 && job->f->bodies[r->body_a].jointed) ||
           (r->body_b >= 0 && job->f->bodies[r->body_b].jointed);
}

/* Fills body_work with what a unit impulse of the row does, and returns how much the row's own
 * speed falls by it. */
static double respond(const impact_job *job, const row *r, bool jointed)
{
    row_system *s = job->s;
    const int32_t bodies[2] = {r->body_a, r->body_b};
    const double *on[2] = {r->on_a, r->on_b};
    if (jointed)
        memset(s->body_work, 0, 6 * job->f->body_count * sizeof *s->body_work);
    for (int k = 0; k < 2; k++) {
        if (bodies[k] < 0)
            continue;
        double *work = s->body_work + 6 * bodies[k], impulse[6];
        for (int e = 0; e < 6; e++)
            impulse[e] = -on[k][e];
        if (jointed)
            memcpy(work, impulse, sizeof impulse);
        else
            body_apply_impulse(&job->f->bodies[bodies[k]], impulse, work);
    }
    if (jointed)
        mechanism_apply(job->m, s->body_work);
    double answer = 0;
    for (int k = 0; k < 2; k++)
        if (bodies[k] >= 0)
            answer -= dot6(on[k], s->body_work + 6 * bodies[k]);
    return answer;
}

static void change_body(const impact_job *job, size_t index, double impulse)
{
    const double *work = job->s->body_work + 6 * index;
    double change[6];
    for (int e = 0; e < 6; e++)
        change[e] = impulse * work[e];
    if (body_is_moved(&job->f->bodies[index]))
        body_change_velocity(&job->f->bodies[index], change);
}

/* Brings one row to the speed that it shall have, by an impulse that only pushes. Returns the
 * change of its speed. */
static double push_row(const impact_job *job, row *r, double wanted, double *given)
{
    bool jointed = is_jointed(job, r);
    double answer = respond(job, r, jointed);
    if (!(answer > 0))
        return 0;
    double impulse = fmax((find_closing(job, r).speed - wanted) / answer, -*given);
    *given += impulse;
    r->impact += impulse;
    if (jointed) {
        mechanism_note_impulses(job->m, impulse);
        for (size_t b = 0; b < job->f->body_count; b++)
            change_body(job, b, impulse);
    } else {
        if (r->body_a >= 0)
            change_body(job, (size_t)r->body_a, impulse);
        if (r->body_b >= 0)
            change_body(job, (size_t)r->body_b, impulse);
    }
    return fabs(impulse * answer);
}

enum { MOST_POINTS = 32, MOST_SWEEPS = 200 };

/* All points of a pair of bodies strike at once: a box that falls flat does not begin to turn. */
static void strike_pair(const impact_job *job, row *rows, size_t count, size_t *sweeps_left)
{
    row *points[MOST_POINTS];
    double wanted[MOST_POINTS], given[MOST_POINTS] = {0}, largest = 0;
    size_t found = 0;
    for (size_t k = 0; k < count && found < MOST_POINTS; k++) {
        double speed;
        if (!may_bounce(&rows[k]))
            continue;
        closing c = find_closing(job, &rows[k]);
        wanted[found] = rows[k].bound + rows[k].prescribed;
        /* The blow falls in the middle of gravity's step: then a bounce with restitution 1 keeps
         * the energy exactly. */
        if (bounces(job, &rows[k], &speed))
            wanted[found] =
                -rows[k].restitution * speed + (1 - rows[k].restitution) / 2 * c.by_gravity;
        largest = fmax(largest, fabs(c.speed));
        points[found++] = &rows[k];
    }
    for (int sweep = 0; *sweeps_left > 0 && sweep < MOST_SWEEPS; sweep++) {
        --*sweeps_left;
        double change = 0;
        for (size_t k = 0; k < found; k++)
            change = fmax(change, push_row(job, points[k], wanted[k], &given[k]));
        if (change <= 1e-12 * largest)
            break;
    }
}

static bool is_same_pair(const row *a, const row *b)
{
    return a->body_a == b->body_a && a->body_b == b->body_b && a->ground == b->ground;
}

bool impacts_run(row_system *s, mechanism *m, flow *f, double dt, weir_error *error)
{
    impact_job job = {s, m, f, 2 * vec3_length(f->force) * dt};
    if (!memory_grow(s->mem, (void **)&s->body_work, &s->body_capacity, 6 * f->body_count + 6, 0,
                     sizeof *s->body_work))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for bounces");
    /* Blows between bodies that touch may go to and fro for ever: what is left after so many is
     * left to the solve, which stops it. */
    size_t most = 20 + 4 * s->row_count;
    /* Blows that do not come to an end themselves would cost the rows squared many times over. */
    size_t sweeps_left = MOST_SWEEPS + 20 * most;
    for (size_t n = 0; n < most; n++) {
        size_t fastest = SIZE_MAX;
        double largest = 0, speed;
        for (size_t k = 0; k < s->row_count; k++)
            if (bounces(&job, &s->rows[k], &speed) && speed > largest * (1 + 1e-9)) {
                largest = speed;
                fastest = k;
            }
        if (fastest == SIZE_MAX)
            break;
        size_t begin = fastest, end = fastest + 1;
        while (begin > 0 && is_same_pair(&s->rows[begin - 1], &s->rows[fastest]))
            begin--;
        while (end < s->row_count && is_same_pair(&s->rows[end], &s->rows[fastest]))
            end++;
        strike_pair(&job, s->rows + begin, end - begin, &sweeps_left);
    }
    return true;
}
