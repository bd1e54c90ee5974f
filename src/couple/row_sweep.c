#include "couple/row_sweep.h"

#include "couple/row_parts.h"
#include "par/parallel.h"

#include <math.h>
#include <string.h>

void row_sweep_free(row_sweep *w, memory *m)
{
    cell_colours_free(&w->cells, m);
    memory_give(m, w->apart, w->particle_capacity * sizeof *w->apart);
    memory_give(m, w->starts, w->particle_capacity * sizeof *w->starts);
    memory_give(m, w->speeds, w->particle_capacity * sizeof *w->speeds);
    memory_give(m, w->members, w->link_capacity * sizeof *w->members);
    memory_give(m, w->entries, w->link_capacity * sizeof *w->entries);
    memory_give(m, w->parts, w->part_capacity * sizeof *w->parts);
    memory_give(m, w->on_particle, w->row_capacity * sizeof *w->on_particle);
    memory_give(m, w->free_work, w->body_capacity * sizeof *w->free_work);
    *w = (row_sweep){0};
}

/* -------------------------------------------------------------------- lists */

static bool reserve(row_system *s)
{
    row_sweep *w = &s->sweep;
    const memory_array arrays[] = {{(void **)&w->apart, sizeof *w->apart},
                                   {(void **)&w->starts, sizeof *w->starts},
                                   {(void **)&w->speeds, sizeof *w->speeds}};
    return memory_grow_together(s->mem, arrays, 3, &w->particle_capacity, s->f->p.count + 1) &&
           memory_grow(s->mem, (void **)&w->parts, &w->part_capacity,
                       s->coupling_count + 2 * s->row_count, 0, sizeof *w->parts) &&
           memory_grow(s->mem, (void **)&w->on_particle, &w->row_capacity, s->row_count, 0,
                       sizeof *w->on_particle) &&
           memory_grow(s->mem, (void **)&w->free_work, &w->body_capacity, 6 * s->f->body_count, 0,
                       sizeof *w->free_work);
}

/* Lists grow while fluid spreads: room for a quarter more. */
static bool list_links(row_system *s)
{
    row_sweep *w = &s->sweep;
    size_t count = s->f->p.count, needed = 0;
    s->density->count_links(s->f, w->starts);
    for (size_t i = 0; i < count; i++) {
        size_t here = w->starts[i];
        w->starts[i] = needed;
        needed += here;
    }
    w->starts[count] = needed;
    const memory_array arrays[] = {{(void **)&w->members, sizeof *w->members},
                                   {(void **)&w->entries, sizeof *w->entries}};
    if (needed > w->link_capacity &&
        !memory_grow_together(s->mem, arrays, 2, &w->link_capacity, needed + needed / 4))
        return false;
    s->density->fill_links(s->f, w->starts, w->members, w->entries);
    return true;
}

static void fill_part(const row_system *s, sweep_body *part, int32_t index, const double *entries)
{
    part->body = index;
    if (index < 0)
        return;
    memcpy(part->entries, entries, sizeof part->entries);
    body_apply_impulse(&s->f->bodies[index], entries, part->answer);
}

static void list_parts(row_system *s)
{
    row_sweep *w = &s->sweep;
    memset(w->apart, 0, s->f->p.count);
    for (size_t c = 0; c < s->coupling_count; c++) {
        double entries[6];
        row_system_coupling_entries(&s->couplings[c], entries);
        fill_part(s, &w->parts[c], (int32_t)s->couplings[c].body, entries);
        w->apart[s->couplings[c].particle] = 1;
    }
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        sweep_body *parts = w->parts + s->coupling_count + 2 * k;
        fill_part(s, &parts[0], r->body_a, r->on_a);
        fill_part(s, &parts[1], r->body_b, r->on_b);
        w->on_particle[k] = (density_entry){0};
        if (r->particle < 0)
            continue;
        float by_mass = sqrtf(s->f->p.field[s->density->inverse_mass][r->particle]);
        for (int a = 0; a < s->f->dim; a++)
            w->on_particle[k][a] = r->on_particle[a] * by_mass;
    }
}

bool row_sweep_prepare(row_system *s)
{
    row_sweep *w = &s->sweep;
    if (!reserve(s) || !list_links(s))
        return false;
    list_parts(s);
    return cell_colours_find(&w->cells, s->mem, &s->f->near, &s->f->p, w->apart);
}

/* --------------------------------------------------------------------- rows */

typedef struct sweep_job {
    row_system *s;
    float *changes; /* per row, scaled: what the last sweep changed */
    size_t first_cell;
    bool friction;
} sweep_job;

static double part_speed(const row_system *s, const sweep_body *part)
{
    return part->body < 0 ? 0 : row_dot(part->entries, s->body_work + 6 * part->body);
}

