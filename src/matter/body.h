/* Solid bodies: a shape with a pose, and what the fluid did to it. */
#ifndef WEIR_MATTER_BODY_H
#define WEIR_MATTER_BODY_H

#include "matter/motion.h"
#include "space/boundary_map.h"
#include "space/contact_samples.h"
#include "space/convex.h"
#include "space/shape.h"
#include "space/surface_sample.h"

enum { NAME_LENGTH = 64 };

/* What every stage of a step reads comes first and lies close together, what is read together in
 * the same 64 bytes where it can be: loops over many bodies are bound by memory. */
typedef struct body {
    bool alive;
    bool bounded;
    bool planar;  /* a 2D world: no motion along z, no turning about x and y */
    bool round;   /* turns alike about every axis: a ball, a cube */
    bool asleep;  /* counts as fixed until something touches it (couple/rest.h) */
    bool jointed; /* some joint holds it */
    bool hosted;  /* another engine owns it (couple/host.h) */
    weir_body_kind kind;
    uint32_t group, collides;

    /* state, mass of bodies that are moved, extents, contacts with bodies */
    vec3 velocity;       /* m/s, of the centre of mass */
    double inverse_mass; /* 1/kg */
    double mass;         /* kg; 0 for static and animated bodies */

    pose pose;   /* of the body's own frame */
    double size; /* m, the smallest extent; 0 = unbounded */

    vec3 spin;     /* rad/s */
    vec3 centre;   /* of mass, in the body's own frame; the origin where there is no mass */
    double radius; /* m, of a ball about the centre that holds the body; 0 = unbounded */
    double friction;

    double restitution;
    convex *form; /* what bounds it; NULL where it is not simple */
    /* sums over the substeps of a step, N s, and means over the last whole one, N */
    vec3 contact_impulse, joint_impulse;
    vec3 contact_force, joint_force;

    /* rest */
    double still_time; /* s since it last moved away from still_at */
    uint32_t island;   /* of sleepers: bodies of the same number wake together */
    pose still_at;

    double until; /* s, when it vanishes; 0 = never */
    shape *shape;
    bounds bounds;      /* of the shape, in its own frame */
    double ball_radius; /* m, as `radius`, which reaches the corners of the bounds; a ball's own */

    double inertia[3][3], inverse_inertia[3][3]; /* kg m², about the centre, own frame */
    contact_samples samples; /* points that may touch, own frame; none before they are needed */

    /* the same sums and means of what the fluid gave */
    vec3 pressure_impulse, viscous_impulse, angular_impulse;
    vec3 pressure_force, viscous_force, torque;

    uint32_t generation;
    char name[NAME_LENGTH];
    weir_wall wall;
    boundary_map *map; /* NULL when the method does not ask for the boundary volume */
    pose initial;
    weir_motion motion;

    /* particles that touch it, in the viscoelastic method */
    double wet_friction;               /* 0 slips, 1 sticks */
    double stickiness, stick_distance; /* 1/s², m */
    bool by_contact;                   /* fluid meets it at contacts alone (couple/contact_lcp.h) */

    surface_samples skin; /* of moved bodies: where the film of couple/film.h presses */
    double film_pressure; /* Pa at the origin's height, of the fluid around it (couple/film.h) */

    /* of bodies that another engine owns */
    struct {
        vec3 momentum, angular; /* at the begin of the step; angular about the centre */
        vec3 weight;            /* N s, by gravity and `hold` in the step so far */
        vec3 impulse, turn;     /* by the fluid in the last step */
        vec3 left;              /* m/s, the velocity with which the last step ended */
        double step;            /* s, its length; 0 before the first */
        vec3 hold;              /* m/s², that the engine is expected to give in this step */
    } host;

    /* of worlds whose fluid sleeps (couple/pools.h) */
    uint32_t pool;    /* that it sleeps with; 0 = none */
    pose calm_at;     /* where its rest among fluid that moves a little began */
    double calm_time; /* s since then */
    vec3 held[3];     /* N, N m: pressure, friction and torque by fluid that sleeps */
} body;

/* Whether forces can move it: not static, not animated, not destroyed. */
static inline bool body_has_mass(const body *b)
{
    return b->alive && b->inverse_mass > 0;
}

/* Whether it has a speed, by whatever moves it. */
static inline bool body_has_speed(const body *b)
{
    return vec3_length(b->velocity) > 0 || vec3_length(b->spin) > 0;
}

/* Whether forces move it now: it has mass and does not sleep. */
static inline bool body_is_moved(const body *b)
{
    return body_has_mass(b) && !b->asleep;
}

static inline vec3 body_centre(const body *b)
{
    return pose_point(b->pose, b->centre);
}

/* Velocity of the body's matter at a point. */
static inline vec3 body_velocity_at(const body *b, vec3 point)
{
    return vec3_add(b->velocity, vec3_cross(b->spin, vec3_sub(point, body_centre(b))));
}

/* How far any point of the body may come within dt. */
static inline double body_travel(const body *b, double dt)
{
    return dt * (vec3_length(b->velocity) + vec3_length(b->spin) * b->radius);
}

/* The spin that an angular impulse gives. */
vec3 body_inverse_inertia(const body *b, vec3 angular_impulse);
/* The angular momentum about the centre that a spin means. */
vec3 body_inertia(const body *b, vec3 spin);
/* Adds linear and angular velocity. */
void body_change_velocity(body *b, const double change[6]);
/* Moves the body by a displacement of its centre and a rotation vector. Its angular momentum about
 * its centre stays. */
void body_displace(body *b, vec3 shift, vec3 turn);
/* Finds the points of a bounded body that may touch others; about `spacing` apart where the body is
 * large, closer where it is small. */
bool body_find_samples(body *b, memory *m, double spacing, weir_error *error);
/* Measures radii and size, once shape, form and centre are known. */
void body_find_extents(body *b);
/* The box in the world that holds the body as it lies. */
bounds body_world_bounds(const body *b);
/* Gravity and other uniform forces. */
void body_accelerate(body *b, vec3 force, double dt);
/* Gives a body its mass: the shape's own at `density`, or `mass` (> 0) with the shape's form. */
bool body_set_mass(body *b, int dim, double density, double mass, weir_error *error);

/* Gives momentum at `point` to the body, by pressure and by friction of the fluid, and notes it. */
void body_push(body *b, vec3 point, vec3 pressure_impulse, vec3 viscous_impulse);
/* Notes it for the report only: the body has it already. */
static inline void body_note_push(body *b, vec3 point, vec3 pressure_impulse, vec3 viscous_impulse)
{
    vec3 arm = vec3_sub(point, body_centre(b));
    vec3 both = vec3_add(pressure_impulse, viscous_impulse);
    b->pressure_impulse = vec3_add(b->pressure_impulse, pressure_impulse);
    b->viscous_impulse = vec3_add(b->viscous_impulse, viscous_impulse);
    b->angular_impulse = vec3_add(b->angular_impulse, vec3_cross(arm, both));
}

/* Moves an animated body so that it reaches its pose at time + dt with its velocity constant. */
void body_animate(body *b, double time, double dt);
/* Where the body will be in dt, as it moves now. */
pose body_predict(const body *b, double time, double dt);
/* Carries the pose there; the angular momentum of moved bodies stays to rounding. */
void body_advance(body *b, double time, double dt);

#endif
