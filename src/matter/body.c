#include "matter/body.h"

#include "base/error.h"
#include "space/mass_properties.h"
#include "space/surface_sample.h"

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
    else if (body_is_moved(b)) {
        /* The angular momentum stays while the inertia turns with the body. */
        vec3 angular = body_inertia(b, b->spin);
        body_displace(b, vec3_scale(b->velocity, dt), vec3_scale(b->spin, dt));
        if (!b->planar)
            b->spin = body_inverse_inertia(b, angular);
    }
}

void body_accelerate(body *b, vec3 force, double dt)
{
    if (body_is_moved(b))
        b->velocity = vec3_madd(b->velocity, dt, force);
}

/* Shapes that are balls about a line: exact contacts from few samples. */
static size_t list_round_samples(const weir_shape_def *def, double spacing, contact_sample *to)
{
    if (def->kind == WEIR_SHAPE_SPHERE) {
        if (to)
            to[0] = (contact_sample){def->pose.position, def->radius + def->rounding};
        return 1;
    }
    size_t count = (size_t)ceil(2 * def->half_length / spacing) + 1;
    for (size_t k = 0; to && k < count; k++) {
        double s = count > 1 ? 2 * (double)k / (double)(count - 1) - 1 : 0;
        to[k] = (contact_sample){pose_point(def->pose, (vec3){0, s * def->half_length, 0}),
                                 def->radius + def->rounding};
    }
    return count;
}

bool body_find_samples(body *b, memory *m, const weir_shape_def *def, int dim, double spacing,
                       weir_error *error)
{
    (void)dim;
    bool round =
        !def->complement && (def->kind == WEIR_SHAPE_SPHERE || def->kind == WEIR_SHAPE_CAPSULE);
    surface_samples surface = {0};
    if (!round && !surface_sample(m, b->shape, spacing, &surface, error))
        return false;
    size_t count = round ? list_round_samples(def, spacing, NULL) : surface.count;
    b->samples = memory_take(m, count * sizeof *b->samples);
    if (b->samples) {
        b->sample_count = count;
        if (round)
            list_round_samples(def, spacing, b->samples);
        for (size_t k = 0; !round && k < count; k++)
            b->samples[k] = (contact_sample){surface.points[k].position, 0};
        for (size_t k = 0; k < count; k++)
            b->radius = fmax(b->radius, vec3_length(vec3_sub(b->samples[k].point, b->centre)) +
                                            b->samples[k].radius);
    }
    surface_samples_free(m, &surface);
    return b->samples || fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu samples", count);
}

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
    vec3 centre = vec3_add(body_centre(b), shift);
    b->pose.rotation =
        quat_normalize(quat_multiply(quat_from_rotation_vector(turn), b->pose.rotation));
    b->pose.position = vec3_sub(centre, quat_rotate(b->pose.rotation, b->centre));
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

bool body_set_mass(body *b, int dim, double density, double mass, weir_error *error)
{
    mass_properties form;
    if (!mass_properties_of(b->shape, &form, error))
        return false;
    double scale = mass > 0 ? mass / form.volume : density;
    b->planar = dim == 2;
    b->mass = scale * form.volume;
    b->centre = form.centroid;
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

void body_note_push(body *b, vec3 point, vec3 pressure_impulse, vec3 viscous_impulse)
{
    vec3 arm = vec3_sub(point, body_centre(b));
    vec3 both = vec3_add(pressure_impulse, viscous_impulse);
    b->pressure_impulse = vec3_add(b->pressure_impulse, pressure_impulse);
    b->viscous_impulse = vec3_add(b->viscous_impulse, viscous_impulse);
    b->angular_impulse = vec3_add(b->angular_impulse, vec3_cross(arm, both));
}
