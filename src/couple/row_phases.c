#include "base/error.h"
#include "couple/body_sweep.h"
#include "couple/row_limits.h"
#include "couple/row_phase.h"
#include "couple/wall_rows.h"
#include "solve/accelerated.h"
#include "solve/mprgp.h"

#include <math.h>
#include <string.h>

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

static solve_result run_solver(const row_phase *job, const solve_options *limits)
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
                              .apply = row_system_apply,
                              .context = s,
                              .threads = s->f->threads,
                              .level = s->f->level};
    return solver == SOLVER_MPRGP ? mprgp_solve(&s->solver, &problem, limits, s->solution)
                                  : accelerated_solve(&s->solver, &problem, limits, s->solution);
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

static void solve_velocities(row_phase *job, double typical)
{
    row_system *s = job->s;
    const system_options *o = job->o;
    solve_options limits;
    row_phase_fill(job);
    if (job->at_once)
        limits = row_limits_at_once(s, o, job->dt, typical);
    else {
        double drive = fmax(row_phase_drive(s), 1e-6 * typical / job->dt);
        job->asked = drive * job->dt / typical;
        limits = row_limits_of_velocities(s, o, job->dt, drive, typical);
    }
    s->velocity_result = run_solver(job, &limits);
    row_phase_take_solution(job);
}

/* Positions so that the densities are right after the move that follows, as they will be then and
 * not as their rates say: in a step that is long next to the neighbours' distances most of the
 * error is the curvature of that motion. */
static void solve_positions(row_phase *job, double typical)
{
    row_system *s = job->s;
    job->at_end = s->density && s->density->predict(s->f, job->dt);
    row_phase_fill(job);
    solve_options limits = row_limits_of_positions(s, job->o, job->dt, typical);
    s->position_result = run_solver(job, &limits);
    row_phase_take_solution(job);
}

/* Where much fluid meets a wall at once its rows bend with the move: in a block of water that comes
 * down on a floor single particles had 0.8 % too much where rows had left them 0.25 %. What the
 * velocities ask for tells such a step. A correction that is large itself is that of a bad start,
 * which is spread over steps. */
static bool bends_much(const row_phase *job)
{
    static const double MUCH = 3e-3, BAD_START = 0.1; /* of the rest density, rms */
    return job->asked > MUCH && job->s->position_result.history[0] < BAD_START;
}

/* Densities once more, from where the first solve has put the particles. What bodies that the fluid
 * moves have of them is known along their first gradients only, so with these once is all. */
static void solve_positions_again(row_phase *job, double typical)
{
    row_system *s = job->s;
    if (!job->o->relinearize || s->coupling_count > 0 || !bends_much(job))
        return;
    solve_result first = s->position_result;
    job->again = true;
    solve_positions(job, typical);
    row_phase_displace_particles(job);
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
    if ((density && !((at_once ? density->foresee(f, dt, o->mending) : density->measure(f, dt)) &&
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
    row_phase job = {.s = s, .o = o, .at_once = at_once, .dt = dt};
    solve_velocities(&job, typical);
    mechanism_note_impulses(m, 1);
    row_phase_apply_velocities(&job);
    if (!body_sweep_polish(s, o, error))
        return false;
    s->position_result = (solve_result){0};
    if (o->split && !at_once) {
        job.positions = true;
        job.feedback = row_limits_of_feedback(s, o, dt);
        solve_positions(&job, typical);
        row_phase_apply_positions(&job);
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
    row_phase job = {.s = s, .o = &o, .positions = true};
    solve_positions(&job, f->density_scale);
    *settled = s->position_result.history[0] <= fmin(o.density_tolerance, o.calm_tolerance);
    displace_by_share(f, density->work, SETTLE_WAY * f->spacing);
    memset(f->p.field[density->mu], 0, f->p.count * sizeof(float));
    s->mechanism = NULL;
    return true;
}
