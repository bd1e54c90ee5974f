#include "couple/joint.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------- frames */

static const body *body_of(const flow *f, int32_t index)
{
    return index >= 0 ? &f->bodies[index] : NULL;
}

static vec3 world_point(const flow *f, int32_t index, vec3 local)
{
    return index >= 0 ? pose_point(f->bodies[index].pose, local) : local;
}

static vec3 world_direction(const flow *f, int32_t index, vec3 local)
{
    return index >= 0 ? quat_rotate(f->bodies[index].pose.rotation, local) : local;
}

static quat rotation_of(const flow *f, int32_t index)
{
    return index >= 0 ? f->bodies[index].pose.rotation : quat_identity();
}

static void make_tangents(vec3 axis, vec3 *u, vec3 *w)
{
    vec3 other = fabs(axis.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    *u = vec3_unit(vec3_cross(axis, other), (vec3){0, 0, 1});
    *w = vec3_cross(axis, *u);
}

/* The small rotation by which b is off its place relative to a, in world axes. */
static vec3 rotation_error(const joint *j, const flow *f)
{
    quat wanted = quat_multiply(rotation_of(f, j->a), j->relative);
    quat off = quat_multiply(rotation_of(f, j->b), quat_conjugate(wanted));
    double sign = off.w < 0 ? -2 : 2;
    return (vec3){sign * off.x, sign * off.y, sign * off.z};
}

/* ------------------------------------------------------------------- creation */

static bool check_joint(const weir_joint_def *def, int32_t a, int32_t b, weir_error *error)
{
    if (a < 0)
        return fail(error, WEIR_INVALID, "body a does not exist");
    if (a == b)
        return fail(error, WEIR_INVALID, "a joint needs two different bodies");
    if (!vec3_is_finite(def->anchor) || !vec3_is_finite(def->anchor_b) ||
        !vec3_is_finite(def->axis))
        return fail(error, WEIR_INVALID, "anchors and axis must be finite");
    if ((def->kind == WEIR_JOINT_HINGE || def->kind == WEIR_JOINT_SLIDER) &&
        !(vec3_length(def->axis) > 0))
        return fail(error, WEIR_INVALID, "the axis must have a length");
    if (def->kind == WEIR_JOINT_SPRING && !(def->stiffness > 0 && def->damping >= 0))
        return fail(error, WEIR_INVALID,
                    "a spring needs a stiffness > 0 N/m and a damping >= 0, not %g and %g",
                    def->stiffness, def->damping);
    if (def->limited && !(def->lo <= def->hi))
        return fail(error, WEIR_INVALID, "limits from %g to %g are not allowed: lo must be <= hi",
                    def->lo, def->hi);
    if (def->motor != WEIR_MOTOR_NONE && (!isfinite(def->target) || !(def->max_effort > 0)))
        return fail(error, WEIR_INVALID,
                    "a motor needs a finite target and a max_effort > 0 (INFINITY for as much as "
                    "it takes), not %g and %g",
                    def->target, def->max_effort);
    if (!(def->break_force >= 0))
        return fail(error, WEIR_INVALID, "break_force %g is not allowed: must be >= 0 N",
                    def->break_force);
    return true;
}

bool joint_init(joint *j, const flow *f, const weir_joint_def *def, int32_t a, int32_t b,
                weir_error *error)
{
    memset(j, 0, sizeof *j);
    if (!check_joint(def, a, b, error))
        return false;
    strncpy(j->name, def->name ? def->name : "joint", NAME_LENGTH - 1);
    j->kind = def->kind;
    j->a = a;
    j->b = b;
    bool two_anchors = def->kind == WEIR_JOINT_DISTANCE || def->kind == WEIR_JOINT_SPRING;
    vec3 on_b = two_anchors ? def->anchor_b : def->anchor;
    j->local_a = pose_local_point(f->bodies[a].pose, def->anchor);
    j->local_b = b >= 0 ? pose_local_point(f->bodies[b].pose, on_b) : on_b;
    vec3 axis = f->dim == 2 && def->kind == WEIR_JOINT_HINGE ? (vec3){0, 0, 1} : def->axis;
    axis = vec3_unit(axis, (vec3){0, 0, 1});
    j->axis_a = quat_unrotate(f->bodies[a].pose.rotation, axis);
    j->axis_b = quat_unrotate(rotation_of(f, b), axis);
    j->relative = quat_multiply(quat_conjugate(f->bodies[a].pose.rotation), rotation_of(f, b));
    j->length = def->length >= 0 ? def->length : vec3_length(vec3_sub(def->anchor, on_b));
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
    j->motor_row = -1;
    return true;
}

/* ----------------------------------------------------------------- positions */

/* The angle by which a has turned about the hinge's axis relative to b, near the last one. */
static double hinge_angle(const joint *j, const flow *f)
{
    quat wanted = quat_multiply(rotation_of(f, j->a), j->relative);
    quat off = quat_multiply(rotation_of(f, j->b), quat_conjugate(wanted));
    vec3 axis = world_direction(f, j->a, j->axis_a);
    double half = atan2(-(off.x * axis.x + off.y * axis.y + off.z * axis.z), off.w);
    double angle = 2 * half, turn = 6.283185307179586;
    return angle + turn * floor((j->turned - angle) / turn + 0.5);
}

double joint_position(const joint *j, const flow *f)
{
    vec3 apart = vec3_sub(world_point(f, j->a, j->local_a), world_point(f, j->b, j->local_b));
    if (j->kind == WEIR_JOINT_HINGE)
        return hinge_angle(j, f);
    if (j->kind == WEIR_JOINT_SLIDER)
        return vec3_dot(apart, world_direction(f, j->b, j->axis_b));
    if (j->kind == WEIR_JOINT_DISTANCE || j->kind == WEIR_JOINT_SPRING)
        return vec3_length(apart);
    return 0;
}

double joint_drift(const joint *j, const flow *f)
{
    vec3 apart = vec3_sub(world_point(f, j->a, j->local_a), world_point(f, j->b, j->local_b));
    if (j->kind == WEIR_JOINT_SPRING)
        return 0;
    if (j->kind == WEIR_JOINT_DISTANCE)
        return fabs(vec3_length(apart) - j->length);
    if (j->kind == WEIR_JOINT_SLIDER) {
        vec3 axis = world_direction(f, j->b, j->axis_b);
        apart = vec3_madd(apart, -vec3_dot(apart, axis), axis);
    }
    return vec3_length(apart);
}

/* ----------------------------------------------------------------------- rows */

/* What the writers of rows need to know of a joint in its present place. */
typedef struct joint_frame {
    const joint *j;
    const flow *f;
    vec3 at_a, at_b;   /* anchors */
    vec3 arm_a, arm_b; /* from the centres of mass */
    double dt;
} joint_frame;

/* Entries of (v_a − v_b at the anchors) · direction, or (spin_a − spin_b) · direction. */
static void fill_entries(const joint_frame *k, bool angular, vec3 direction, double on_a[6],
                         double on_b[6])
{
    vec3 turn_a = angular ? direction : vec3_cross(k->arm_a, direction);
    vec3 turn_b = angular ? direction : vec3_cross(k->arm_b, direction);
    vec3 line = angular ? (vec3){0, 0, 0} : direction;
    const double a[6] = {line.x, line.y, line.z, turn_a.x, turn_a.y, turn_a.z};
    const double b[6] = {-line.x, -line.y, -line.z, -turn_b.x, -turn_b.y, -turn_b.z};
    memcpy(on_a, a, sizeof a);
    memcpy(on_b, b, sizeof b);
}

/* Velocity along a row of bodies that are not moved by forces but move. */
static double prescribed_speed(const joint_frame *k, const double on_a[6], const double on_b[6])
{
    double sum = 0;
    const int32_t bodies[2] = {k->j->a, k->j->b};
    const double *on[2] = {on_a, on_b};
    for (int side = 0; side < 2; side++) {
        const body *b = body_of(k->f, bodies[side]);
        if (!b || body_is_moved(b))
            continue;
        const double v[6] = {b->velocity.x, b->velocity.y, b->velocity.z,
                             b->spin.x,     b->spin.y,     b->spin.z};
        for (int e = 0; e < 6; e++)
            sum += on[side][e] * v[e];
    }
    return sum;
}

static int32_t moved_index(const flow *f, int32_t index)
{
    return index >= 0 && body_is_moved(&f->bodies[index]) ? index : -1;
}

static joint_row *add_equality(const joint_frame *k, mechanism *m, bool angular, vec3 direction,
                               double violation)
{
    joint_row *r = mechanism_add_row(m);
    if (!r)
        return NULL;
    fill_entries(k, angular, direction, r->on_a, r->on_b);
    r->body_a = moved_index(k->f, k->j->a);
    r->body_b = moved_index(k->f, k->j->b);
    r->bound = -prescribed_speed(k, r->on_a, r->on_b);
    r->violation = violation;
    return r;
}

static bool hold_point(const joint_frame *k, mechanism *m)
{
    static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    vec3 apart = vec3_sub(k->at_a, k->at_b);
    for (int a = 0; a < k->f->dim; a++)
        if (!add_equality(k, m, false, axes[a], vec3_dot(apart, axes[a])))
            return false;
    return true;
}

static bool hold_rotation(const joint_frame *k, mechanism *m)
{
    static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    vec3 off = rotation_error(k->j, k->f); /* of b relative to a */
    for (int a = k->f->dim == 2 ? 2 : 0; a < 3; a++)
        if (!add_equality(k, m, true, axes[a], -vec3_dot(off, axes[a])))
            return false;
    return true;
}

static bool hold_axis(const joint_frame *k, mechanism *m)
{
    if (k->f->dim == 2)
        return true;
    vec3 axis = world_direction(k->f, k->j->a, k->j->axis_a), u, w;
    vec3 off = vec3_cross(world_direction(k->f, k->j->b, k->j->axis_b), axis);
    make_tangents(axis, &u, &w);
    return add_equality(k, m, true, u, vec3_dot(off, u)) &&
           add_equality(k, m, true, w, vec3_dot(off, w));
}

static bool hold_line(const joint_frame *k, mechanism *m)
{
    vec3 axis = world_direction(k->f, k->j->b, k->j->axis_b), u, w;
    vec3 apart = vec3_sub(k->at_a, k->at_b);
    make_tangents(axis, &u, &w);
    if (k->f->dim == 2)
        return add_equality(k, m, false, (vec3){-axis.y, axis.x, 0},
                            vec3_dot(apart, (vec3){-axis.y, axis.x, 0})) != NULL;
    return add_equality(k, m, false, u, vec3_dot(apart, u)) &&
           add_equality(k, m, false, w, vec3_dot(apart, w));
}

static bool hold_distance(const joint_frame *k, mechanism *m)
{
    vec3 apart = vec3_sub(k->at_a, k->at_b);
    double length = vec3_length(apart);
    vec3 along = vec3_unit(apart, (vec3){0, 1, 0});
    joint_row *r = add_equality(k, m, false, along, length - k->j->length);
    if (!r)
        return false;
    if (k->j->kind == WEIR_JOINT_SPRING) {
        /* Implicit spring and damper: J v + γ λ = −x β/dt, stable for every stiffness. */
        double soft = k->j->damping + k->dt * k->j->stiffness;
        r->softness = 1 / (k->dt * soft);
        r->bound -= k->j->stiffness / soft * (length - k->j->length);
        r->violation = 0;
    }
    return true;
}

static row *add_bounded(const joint_frame *k, row_system *s, bool angular, vec3 direction,
                        double sign)
{
    row *r = row_system_add_row(s);
    if (!r)
        return NULL;
    fill_entries(k, angular, vec3_scale(direction, sign), r->on_a, r->on_b);
    r->body_a = moved_index(k->f, k->j->a);
    r->body_b = moved_index(k->f, k->j->b);
    r->bound = -prescribed_speed(k, r->on_a, r->on_b);
    return r;
}

/* The free direction of hinge and slider: limits are inequalities, a motor a bounded equality. */
static bool drive_axis(joint *j, const joint_frame *k, mechanism *m, row_system *s)
{
    bool angular = j->kind == WEIR_JOINT_HINGE;
    vec3 axis =
        angular ? world_direction(k->f, j->a, j->axis_a) : world_direction(k->f, j->b, j->axis_b);
    double position = joint_position(j, k->f);
    for (int side = 0; j->limited && side < 2; side++) {
        double sign = side == 0 ? 1 : -1;
        double room = side == 0 ? j->hi - position : position - j->lo;
        row *r = add_bounded(k, s, angular, axis, sign);
        if (!r)
            return false;
        r->bound += room > 0 ? room / k->dt : 0;
        r->violation = -room;
    }
    if (j->motor == WEIR_MOTOR_NONE)
        return true;
    double speed = j->motor == WEIR_MOTOR_SPEED ? j->target : 0.2 * (j->target - position) / k->dt;
    if (isinf(j->max_effort)) {
        joint_row *r = add_equality(k, m, angular, axis, 0);
        if (r)
            r->bound += speed;
        return r != NULL;
    }
    j->motor_row = (int32_t)s->row_count;
    row *r = add_bounded(k, s, angular, axis, 1);
    if (!r)
        return false;
    r->bound += speed;
    r->lo = (float)(-j->max_effort * k->dt);
    r->hi = (float)(j->max_effort * k->dt);
    r->velocity_only = true;
    return true;
}

static bool add_rows(joint *j, mechanism *m, row_system *s, const flow *f, double dt)
{
    joint_frame k = {.j = j, .f = f, .dt = dt};
    k.at_a = world_point(f, j->a, j->local_a);
    k.at_b = world_point(f, j->b, j->local_b);
    k.arm_a = vec3_sub(k.at_a, body_centre(&f->bodies[j->a]));
    k.arm_b = j->b >= 0 ? vec3_sub(k.at_b, body_centre(&f->bodies[j->b])) : (vec3){0, 0, 0};
    switch (j->kind) {
    case WEIR_JOINT_BALL:
        return hold_point(&k, m);
    case WEIR_JOINT_HINGE:
        return hold_point(&k, m) && hold_axis(&k, m) && drive_axis(j, &k, m, s);
    case WEIR_JOINT_SLIDER:
        return hold_line(&k, m) && hold_rotation(&k, m) && drive_axis(j, &k, m, s);
    case WEIR_JOINT_LOCK:
        return hold_point(&k, m) && hold_rotation(&k, m);
    case WEIR_JOINT_DISTANCE:
    case WEIR_JOINT_SPRING:
        break;
    }
    return hold_distance(&k, m);
}

bool joints_add_rows(joint *joints, size_t count, mechanism *m, row_system *s, const flow *f,
                     double dt, weir_error *error)
{
    for (size_t n = 0; n < count; n++) {
        joint *j = &joints[n];
        j->first_row = m->row_count;
        j->motor_row = -1;
        bool gone = j->broken || !f->bodies[j->a].alive || (j->b >= 0 && !f->bodies[j->b].alive);
        if (!gone && !add_rows(j, m, s, f, dt))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the rows of joint %s", j->name);
        j->row_count = m->row_count - j->first_row;
    }
    return true;
}

/* -------------------------------------------------------------------- results */

static void read_forces(joint *j, const mechanism *m, const row_system *s, flow *f, double dt)
{
    j->force = j->torque = (vec3){0, 0, 0};
    body *a = &f->bodies[j->a], *b = j->b >= 0 ? &f->bodies[j->b] : NULL;
    for (size_t k = j->first_row; k < j->first_row + j->row_count; k++) {
        const joint_row *r = &m->rows[k];
        vec3 on_a = vec3_scale((vec3){r->on_a[0], r->on_a[1], r->on_a[2]}, r->impulse);
        vec3 on_b = vec3_scale((vec3){r->on_b[0], r->on_b[1], r->on_b[2]}, r->impulse);
        vec3 turn = vec3_scale((vec3){r->on_a[3], r->on_a[4], r->on_a[5]}, r->impulse);
        j->force = vec3_madd(j->force, 1 / dt, on_a);
        j->torque = vec3_madd(j->torque, 1 / dt, turn);
        a->joint_impulse = vec3_add(a->joint_impulse, on_a);
        if (b)
            b->joint_impulse = vec3_add(b->joint_impulse, on_b);
    }
    j->effort = j->motor_row >= 0 ? -s->rows[j->motor_row].nu / dt : 0;
}

void joints_finish(joint *joints, size_t count, const mechanism *m, const row_system *s, flow *f,
                   double dt)
{
    for (size_t n = 0; n < count; n++) {
        joint *j = &joints[n];
        if (j->broken)
            continue;
        read_forces(j, m, s, f, dt);
        double position = joint_position(j, f);
        j->speed = (position - j->turned) / dt;
        j->turned = position;
        if (j->break_force > 0 && vec3_length(j->force) > j->break_force)
            j->broken = true;
    }
}