static void push_part(row_system *s, const sweep_body *part, double change)
{
    if (part->body < 0)
        return;
    double *now = s->body_work + 6 * part->body, *alone = s->sweep.free_work + 6 * part->body;
    for (int e = 0; e < 6; e++) {
        now[e] -= part->answer[e] * change;
        alone[e] -= part->answer[e] * change;
    }
}

static float link_speed(const row_sweep *w, size_t i)
{
    density_entry sum = {0};
    for (size_t n = w->starts[i]; n < w->starts[i + 1]; n++)
        sum += w->entries[n] * w->speeds[w->members[n]];
    return sum[0] + sum[1] + sum[2];
}

static void push_links(row_sweep *w, size_t i, float change)
{
    for (size_t n = w->starts[i]; n < w->starts[i + 1]; n++)
        w->speeds[w->members[n]] -= w->entries[n] * change;
}

/* The change of multiplier i that meets its row: J v = bound, or as near as its limits allow. */
static float meet(const sweep_job *job, size_t i, double speed, double softness)
{
    row_system *s = job->s;
    float scale = s->scale[i], nu = s->nu[i];
    double left = s->rhs[i] / scale + speed - softness * nu;
    float to = nu + (float)(left * scale * scale);
    float lo = s->lo[i] * scale, hi = s->hi[i] * scale;
    to = to > lo ? to : lo;
    to = to < hi ? to : hi;
    s->nu[i] = to;
    job->changes[i] = (to - nu) / scale;
    return to - nu;
}

static void meet_density(const sweep_job *job, size_t i, size_t *next)
{
    row_system *s = job->s;
    size_t first = *next, end = first;
    if (s->scale[i] == 0)
        return;
    double speed = link_speed(&s->sweep, i);
    for (; end < s->coupling_count && s->couplings[end].particle == i; end++)
        speed += part_speed(s, &s->sweep.parts[end]);
    float change = meet(job, i, speed, s->regularization);
    *next = end;
    if (change == 0)
        return;
    push_links(&s->sweep, i, change);
    for (size_t c = first; c < end; c++)
        push_part(s, &s->sweep.parts[c], change);
}

/* Bounds of friction, in the units of the vectors. */
static void bound_friction(const sweep_job *job, size_t k, size_t i)
{
    row_system *s = job->s;
    const row *r = &s->rows[k], *normal = &s->rows[r->normal];
    size_t densities = row_system_density_count(s);
    double load = s->nu[densities + (size_t)r->normal] + normal->impact;
    s->hi[i] = (float)(r->friction * load / s->scale[i]);
    s->lo[i] = -s->hi[i];
}

static void meet_row(const sweep_job *job, size_t k)
{
    row_system *s = job->s;
    row_sweep *w = &s->sweep;
    const row *r = &s->rows[k];
    const sweep_body *parts = w->parts + s->coupling_count + 2 * k;
    size_t i = row_system_density_count(s) + k;
    if (s->scale[i] == 0)
        return;
    if (job->friction && r->normal != ROW_NONE)
        bound_friction(job, k, i);
    if (s->lo[i] == 0 && s->hi[i] == 0 && s->nu[i] == 0)
        return;
    double speed = part_speed(s, &parts[0]) + part_speed(s, &parts[1]);
    if (r->particle >= 0) {
        density_entry product = w->on_particle[k] * w->speeds[r->particle];
        speed += product[0] + product[1] + product[2];
    }
    float change = meet(job, i, speed, r->softness);
    if (r->particle >= 0)
        w->speeds[r->particle] -= w->on_particle[k] * change;
    push_part(s, &parts[0], change);
    push_part(s, &parts[1], change);
}

/* ------------------------------------------------------------------- sweeps */

static void sweep_cells(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep_job *job = context;
    const cell_colours *cells = &job->s->sweep.cells;
    for (size_t c = job->first_cell + begin; c < job->first_cell + end; c++) {
        /* Cells of which a body connects nothing come upon no coupling. */
        size_t next =
            job->s->sweep.apart[cells->sort.order[cells->cells[c]]] ? 0 : job->s->coupling_count;
        for (size_t n = cells->cells[c]; n < cells->cells[c + 1]; n++)
            meet_density(job, cells->sort.order[n], &next);
    }
}

/* Runs `loop` over the cells of one colour after the other. */
static void for_colours(sweep_job *job, parallel_body loop)
{
    enum { ALONE = 2000 }; /* rows below which threads do not pay */
    const flow *f = job->s->f;
    const cell_colours *cells = &job->s->sweep.cells;
    int threads = f->p.count < ALONE ? 1 : f->threads;
    for (int k = 0; k < cells->colour_count; k++) {
        job->first_cell = cells->colours[k];
        parallel_for(threads, cells->colours[k + 1] - cells->colours[k], 1, loop, job);
    }
}

