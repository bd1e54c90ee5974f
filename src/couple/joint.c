#include "couple/joint.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------- frames */

static pose pose_of(const flow *f, int32_t index)
{
    return index >= 0 ? f->bodies[index].pose : pose_identity();
}

vec3 joint_rotation_error(const joint *j, quat a, quat b)
{
    quat wanted = quat_multiply(a, j->relative);
    quat off = quat_multiply(b, quat_conjugate(wanted));
    double sign = off.w < 0 ? -2 : 2;
    return (vec3){sign * off.x, sign * off.y, sign * off.z};
}

/* ------------------------------------------------------------------- creation */

static bool has_axis(weir_joint_kind kind)
{
    return kind == WEIR_JOINT_HINGE || kind == WEIR_JOINT_SLIDER;
}

static bool has_two_anchors(weir_joint_kind kind)
{
    return kind == WEIR_JOINT_DISTANCE || kind == WEIR_JOINT_SPRING;
}

bool joint_check_motor(weir_joint_kind kind, weir_motor motor, double target, double max_effort,
                       weir_error *error)
{
    if ((unsigned)motor > WEIR_MOTOR_POSITION)
        return fail(error, WEIR_INVALID, "%d is not one of the motors", (int)motor);
    if (motor == WEIR_MOTOR_NONE)
        return true;
    if (!has_axis(kind))
        return fail(error, WEIR_INVALID, "only hinges and sliders have motors");
    if (!isfinite(target) || !(max_effort > 0))
        return fail(error, WEIR_INVALID,
                    "a motor needs a finite target and a max_effort > 0 (INFINITY for as much as "
                    "it takes), not %g and %g",
                    target, max_effort);
    return true;
}

static bool check_length(const weir_joint_def *def, double length, weir_error *error)
{
    if (!has_two_anchors(def->kind))
        return true;
    if (!isfinite(length))
        return fail(error, WEIR_INVALID, "a length of %g m is not allowed: must be finite", length);
    if (def->kind == WEIR_JOINT_DISTANCE && length == 0)
        return fail(error, WEIR_INVALID,
                    "a distance of 0 m is not allowed: use a ball joint to hold two points "
                    "together");
    if (def->kind == WEIR_JOINT_SPRING && !(def->stiffness > 0 && isfinite(def->stiffness) &&
                                            def->damping >= 0 && isfinite(def->damping)))
        return fail(error, WEIR_INVALID,
                    "a spring needs a stiffness > 0 N/m and a damping >= 0 N s/m, not %g and %g",
                    def->stiffness, def->damping);
    return true;
}

static bool check_axis(const weir_joint_def *def, int dim, weir_error *error)
{
    vec3 axis = def->axis;
    if (dim == 2)
        axis.z = 0;
    bool needed = def->kind == WEIR_JOINT_SLIDER || (def->kind == WEIR_JOINT_HINGE && dim == 3);
    if (needed && !(vec3_length(axis) > 0))
        return fail(error, WEIR_INVALID, "the axis (%g, %g, %g) must have a length%s", def->axis.x,
                    def->axis.y, def->axis.z, dim == 2 ? " in x and y" : "");
    if (!def->limited)
        return true;
    if (!has_axis(def->kind))
        return fail(error, WEIR_INVALID, "only hinges and sliders have limits");
    if (!(def->lo <= def->hi))
        return fail(error, WEIR_INVALID, "limits from %g to %g are not allowed: lo must be <= hi",
                    def->lo, def->hi);
    return true;
}

static bool check_joint(const weir_joint_def *def, int dim, int32_t a, int32_t b, weir_error *error)
{
    if ((unsigned)def->kind > WEIR_JOINT_SPRING)
        return fail(error, WEIR_INVALID, "%d is not one of the kinds of joints", (int)def->kind);
    if (a < 0)
        return fail(error, WEIR_INVALID, "body a is missing; only b may be left out");
    if (a == b)
        return fail(error, WEIR_INVALID, "a joint needs two different bodies");
    if (!vec3_is_finite(def->anchor) || !vec3_is_finite(def->anchor_b) ||
        !vec3_is_finite(def->axis))
        return fail(error, WEIR_INVALID, "anchors and axis must be finite");
    if (!(def->break_force >= 0))
        return fail(error, WEIR_INVALID, "break_force %g is not allowed: must be >= 0 N",
                    def->break_force);
    return check_axis(def, dim, error) &&
           joint_check_motor(def->kind, def->motor, def->target, def->max_effort, error);
}

