/* The iterations of PBF (Algorithm 1, lines 8-19): each row wants its density at rest, all rows at
 * once (Jacobi), or with Chebyshev's momentum, which needs the square root of the iterations.
 *
 * A row's multiplier is summed over the iterations of a substep. Without cohesion it may not become
 * negative: then a row that pushed too far takes back, but none pulls. */
#include "method/pbf.h"

#include "base/random.h"
#include "method/pbf_work.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const pbf_passes *pbf_get_passes(const flow *f)
{
    static const pbf_passes *const levels[] = LANE_TABLE(pbf_passes_);
    return levels[f->level];
}

/* --------------------------------------------------------------------- rows */

/* Diagonal and reach of a row, with the solids. */
static void complete_row(const pbf_job *job, size_t i, double *diagonal, double *reach)
{
    const flow *f = job->f;
    float *const *field = f->p.field;
    const wall_span *solids = &f->walls.spans[i];
    assert(f->dim <= 3);
    double slope[3] = {field[PBF_MOVE_X][i], field[PBF_MOVE_Y][i],
                       f->dim == 3 ? field[PBF_MOVE_Z][i] : 0};
    *diagonal = field[PBF_SQUARES][i] + f->parameters[PBF_SOFTNESS] * job->data->diagonal;
    *reach = field[PBF_REACH][i];
    for (uint32_t w = 0; w < solids->count; w++) {
        const float *gradient = solids->contacts[w].gradient;
        for (int a = 0; a < f->dim; a++)
            slope[a] += gradient[a];
        *reach += vec3_length((vec3){gradient[0], gradient[1], gradient[2]});
        *diagonal += pbf_solids_give(job, i, &solids->contacts[w]);
    }
    *diagonal += field[PBF_INVERSE_MASS][i] *
                 (slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
}

/* The change of a multiplier (eq. 11). Rows are also kept from moving their own particle farther
 * than a part of the spacing, or faster than what drives the scene can make it: unlike a bound on
 * the particle's move this keeps the momentum. */
static void solve_row(const pbf_job *job, size_t i)
{
    flow *f = job->f;
    float **field = f->p.field;
    const double *p = f->parameters;
    double diagonal, reach;
    complete_row(job, i, &diagonal, &reach);
    double error = field[PBF_DENSITY][i] + f->walls.spans[i].volume - 1.0;
    double cohesion = p[PBF_COHESION];
    double wanted = error < 0 && cohesion > 0 ? cohesion * error : error;
    double step = diagonal > 0 ? job->omega * p[PBF_RELAXATION] * wanted / diagonal : 0;
    double move = fmin(p[PBF_MAX_MOVE] * f->spacing, job->most_move);
    double most = move / (reach * field[PBF_INVERSE_MASS][i] + 1e-30);
    step = fmin(fmax(step, -most), most);
    float now = field[PBF_NU][i];
    float ahead = now + (float)(job->omega - 1) * (now - field[PBF_LAST_NU][i]);
    float nu = ahead + (float)step;
    if (cohesion == 0 && !(nu > 0))
        nu = 0;
    field[PBF_STEP][i] = nu - ahead;
    field[PBF_NU][i] = nu;
    field[PBF_LAST_NU][i] = now;
    field[PBF_DENSITY][i] = (float)(f->fluids[f->p.fluid[i]].density * (1 + error));
}

static void row_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    size_t first, last;
    flow_chunk_range(job->f, begin, end, &first, &last);
    pbf_get_passes(job->f)->measure(job->f, &job->data->constants, begin, end);
    for (size_t i = first; i < last; i++)
        solve_row(job, i);
}

static void correct_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    pbf_get_passes(job->f)->correct(job->f, &job->constants, begin, end);
}

/* ------------------------------------------------------------------- motion */

/* Particles in one place have no direction to part in: those far too dense get one by chance. */
static void part(flow *f, size_t i)
{
    if (f->p.field[PBF_DENSITY][i] < 4 * f->fluids[f->p.fluid[i]].density)
        return;
    for (int a = 0; a < f->dim; a++)
        f->p.field[PBF_MOVE_X + a][i] +=
            (float)(0.02 * f->spacing * (random_unit((uint64_t)a, f->p.id[i]) - 0.5));
}

static void move_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    flow *f = job->f;
    static const pbf_move_pass *const levels[] = LANE_TABLE(pbf_move_pass_);
    for (size_t i = begin; i < end; i++)
        part(f, i);
    float most = (float)(2 * f->parameters[PBF_MAX_MOVE] * f->spacing);
    (*levels[f->level])(f, most, (float)(job->omega - 1), begin, end);
}

