#include "couple/wall_rows.h"

#include "base/error.h"
#include "matter/reactions.h"
#include "par/parallel.h"

/* g = d >= 0: −n·(v_i − v_b) <= d/dt. */
static bool add_row(row_system *s, const flow *f, size_t i, const wall_contact *contact, double gap,
                    double dt)
{
    row *r = row_system_add_row(s);
    if (!r)
        return false;
    const body *b = &f->bodies[contact->body];
    vec3 normal = {contact->normal[0], contact->normal[1], contact->normal[2]};
    r->particle = (int32_t)i;
    for (int a = 0; a < 3; a++)
        r->on_particle[a] = -contact->normal[a];
    r->bound = gap > 0 ? gap / dt : 0;
    r->violation = -gap;
    if (body_is_moved(b)) {
        vec3 arm = vec3_sub(flow_nearest(f, flow_position(f, i), b), body_centre(b));
        vec3 torque = vec3_cross(arm, normal);
        r->body_a = (int32_t)contact->body;
        const double entries[6] = {normal.x, normal.y, normal.z, torque.x, torque.y, torque.z};
        for (int k = 0; k < 6; k++)
            r->on_a[k] = entries[k];
    } else {
        r->ground = (int32_t)contact->body;
        for (int a = 0; a < 3; a++)
            r->bound -= (double)contact->normal[a] * contact->velocity[a];
    }
    return true;
}

typedef struct reach_job {
    const flow *f;
    double distance, dt;
    uint32_t *marks; /* of each particle in walls.touching: whether it may reach a solid */
} reach_job;

static bool may_reach(const reach_job *job, size_t i, const wall_contact *contact)
{
    const flow *f = job->f;
    double gap = contact->distance - job->distance, inward = 0;
    for (int a = 0; a < f->dim; a++)
        inward -= contact->normal[a] * ((double)f->p.v[a][i] - contact->velocity[a]);
    return !(gap > 0.25 * f->spacing + fmax(inward, 0) * job->dt);
}

static void mark_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const reach_job *job = context;
    const walls *w = &job->f->walls;
    for (size_t n = begin; n < end; n++) {
        const wall_span *solids = &w->spans[w->touching[n]];
        bool any = false;
        for (uint32_t k = 0; k < solids->count; k++)
            any = any || may_reach(job, w->touching[n], &solids->contacts[k]);
        job->marks[n] = any;
    }
}

static bool add_rows(const reach_job *job, row_system *s, size_t i)
{
    const wall_span *solids = &job->f->walls.spans[i];
    for (uint32_t w = 0; w < solids->count; w++) {
        const wall_contact *contact = &solids->contacts[w];
        if (may_reach(job, i, contact) &&
            !add_row(s, job->f, i, contact, contact->distance - job->distance, job->dt))
            return false;
    }
    return true;
}

/* All threads look who needs a row; one adds them, in order. */
bool wall_rows_add(row_system *s, const flow *f, double distance, double dt, weir_error *error)
{
    const walls *w = &f->walls;
    reach_job job = {f, distance, dt, w->found};
    parallel_for(f->threads, w->touching_count, TOUCHING_GRAIN, mark_chunk, &job);
    for (size_t n = 0; n < w->touching_count; n++)
        if (job.marks[n] && !add_rows(&job, s, w->touching[n]))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for contact rows");
    return true;
}

void wall_rows_note(const row_system *s, flow *f)
{
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        if (r->particle < 0 || !(r->nu > 0))
            continue;
        body *b = &f->bodies[r->body_a >= 0 ? r->body_a : r->ground];
        vec3 into = {r->on_particle[0], r->on_particle[1], r->on_particle[2]};
        vec3 point = flow_nearest(f, flow_position(f, (size_t)r->particle), b);
        body_note_push(b, point, vec3_scale(into, (double)r->nu), (vec3){0, 0, 0});
    }
}

typedef struct pressure_job {
    const flow *f;
    const float *impulse;
} pressure_job;

static void find_pressure(const void *context, size_t i, uint32_t w, reaction *out)
{
    const pressure_job *job = context;
    const flow *f = job->f;
    const wall_contact *contact = &f->walls.spans[i].contacts[w];
    float impulse = job->impulse[i];
    if (impulse == 0) {
        out->body = REACTION_NONE;
        return;
    }
    out->point = flow_nearest(f, flow_position(f, i), &f->bodies[out->body]);
    out->pressure = (vec3){impulse * contact->gradient[0], impulse * contact->gradient[1],
                           impulse * contact->gradient[2]};
    out->viscous = (vec3){0, 0, 0};
}

void wall_rows_note_pressure(const row_system *s, flow *f)
{
    pressure_job job = {f, f->p.field[s->density->impulse]};
    if (!reactions_note(f, find_pressure, &job))
        f->exhausted = true;
}