bool joint_init(joint *j, const flow *f, const weir_joint_def *def, int32_t a, int32_t b,
                weir_error *error)
{
    memset(j, 0, sizeof *j);
    if (!check_joint(def, f->dim, a, b, error))
        return false;
    vec3 on_b = has_two_anchors(def->kind) ? def->anchor_b : def->anchor;
    j->length = def->length >= 0 ? def->length : vec3_length(vec3_sub(def->anchor, on_b));
    if (isnan(def->length))
        j->length = def->length;
    if (!check_length(def, j->length, error))
        return false;
    strncpy(j->name, def->name ? def->name : "joint", NAME_LENGTH - 1);
    j->kind = def->kind;
    j->a = a;
    j->b = b;
    pose at_a = pose_of(f, a), at_b = pose_of(f, b);
    j->local_a = pose_local_point(at_a, def->anchor);
    j->local_b = pose_local_point(at_b, on_b);
    vec3 axis = def->axis;
    if (f->dim == 2)
        axis = def->kind == WEIR_JOINT_HINGE ? (vec3){0, 0, 1} : (vec3){axis.x, axis.y, 0};
    axis = vec3_unit(axis, (vec3){0, 0, 1});
    j->axis_a = quat_unrotate(at_a.rotation, axis);
    j->axis_b = quat_unrotate(at_b.rotation, axis);
    j->relative = quat_multiply(quat_conjugate(at_a.rotation), at_b.rotation);
    j->stiffness = def->stiffness;
    j->damping = def->damping;
    j->limited = def->limited;
    j->collide = def->collide;
    j->lo = def->lo;
    j->hi = def->hi;
    j->motor = def->motor;
    j->target = def->target;
    j->max_effort = def->max_effort;
    j->break_force = def->break_force;
    j->motor_row = j->motor_bound = -1;
    j->position = joint_position(j, f);
    return true;
}

/* ------------------------------------------------------------------ positions */

bool joint_is_whole(const joint *j, const flow *f)
{
    return !j->broken && f->bodies[j->a].alive && (j->b < 0 || f->bodies[j->b].alive);
}

/* The angle by which a has turned about the hinge's axis relative to b, near the last one. */
static double hinge_angle(const joint *j, pose a, pose b)
{
    quat wanted = quat_multiply(a.rotation, j->relative);
    quat off = quat_multiply(b.rotation, quat_conjugate(wanted));
    vec3 axis = quat_rotate(a.rotation, j->axis_a);
    double half = atan2(-(off.x * axis.x + off.y * axis.y + off.z * axis.z), off.w);
    double angle = 2 * half, turn = 6.283185307179586;
    return angle + turn * floor((j->position - angle) / turn + 0.5);
}

static vec3 gap_of(const joint *j, pose a, pose b)
{
    return vec3_sub(pose_point(a, j->local_a), pose_point(b, j->local_b));
}

double joint_position(const joint *j, const flow *f)
{
    pose a = pose_of(f, j->a), b = pose_of(f, j->b);
    if (j->kind == WEIR_JOINT_HINGE)
        return hinge_angle(j, a, b);
    if (j->kind == WEIR_JOINT_SLIDER)
        return vec3_dot(gap_of(j, a, b), quat_rotate(b.rotation, j->axis_b));
    return has_two_anchors(j->kind) ? vec3_length(gap_of(j, a, b)) : 0;
}

double joint_drift(const joint *j, const flow *f)
{
    pose a = pose_of(f, j->a), b = pose_of(f, j->b);
    vec3 apart = gap_of(j, a, b);
    if (j->kind == WEIR_JOINT_SPRING)
        return 0;
    if (j->kind == WEIR_JOINT_DISTANCE)
        return fabs(vec3_length(apart) - j->length);
    if (j->kind == WEIR_JOINT_SLIDER) {
        vec3 axis = quat_rotate(b.rotation, j->axis_b);
        apart = vec3_madd(apart, -vec3_dot(apart, axis), axis);
    }
    return vec3_length(apart);
}

