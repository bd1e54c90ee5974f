#include "matter/body.h"

#include "base/error.h"
#include "matter/density.h"
#include "space/mass_properties.h"

void body_animate(body *b, double time, double dt)
{
    /* Follows from the time alone, so that it needs no place in saved states. */
    if (b->until > 0 && b->shape)
        b->alive = time < b->until - 1e-9 * (1 + time);
    if (b->kind != WEIR_BODY_ANIMATED || b->hosted)
        return;
    pose next = motion_pose(&b->motion, b->initial, time + dt);
    motion_rates(b->pose, next, dt, &b->velocity, &b->spin);
}

/* The mean spin over dt of a body that turns freely. The angular momentum is constant while the
 * inertia turns along: implicit midpoint rule, whose energy does not drift. */
static vec3 mean_spin(const body *b, double dt)
{
    enum { MOST = 30 };
    if (b->planar || b->round)
        return b->spin;
    vec3 angular = body_inertia(b, b->spin), spin = b->spin;
    body middle = *b;
    for (int k = 0; k < MOST; k++) {
        quat half = quat_from_rotation_vector(vec3_scale(spin, dt / 2));
        middle.pose.rotation = quat_normalize(quat_multiply(half, b->pose.rotation));
        vec3 next = body_inverse_inertia(&middle, angular);
        double change = vec3_length(vec3_sub(next, spin));
        spin = next;
        if (change <= 1e-15 * vec3_length(spin))
            break;
    }
    return spin;
}

/* The rotation by a vector. Most turns of a step are small: four terms of the series of sine and
 * cosine are exact to rounding then. */
static inline quat find_turn(vec3 turn)
{
    double q = vec3_dot(turn, turn) / 4;
    if (q > 1e-3)
        return quat_from_rotation_vector(turn);
    double s = 0.5 + q * (-1.0 / 12 + q * (1.0 / 240 + q * (-1.0 / 10080)));
    double c = 1 + q * (-1.0 / 2 + q * (1.0 / 24 + q * (-1.0 / 720 + q * (1.0 / 40320))));
    return (quat){turn.x * s, turn.y * s, turn.z * s, c};
}

/* The same in the plane, where two of the four numbers are 0. */
static quat turn_flat(quat q, double turn)
{
    quat t = find_turn((vec3){0, 0, turn});
    double z = t.w * q.z + t.z * q.w, w = t.w * q.w - t.z * q.z;
    double scale = 1 / sqrt(z * z + w * w);
    return (quat){0, 0, z * scale, w * scale};
}

static pose displace(pose p, vec3 centre, vec3 shift, vec3 turn)
{
    bool central = centre.x == 0 && centre.y == 0 && centre.z == 0;
    vec3 at = vec3_add(central ? p.position : pose_point(p, centre), shift);
    bool flat = p.rotation.x == 0 && p.rotation.y == 0 && turn.x == 0 && turn.y == 0;
    p.rotation = flat ? turn_flat(p.rotation, turn.z)
                      : quat_normalize(quat_multiply(find_turn(turn), p.rotation));
    p.position = central ? at : vec3_sub(at, quat_rotate(p.rotation, centre));
    return p;
}

pose body_predict(const body *b, double time, double dt)
{
    if (b->kind == WEIR_BODY_ANIMATED && !b->hosted)
        return motion_pose(&b->motion, b->initial, time + dt);
    if (b->kind == WEIR_BODY_ANIMATED)
        return displace(b->pose, b->centre, vec3_scale(b->velocity, dt), vec3_scale(b->spin, dt));
    if (!body_is_moved(b))
        return b->pose;
    return displace(b->pose, b->centre, vec3_scale(b->velocity, dt),
                    vec3_scale(mean_spin(b, dt), dt));
}