static void start_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_job *job = context;
    flow *f = job->f;
    float **field = f->p.field;
    size_t bytes = (end - begin) * sizeof(float);
    for (int k = PBF_SHIFT_X; k <= PBF_LAST_TWIST_Z; k++)
        memset(field[k] + begin, 0, bytes);
    float warm = (float)(f->parameters[PBF_WARM_START] * f->volume * job->dt * job->dt);
    for (size_t i = begin; i < end; i++) {
        field[PBF_INVERSE_MASS][i] = (float)(1 / f->fluids[f->p.fluid[i]].mass);
        field[PBF_NU][i] = warm * field[PBF_PRESSURE][i];
        field[PBF_STEP][i] = field[PBF_NU][i];
        field[PBF_LAST_NU][i] = 0;
    }
}

/* --------------------------------------------------------------- iterations */

static void add_square(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    const flow *f = context;
    double largest = maxima[0];
    for (size_t i = begin; i < end; i++) {
        double error = f->p.field[PBF_DENSITY][i] / f->fluids[f->p.fluid[i]].density - 1;
        sums[0] += error > 0 ? error * error : 0;
        double moved2 = 0;
        for (int a = 0; a < f->dim; a++)
            moved2 += f->p.field[PBF_SHIFT_X + a][i] * f->p.field[PBF_SHIFT_X + a][i];
        largest = moved2 > largest ? moved2 : largest;
    }
    maxima[0] = largest;
}

/* The density error, rms. Notes whether moves are large enough to bring new pairs together. */
static double find_residual(pbf_job *job)
{
    const flow *f = job->f;
    double sum = 0, moved2 = 0, small = 0.05 * f->spacing;
    parallel_reduce(f->threads, f->p.count, add_square, job->f, &sum, 1, &moved2, 1);
    job->constants.first_reach2 = moved2 > small * small ? (float)(0.99999 * f->h * f->h) : 0;
    return f->p.count > 0 ? sqrt(sum / (double)f->p.count) : 0;
}

static void apply_steps(pbf_job *job)
{
    flow *f = job->f;
    double since = pass_now();
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, correct_chunk, job);
    pbf_solids_correct(job);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, move_chunk, job);
    flow_note_pass(f, &correct_work, since);
    pbf_solids_settle(job);
    pbf_solids_place(job);
}

/* Chebyshev's weights for the radius of the spectrum (Wang 2015, eq. 20); 1 all along for Jacobi.
 * Momentum begins once errors are small enough for the spectrum to mean something, or after a
 * few iterations: begun at once, it overshot the large errors of long steps (a dam break at 16 ms
 * gained energy). `begun` is the iteration before the first one with momentum, or -1. */
static void set_pace(pbf_job *job, int k, double residual, int *begun)
{
    const pbf_data *data = job->data;
    const double small = 0.02;
    const int latest = 3;
    if (*begun < 0 && k > 0 && (residual <= small || k >= latest))
        *begun = k - 1;
    double square = data->radius * data->radius;
    int place = *begun < 0 ? 0 : (k - *begun) % data->cycle;
    if (place == 0)
        job->omega = 1;
    else
        job->omega = place == 1 ? 2 / (2 - square) : 4 / (4 - square * job->omega);
}

void pbf_solve(flow *f, double dt)
{
    pbf_data *data = f->method_data;
    const double *p = f->parameters;
    pbf_job job = {.f = f, .data = data, .dt = dt, .omega = 1, .constants = data->constants};
    /* A particle between solids that leave it no room is moved by the same way in however short a
     * step: its speed would make the next one shorter, and grow without end. */
    job.most_move = 2 * f->reference_speed * dt;
    if (f->exhausted || !pbf_solids_begin(&job)) {
        f->exhausted = true;
        return;
    }
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, start_chunk, &job);
    pbf_solids_place(&job);
    if (p[PBF_WARM_START] > 0)
        apply_steps(&job);
    double residual = INFINITY;
    int most = (int)p[PBF_ITERATIONS], least = (int)p[PBF_MIN_ITERATIONS], begun = -1;
    data->iterations = 0;
    for (int k = 0; k < most; k++) {
        set_pace(&job, k, residual, &begun);
        double since = pass_now();
        parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, row_chunk, &job);
        flow_note_pass(f, &measure_work, since);
        residual = find_residual(&job);
        if (k < PBF_HISTORY)
            data->residual[k] = residual;
        if (k >= least && p[PBF_DENSITY_TOLERANCE] > 0 && residual <= p[PBF_DENSITY_TOLERANCE])
            break;
        apply_steps(&job);
        data->iterations++;
    }
    pbf_solids_end(&job);
}
