#include "couple/row_system.h"

#include "base/error.h"
#include "couple/body_sweep.h"
#include "par/parallel.h"

#include <math.h>
#include <string.h>

void row_system_init(row_system *s, memory *m)
{
    *s = (row_system){.mem = m};
}

void row_system_free(row_system *s)
{
    if (!s->mem)
        return;
    memory_give(s->mem, s->rows, s->row_capacity * sizeof *s->rows);
    memory_give(s->mem, s->couplings, s->coupling_capacity * sizeof *s->couplings);
    float *vectors[] = {s->solution, s->rhs, s->lo, s->hi, s->scale, s->nu};
    for (int k = 0; k < 6; k++)
        memory_give(s->mem, vectors[k], s->vector_capacity * sizeof(float));
    memory_give(s->mem, s->body_work, s->body_capacity * sizeof *s->body_work);
    mprgp_free(&s->solver, s->mem);
    gauss_seidel_free(&s->sweeps, s->mem);
    memory_give(s->mem, s->members, s->member_capacity * sizeof *s->members);
    memory_give(s->mem, s->marks, s->mark_capacity * sizeof *s->marks);
    memory_give(s->mem, s->spreads, s->spread_capacity * sizeof *s->spreads);
    *s = (row_system){0};
}

void row_system_clear(row_system *s)
{
    s->row_count = 0;
    s->coupling_count = 0;
}

row *row_system_add_row(row_system *s)
{
    if (!memory_grow(s->mem, (void **)&s->rows, &s->row_capacity, s->row_count + 1, s->row_count,
                     sizeof *s->rows))
        return NULL;
    row *r = &s->rows[s->row_count++];
    memset(r, 0, sizeof *r);
    r->particle = r->body_a = r->body_b = r->normal = r->ground = ROW_NONE;
    r->hi = INFINITY;
    return r;
}

/* ---------------------------------------------------------------- couplings */

/* Lists the particles that bodies feel through their density. */
static bool find_couplings(row_system *s)
{
    flow *f = s->f;
    bool any = false;
    for (size_t b = 0; b < f->body_count; b++)
        any = any || body_is_moved(&f->bodies[b]);
    for (size_t i = 0; any && i < f->p.count; i++) {
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            const wall_contact *contact = &solids->contacts[w];
            const body *b = &f->bodies[contact->body];
            if (!body_is_moved(b) || contact->volume == 0)
                continue;
            if (!memory_grow(s->mem, (void **)&s->couplings, &s->coupling_capacity,
                             s->coupling_count + 1, s->coupling_count, sizeof *s->couplings))
                return false;
            vec3 arm = vec3_sub(flow_nearest(f, flow_position(f, i), b), body_centre(b));
            s->couplings[s->coupling_count++] = (coupling){
                .particle = (uint32_t)i,
                .body = contact->body,
                .gradient = {contact->gradient[0], contact->gradient[1], contact->gradient[2]},
                .arm = {(float)arm.x, (float)arm.y, (float)arm.z},
            };
        }
    }
    return true;
}

/* The density's gradient as entries on the body: the opposite of those on the particle. */
static void coupling_entries(const coupling *c, double entries[6])
{
    vec3 g = {c->gradient[0], c->gradient[1], c->gradient[2]};
    vec3 torque = vec3_cross((vec3){c->arm[0], c->arm[1], c->arm[2]}, g);
    entries[0] = -g.x;
    entries[1] = -g.y;
    entries[2] = -g.z;
    entries[3] = -torque.x;
    entries[4] = -torque.y;
    entries[5] = -torque.z;
}

/* ------------------------------------------------------------------ products */

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

static size_t density_count(const row_system *s)
{
    return s->density ? s->f->p.count : 0;
}

static void add_row_impulse(row_system *s, const row *r, double nu)
{
    if (r->particle >= 0) {
        float *const *work = &s->f->p.field[s->density->work];
        float scale = (float)nu * s->f->p.field[s->density->inverse_mass][r->particle];
        for (int a = 0; a < s->f->dim; a++)
            work[a][r->particle] -= r->on_particle[a] * scale;
    }
    for (int k = 0; k < 6; k++) {
        if (r->body_a >= 0)
            s->body_work[6 * r->body_a + k] -= r->on_a[k] * nu;
        if (r->body_b >= 0)
            s->body_work[6 * r->body_b + k] -= r->on_b[k] * nu;
    }
}