/* ---------------------------------------------------------------------- limit */

static double smallest_inertia(const body *b)
{
    if (b->planar)
        return b->inertia[2][2];
    return fmin(b->inertia[0][0], fmin(b->inertia[1][1], b->inertia[2][2]));
}

/* The longest step for a body that hangs on an arm: half of the time in which it turns by a radian
 * under the joint's force, four times below what leap-frog bears. */
static double swing_limit(const body *b, vec3 anchor, double force)
{
    double arm = vec3_length(vec3_sub(anchor, b->centre));
    if (!(force * arm > 0))
        return INFINITY;
    return 0.5 * sqrt((smallest_inertia(b) + b->mass * arm * arm) / (force * arm));
}

void joints_limit(const joint *joints, size_t count, const flow *f, weir_step_limit *limit)
{
    for (size_t k = 0; k < count; k++) {
        const joint *j = &joints[k];
        if (!joint_is_whole(j, f))
            continue;
        double force = vec3_length(j->force), seconds = INFINITY;
        if (body_is_moved(&f->bodies[j->a]))
            seconds = swing_limit(&f->bodies[j->a], j->local_a, force);
        if (j->b >= 0 && body_is_moved(&f->bodies[j->b]))
            seconds = fmin(seconds, swing_limit(&f->bodies[j->b], j->local_b, force));
        if (seconds < limit->seconds) {
            limit->seconds = seconds;
            limit->cause = "load of joints";
        }
    }
}

/* -------------------------------------------------------------------- results */

static vec3 linear_part(const double entries[6], double impulse)
{
    return vec3_scale((vec3){entries[0], entries[1], entries[2]}, impulse);
}

/* Adds what a row of the joint did. Rows along a line act at the anchor, others are torques. */
static void note_row(joint *j, flow *f, const double on_a[6], const double on_b[6], double impulse,
                     double dt)
{
    vec3 push = linear_part(on_a, impulse);
    body *a = &f->bodies[j->a];
    if (vec3_length(push) > 0)
        j->force = vec3_madd(j->force, 1 / dt, push);
    else
        j->torque =
            vec3_madd(j->torque, 1 / dt, vec3_scale((vec3){on_a[3], on_a[4], on_a[5]}, impulse));
    a->joint_impulse = vec3_add(a->joint_impulse, push);
    if (j->b >= 0) {
        body *b = &f->bodies[j->b];
        b->joint_impulse = vec3_add(b->joint_impulse, linear_part(on_b, impulse));
    }
}

/* Impulses of a substep are those of forces over the time that gravity acts in it. */
static void read_forces(joint *j, const mechanism *m, const row_system *s, flow *f)
{
    double dt = f->gravity_time;
    j->force = j->torque = (vec3){0, 0, 0};
    for (size_t k = j->first_row; k < j->first_row + j->row_count; k++)
        note_row(j, f, m->rows[k].on_a, m->rows[k].on_b, m->rows[k].impulse, dt);
    for (size_t k = j->first_bound; k < j->first_bound + j->bound_count; k++)
        note_row(j, f, s->rows[k].on_a, s->rows[k].on_b, -(double)s->rows[k].nu, dt);
    j->effort = 0;
    if (j->motor_row >= 0)
        j->effort = m->rows[j->motor_row].impulse / dt;
    if (j->motor_bound >= 0)
        j->effort = -(double)s->rows[j->motor_bound].nu / dt;
}

void joints_finish(joint *joints, size_t count, const mechanism *m, const row_system *s, flow *f,
                   double dt)
{
    for (size_t n = 0; n < count; n++) {
        joint *j = &joints[n];
        if (!joint_is_whole(j, f))
            continue;
        read_forces(j, m, s, f);
        double position = joint_position(j, f);
        j->speed = (position - j->position) / dt;
        j->position = position;
        if (j->break_force > 0 && vec3_length(j->force) > j->break_force) {
            j->broken = true;
            j->force = j->torque = (vec3){0, 0, 0};
            j->effort = j->speed = 0;
        }
    }
}
