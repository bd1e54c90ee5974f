#include "couple/row_limits.h"
#include "couple/row_phase.h"

#include <assert.h>
#include <math.h>

/* J v of the present velocities, for rows that are not densities. */
static double present_speed(const row_system *s, const row *r)
{
    double sum = 0;
    for (int a = 0; r->particle >= 0 && a < s->f->dim; a++)
        sum += (double)r->on_particle[a] * s->f->p.v[a][r->particle];
    const int32_t bodies[2] = {r->body_a, r->body_b};
    const double *on[2] = {r->on_a, r->on_b};
    for (int k = 0; k < 2; k++)
        if (bodies[k] >= 0) {
            const body *b = &s->f->bodies[bodies[k]];
            const double v[6] = {b->velocity.x, b->velocity.y, b->velocity.z,
                                 b->spin.x,     b->spin.y,     b->spin.z};
            sum += row_dot(on[k], v);
        }
    return sum;
}

/* Particles this little below rest density count as full for the velocities. Without the band the
 * pressure of settled fluid flickers, because rows open and close with the solver's tolerance. */
static const double ACTIVE_BAND = 1e-3;

/* Right side of a density row of SPOOK: Bodin eq. 20 for ν = −λ. */
static double spook_rhs(const row_phase *job, size_t i)
{
    const row_system *s = job->s;
    const flow *f = s->f;
    double excess = (double)f->p.field[s->density->ratio][i] - 1, dt = job->dt;
    double rate = f->p.field[s->density->rate][i];
    double xi = 1 / (1 + 4 * job->o->relaxation);
    assert(f->dim <= 3);
    double by_force = 0;
    const double force[3] = {f->force.x, f->force.y, f->force.z};
    const wall_span *solids = &f->walls.spans[i];
    for (uint32_t w = 0; w < solids->count; w++)
        for (int a = 0; a < f->dim; a++)
            by_force += solids->contacts[w].gradient[a] * force[a];
    return 4 * xi / dt * excess - xi * (rate - f->gravity_time * by_force) + rate;
}

/* Split: the ratio may rise to 1 within dt, no further; in the position phase what will be above 1
 * after the move goes. A loop for each case, so that all but SPOOK's take lanes. */
static void fill_density_rhs(const row_phase *job, size_t begin, size_t end)
{
    const row_system *s = job->s;
    const float *ratio = s->f->p.field[s->density->ratio], *rate = s->f->p.field[s->density->rate];
    const float *scale = s->scale;
    float *rhs = s->rhs;
    double dt = job->dt, full = job->o->cohesion ? -INFINITY : 0;
    if (job->positions)
        for (size_t i = begin; i < end; i++)
            rhs[i] = scale[i] * (ratio[i] - 1);
    else if (job->at_once)
        for (size_t i = begin; i < end; i++)
            rhs[i] = scale[i] * rate[i];
    else if (!job->o->split)
        for (size_t i = begin; i < end; i++)
            rhs[i] = scale[i] * (float)spook_rhs(job, i);
    else
        for (size_t i = begin; i < end; i++) {
            double room = (double)ratio[i] - 1 + ACTIVE_BAND;
            rhs[i] = scale[i] * (float)(rate[i] + (room < full ? room / dt : 0));
        }
}

static void fill_density_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const row_phase *job = context;
    const row_system *s = job->s;
    const float *start = s->f->p.field[job->positions ? s->density->mu : s->density->nu];
    const float *scale = s->scale;
    float *lo = s->lo, *hi = s->hi, *solution = s->solution;
    float least = job->o->cohesion && !job->positions ? -INFINITY : 0;
    double share = job->again ? 0 : row_limits_of_start(s, job->o);
    fill_density_rhs(job, begin, end);
    for (size_t i = begin; i < end; i++) {
        lo[i] = least;
        hi[i] = INFINITY;
    }
    for (size_t i = begin; i < end; i++) {
        float scaled = (float)(share * start[i]) / scale[i];
        solution[i] = scale[i] > 0 ? scaled : 0;
    }
}

/* Bounds of friction follow the normal impulse that is known: of the last step. body_sweep_polish
 * has those of this one. */
static float friction_bound(const row_system *s, const row *r)
{
    const row *normal = &s->rows[r->normal];
    return (float)(r->friction * (normal->nu + normal->impact));
}

static void fill_rows(const row_phase *job)
{
    row_system *s = job->s;
    bool positions = job->positions;
    size_t densities = row_system_density_count(s);
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        size_t i = densities + k;
        double rhs = positions ? r->violation : present_speed(s, r) - r->bound;
        bool is_friction = r->normal != ROW_NONE;
        float inverse = s->scale[i] > 0 ? 1 / s->scale[i] : 0;
        s->rhs[i] = s->scale[i] * (float)rhs;
        s->lo[i] = (is_friction ? -friction_bound(s, r) : r->lo) * inverse;
        s->hi[i] = (is_friction ? friction_bound(s, r) : r->hi) * inverse;
        /* Bodies that overlap are mended by sweeps: where they are wedged their rows contradict
         * each other, and a solve with all densities would not end. */
        if (inverse == 0 || (positions && r->particle < 0) || job->again)
            s->lo[i] = s->hi[i] = 0;
        s->solution[i] = job->again ? 0 : (positions ? r->mu : r->nu) * inverse;
    }
}

void row_phase_fill(const row_phase *job)
{
    row_phase_for_densities(job, fill_density_chunk);
    fill_rows(job);
}

static void sum_drive(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)maxima;
    const row_system *s = context;
    const float *rhs = s->rhs, *lo = s->lo;
    for (size_t i = begin; i < end; i++) {
        /* A branch would be guessed wrong. */
        double asked = ((rhs[i] > 0) | (lo[i] < 0)) ? rhs[i] : 0;
        sums[0] += asked * asked;
    }
}

double row_phase_drive(row_system *s)
{
    size_t count = row_system_density_count(s) + s->row_count;
    double sum = 0;
    parallel_reduce(s->f->threads, count, sum_drive, s, &sum, 1, NULL, 0);
    return count > 0 ? sqrt(sum / (double)count) : 0;
}