/* Fills the work of particles and bodies: −M⁻¹ Jᵀ ν. */
static void push(row_system *s, const float *nu)
{
    size_t densities = density_count(s);
    memset(s->body_work, 0, 6 * s->f->body_count * sizeof *s->body_work);
    if (s->density)
        s->density->push(s->f, nu);
    for (size_t c = 0; c < s->coupling_count; c++) {
        double entries[6];
        coupling_entries(&s->couplings[c], entries);
        double *work = s->body_work + 6 * s->couplings[c].body;
        for (int k = 0; k < 6; k++)
            work[k] -= entries[k] * nu[s->couplings[c].particle];
    }
    for (size_t r = 0; r < s->row_count; r++)
        if (nu[densities + r] != 0)
            add_row_impulse(s, &s->rows[r], nu[densities + r]);
    mechanism_apply(s->mechanism, s->body_work);
}

static double row_speed(const row_system *s, const row *r)
{
    double sum = 0;
    if (r->particle >= 0) {
        float *const *work = &s->f->p.field[s->density->work];
        for (int a = 0; a < s->f->dim; a++)
            sum += (double)r->on_particle[a] * work[a][r->particle];
    }
    if (r->body_a >= 0)
        sum += dot6(r->on_a, s->body_work + 6 * r->body_a);
    if (r->body_b >= 0)
        sum += dot6(r->on_b, s->body_work + 6 * r->body_b);
    return sum;
}

/* rows = J work */
static void pull(row_system *s, float *rows)
{
    size_t densities = density_count(s);
    if (s->density)
        s->density->pull(s->f, rows);
    for (size_t c = 0; c < s->coupling_count; c++) {
        double entries[6];
        coupling_entries(&s->couplings[c], entries);
        rows[s->couplings[c].particle] +=
            (float)dot6(entries, s->body_work + 6 * s->couplings[c].body);
    }
    for (size_t r = 0; r < s->row_count; r++)
        rows[densities + r] = (float)row_speed(s, &s->rows[r]);
}

typedef struct scale_job {
    row_system *s;
    const float *x;
    float *y;
} scale_job;

static void unscale_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const scale_job *job = context;
    for (size_t i = begin; i < end; i++)
        job->y[i] = job->s->scale[i] * job->x[i];
}

/* y = scale · (−J work + softness · ν), the softness of densities being one number. */
static void finish_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const scale_job *job = context;
    const row_system *s = job->s;
    size_t densities = density_count(s);
    for (size_t i = begin; i < end; i++) {
        double softness = i < densities ? s->regularization : s->rows[i - densities].softness;
        job->y[i] = s->scale[i] * (float)(softness * s->nu[i] - job->y[i]);
    }
}

static void multiply(void *context, const float *x, float *y)
{
    row_system *s = context;
    size_t count = density_count(s) + s->row_count;
    scale_job job = {s, x, s->nu};
    parallel_for(s->f->threads, count, PARTICLE_GRAIN, unscale_chunk, &job);
    push(s, s->nu);
    pull(s, y);
    job.y = y;
    parallel_for(s->f->threads, count, PARTICLE_GRAIN, finish_chunk, &job);
}

/* ------------------------------------------------------------------- set-up */

static bool reserve(row_system *s, size_t count)
{
    float **vectors[] = {&s->solution, &s->rhs, &s->lo, &s->hi, &s->scale, &s->nu};
    size_t capacity = s->vector_capacity;
    for (int k = 0; k < 6; k++) {
        capacity = s->vector_capacity;
        if (!memory_grow(s->mem, (void **)vectors[k], &capacity, count + PARTICLE_PADDING, 0,
                         sizeof(float)))
            return false;
    }
    s->vector_capacity = capacity;
    return memory_grow(s->mem, (void **)&s->body_work, &s->body_capacity, 6 * s->f->body_count + 6,
                       0, sizeof *s->body_work) &&
           mprgp_reserve(&s->solver, s->mem, count);
}

/* What one row alone answers to a unit multiplier, through bodies without their joints: an upper
 * bound of the diagonal, good enough to scale by. */
static double body_diagonal(const flow *f, int32_t index, const double entries[6])
{
    double change[6];
    if (index < 0)
        return 0;
    body_apply_impulse(&f->bodies[index], entries, change);
    return dot6(entries, change);
}

static double row_diagonal(const row_system *s, const row *r)
{
    double sum = r->softness + body_diagonal(s->f, r->body_a, r->on_a) +
                 body_diagonal(s->f, r->body_b, r->on_b);
    for (int a = 0; r->particle >= 0 && a < s->f->dim; a++)
        sum += (double)r->on_particle[a] * r->on_particle[a] *
               s->f->p.field[s->density->inverse_mass][r->particle];
    return sum;
}

static float inverse_root(double diagonal)
{
    return diagonal > 1e-30 ? (float)(1 / sqrt(diagonal)) : 0;
}