void body_advance(body *b, double time, double dt)
{
    if (!body_is_moved(b) || b->planar || b->round) {
        b->pose = body_predict(b, time, dt);
        return;
    }
    vec3 angular = body_inertia(b, b->spin);
    b->pose = body_predict(b, time, dt);
    b->spin = body_inverse_inertia(b, angular);
}

void body_accelerate(body *b, vec3 force, double dt)
{
    if (!body_is_moved(b))
        return;
    if (b->hosted) {
        force = vec3_add(force, b->host.hold);
        b->host.weight = vec3_madd(b->host.weight, b->mass * dt, force);
    }
    b->velocity = vec3_madd(b->velocity, dt, force);
}

/* ------------------------------------------------------------------ extents */

void body_find_extents(body *b)
{
    b->radius = b->ball_radius = b->size = 0;
    if (!b->bounded)
        return;
    vec3 size = vec3_sub(b->bounds.hi, b->bounds.lo);
    b->size = fmin(size.x, size.y);
    if (shape_dimension(b->shape) == 3)
        b->size = fmin(b->size, size.z);
    for (int corner = 0; corner < 8; corner++) {
        vec3 at = {corner & 1 ? b->bounds.hi.x : b->bounds.lo.x,
                   corner & 2 ? b->bounds.hi.y : b->bounds.lo.y,
                   corner & 4 ? b->bounds.hi.z : b->bounds.lo.z};
        b->radius = fmax(b->radius, vec3_length(vec3_sub(at, b->centre)));
    }
    bool ball = b->form && b->form->kind == CONVEX_BALL;
    b->ball_radius =
        ball ? b->form->half.x + vec3_length(vec3_sub(b->form->centre, b->centre)) : b->radius;
}

bool body_find_samples(body *b, memory *m, double spacing, weir_error *error)
{
    vec3 size = vec3_sub(b->bounds.hi, b->bounds.lo);
    double largest = fmax(size.x, fmax(size.y, size.z));
    spacing = fmax(fmin(spacing, b->size / 8), largest / 64);
    return contact_samples_find(m, b->shape, spacing, &b->samples, error);
}

