#include "couple/host.h"

/* m/s² by which the engine held a body in the last step: what it set, less what Weir left. */
static vec3 find_hold(const body *b, vec3 force)
{
    if (!(b->host.step > 0))
        return (vec3){0, 0, 0};
    vec3 hold = vec3_scale(vec3_sub(b->velocity, b->host.left), 1 / b->host.step);
    double strength = vec3_length(hold), most = vec3_length(force);
    return strength > most ? vec3_scale(hold, most / strength) : hold;
}

void hosts_begin(flow *f)
{
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        if (!b->hosted || !body_has_mass(b))
            continue;
        b->host.momentum = vec3_scale(b->velocity, b->mass);
        b->host.angular = body_inertia(b, b->spin);
        b->host.weight = (vec3){0, 0, 0};
        b->host.hold = find_hold(b, f->force);
    }
}

void hosts_end(flow *f, double dt)
{
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        if (!b->hosted || !body_has_mass(b))
            continue;
        vec3 gained = vec3_sub(vec3_scale(b->velocity, b->mass), b->host.momentum);
        b->host.impulse = vec3_sub(gained, b->host.weight);
        b->host.turn = vec3_sub(body_inertia(b, b->spin), b->host.angular);
        /* The engine does not know of the hold: it starts from what the fluid alone left. */
        b->host.left = vec3_madd(b->velocity, -dt, b->host.hold);
        b->host.step = dt;
    }
}
