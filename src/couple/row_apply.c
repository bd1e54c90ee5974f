#include "couple/row_phase.h"

/* Multipliers of the positions act on velocities, too. */
static void keep_multipliers(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const row_phase *job = context;
    const row_system *s = job->s;
    float **field = s->f->p.field;
    float *kept = field[job->positions ? s->density->mu : s->density->nu];
    float *impulse = field[s->density->impulse];
    float before = job->again ? 1 : 0, feedback = (float)job->feedback;
    for (size_t i = begin; i < end; i++) {
        s->nu[i] = s->scale[i] * s->solution[i];
        kept[i] = before * kept[i] + s->nu[i];
    }
    for (size_t i = begin; i < end; i++)
        impulse[i] = job->positions ? impulse[i] + feedback * s->nu[i] : s->nu[i];
}

static void keep_row(const row_phase *job, row *r, float multiplier)
{
    if (job->positions) {
        r->mu = multiplier;
        r->nu += (float)job->feedback * multiplier;
    } else
        r->nu = multiplier;
}

void row_phase_take_solution(const row_phase *job)
{
    row_system *s = job->s;
    size_t densities = row_system_density_count(s);
    row_phase_for_densities(job, keep_multipliers);
    for (size_t r = 0; r < s->row_count; r++) {
        s->nu[densities + r] = s->scale[densities + r] * s->solution[densities + r];
        if (!job->again)
            keep_row(job, &s->rows[r], s->nu[densities + r]);
    }
    /* The last product of the accelerated solver was that of its solution; sweeps keep the work. */
    if (job->o->solver == SOLVER_MPRGP || densities + s->row_count == 0)
        row_system_push(s, s->nu);
}

static void change_velocities(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const row_system *s = ((const row_phase *)context)->s;
    for (int a = 0; a < s->f->dim; a++) {
        const float *work = s->f->p.field[s->density->work + a];
        for (size_t i = begin; i < end; i++)
            s->f->p.v[a][i] += work[i];
    }
}

void row_phase_apply_velocities(const row_phase *job)
{
    row_system *s = job->s;
    row_phase_for_densities(job, change_velocities);
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b]))
            body_change_velocity(&s->f->bodies[b], s->body_work + 6 * b);
}

/* Corrections are small by nature; what is larger is a bad start and is spread over steps. A share
 * of them becomes speed: what velocities lack in every step positions would mend in every step, a
 * deep column would sink for ever and be lifted for ever, and in the end boil. */
static void displace_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const row_phase *job = context;
    const row_system *s = job->s;
    float most = 0.2f * (float)s->f->spacing, to_speed = (float)job->feedback;
    float now = (float)row_phase_share_now(job);
    for (int a = 0; a < s->f->dim; a++) {
        const float *work = s->f->p.field[s->density->work + a];
        for (size_t i = begin; i < end; i++) {
            float way = work[i] > -most ? work[i] : -most; /* fmaxf would be a call */
            way = way < most ? way : most;
            s->f->p.x[a][i] += now * way;
            s->f->p.v[a][i] += to_speed * way;
        }
    }
}

void row_phase_displace_particles(const row_phase *job)
{
    row_phase_for_densities(job, displace_chunk);
}

void row_phase_apply_positions(const row_phase *job)
{
    row_system *s = job->s;
    row_phase_displace_particles(job);
    mechanism_mend_positions(s->mechanism, s->body_work);
    double to_speed = job->feedback, now = row_phase_share_now(job);
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b])) {
            const double *w = s->body_work + 6 * b;
            double change[6];
            for (int k = 0; k < 6; k++)
                change[k] = to_speed * w[k];
            body_displace(&s->f->bodies[b], (vec3){now * w[0], now * w[1], now * w[2]},
                          (vec3){now * w[3], now * w[4], now * w[5]});
            body_change_velocity(&s->f->bodies[b], change);
        }
}
