#include "couple/contact_push.h"

#include <assert.h>
#include <math.h>

/* Particles hold floats: the momentum that a particle really got is what the body must lose. */
static vec3 push_particle(flow *f, size_t i, vec3 impulse, double dt)
{
    double mass = f->fluids[f->p.fluid[i]].mass;
    const double by[3] = {impulse.x, impulse.y, impulse.z};
    double given[3] = {0};
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        float before = f->p.v[a][i], after = (float)((double)before + by[a] / mass);
        f->p.v[a][i] = after;
        given[a] = (double)after - (double)before;
        f->p.x[a][i] = (float)((double)f->p.x[a][i] + dt * given[a]);
    }
    return vec3_scale((vec3){given[0], given[1], given[2]}, mass);
}

static void push_body(body *b, vec3 point, vec3 impulse)
{
    b->contact_impulse = vec3_add(b->contact_impulse, impulse);
    if (!body_is_moved(b))
        return;
    vec3 turn = vec3_cross(vec3_sub(point, body_centre(b)), impulse);
    b->velocity = vec3_madd(b->velocity, b->inverse_mass, impulse);
    b->spin = vec3_add(b->spin, body_inverse_inertia(b, turn));
    if (b->planar)
        b->velocity.z = 0;
}

void contact_push(flow *f, const meeting *m, vec3 impulse, bool friction, double dt)
{
    body *b = &f->bodies[m->b];
    const vec3 none = {0, 0, 0};
    if (m->particle == MEETING_NONE) {
        push_body(&f->bodies[m->a], m->point, impulse);
        push_body(b, m->point, vec3_scale(impulse, -1));
        return;
    }
    vec3 lost = vec3_scale(push_particle(f, m->particle, impulse, dt), -1);
    body_push(b, m->point, friction ? none : lost, friction ? lost : none);
}

vec3 contact_velocity(const flow *f, const meeting *m)
{
    vec3 a = m->particle == MEETING_NONE ? body_velocity_at(&f->bodies[m->a], m->point)
                                         : flow_velocity(f, m->particle);
    return vec3_sub(a, body_velocity_at(&f->bodies[m->b], m->point));
}

static double body_give(const body *b, vec3 point, vec3 direction)
{
    if (!body_is_moved(b))
        return 0;
    vec3 turn = vec3_cross(vec3_sub(point, body_centre(b)), direction);
    return b->inverse_mass * vec3_dot(direction, direction) +
           vec3_dot(turn, body_inverse_inertia(b, turn));
}

double contact_give(const flow *f, const meeting *m, vec3 direction)
{
    double a = m->particle == MEETING_NONE
                   ? body_give(&f->bodies[m->a], m->point, direction)
                   : vec3_dot(direction, direction) / f->fluids[f->p.fluid[m->particle]].mass;
    return a + body_give(&f->bodies[m->b], m->point, direction);
}

/* ------------------------------------------------------- friction, stickiness */

/* The paper's step, for which its wet friction is meant; others take a share that adds up to it. */
static const double PAPER_STEP = 1.0 / 30;

static vec3 slip_of(const flow *f, const meeting *m)
{
    vec3 v = contact_velocity(f, m);
    return vec3_madd(v, -vec3_dot(v, m->normal), m->normal);
}

static void brake_particle(flow *f, const meeting *m, double dt)
{
    const body *b = &f->bodies[m->b];
    double share = 1 - pow(1 - b->wet_friction, dt / PAPER_STEP);
    vec3 slip = slip_of(f, m);
    double speed = vec3_length(slip);
    if (!(speed > 0) || share == 0)
        return;
    double give = contact_give(f, m, vec3_scale(slip, 1 / speed));
    contact_push(f, m, vec3_scale(slip, -share / give), true, dt);
}

static void pull_particle(flow *f, const meeting *m, double dt)
{
    const body *b = &f->bodies[m->b];
    double mass = f->fluids[f->p.fluid[m->particle]].mass;
    double pull = mass * dt * b->stickiness * m->gap * (1 - m->gap / b->stick_distance);
    contact_push(f, m, vec3_scale(m->normal, -pull), true, dt);
}

/* Coulomb's friction, of the impulse that presses the bodies together. */
static void brake_bodies(flow *f, const meeting *m, double dt)
{
    double friction = (f->bodies[m->a].friction + f->bodies[m->b].friction) / 2;
    vec3 slip = slip_of(f, m);
    double speed = vec3_length(slip);
    if (!(speed > 0) || friction == 0 || !(m->impulse > 0))
        return;
    vec3 along = vec3_scale(slip, 1 / speed);
    double stop = speed / contact_give(f, m, along);
    contact_push(f, m, vec3_scale(along, -fmin(stop, friction * m->impulse)), true, dt);
}

void contacts_grip(flow *f, const meeting_list *list, double radius, double dt)
{
    for (size_t k = 0; k < list->count; k++) {
        const meeting *m = &list->items[k];
        const body *b = &f->bodies[m->b];
        if (m->particle == MEETING_NONE) {
            brake_bodies(f, m, dt);
            continue;
        }
        if (!body_is_moved(b)) /* fixed solids are the method's own business */
            continue;
        if (b->wet_friction > 0 && m->gap < 0.2 * radius)
            brake_particle(f, m, dt);
        if (b->stickiness > 0 && m->gap > 0 && m->gap < b->stick_distance)
            pull_particle(f, m, dt);
    }
}