static void find_scales(row_system *s)
{
    size_t densities = density_count(s);
    const float *diagonal = s->density ? s->f->p.field[s->density->diagonal] : NULL;
    for (size_t i = 0; i < densities; i++)
        s->scale[i] = (float)(diagonal[i] + s->regularization);
    for (size_t c = 0; c < s->coupling_count; c++) {
        double entries[6];
        coupling_entries(&s->couplings[c], entries);
        s->scale[s->couplings[c].particle] +=
            (float)body_diagonal(s->f, (int32_t)s->couplings[c].body, entries);
    }
    for (size_t i = 0; i < densities; i++)
        s->scale[i] = inverse_root(s->scale[i]);
    for (size_t r = 0; r < s->row_count; r++)
        s->scale[densities + r] = inverse_root(row_diagonal(s, &s->rows[r]));
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
            sum += dot6(on[k], v);
        }
    return sum;
}

/* ------------------------------------------------------------------- phases */

/* Particles this little below rest density count as full for the velocities. Without the band the
 * pressure of settled fluid flickers, because rows open and close with the solver's tolerance. */
static const double ACTIVE_BAND = 1e-3;

/* Right side of a density row. Split: the ratio may rise to 1 within dt, no further; in the
 * position phase what is above 1 goes. SPOOK: Bodin eq. 20 for ν = −λ. */
static double density_rhs(const row_system *s, const system_options *o, size_t i, bool positions,
                          double dt)
{
    const flow *f = s->f;
    double excess = (double)f->p.field[s->density->ratio][i] - 1;
    if (positions)
        return excess;
    double rate = f->p.field[s->density->rate][i];
    if (o->split) {
        double room = excess + ACTIVE_BAND;
        return rate + (room < 0 && !o->cohesion ? room / dt : 0);
    }
    double xi = 1 / (1 + 4 * o->relaxation);
    double by_force = 0;
    const double force[3] = {f->force.x, f->force.y, f->force.z};
    const wall_span *solids = &f->walls.spans[i];
    for (uint32_t w = 0; w < solids->count; w++)
        for (int a = 0; a < f->dim; a++)
            by_force += solids->contacts[w].gradient[a] * force[a];
    return 4 * xi / dt * excess - xi * (rate - dt * by_force) + rate;
}

static void fill_densities(row_system *s, const system_options *o, bool positions, double dt)
{
    const float *start =
        s->density ? s->f->p.field[positions ? s->density->mu : s->density->nu] : NULL;
    for (size_t i = 0; i < density_count(s); i++) {
        s->rhs[i] = s->scale[i] * (float)density_rhs(s, o, i, positions, dt);
        s->lo[i] = o->cohesion && !positions ? -INFINITY : 0;
        s->hi[i] = INFINITY;
        s->solution[i] = s->scale[i] > 0 ? (float)(o->warm_start * start[i]) / s->scale[i] : 0;
    }
}

/* Bounds of friction follow the normal impulse that is known: of the last solve. */
static float friction_bound(const row_system *s, const row *r)
{
    const row *normal = &s->rows[r->normal];
    return (float)(r->friction * (normal->nu + normal->impact));
}

static void fill_rows(row_system *s, bool positions)
{
    size_t densities = density_count(s);
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        size_t i = densities + k;
        double rhs = positions ? r->violation : present_speed(s, r) - r->bound;
        bool is_friction = r->normal != ROW_NONE;
        float inverse = s->scale[i] > 0 ? 1 / s->scale[i] : 0;
        s->rhs[i] = s->scale[i] * (float)rhs;
        s->lo[i] = (is_friction ? -friction_bound(s, r) : r->lo) * inverse;
        s->hi[i] = (is_friction ? friction_bound(s, r) : r->hi) * inverse;
        if (inverse == 0 || (positions && (is_friction || r->velocity_only)))
            s->lo[i] = s->hi[i] = 0;
        s->solution[i] = (positions ? r->mu : r->nu) * inverse;
    }
}

/* rms of the right side: what the forces of this step ask for. */
static double rhs_size(const row_system *s)
{
    size_t count = density_count(s) + s->row_count;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += s->rhs[i] > 0 || s->lo[i] < 0 ? (double)s->rhs[i] * s->rhs[i] : 0;
    return count > 0 ? sqrt(sum / (double)count) : 0;
}

static solve_result run_solver(row_system *s, const system_options *o, double residual_scale,
                               double tolerance)
{
    bounded_system problem = {.count = density_count(s) + s->row_count,
                              .rhs = s->rhs,
                              .lo = s->lo,
                              .hi = s->hi,
                              .multiply = multiply,
                              .context = s,
                              .threads = s->f->threads};
    solve_options options = {.tolerance = tolerance,
                             .scale = residual_scale,
                             .min_iterations = o->min_iterations,
                             .max_iterations = o->max_iterations};
    return mprgp_solve(&s->solver, &problem, &options, s->solution);
}

