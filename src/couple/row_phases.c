#include "base/error.h"
#include "couple/body_sweep.h"
#include "couple/row_limits.h"
#include "couple/row_parts.h"
#include "couple/wall_rows.h"
#include "par/parallel.h"
#include "solve/accelerated.h"
#include "solve/mprgp.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- set-up */

static bool reserve(row_system *s, size_t count)
{
    float **vectors[] = {&s->solution, &s->rhs, &s->lo, &s->hi, &s->scale, &s->nu};
    memory_array arrays[6];
    for (int k = 0; k < 6; k++)
        arrays[k] = (memory_array){(void **)vectors[k], sizeof(float)};
    return memory_grow_together(s->mem, arrays, 6, &s->vector_capacity, count + PARTICLE_PADDING) &&
           memory_grow(s->mem, (void **)&s->body_work, &s->body_capacity, 6 * s->f->body_count + 6,
                       0, sizeof *s->body_work) &&
           bounded_work_reserve(&s->solver, s->mem, count);
}

/* The phase of a step, for loops over the density rows. */
typedef struct phase_job {
    row_system *s;
    const system_options *o;
    bool positions;
    bool at_once; /* velocities for the densities after the move */
    bool again;   /* densities alone, after a first solve of the positions */
    double dt;
    double feedback; /* 1/s: what displacements become in the velocities */
    double asked;    /* rms change of the density that the velocities asked for */
} phase_job;

static void for_densities(const phase_job *job, parallel_body loop)
{
    const row_system *s = job->s;
    parallel_for(s->f->threads, row_system_density_count(s), PARTICLE_GRAIN, loop,
                 (void *)(uintptr_t)job);
}

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

/* ------------------------------------------------------------------- phases */

/* Particles this little below rest density count as full for the velocities. Without the band the
 * pressure of settled fluid flickers, because rows open and close with the solver's tolerance. */
static const double ACTIVE_BAND = 1e-3;

/* Right side of a density row. Split: the ratio may rise to 1 within dt, no further; in the
 * position phase what will be above 1 after the move goes. SPOOK: Bodin eq. 20 for ν = −λ. */
static double density_rhs(const phase_job *job, size_t i)
{
    const row_system *s = job->s;
    const system_options *o = job->o;
    const flow *f = s->f;
    double excess = (double)f->p.field[s->density->ratio][i] - 1, dt = job->dt;
    if (job->positions)
        return excess;
    double rate = f->p.field[s->density->rate][i];
    if (job->at_once)
        return rate;
    if (o->split) {
        double room = excess + ACTIVE_BAND;
        return rate + (room < 0 && !o->cohesion ? room / dt : 0);
    }
    double xi = 1 / (1 + 4 * o->relaxation);
    assert(f->dim <= 3);
    double by_force = 0;
    const double force[3] = {f->force.x, f->force.y, f->force.z};
    const wall_span *solids = &f->walls.spans[i];
    for (uint32_t w = 0; w < solids->count; w++)
        for (int a = 0; a < f->dim; a++)
            by_force += solids->contacts[w].gradient[a] * force[a];
    return 4 * xi / dt * excess - xi * (rate - f->gravity_time * by_force) + rate;
}

static void fill_density_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const phase_job *job = context;
    const row_system *s = job->s;
    const float *start = s->f->p.field[job->positions ? s->density->mu : s->density->nu];
    double share = job->again ? 0 : row_limits_of_start(s, job->o);
    for (size_t i = begin; i < end; i++) {
        s->rhs[i] = s->scale[i] * (float)density_rhs(job, i);
        s->lo[i] = job->o->cohesion && !job->positions ? -INFINITY : 0;
        s->hi[i] = INFINITY;
        s->solution[i] = s->scale[i] > 0 ? (float)(share * start[i]) / s->scale[i] : 0;
    }
}

/* Bounds of friction follow the normal impulse that is known: of the last step. body_sweep_polish
 * has those of this one. */
static float friction_bound(const row_system *s, const row *r)
{
    const row *normal = &s->rows[r->normal];
    return (float)(r->friction * (normal->nu + normal->impact));
}

static void fill_rows(const phase_job *job)
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

static void sum_drive(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)maxima;
    const row_system *s = context;
    for (size_t i = begin; i < end; i++)
        sums[0] += s->rhs[i] > 0 || s->lo[i] < 0 ? (double)s->rhs[i] * s->rhs[i] : 0;
}

/* rms of the right side: what the forces of this step ask for. */
static double rhs_size(row_system *s)
{
    size_t count = row_system_density_count(s) + s->row_count;
    double sum = 0;
    parallel_reduce(s->f->threads, count, sum_drive, s, &sum, 1, NULL, 0);
    return count > 0 ? sqrt(sum / (double)count) : 0;
}

