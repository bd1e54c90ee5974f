/* Rows of joints: what each kind keeps, limits, motors, springs. */
#include "base/error.h"
#include "couple/joint.h"
#include "couple/mending.h"

#include <math.h>
#include <string.h>

/* A joint in its present place. */
typedef struct joint_frame {
    joint *j;
    mechanism *m;
    row_system *s;
    const flow *f;
    pose a, b;         /* of the bodies, or of the world */
    vec3 at_a, at_b;   /* anchors */
    vec3 arm_a, arm_b; /* from the centres of mass to where forces act */
    double dt;
    double mend; /* m, most that is mended in this step, */
    double size; /* m, of the bodies */
} joint_frame;

/* ------------------------------------------------------------------- measures */

static vec3 gap_of(const joint_row *r, pose a, pose b)
{
    const joint *j = r->owner;
    return vec3_sub(pose_point(a, j->local_a), pose_point(b, j->local_b));
}

static double measure_point(const joint_row *r, pose a, pose b)
{
    return vec3_dot(gap_of(r, a, b), r->direction);
}

/* The direction is fixed in b. */
static double measure_line(const joint_row *r, pose a, pose b)
{
    return vec3_dot(gap_of(r, a, b), quat_rotate(b.rotation, r->direction));
}

static double measure_length(const joint_row *r, pose a, pose b)
{
    const joint *j = r->owner;
    return vec3_length(gap_of(r, a, b)) - j->length;
}

static double measure_rotation(const joint_row *r, pose a, pose b)
{
    return -vec3_dot(joint_rotation_error(r->owner, a.rotation, b.rotation), r->direction);
}

static double measure_axis(const joint_row *r, pose a, pose b)
{
    const joint *j = r->owner;
    vec3 on_a = quat_rotate(a.rotation, j->axis_a), on_b = quat_rotate(b.rotation, j->axis_b);
    return vec3_dot(vec3_cross(on_b, on_a), r->direction);
}

/* -------------------------------------------------------------------- entries */

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

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

/* J v over the two bodies: of those that are moved by forces, or of the others. `still` takes what
 * gravity gave in this step off again. */
static double speed_along(const joint_frame *k, const double on_a[6], const double on_b[6],
                          bool moved, bool still)
{
    double sum = 0;
    const int32_t bodies[2] = {k->j->a, k->j->b};
    const double *on[2] = {on_a, on_b};
    for (int side = 0; side < 2; side++) {
        if (bodies[side] < 0 || body_is_moved(&k->f->bodies[bodies[side]]) != moved)
            continue;
        const body *b = &k->f->bodies[bodies[side]];
        vec3 velocity =
            still ? vec3_madd(b->velocity, -k->f->gravity_time, k->f->force) : b->velocity;
        const double v[6] = {velocity.x, velocity.y, velocity.z, b->spin.x, b->spin.y, b->spin.z};
        sum += dot6(on[side], v);
    }
    return sum;
}

/* What a row alone answers to a unit impulse, without the joints. */
static double compliance(const joint_frame *k, const double on_a[6], const double on_b[6])
{
    double change[6], sum = 0;
    body_apply_impulse(&k->f->bodies[k->j->a], on_a, change);
    sum += dot6(on_a, change);
    if (k->j->b >= 0) {
        body_apply_impulse(&k->f->bodies[k->j->b], on_b, change);
        sum += dot6(on_b, change);
    }
    return sum;
}

static int32_t moved_index(const flow *f, int32_t index)
{
    return index >= 0 && body_is_moved(&f->bodies[index]) ? index : -1;
}

/* ----------------------------------------------------------------- equalities */

static joint_row *add_row(const joint_frame *k, bool angular, vec3 direction)
{
    joint_row *r = mechanism_add_row(k->m);
    if (!r)
        return NULL;
    fill_entries(k, angular, direction, r->on_a, r->on_b);
    r->body_a = moved_index(k->f, k->j->a);
    r->body_b = moved_index(k->f, k->j->b);
    r->at_a = k->j->a;
    r->at_b = k->j->b;
    r->owner = k->j;
    r->direction = direction;
    r->bound = -speed_along(k, r->on_a, r->on_b, false, false);
    return r;
}

/* A row that keeps what it measures at 0. */
static bool keep(const joint_frame *k, bool angular, vec3 direction, row_measure measure)
{
    joint_row *r = add_row(k, angular, direction);
    if (!r)
        return false;
    if (measure == measure_line)
        r->direction = quat_unrotate(k->b.rotation, direction);
    r->measure = measure;
    r->value = measure(r, k->a, k->b);
    r->violation = mending_share(r->value, angular ? k->mend / k->size : k->mend);
    return true;
}

