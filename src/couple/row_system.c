#include "couple/row_system.h"

#include "couple/row_parts.h"
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
    bounded_work_free(&s->solver, s->mem);
    row_sweep_free(&s->sweep, s->mem);
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

bool row_system_find_couplings(row_system *s)
{
    flow *f = s->f;
    bool any = flow_any_moved(f);
    for (size_t n = 0; any && n < f->walls.touching_count; n++) {
        size_t i = f->walls.touching[n];
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

void row_system_coupling_entries(const coupling *c, double entries[6])
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

void row_system_push(row_system *s, const float *nu)
{
    size_t densities = row_system_density_count(s);
    memset(s->body_work, 0, 6 * s->f->body_count * sizeof *s->body_work);
    if (s->density)
        s->density->push(s->f, nu);
    for (size_t c = 0; c < s->coupling_count; c++) {
        double entries[6];
        row_system_coupling_entries(&s->couplings[c], entries);
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
        sum += row_dot(r->on_a, s->body_work + 6 * r->body_a);
    if (r->body_b >= 0)
        sum += row_dot(r->on_b, s->body_work + 6 * r->body_b);
    return sum;
}

/* J work, of the densities. */
static void pull_densities(row_system *s, float *rows)
{
    if (s->density)
        s->density->pull(s->f, rows);
    for (size_t c = 0; c < s->coupling_count; c++) {
        double entries[6];
        row_system_coupling_entries(&s->couplings[c], entries);
        rows[s->couplings[c].particle] +=
            (float)row_dot(entries, s->body_work + 6 * s->couplings[c].body);
    }
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
    size_t densities = row_system_density_count(s), i = begin;
    const float *scale = s->scale, *nu = s->nu;
    float softness = (float)s->regularization;
    for (; i < end && i < densities; i++)
        job->y[i] = scale[i] * (softness * nu[i] - job->y[i]);
    for (; i < end; i++) {
        const row *r = &s->rows[i - densities];
        job->y[i] = scale[i] * (float)(r->softness * nu[i] - (float)row_speed(s, r));
    }
}

void row_system_apply(void *context, const float *x)
{
    row_system *s = context;
    size_t count = row_system_density_count(s) + s->row_count;
    scale_job job = {s, x, s->nu};
    parallel_for(s->f->threads, count, PARTICLE_GRAIN, unscale_chunk, &job);
    row_system_push(s, s->nu);
}

void row_system_multiply(void *context, const float *x, float *y)
{
    row_system *s = context;
    size_t count = row_system_density_count(s) + s->row_count;
    scale_job job = {s, x, y};
    row_system_apply(s, x);
    pull_densities(s, y);
    parallel_for(s->f->threads, count, PARTICLE_GRAIN, finish_chunk, &job);
}