static solve_result run_solver(const phase_job *job, const solve_options *limits)
{
    row_system *s = job->s;
    system_solver solver = job->o->solver;
    if (solver == SOLVER_GAUSS_SEIDEL)
        return row_sweep_solve(s, limits, !job->positions);
    bounded_system problem = {.count = row_system_density_count(s) + s->row_count,
                              .rhs = s->rhs,
                              .lo = s->lo,
                              .hi = s->hi,
                              .multiply = row_system_multiply,
                              .context = s,
                              .threads = s->f->threads,
                              .level = s->f->level};
    return solver == SOLVER_MPRGP ? mprgp_solve(&s->solver, &problem, limits, s->solution)
                                  : accelerated_solve(&s->solver, &problem, limits, s->solution);
}

/* Multipliers of the positions act on velocities, too. */
static void keep_multipliers(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const phase_job *job = context;
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

static void keep_row(const phase_job *job, row *r, float multiplier)
{
    if (job->positions) {
        r->mu = multiplier;
        r->nu += (float)job->feedback * multiplier;
    } else
        r->nu = multiplier;
}

/* Multipliers out of the scaled solution, kept for the next step; then what they do. */
static void take_solution(const phase_job *job)
{
    row_system *s = job->s;
    size_t densities = row_system_density_count(s);
    for_densities(job, keep_multipliers);
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
    const row_system *s = ((const phase_job *)context)->s;
    for (int a = 0; a < s->f->dim; a++) {
        const float *work = s->f->p.field[s->density->work + a];
        for (size_t i = begin; i < end; i++)
            s->f->p.v[a][i] += work[i];
    }
}

static void apply_velocities(const phase_job *job)
{
    row_system *s = job->s;
    for_densities(job, change_velocities);
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b]))
            body_change_velocity(&s->f->bodies[b], s->body_work + 6 * b);
}

/* Corrections are small by nature; what is larger is a bad start and is spread over steps. A share
 * of them becomes speed: what velocities lack in every step positions would mend in every step, a
 * deep column would sink for ever and be lifted for ever, and in the end boil. */
static void displace_particles(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const phase_job *job = context;
    const row_system *s = job->s;
    float most = 0.2f * (float)s->f->spacing, to_speed = (float)job->feedback;
    for (int a = 0; a < s->f->dim; a++) {
        const float *work = s->f->p.field[s->density->work + a];
        for (size_t i = begin; i < end; i++) {
            float way = work[i] > -most ? work[i] : -most; /* fmaxf would be a call */
            way = way < most ? way : most;
            s->f->p.x[a][i] += way;
            s->f->p.v[a][i] += to_speed * way;
        }
    }
}

static void apply_positions(const phase_job *job)
{
    row_system *s = job->s;
    for_densities(job, displace_particles);
    mechanism_mend_positions(s->mechanism, s->body_work);
    double to_speed = job->feedback;
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b])) {
            const double *w = s->body_work + 6 * b;
            double change[6];
            for (int k = 0; k < 6; k++)
                change[k] = to_speed * w[k];
            body_displace(&s->f->bodies[b], (vec3){w[0], w[1], w[2]}, (vec3){w[3], w[4], w[5]});
            body_change_velocity(&s->f->bodies[b], change);
        }
}

/* What a displacement by the size of the smallest body means in a row, for systems of bodies
 * alone. */
static double typical_row(const row_system *s)
{
    double size = INFINITY, squares = 0;
    for (size_t b = 0; b < s->f->body_count; b++)
        if (body_is_moved(&s->f->bodies[b]))
            size = fmin(size, s->f->bodies[b].size);
    for (size_t r = 0; r < s->row_count; r++)
        squares += (double)s->scale[r] * s->scale[r];
    return squares > 0 && isfinite(size) ? size * sqrt(squares / (double)s->row_count) : 1;
}

static void solve_velocities(phase_job *job, double typical)
{
    row_system *s = job->s;
    const system_options *o = job->o;
    for_densities(job, fill_density_chunk);
    fill_rows(job);
    double drive = fmax(rhs_size(s), 1e-6 * typical / job->dt);
    job->asked = drive * job->dt / typical;
    solve_options limits = job->at_once ? row_limits_at_once(s, o, job->dt, typical)
                                        : row_limits_of_velocities(s, o, job->dt, drive, typical);
    s->velocity_result = run_solver(job, &limits);
    take_solution(job);
}

/* Positions so that the densities are right after the move that follows, as they will be then and
 * not as their rates say: in a step that is long next to the neighbours' distances most of the
 * error is the curvature of that motion. */
static void solve_positions(const phase_job *job, double typical)
{
    row_system *s = job->s;
    if (s->density)
        s->density->predict(s->f, job->dt);
    for_densities(job, fill_density_chunk);
    fill_rows(job);
    solve_options limits = row_limits_of_positions(s, job->o, job->dt, typical);
    s->position_result = run_solver(job, &limits);
    take_solution(job);
}