static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void make_tangents(vec3 axis, vec3 *u, vec3 *w)
{
    vec3 other = fabs(axis.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    *u = vec3_unit(vec3_cross(axis, other), (vec3){0, 0, 1});
    *w = vec3_cross(axis, *u);
}

static bool keep_point(const joint_frame *k)
{
    for (int a = 0; a < k->f->dim; a++)
        if (!keep(k, false, axes[a], measure_point))
            return false;
    return true;
}

static bool keep_rotation(const joint_frame *k)
{
    for (int a = k->f->dim == 2 ? 2 : 0; a < 3; a++)
        if (!keep(k, true, axes[a], measure_rotation))
            return false;
    return true;
}

static bool keep_axis(const joint_frame *k)
{
    if (k->f->dim == 2)
        return true;
    vec3 u, w;
    make_tangents(quat_rotate(k->a.rotation, k->j->axis_a), &u, &w);
    return keep(k, true, u, measure_axis) && keep(k, true, w, measure_axis);
}

static bool keep_line(const joint_frame *k)
{
    vec3 axis = quat_rotate(k->b.rotation, k->j->axis_b), u, w;
    if (k->f->dim == 2)
        return keep(k, false, (vec3){-axis.y, axis.x, 0}, measure_line);
    make_tangents(axis, &u, &w);
    return keep(k, false, u, measure_line) && keep(k, false, w, measure_line);
}

static bool keep_length(const joint_frame *k)
{
    vec3 along = vec3_unit(vec3_sub(k->at_a, k->at_b), (vec3){0, 1, 0});
    return keep(k, false, along, measure_length);
}

/* SPOOK's row with ε = 1/k, τ = c/k (Bodin eq. 20): the force is that of the length averaged over
 * the last, this and the next step, ¼(g⁻ + 2g + g⁺), which is stable for every stiffness and takes
 * no energy. When the spring is too stiff for the step (ω dt beyond 1), where that rings, the
 * average moves to the next step alone, which calms it. */
static bool add_spring(const joint_frame *k)
{
    const joint *j = k->j;
    vec3 apart = vec3_sub(k->at_a, k->at_b);
    joint_row *r = add_row(k, false, vec3_unit(apart, (vec3){0, 1, 0}));
    if (!r)
        return false;
    double stretch = vec3_length(apart) - j->length, dt = k->dt;
    double turn2 = j->stiffness * compliance(k, r->on_a, r->on_b) * dt * dt; /* (ω dt)² */
    double stiff = fmin(turn2 * turn2 / 16, 1);
    double next = 0.25 + 0.75 * stiff, last = 0.25 - 0.25 * stiff;
    double resist = next * j->stiffness * dt + j->damping;
    double speed = speed_along(k, r->on_a, r->on_b, true, true) - r->bound;
    r->softness = 1 / (k->f->gravity_time * resist);
    r->bound += j->stiffness * (last * dt * speed - stretch) / resist;
    return true;
}

/* ------------------------------------------------------------ limits and motors */

static row *add_bounded(const joint_frame *k, bool angular, vec3 direction)
{
    row *r = row_system_add_row(k->s);
    if (!r)
        return NULL;
    fill_entries(k, angular, direction, r->on_a, r->on_b);
    r->body_a = moved_index(k->f, k->j->a);
    r->body_b = moved_index(k->f, k->j->b);
    r->bound = -speed_along(k, r->on_a, r->on_b, false, false);
    r->softness = 1e-6 * compliance(k, r->on_a, r->on_b);
    return r;
}

static bool add_limits(const joint_frame *k, bool angular, vec3 axis, double position)
{
    for (int side = 0; k->j->limited && side < 2; side++) {
        double room = side == 0 ? k->j->hi - position : position - k->j->lo;
        if (isinf(room))
            continue;
        row *r = add_bounded(k, angular, vec3_scale(axis, side == 0 ? 1 : -1));
        if (!r)
            return false;
        r->bound += room > 0 ? room / k->dt : 0;
        r->violation =
            room > 0 ? -room : mending_share(-room, angular ? k->mend / k->size : k->mend);
    }
    return true;
}

/* The speed that a motor aims at. A position is approached like exp(−t/0.05 s), and no faster than
 * the motor can brake. */
static double motor_speed(const joint_frame *k, bool angular, vec3 axis, double position)
{
    const joint *j = k->j;
    double speed = j->target;
    if (j->motor == WEIR_MOTOR_POSITION) {
        double off = j->target - position;
        double on_a[6], on_b[6];
        fill_entries(k, angular, axis, on_a, on_b);
        double brake = j->max_effort * compliance(k, on_a, on_b);
        speed = off / fmax(0.05, 2 * k->dt);
        if (isfinite(brake))
            speed = copysign(fmin(fabs(speed), sqrt(brake * fabs(off))), off);
    }
    if (j->limited) /* not through the limits, however strong it is */
        speed =
            fmin(fmax(speed, fmin(j->lo - position, 0) / k->dt), fmax(j->hi - position, 0) / k->dt);
    return speed;
}

/* A motor without limit is an equality, but not quite: with the softness that is left, something
 * may stop it. */
static bool add_motor(const joint_frame *k, bool angular, vec3 axis, double position)
{
    joint *j = k->j;
    if (j->motor == WEIR_MOTOR_NONE)
        return true;
    double speed = motor_speed(k, angular, axis, position);
    if (isinf(j->max_effort)) {
        j->motor_row = (int32_t)k->m->row_count;
        joint_row *r = add_row(k, angular, axis);
        if (!r)
            return false;
        r->bound += speed;
        r->softness = 1e-4 * compliance(k, r->on_a, r->on_b);
        return true;
    }
    j->motor_bound = (int32_t)k->s->row_count;
    row *r = add_bounded(k, angular, axis);
    if (!r)
        return false;
    r->bound += speed;
    r->lo = (float)(-j->max_effort * k->f->gravity_time);
    r->hi = (float)(j->max_effort * k->f->gravity_time);
    r->velocity_only = true;
    return true;
}

/* The free direction of hinge and slider: limits are inequalities, a motor a bounded equality. */
static bool drive_axis(const joint_frame *k)
{
    bool angular = k->j->kind == WEIR_JOINT_HINGE;
    vec3 axis = angular ? quat_rotate(k->a.rotation, k->j->axis_a)
                        : quat_rotate(k->b.rotation, k->j->axis_b);
    double position = joint_position(k->j, k->f);
    return add_limits(k, angular, axis, position) && add_motor(k, angular, axis, position);
}

/* ------------------------------------------------------------------ all joints */

static joint_frame make_frame(joint *j, mechanism *m, row_system *s, const flow *f)
{
    const body *a = &f->bodies[j->a], *b = j->b >= 0 ? &f->bodies[j->b] : NULL;
    joint_frame k = {.j = j, .m = m, .s = s, .f = f, .dt = m->dt};
    k.a = a->pose;
    k.b = b ? b->pose : pose_identity();
    k.at_a = pose_point(k.a, j->local_a);
    k.at_b = pose_point(k.b, j->local_b);
    k.arm_a = vec3_sub(k.at_a, body_centre(a));
    /* What slides pushes where it is, not where it began. */
    vec3 push_b = j->kind == WEIR_JOINT_SLIDER ? k.at_a : k.at_b;
    k.arm_b = b ? vec3_sub(push_b, body_centre(b)) : (vec3){0, 0, 0};
    k.size = a->size > 0 ? a->size : INFINITY;
    if (b && b->size > 0)
        k.size = fmin(k.size, b->size);
    k.mend = mending_speed(vec3_length(f->force), k.size) * m->dt + body_travel(a, m->dt);
    if (b)
        k.mend += body_travel(b, m->dt);
    return k;
}

static bool add_rows(const joint_frame *k)
{
    switch (k->j->kind) {
    case WEIR_JOINT_BALL:
        return keep_point(k);
    case WEIR_JOINT_HINGE:
        return keep_point(k) && keep_axis(k) && drive_axis(k);
    case WEIR_JOINT_SLIDER:
        return keep_line(k) && keep_rotation(k) && drive_axis(k);
    case WEIR_JOINT_LOCK:
        return keep_point(k) && keep_rotation(k);
    case WEIR_JOINT_DISTANCE:
        return keep_length(k);
    case WEIR_JOINT_SPRING:
        break;
    }
    return add_spring(k);
}

bool joints_add_rows(joint *joints, size_t count, mechanism *m, row_system *s, const flow *f,
                     weir_error *error)
{
    for (size_t n = 0; n < count; n++) {
        joint *j = &joints[n];
        j->first_row = m->row_count;
        j->first_bound = s->row_count;
        j->motor_row = j->motor_bound = -1;
        if (joint_is_whole(j, f) && (moved_index(f, j->a) >= 0 || moved_index(f, j->b) >= 0)) {
            joint_frame k = make_frame(j, m, s, f);
            if (!add_rows(&k))
                return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the rows of joint %s",
                            j->name);
        }
        j->row_count = m->row_count - j->first_row;
        j->bound_count = s->row_count - j->first_bound;
    }
    return true;
}