bounds body_world_bounds(const body *b)
{
    if (!b->bounded)
        return (bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    vec3 half = vec3_scale(vec3_sub(b->bounds.hi, b->bounds.lo), 0.5);
    vec3 middle = pose_point(b->pose, vec3_add(b->bounds.lo, half)), reach = {0, 0, 0};
    quat q = b->pose.rotation;
    if (q.x == 0 && q.y == 0) {
        double c = fabs(1 - 2 * q.z * q.z), s = fabs(2 * q.z * q.w);
        reach = (vec3){c * half.x + s * half.y, s * half.x + c * half.y, half.z};
        return (bounds){vec3_sub(middle, reach), vec3_add(middle, reach)};
    }
    const vec3 edges[3] = {{half.x, 0, 0}, {0, half.y, 0}, {0, 0, half.z}};
    for (int a = 0; a < 3; a++) {
        vec3 edge = quat_rotate(b->pose.rotation, edges[a]);
        reach = vec3_add(reach, (vec3){fabs(edge.x), fabs(edge.y), fabs(edge.z)});
    }
    return (bounds){vec3_sub(middle, reach), vec3_add(middle, reach)};
}

/* --------------------------------------------------------------------- mass */

static vec3 multiply(const double m[3][3], vec3 v)
{
    return (vec3){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                  m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                  m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

vec3 body_inverse_inertia(const body *b, vec3 angular_impulse)
{
    if (b->planar)
        return (vec3){0, 0, b->inverse_inertia[2][2] * angular_impulse.z};
    if (b->round)
        return vec3_scale(angular_impulse, b->inverse_inertia[0][0]);
    vec3 local = quat_unrotate(b->pose.rotation, angular_impulse);
    return quat_rotate(b->pose.rotation, multiply(b->inverse_inertia, local));
}

vec3 body_inertia(const body *b, vec3 spin)
{
    vec3 local = quat_unrotate(b->pose.rotation, spin);
    return quat_rotate(b->pose.rotation, multiply(b->inertia, local));
}

void body_change_velocity(body *b, const double change[6])
{
    b->velocity = vec3_add(b->velocity, (vec3){change[0], change[1], change[2]});
    b->spin = vec3_add(b->spin, (vec3){change[3], change[4], change[5]});
}

void body_displace(body *b, vec3 shift, vec3 turn)
{
    if (!body_has_mass(b) || b->planar || b->round) {
        b->pose = displace(b->pose, b->centre, shift, turn);
        return;
    }
    vec3 angular = body_inertia(b, b->spin);
    b->pose = displace(b->pose, b->centre, shift, turn);
    b->spin = body_inverse_inertia(b, angular);
}

static void invert(const double m[3][3], double inverse[3][3])
{
    double c00 = m[1][1] * m[2][2] - m[1][2] * m[2][1];
    double c01 = m[1][2] * m[2][0] - m[1][0] * m[2][2];
    double c02 = m[1][0] * m[2][1] - m[1][1] * m[2][0];
    double det = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02;
    inverse[0][0] = c00 / det;
    inverse[1][0] = c01 / det;
    inverse[2][0] = c02 / det;
    inverse[0][1] = (m[0][2] * m[2][1] - m[0][1] * m[2][2]) / det;
    inverse[1][1] = (m[0][0] * m[2][2] - m[0][2] * m[2][0]) / det;
    inverse[2][1] = (m[0][1] * m[2][0] - m[0][0] * m[2][1]) / det;
    inverse[0][2] = (m[0][1] * m[1][2] - m[0][2] * m[1][1]) / det;
    inverse[1][2] = (m[0][2] * m[1][0] - m[0][0] * m[1][2]) / det;
    inverse[2][2] = (m[0][0] * m[1][1] - m[0][1] * m[1][0]) / det;
}

/* Whether the inertia is the same about all axes, to rounding. */
static bool is_round(const double inertia[3][3])
{
    double largest = fmax(inertia[0][0], fmax(inertia[1][1], inertia[2][2])), off = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            off = fmax(off, fabs(inertia[r][c] - (r == c ? largest : 0)));
    return off <= 1e-12 * largest;
}

bool body_set_mass(body *b, int dim, double density, double mass, weir_error *error)
{
    mass_properties form;
    if (!mass_properties_of(b->shape, &form, error))
        return false;
    double scale = mass > 0 ? mass / form.volume : density;
    b->planar = dim == 2;
    b->mass = scale * form.volume;
    b->centre = form.centroid;
    if (!density_is_allowed(scale))
        return fail(
            error, WEIR_INVALID,
            "a mass of %g kg is not allowed: the volume of %g m3 would have %g kg/m3, which "
            "must be from %g to %g",
            b->mass, form.volume, scale, DENSITY_LEAST, DENSITY_MOST);
    if (!(b->mass > 0) || !isfinite(b->mass))
        return fail(error, WEIR_INVALID, "a mass of %g kg is not allowed: must be > 0", b->mass);
    b->inverse_mass = 1 / b->mass;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            b->inertia[r][c] = scale * form.inertia[r][c];
    if (dim == 2)
        b->inverse_inertia[2][2] = 1 / b->inertia[2][2];
    else
        invert(b->inertia, b->inverse_inertia);
    b->round = dim == 3 && is_round(b->inertia);
    return true;
}

void body_push(body *b, vec3 point, vec3 pressure_impulse, vec3 viscous_impulse)
{
    vec3 arm = vec3_sub(point, body_centre(b));
    vec3 both = vec3_add(pressure_impulse, viscous_impulse);
    if (body_is_moved(b)) {
        b->velocity = vec3_madd(b->velocity, b->inverse_mass, both);
        b->spin = vec3_add(b->spin, body_inverse_inertia(b, vec3_cross(arm, both)));
    }
    body_note_push(b, point, pressure_impulse, viscous_impulse);
}
