#include "matter/body.h"

void body_animate(body *b, double time, double dt)
{
    if (b->kind != WEIR_BODY_ANIMATED)
        return;
    pose next = motion_pose(&b->motion, b->initial, time + dt);
    motion_rates(b->pose, next, dt, &b->velocity, &b->spin);
}

void body_advance(body *b, double time, double dt)
{
    if (b->kind == WEIR_BODY_ANIMATED)
        b->pose = motion_pose(&b->motion, b->initial, time + dt);
}

void body_push(body *b, vec3 point, vec3 pressure_impulse, vec3 viscous_impulse)
{
    vec3 arm = vec3_sub(point, b->pose.position);
    vec3 both = vec3_add(pressure_impulse, viscous_impulse);
    b->pressure_impulse = vec3_add(b->pressure_impulse, pressure_impulse);
    b->viscous_impulse = vec3_add(b->viscous_impulse, viscous_impulse);
    b->angular_impulse = vec3_add(b->angular_impulse, vec3_cross(arm, both));
}