/* Where much fluid meets a wall at once its rows bend with the move: in a block of water that comes
 * down on a floor single particles had 0.8 % too much where rows had left them 0.25 %. What the
 * velocities ask for tells such a step. A correction that is large itself is that of a bad start,
 * which is spread over steps. */
static bool bends_much(const phase_job *job)
{
    static const double MUCH = 3e-3, BAD_START = 0.1; /* of the rest density, rms */
    return job->asked > MUCH && job->s->position_result.history[0] < BAD_START;
}

/* Densities once more, from where the first solve has put the particles. What bodies that the fluid
 * moves have of them is known along their first gradients only, so with these once is all. */
static void solve_positions_again(phase_job *job, double typical)
{
    row_system *s = job->s;
    if (!job->o->relinearize || s->coupling_count > 0 || !bends_much(job))
        return;
    solve_result first = s->position_result;
    job->again = true;
    solve_positions(job, typical);
    for_densities(job, displace_particles);
    first.iterations += s->position_result.iterations;
    first.residual = s->position_result.residual;
    s->position_result = first;
}

bool row_system_solve(row_system *s, flow *f, const density_rows *density, mechanism *m,
                      const system_options *o, double dt, weir_error *error)
{
    s->f = f;
    s->density = density;
    s->mechanism = m;
    s->coupling_count = 0;
    size_t count = row_system_density_count(s) + s->row_count;
    bool at_once = density && o->at_once;
    if ((density && !((at_once ? density->foresee(f, dt) : density->measure(f)) &&
                      row_system_find_couplings(s))) ||
        !reserve(s, count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for a system of %zu rows", count);
    if (density && o->solver == SOLVER_GAUSS_SEIDEL && !row_sweep_prepare(s))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to sweep %zu rows", count);
    if (!mechanism_factor(m, error))
        return false;
    mechanism_project_velocities(m);
    if (!density && o->gauss_seidel)
        return body_sweep_solve(s, o, error);
    double compliance = 1 / (f->volume * f->fluids[0].density * o->sound_speed * o->sound_speed);
    s->regularization = o->split ? 0 : 4 * compliance / (1 + 4 * o->relaxation) / (dt * dt);
    row_system_find_scales(s);
    /* A typical scale, so that tolerances are density errors at every resolution. */
    double typical = density && f->p.count > 0 ? f->density_scale : typical_row(s);
    phase_job job = {.s = s, .o = o, .at_once = at_once, .dt = dt};
    solve_velocities(&job, typical);
    mechanism_note_impulses(m, 1);
    apply_velocities(&job);
    if (!body_sweep_polish(s, o, error))
        return false;
    s->position_result = (solve_result){0};
    if (o->split && !at_once) {
        job.positions = true;
        job.feedback = row_limits_of_feedback(s, o, dt);
        solve_positions(&job, typical);
        apply_positions(&job);
        solve_positions_again(&job, typical);
    }
    if (o->split)
        body_sweep_mend(s, o);
    if (density)
        wall_rows_note_pressure(s, f);
    mechanism_refine_velocities(m);
    return true;
}

/* ------------------------------------------------------------------ settling */

/* Many short rounds: an exact solution of the rows as they are would move particles far, and be no
 * solution where they then are. */
enum { SETTLE_ITERATIONS = 30 };
static const double SETTLE_WAY = 0.1; /* spacings */

/* All of the displacement by one share: cut off particle by particle it would no longer fit. */
static void displace_by_share(const flow *f, int work, double most)
{
    float largest = 0;
    for (int a = 0; a < f->dim; a++)
        for (size_t i = 0; i < f->p.count; i++)
            largest = fmaxf(largest, fabsf(f->p.field[work + a][i]));
    float share = largest > (float)most ? (float)most / largest : 1;
    for (int a = 0; a < f->dim; a++)
        for (size_t i = 0; i < f->p.count; i++)
            f->p.x[a][i] += share * f->p.field[work + a][i];
}

bool row_system_settle(row_system *s, flow *f, const density_rows *density,
                       const system_options *options, bool *settled, weir_error *error)
{
    mechanism none = {0};
    system_options o = *options;
    o.solver = SOLVER_ACCELERATED;
    o.warm_start = 0; /* there was no step before */
    if (o.max_iterations > SETTLE_ITERATIONS)
        o.max_iterations = SETTLE_ITERATIONS;
    row_system_clear(s);
    s->f = f;
    s->density = density;
    s->mechanism = &none;
    s->regularization = 0;
    if (!reserve(s, row_system_density_count(s)))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to settle %zu particles", f->p.count);
    row_system_find_scales(s);
    phase_job job = {.s = s, .o = &o, .positions = true};
    solve_positions(&job, f->density_scale);
    *settled = s->position_result.history[0] <= fmin(o.density_tolerance, o.calm_tolerance);
    displace_by_share(f, density->work, SETTLE_WAY * f->spacing);
    memset(f->p.field[density->mu], 0, f->p.count * sizeof(float));
    s->mechanism = NULL;
    return true;
}
