#include "couple/backstop.h"

#include "matter/reactions.h"
#include "par/parallel.h"

#include <assert.h>
#include <stdatomic.h>

typedef struct backstop_job {
    flow *f;
    double distance;
    atomic_bool any; /* particle lost velocity */
} backstop_job;

static void move_particle(flow *f, size_t i, vec3 x, vec3 v)
{
    const double to[3] = {x.x, x.y, x.z}, speed[3] = {v.x, v.y, v.z};
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        f->p.x[a][i] = (float)to[a];
        f->p.v[a][i] = (float)speed[a];
    }
}

/* Puts one particle back out of all solids it may have reached, and notes what each took. Returns
 * whether any took something. */
static bool push_out(const backstop_job *job, size_t i)
{
    bool any = false;
    flow *f = job->f;
    const wall_span *solids = &f->walls.spans[i];
    for (uint32_t k = 0; k < solids->count; k++) {
        wall_contact *contact = &solids->contacts[k];
        const body *b = &f->bodies[contact->body];
        vec3 x = flow_position(f, i), normal;
        double d = shape_distance(b->shape, walls_local_point(&f->near, b, x), &normal);
        if (d >= job->distance)
            continue;
        normal = quat_rotate(b->pose.rotation, normal);
        vec3 v = flow_velocity(f, i);
        double inward = -vec3_dot(vec3_sub(v, body_velocity_at(b, flow_nearest(f, x, b))), normal);
        if (inward > 0) {
            v = vec3_madd(v, inward, normal);
            contact->stopped = (float)inward;
            contact->normal[0] = (float)normal.x;
            contact->normal[1] = (float)normal.y;
            contact->normal[2] = (float)normal.z;
            any = true;
        }
        move_particle(f, i, vec3_madd(x, job->distance - d, normal), v);
    }
    return any;
}

static void push_out_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    backstop_job *job = context;
    bool any = false;
    for (size_t n = begin; n < end; n++)
        any = push_out(job, job->f->walls.touching[n]) || any;
    if (any)
        atomic_store_explicit(&job->any, true, memory_order_relaxed);
}

static void find_reaction(const void *context, size_t i, uint32_t w, reaction *out)
{
    const flow *f = ((const backstop_job *)context)->f;
    const wall_contact *contact = &f->walls.spans[i].contacts[w];
    if (contact->stopped == 0) {
        out->body = REACTION_NONE;
        return;
    }
    double momentum = -contact->stopped * f->fluids[f->p.fluid[i]].mass;
    vec3 normal = {contact->normal[0], contact->normal[1], contact->normal[2]};
    out->point = flow_nearest(f, flow_position(f, i), &f->bodies[out->body]);
    out->pressure = vec3_scale(normal, momentum);
    out->viscous = (vec3){0, 0, 0};
}

void backstop_run(flow *f, double distance)
{
    backstop_job job = {.f = f, .distance = distance};
    parallel_for(f->threads, f->walls.touching_count, TOUCHING_GRAIN, push_out_chunk, &job);
    if (atomic_load(&job.any) && !reactions_push(f, find_reaction, &job))
        f->exhausted = true;
}