/* The joints' block: what they give for all other impulses. */
static void answer_joints(row_system *s)
{
    if (s->f->body_count > 0)
        memcpy(s->body_work, s->sweep.free_work, 6 * s->f->body_count * sizeof *s->body_work);
    mechanism_respond(s->mechanism, s->body_work);
}

static void sweep(sweep_job *job)
{
    row_system *s = job->s;
    for_colours(job, sweep_cells);
    for (size_t k = 0; k < s->row_count; k++)
        meet_row(job, k);
    answer_joints(s);
}

static void unscale_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep_job *job = context;
    row_system *s = job->s;
    for (size_t i = begin; i < end; i++) {
        float x = s->solution[i] > s->lo[i] ? s->solution[i] : s->lo[i];
        s->nu[i] = s->scale[i] * (x < s->hi[i] ? x : s->hi[i]);
        job->changes[i] = 0;
    }
}

static void scale_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    row_system *s = ((const sweep_job *)context)->s;
    for (size_t i = begin; i < end; i++)
        s->solution[i] = s->scale[i] > 0 ? s->nu[i] / s->scale[i] : 0;
}

/* Adds what the start means for the particles. */
static void push_cells(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep_job *job = context;
    row_sweep *w = &job->s->sweep;
    const uint32_t *cells = w->cells.cells + job->first_cell;
    for (size_t n = cells[begin]; n < cells[end]; n++)
        if (job->s->nu[w->cells.sort.order[n]] != 0)
            push_links(w, w->cells.sort.order[n], job->s->nu[w->cells.sort.order[n]]);
}

/* The velocity changes, out of their measure. */
static void take_speeds(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    row_system *s = ((const sweep_job *)context)->s;
    const float *inverse_mass = s->f->p.field[s->density->inverse_mass];
    float *const *work = &s->f->p.field[s->density->work];
    for (size_t i = begin; i < end; i++)
        for (int a = 0; a < s->f->dim; a++)
            work[a][i] = s->sweep.speeds[i][a] * sqrtf(inverse_mass[i]);
}

/* Velocity changes of bodies by the multipliers, joints left out. */
static void find_free_work(row_system *s)
{
    const row_sweep *w = &s->sweep;
    size_t densities = row_system_density_count(s);
    if (s->f->body_count > 0)
        memset(w->free_work, 0, 6 * s->f->body_count * sizeof *w->free_work);
    for (size_t c = 0; c < s->coupling_count; c++)
        push_part(s, &w->parts[c], s->nu[s->couplings[c].particle]);
    for (size_t k = 0; k < s->row_count; k++)
        for (size_t side = 0; side < 2; side++)
            push_part(s, &w->parts[s->coupling_count + 2 * k + side], s->nu[densities + k]);
    answer_joints(s);
}

/* What the start means for the velocities. */
static void begin_sweeps(sweep_job *job, size_t count)
{
    row_system *s = job->s;
    row_sweep *w = &s->sweep;
    size_t densities = row_system_density_count(s);
    parallel_for(s->f->threads, count, PARTICLE_GRAIN, unscale_chunk, job);
    memset(w->speeds, 0, densities * sizeof *w->speeds);
    for_colours(job, push_cells);
    for (size_t k = 0; k < s->row_count; k++)
        if (s->rows[k].particle >= 0)
            w->speeds[s->rows[k].particle] -= w->on_particle[k] * s->nu[densities + k];
    find_free_work(s);
}

static void sum_changes(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    const sweep_job *job = context;
    for (size_t i = begin; i < end; i++) {
        double square = (double)job->changes[i] * job->changes[i];
        sums[0] += square;
        maxima[0] = square > maxima[0] ? square : maxima[0];
    }
}

solve_result row_sweep_solve(row_system *s, const solve_options *options, bool friction)
{
    solve_result result = {0};
    size_t count = row_system_density_count(s) + s->row_count;
    sweep_job job = {.s = s, .changes = s->solver.gradient, .friction = friction};
    if (count == 0)
        return result;
    begin_sweeps(&job, count);
    double squares, largest;
    do {
        sweep(&job);
        result.iterations++;
        squares = largest = 0;
        parallel_reduce(s->f->threads, count, sum_changes, &job, &squares, 1, &largest, 1);
    } while (!bounded_is_done(options, count, squares, sqrt(largest), &result));
    parallel_for(s->f->threads, count, PARTICLE_GRAIN, scale_chunk, &job);
    parallel_for(s->f->threads, s->f->p.count, PARTICLE_GRAIN, take_speeds, &job);
    return result;
}
