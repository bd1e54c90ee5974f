/* Joints between bodies: equality rows for the mechanism, limits and motors for the row system. */
#ifndef WEIR_COUPLE_JOINT_H
#define WEIR_COUPLE_JOINT_H

#include "couple/row_system.h"

typedef struct joint {
    char name[NAME_LENGTH];
    weir_joint_kind kind;
    int32_t a, b;          /* bodies; b is -1 for the world */
    vec3 local_a, local_b; /* anchors in the bodies' own frames (b: world point without b) */
    vec3 axis_a;           /* axis in a's frame (hinge: also fixed in b's) */
    vec3 axis_b;
    quat relative; /* rotation of b as seen from a, at creation */
    double length, stiffness, damping;
    bool limited, collide;
    double lo, hi;
    weir_motor motor;
    double target, max_effort, break_force;

    /* state */
    bool broken;
    double position;    /* at the end of the last substep; that of a hinge counts whole turns */
    vec3 force, torque; /* on a, of the last substep */
    double effort, speed;

    /* rows of the present substep */
    size_t first_row, row_count;     /* in the mechanism */
    size_t first_bound, bound_count; /* in the row system */
    int32_t motor_row, motor_bound;  /* in the mechanism, in the row system, or -1 */
} joint;

bool joint_init(joint *j, const flow *f, const weir_joint_def *def, int32_t a, int32_t b,
                weir_error *error);
bool joint_check_motor(weir_joint_kind kind, weir_motor motor, double target, double max_effort,
                       weir_error *error);

/* How far the joint has moved along its axis, and how far its anchors are apart that shall not. */
double joint_position(const joint *j, const flow *f);
double joint_drift(const joint *j, const flow *f);

/* Whether it holds anything: not broken, and both bodies exist. */
bool joint_is_whole(const joint *j, const flow *f);

/* The rotation by which b is off its place relative to a, twice the vector part of a quaternion. */
vec3 joint_rotation_error(const joint *j, quat a, quat b);

/* Shortens `limit` where a joint pulls so much that its bodies swing fast about it: a taut chain
 * swings like a string, the faster the more it bears. */
void joints_limit(const joint *joints, size_t count, const flow *f, weir_step_limit *limit);

/* Writes the rows of all joints. */
bool joints_add_rows(joint *joints, size_t count, mechanism *m, row_system *s, const flow *f,
                     weir_error *error);

/* Reads forces out of a solve, breaks what was loaded too much, counts turns; after the bodies have
 * moved. */
void joints_finish(joint *joints, size_t count, const mechanism *m, const row_system *s, flow *f,
                   double dt);

#endif