/* Multipliers out of the scaled solution, kept for the next step; then what they do. */
static void take_solution(row_system *s, bool positions)
{
    size_t densities = density_count(s);
    for (size_t i = 0; i < densities + s->row_count; i++)
        s->nu[i] = s->scale[i] * s->solution[i];
    if (s->density)
        memcpy(s->f->p.field[positions ? s->density->mu : s->density->nu], s->nu,
               densities * sizeof(float));
    for (size_t r = 0; r < s->row_count; r++) {
        if (positions)
            s->rows[r].mu = s->nu[densities + r];
        else
            s->rows[r].nu = s->nu[densities + r];
    }
    push(s, s->nu);
}

static bool has_friction(const row_system *s)
{
    for (size_t r = 0; r < s->row_count; r++)
        if (s->rows[r].normal != ROW_NONE)
            return true;
    return false;
}

/* What the solids got of the fluid, for the report. */
static void note_pressure(row_system *s)
{
    flow *f = s->f;
    for (size_t i = 0; s->density && i < f->p.count; i++) {
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            const wall_contact *contact = &solids->contacts[w];
            vec3 push = {s->nu[i] * contact->gradient[0], s->nu[i] * contact->gradient[1],
                         s->nu[i] * contact->gradient[2]};
            body *b = &f->bodies[contact->body];
            body_note_push(b, flow_nearest(f, flow_position(f, i), b), push, (vec3){0, 0, 0});
        }
    }
}

static void apply_velocities(row_system *s)
{
    flow *f = s->f;
    for (int a = 0; s->density && a < f->dim; a++) {
        const float *work = f->p.field[s->density->work + a];
        for (size_t i = 0; i < f->p.count; i++)
            f->p.v[a][i] += work[i];
    }
    for (size_t b = 0; b < f->body_count; b++)
        if (body_is_moved(&f->bodies[b]))
            body_change_velocity(&f->bodies[b], s->body_work + 6 * b);
}

/* Corrections are small by nature; what is larger is a bad start and is spread over steps. */
static void apply_positions(row_system *s)
{
    flow *f = s->f;
    float most = 0.2f * (float)f->spacing;
    for (int a = 0; s->density && a < f->dim; a++) {
        const float *work = f->p.field[s->density->work + a];
        for (size_t i = 0; i < f->p.count; i++)
            f->p.x[a][i] += fminf(fmaxf(work[i], -most), most);
    }
    mechanism_mend_positions(s->mechanism, s->body_work);
    for (size_t b = 0; b < f->body_count; b++)
        if (body_is_moved(&f->bodies[b])) {
            const double *w = s->body_work + 6 * b;
            body_displace(&f->bodies[b], (vec3){w[0], w[1], w[2]}, (vec3){w[3], w[4], w[5]});
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

bool row_system_solve(row_system *s, flow *f, const density_rows *density, mechanism *m,
                      const system_options *o, double dt, weir_error *error)
{
    s->f = f;
    s->density = density;
    s->mechanism = m;
    if (density)
        density->measure(f);
    s->coupling_count = 0;
    if ((density && !find_couplings(s)) || !reserve(s, density_count(s) + s->row_count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for a system of %zu rows",
                    density_count(s) + s->row_count);
    if (!mechanism_factor(m, error))
        return false;
    mechanism_project_velocities(m);
    if (!density && o->gauss_seidel)
        return body_sweep_solve(s, o, error);
    double compliance = 1 / (f->volume * f->fluids[0].density * o->sound_speed * o->sound_speed);
    s->regularization = o->split ? 0 : 4 * compliance / (1 + 4 * o->relaxation) / (dt * dt);
    find_scales(s);
    /* A typical scale, so that tolerances are density errors at every resolution. */
    double typical = density_count(s) > 0 ? f->density_scale : typical_row(s);
    fill_densities(s, o, false, dt);
    fill_rows(s, false);
    /* Velocities to a share of what drives them: pressure is right to about that share. */
    double drive = fmax(rhs_size(s), 1e-6 * typical / dt);
    s->velocity_result = run_solver(s, o, drive, o->tolerance);
    take_solution(s, false);
    if (has_friction(s)) {
        /* Once more, with the friction that the normal impulses just found allow. */
        fill_rows(s, false);
        int before = s->velocity_result.iterations;
        s->velocity_result = run_solver(s, o, drive, o->tolerance);
        s->velocity_result.iterations += before;
        take_solution(s, false);
    }
    mechanism_note_impulses(m, 1);
    note_pressure(s);
    apply_velocities(s);
    if (!body_sweep_polish(s, o, error))
        return false;
    if (!o->split) {
        mechanism_refine_velocities(m);
        return true;
    }
    fill_densities(s, o, true, dt);
    fill_rows(s, true);
    s->position_result = run_solver(s, o, typical, o->density_tolerance);
    take_solution(s, true);
    apply_positions(s);
    mechanism_refine_velocities(m);
    return true;
}
