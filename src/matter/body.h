/* Solid bodies: a shape with a pose, and what the fluid did to it. */
#ifndef WEIR_MATTER_BODY_H
#define WEIR_MATTER_BODY_H

#include "matter/motion.h"
#include "space/boundary_map.h"
#include "space/shape.h"

enum { NAME_LENGTH = 64 };

typedef struct body {
    bool alive;
    uint32_t generation;
    char name[NAME_LENGTH];
    weir_body_kind kind;
    weir_wall wall;
    shape *shape;
    boundary_map *map; /* NULL when the method does not ask for the boundary volume */
    bounds bounds;     /* of the shape, in its own frame */
    bool bounded;
    pose initial;
    weir_motion motion;

    /* state */
    pose pose;
    vec3 velocity; /* m/s of the origin */
    vec3 spin;     /* rad/s */

    /* sums over the substeps of a step: momentum that the fluid gave */
    vec3 pressure_impulse, viscous_impulse, angular_impulse;
    vec3 pressure_force, viscous_force, torque; /* means over the last whole step */
} body;

/* Velocity of the body's matter at a point. */
static inline vec3 body_velocity_at(const body *b, vec3 point)
{
    return vec3_add(b->velocity, vec3_cross(b->spin, vec3_sub(point, b->pose.position)));
}

/* Adds what the fluid gave at `point`: momentum by pressure and by friction. */
void body_push(body *b, vec3 point, vec3 pressure_impulse, vec3 viscous_impulse);

/* Moves an animated body so that it reaches its pose at time + dt with its velocity constant. */
void body_animate(body *b, double time, double dt);
/* Carries the pose on by the velocity that body_animate set. */
void body_advance(body *b, double time, double dt);

#endif
