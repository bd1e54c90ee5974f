/* Bodies and joints for tests, and what they hold in sum. */
#ifndef WEIR_TESTS_RIGID_H
#define WEIR_TESTS_RIGID_H

#include "support/worlds.h"
#include "world/state.h"

static const double PI = 3.14159265358979323846;
static const weir_body_id NOTHING = {0, 0};

/* A world of bodies alone. */
static inline weir_world *make_rigid_world(int dim, double gravity)
{
    weir_world_def def = small_world_def(dim, 0.02);
    def.gravity = v3(0, -gravity, 0);
    return make_world(&def);
}

static inline weir_body_def box_def(weir_vec3 at, weir_vec3 half)
{
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_DYNAMIC;
    def.name = "box";
    def.density = 1000;
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = half;
    def.pose.position = at;
    return def;
}

static inline weir_body_def ball_def(weir_vec3 at, double radius)
{
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_DYNAMIC;
    def.name = "ball";
    def.density = 1000;
    def.shape.kind = WEIR_SHAPE_SPHERE;
    def.shape.radius = radius;
    def.pose.position = at;
    return def;
}

/* A floor through the origin; `slope` (rad) falls towards +x. */
static inline weir_body_id make_floor(weir_world *world, double slope, double friction,
                                      double restitution)
{
    weir_body_def def = plane_def(v3(0, 0, 0), v3(sin(slope), cos(slope), 0), WEIR_WALL_SLIP);
    def.friction = friction;
    def.restitution = restitution;
    return make_body(world, &def);
}

static inline weir_quat turn_about(weir_vec3 axis, double angle)
{
    double s = sin(angle / 2);
    return (weir_quat){s * axis.x, s * axis.y, s * axis.z, cos(angle / 2)};
}

/* A joint of a with b, or with the world where b is NOTHING. */
static inline weir_joint_def joint_def(weir_joint_kind kind, weir_body_id a, weir_body_id b,
                                       weir_vec3 anchor)
{
    weir_joint_def def = weir_joint_def_default();
    def.kind = kind;
    def.a = a;
    def.b = b;
    def.anchor = anchor;
    return def;
}

static inline weir_joint_id make_joint(weir_world *world, const weir_joint_def *def)
{
    weir_error error = {0};
    weir_joint_id id = weir_joint_create(world, def, &error);
    if (id.slot == 0)
        fail_msg("%s", error.text);
    return id;
}

static inline body *body_at(const weir_world *world, weir_body_id id)
{
    return &world->flow.bodies[id.slot - 1];
}

static inline weir_vec3 centre_of(const weir_world *world, weir_body_id id)
{
    return body_centre(body_at(world, id));
}

/* Everything that is conserved, summed over the bodies with mass. */
typedef struct rigid_sums {
    vec3 momentum, angular; /* angular about the origin */
    double kinetic, potential;
} rigid_sums;

static inline rigid_sums sum_bodies(const weir_world *world)
{
    rigid_sums sums = {{0, 0, 0}, {0, 0, 0}, 0, 0};
    for (size_t k = 0; k < world->flow.body_count; k++) {
        const body *b = &world->flow.bodies[k];
        if (!body_has_mass(b))
            continue;
        vec3 p = vec3_scale(b->velocity, b->mass), spin = body_inertia(b, b->spin);
        vec3 orbit = vec3_cross(body_centre(b), p);
        sums.momentum = vec3_add(sums.momentum, p);
        sums.angular = vec3_add(sums.angular, vec3_add(orbit, spin));
        sums.kinetic += 0.5 * vec3_dot(p, b->velocity) + 0.5 * vec3_dot(spin, b->spin);
        sums.potential -= b->mass * vec3_dot(world->flow.force, body_centre(b));
    }
    return sums;
}

static inline double largest_speed(const weir_world *world)
{
    double speed = 0;
    for (size_t k = 0; k < world->flow.body_count; k++)
        if (body_has_mass(&world->flow.bodies[k]))
            speed = fmax(speed, vec3_length(world->flow.bodies[k].velocity));
    return speed;
}

static inline double largest_drift(const weir_world *world)
{
    double drift = 0;
    for (int k = 0; k < weir_world_joint_count(world); k++)
        drift = fmax(drift, weir_world_joint_state(world, k).drift);
    return drift;
}

#endif
