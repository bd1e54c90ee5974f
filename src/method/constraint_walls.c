#include "method/constraint_walls.h"

#include "kernel/kernel.h"
#include "method/constraint.h"
#include "par/parallel.h"

#include <math.h>
#include <string.h>

double constraint_wall_distance(const flow *f)
{
    bool contact = f->parameters[CONSTRAINT_WALLS] == CONSTRAINT_WALLS_CONTACT;
    return contact ? 0.5 * f->h : 0;
}

/* m W(d) of the paper, as a share of the rest density. */
static void make_field(const flow *f, wall_contact *contact)
{
    double volume = f->kappa * f->volume, d = fmax(contact->distance, 0);
    double slope = volume * kernel_derivative(f->kernel, f->dim, d, f->h);
    contact->volume = (float)(volume * kernel_value(f->kernel, f->dim, d, f->h));
    for (int a = 0; a < 3; a++)
        contact->gradient[a] = (float)slope * contact->normal[a];
}

static void make_empty(wall_contact *contact)
{
    contact->volume = 0;
    for (int a = 0; a < 3; a++)
        contact->gradient[a] = 0;
}

static void replace_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = context;
    bool field = f->parameters[CONSTRAINT_WALLS] == CONSTRAINT_WALLS_FIELD;
    for (size_t i = begin; i < end; i++) {
        wall_span *solids = &f->walls.spans[i];
        solids->volume = 0;
        for (uint32_t w = 0; w < solids->count; w++) {
            if (field)
                make_field(f, &solids->contacts[w]);
            else
                make_empty(&solids->contacts[w]);
            solids->volume += solids->contacts[w].volume;
        }
    }
}

void constraint_walls_replace(flow *f)
{
    if (f->parameters[CONSTRAINT_WALLS] != CONSTRAINT_WALLS_VOLUME)
        parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, replace_chunk, f);
}

void constraint_walls_velocity(const flow *f, size_t i, const wall_contact *contact,
                               float velocity[3])
{
    const body *b = &f->bodies[contact->body];
    memcpy(velocity, contact->velocity, sizeof contact->velocity);
    if (body_is_moved(b)) {
        vec3 v = body_velocity_at(b, flow_nearest(f, flow_position(f, i), b));
        velocity[0] = (float)v.x;
        velocity[1] = (float)v.y;
        velocity[2] = (float)v.z;
    }
}

/* m that a particle goes past a solid. */
static vec3 find_way(const flow *f, size_t i, const wall_contact *contact, double dt)
{
    float u[3];
    constraint_walls_velocity(f, i, contact, u);
    return (vec3){dt * (f->p.v[0][i] - u[0]), dt * (f->p.v[1][i] - u[1]),
                  f->dim == 3 ? dt * (f->p.v[2][i] - u[2]) : 0};
}

/* Whether a solid's volume is looked up at the place after the move. It bends so much towards a
 * solid that along its gradient a particle that comes down on a floor would have a tenth too much
 * of it there. The paper's fields go along it, and bodies that the fluid moves: they push back. */
static bool is_looked_up(const flow *f, const body *b)
{
    return f->parameters[CONSTRAINT_WALLS] == CONSTRAINT_WALLS_VOLUME && b->map &&
           !body_is_moved(b);
}

/* One solid's volume at a point, and the gradient with which it grows there (NULL: not wanted). */
static double look_up(const flow *f, const body *b, vec3 point, vec3 *gradient)
{
    double volume = boundary_volume(b->map, walls_local_point(&f->near, b, point), gradient);
    if (gradient)
        *gradient = quat_rotate(b->pose.rotation, *gradient);
    return volume;
}

float constraint_walls_predict(const flow *f, size_t i, double dt, double fallen, vec3 *slope)
{
    const wall_span *solids = &f->walls.spans[i];
    double left = 1 - solids->volume, along = 0;
    vec3 looked_up = {0, 0, 0}, present = {0, 0, 0};
    for (uint32_t w = 0; w < solids->count; w++) {
        const wall_contact *contact = &solids->contacts[w];
        const body *b = &f->bodies[contact->body];
        vec3 gradient = {contact->gradient[0], contact->gradient[1], contact->gradient[2]};
        vec3 way = find_way(f, i, contact, dt), last = vec3_scale(f->force, fallen * dt);
        if (is_looked_up(f, b) && contact->volume < 1) {
            vec3 there, at = vec3_add(flow_position(f, i), vec3_sub(way, last));
            double rest = 1 - look_up(f, b, at, slope ? &there : NULL);
            left *= rest / (1 - contact->volume);
            along += vec3_dot(gradient, last);
            if (slope && rest > 0)
                looked_up = vec3_madd(looked_up, 1 / rest, there);
        } else {
            along += vec3_dot(gradient, way);
            present = vec3_add(present, gradient);
        }
    }
    if (slope)
        *slope = vec3_madd(present, left, looked_up); /* each by the share that the others leave */
    return fmaxf((float)(1 - left + along), 0);
}
