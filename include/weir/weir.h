/* Weir: liquids and machines that move each other.
 *
 *     weir_world_def def = weir_world_def_default();
 *     def.spacing = 0.02;
 *     weir_world *world = weir_world_create(&def, &error);
 *     ...
 *     weir_world_step(world, 1.0 / 60, &error);
 *
 * Everything that is created takes a def struct from its `_default` function. Everything that can
 * fail takes an optional weir_error. Units are SI (see types.h). One thread at a time may use a
 * world; different worlds are independent. */
#ifndef WEIR_H
#define WEIR_H

#include "weir/id.h"
#include "weir/shape.h"
#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers, as `weir --version` prints it. */
#define WEIR_VERSION "0.1.0"

/* A world: fluids, bodies, joints, emitters and probes, with a clock. Opaque. */
typedef struct weir_world weir_world;

/* ---------------------------------------------------------------- methods */

/* Kernels of the sums over neighbours. The default suits all methods; the others are for papers. */
typedef enum weir_kernel {
    WEIR_KERNEL_WENDLAND_C2, /* Wendland C2, the default */
    WEIR_KERNEL_CUBIC,       /* the cubic spline of Monaghan */
    WEIR_KERNEL_POLY6,       /* Müller's smooth one */
    WEIR_KERNEL_SPIKY,       /* Müller's with a steep centre */
} weir_kernel;

/* Fluid methods; docs/manual/methods.md says which to take. */
typedef enum weir_method {
    WEIR_METHOD_SPH,          /* Müller's SPH, with linear or Tait pressure */
    WEIR_METHOD_CONSTRAINT,   /* Bodin's constraint fluids, solved together with contacts and joints
                               */
    WEIR_METHOD_PBF,          /* Macklin and Müller's position based fluids */
    WEIR_METHOD_VISCOELASTIC, /* Clavet's double density relaxation with springs */
    WEIR_METHOD_COUNT,        /* how many there are */
} weir_method;

/* One number that tunes a method. */
typedef struct weir_parameter {
    const char *name;           /* as in scene files */
    const char *unit;           /* "1" for pure numbers */
    double initial;             /* default */
    double min, max;            /* both allowed */
    const char *const *choices; /* NULL-terminated names of the values 0, 1, ...; NULL = a number */
    const char *zero_means;     /* what 0 stands for, when it does not stand for 0; else NULL */
    const char *meaning;        /* one sentence */
} weir_parameter;

/* A value per particle that a method computes, for output. */
typedef struct weir_field {
    const char *name;    /* as weir_world_get_field takes it */
    const char *unit;    /* "1" for pure numbers */
    const char *meaning; /* one line */
} weir_field;

enum { WEIR_MAX_PARAMETERS = 24 };

/* What a method is and what it can be told. */
typedef struct weir_method_info {
    const char *name;                 /* as in scene files */
    const char *title;                /* one line, with the source */
    const weir_parameter *parameters; /* their order is that of weir_world_def */
    int parameter_count;              /* at most WEIR_MAX_PARAMETERS */
    const weir_field *fields;         /* values per particle, for output */
    int field_count;                  /* >= 0 */
} weir_method_info;

/* NULL for a value that is none of the methods. Lives as long as the program. */
WEIR_API const weir_method_info *weir_method_get_info(weir_method method);
/* The method of a name such as "pbf". False: there is none, and `method` is left alone. */
WEIR_API bool weir_method_find(const char *name, weir_method *method);

/* ------------------------------------------------------------------ world */

/* An axis along which the world repeats; at least two kernel radii long. */
typedef struct weir_axis_period {
    bool enabled;  /* whether it repeats */
    double lo, hi; /* m; what leaves at one end comes back at the other */
} weir_axis_period;

/* How the fluid and the bodies that forces move act on each other. Static and animated solids are
 * the method's own business in every mode. */
typedef enum weir_coupling_mode {
    WEIR_COUPLING_BOUNDARY_VOLUME, /* as the method does it: solids take part in its sums */
    WEIR_COUPLING_CONTACT_LCP,     /* contacts of particles, bodies and solids, resolved by one
                                      complementarity problem a substep (Kurose, Takahashi 2009) */
    WEIR_COUPLING_PENALTY,         /* springs and dampers at the same contacts */
} weir_coupling_mode;

/* Solvers of that problem. The first three are exact. */
typedef enum weir_lcp_solver {
    WEIR_LCP_STRUCTURED, /* Lemke's method along the structure of contacts: cost grows with them */
    WEIR_LCP_BLOCK,      /* block principal pivoting on the same structure */
    WEIR_LCP_LEMKE,      /* Lemke's method on the whole matrix: cost grows with their cube */
    WEIR_LCP_PGS,        /* projected Gauss-Seidel */
    WEIR_LCP_MPRGP,      /* projected conjugate gradients */
} weir_lcp_solver;

/* For worlds without joints, and for all methods but the constraint method. */
typedef struct weir_coupling_def {
    weir_coupling_mode mode; /* default: as the method does it */
    weir_lcp_solver solver;  /* of the contact LCP */
    double radius;      /* m, of particles, and of the spheres on bodies; 0 = 0.65 of the spacing */
    double restitution; /* 0 to 1, of fluid against bodies; those have their own among each other */
    double stiffness;   /* N/m, penalty; 0 = stops a particle within a radius */
    double damping;     /* N s/m, penalty; 0 = half of critical for a particle */
} weir_coupling_def;

/* What a world is made of. Take it from weir_world_def_default and change what differs. */
typedef struct weir_world_def {
    int dim;                /* 2 or 3 */
    double spacing;         /* m, > 0: distance of particles at rest; sets the mass of each */
    double support;         /* kernel radius in spacings, 1.1 to 4; 0 = what suits the method */
    weir_kernel kernel;     /* of the sums over neighbours */
    weir_vec3 gravity;      /* m/s² */
    weir_vec3 acceleration; /* m/s², a further uniform force per mass (a pump, a tilting frame) */
    weir_axis_period period[3];             /* x, y, z; none repeats by default */
    weir_coupling_def coupling;             /* how fluid and bodies act on each other */
    weir_method method;                     /* set by weir_world_def_use_method */
    double parameters[WEIR_MAX_PARAMETERS]; /* of the method, in the order of its table */
    int substeps;                           /* per step; 0 = as many as stability needs */
    bool allow_unstable;  /* with substeps > 0: run above the stable limit, with a warning */
    int threads;          /* 0 = all cores */
    const char *simd;     /* NULL = the best of this CPU; see weir_simd_levels */
    uint64_t seed;        /* of all random numbers */
    size_t max_particles; /* emitters stop there; 0 = no limit */
    bool events;          /* compare each step with the last, for weir_world_get_events */
    double sleep_time; /* s, 0.2 or more: fluid that has been at rest for so long sleeps, with the
                          bodies in it, and costs nothing until something comes near. 2 s suits
                          most worlds; the longer, the slower the flows that it tells from rest
                          (docs/performance.md). 0 (default) = never */
    weir_hooks hooks;  /* allocator, log, assert, tasks; zeroed = none */
} weir_world_def;

/* 3D, 2 cm, SPH, gravity along -y, all cores. */
WEIR_API weir_world_def weir_world_def_default(void);
/* Sets a parameter of def->method by name. */
WEIR_API bool weir_world_def_set(weir_world_def *def, const char *parameter, double value,
                                 weir_error *error);
/* Changes the method and gives its parameters their defaults. */
WEIR_API void weir_world_def_use_method(weir_world_def *def, weir_method method);

/* The kernel radius in spacings that a world of this definition has. */
WEIR_API double weir_world_def_support(const weir_world_def *def);

/* NULL on failure: a value is not allowed, or memory ran out. `def` is copied. */
WEIR_API weir_world *weir_world_create(const weir_world_def *def, weir_error *error);
/* Ends a world and all that is in it. NULL is allowed. */
WEIR_API void weir_world_destroy(weir_world *world);

/* Flags of a step. */
enum {
    WEIR_STEP_FAILED = 1,     /* nothing sensible happened; the error says why */
    WEIR_STEP_UNSTABLE = 2,   /* ran above the stable limit, as the def allows */
    WEIR_STEP_NOT_FINITE = 4, /* a particle has a non-finite state; comes with FAILED */
    WEIR_STEP_FULL = 8,       /* an emitter was held back by max_particles */
    WEIR_STEP_COVERED = 16,   /* a solid lies in the nozzle of an emitter, which gives none there */
};

/* Advances by dt seconds, > 0, in as many substeps as stability needs. Returns flags. */
WEIR_API uint32_t weir_world_step(weir_world *world, double dt, weir_error *error);

/* What bounds the time step now. */
typedef struct weir_step_limit {
    double seconds;     /* the largest stable substep */
    const char *cause;  /* "sound", "sound damping", "pressure", "viscosity", "surface tension",
                         * "plasticity", "springs", "speed", "speed of bodies", "spin of bodies",
                         * "weight of  bodies", "emitter", or "none" */
    double sound_speed; /* m/s, that the method uses */
    double speed;       /* m/s, largest particle speed */
} weir_step_limit;

/* Derives what the definition left open; nothing that changes it may be created afterwards.
 * `seconds` is 0 on failure. */
WEIR_API weir_step_limit weir_world_get_step_limit(weir_world *world, weir_error *error);
/* A parameter of the method as it is used, with derived values filled in. NAN: no such name. */
WEIR_API double weir_world_get_parameter(const weir_world *world, const char *name);
/* Sets a parameter of the method when the world reaches `time`, before the substep that begins
 * there. Changes of the same time happen in the order in which they were scheduled. */
WEIR_API bool weir_world_schedule_parameter(weir_world *world, double time, const char *name,
                                            double value, weir_error *error);
/* s since creation: the sum of all steps. */
WEIR_API double weir_world_get_time(const weir_world *world);

/* ----------------------------------------------------------------- fluids */

/* A liquid. Up to 64 of them share a world. */
typedef struct weir_fluid_def {
    const char *name;       /* for output; NULL = "fluid"; copied */
    double density;         /* kg/m³, 0.001 to 1e6 */
    double viscosity;       /* Pa s, >= 0 (dynamic) */
    double surface_tension; /* N/m, >= 0 */
} weir_fluid_def;

WEIR_API weir_fluid_def weir_fluid_def_default(void); /* water at 20 °C */
/* Real liquids at 20 °C by name; NULL at the end of the list. */
WEIR_API const weir_fluid_def *weir_fluid_preset(int index);
/* At any time between steps. A null id on failure: a value is not allowed, or there are 64. */
WEIR_API weir_fluid_id weir_fluid_create(weir_world *world, const weir_fluid_def *def,
                                         weir_error *error);
/* How many fluids there are. */
WEIR_API int weir_world_fluid_count(const weir_world *world);

/* Adds particles at `positions` with `velocity`. Their ids count up in the order given. */
WEIR_API bool weir_world_add_particles(weir_world *world, weir_fluid_id fluid,
                                       const weir_vec3 *positions, size_t count, weir_vec3 velocity,
                                       weir_error *error);

/* Zero-copy view of the particle arrays. Valid until the next step or add; the order of particles
 * changes in a step, their ids do not. */
typedef struct weir_particle_view {
    size_t count;             /* of particles, the length of all arrays */
    const float *position[3]; /* m, one array per axis; [2] is NULL in 2D */
    const float *velocity[3]; /* m/s, likewise */
    const uint32_t *id;       /* stable; counts up from 0 in order of creation */
    const uint8_t *fluid;     /* in order of creation */
} weir_particle_view;

/* Never fails; `count` is 0 where there are none. */
WEIR_API weir_particle_view weir_world_get_particles(const weir_world *world);
/* A field of the method's table by name; NULL when there is none of that name. */
WEIR_API const float *weir_world_get_field(const weir_world *world, const char *name);

/* ----------------------------------------------------------------- solids */

/* A pose at a time; between two of them positions are linear and rotations turn evenly. */
typedef struct weir_keyframe {
    double time;    /* s, rising */
    weir_pose pose; /* of the body then */
} weir_keyframe;

/* Prescribed motion. The parts add up: keyframes (or the initial pose), then constant velocity
 * and spin, then oscillation. */
typedef struct weir_motion {
    weir_vec3 velocity;             /* m/s */
    weir_vec3 spin;                 /* rad/s about the body's origin, world axes */
    weir_vec3 oscillation;          /* m, amplitude */
    weir_vec3 rocking;              /* rad, amplitude about world axes */
    double frequency;               /* Hz, of oscillation and rocking */
    double phase;                   /* rad; 0 starts at the centre */
    const weir_keyframe *keyframes; /* at least two, or NULL for none */
    size_t keyframe_count;          /* 0 = none */
    bool loop;                      /* repeat the keyframes; the last has the pose of the first */
    double start, end; /* s; velocity, spin and oscillation act between; end 0 = always */
} weir_motion;

/* Who moves a body. */
typedef enum weir_body_kind {
    WEIR_BODY_STATIC,   /* never moves */
    WEIR_BODY_ANIMATED, /* moves as its motion says, whatever pushes */
    WEIR_BODY_DYNAMIC,  /* moved by forces, contacts, joints and the fluid */
} weir_body_kind;
/* Whether fluid slides along a body or is held by it. */
typedef enum weir_wall {
    WEIR_WALL_SLIP,    /* slides without friction */
    WEIR_WALL_NO_SLIP, /* moves with the wall where it touches */
} weir_wall;

/* A solid. What it points to is copied. */
typedef struct weir_body_def {
    const char *name;     /* for output; NULL = "solid"; copied */
    weir_body_kind kind;  /* who moves it */
    weir_shape_def shape; /* in the frame of the body */
    weir_pose pose;       /* at first */
    weir_motion motion;   /* animated bodies */
    weir_wall wall;       /* whether fluid slides along it */
    double until;         /* s, when it vanishes, such as a mould; 0 = never */

    /* dynamic bodies */
    double density;     /* kg/m³, 0.001 to 1e6: mass from the shape (2D: of 1 m of depth) */
    double mass;        /* kg, such that the density is in that range; 0 = from density */
    weir_vec3 velocity; /* m/s of the centre of mass, at first */
    weir_vec3 spin;     /* rad/s */

    /* contacts with other bodies; the pair uses the mean of both */
    double friction;    /* >= 0 */
    double restitution; /* 0 to 1 */
    uint32_t group;     /* bits that this body is of; default 1 */
    uint32_t collides;  /* bits of the groups that it collides with; default all */

    bool hosted; /* dynamic and animated bodies: another engine moves it, see weir_body_set_motion;
                    it collides with no other body here, and `motion` does not count */

    /* what touches it, in the viscoelastic method */
    double wet_friction;   /* share of the sliding velocity that is lost in 1/30 s: 0 slips, 1
                              sticks; negative (default): 0 for slip and 1 for no-slip walls */
    double stickiness;     /* 1/s², >= 0: pulls particles that are near, the paper's k_stick */
    double stick_distance; /* m, how near; 0 = 0.4 of the kernel radius */
} weir_body_def;

/* A static box of 1 m; dynamic ones get 500 kg/m³ and a friction of 0.5. */
WEIR_API weir_body_def weir_body_def_default(void);
/* A null id on failure: a value is not allowed, the shape of a dynamic body has no end, or memory
 * ran out. */
WEIR_API weir_body_id weir_body_create(weir_world *world, const weir_body_def *def,
                                       weir_error *error);
/* False for an id that is null, of another world, or destroyed before. */
WEIR_API bool weir_body_destroy(weir_world *world, weir_body_id body, weir_error *error);
/* Whether the id names a body that was created and not destroyed. */
WEIR_API bool weir_body_is_valid(const weir_world *world, weir_body_id body);

/* A body as the last step left it. */
typedef struct weir_body_state {
    const char *name;         /* lives as long as the body */
    weir_body_kind kind;      /* who moves it */
    weir_pose pose;           /* of its frame; m, unit quaternion */
    double mass;              /* kg; 0 for bodies that forces do not move */
    weir_vec3 centre;         /* of mass, in the world */
    weir_vec3 velocity;       /* m/s of the centre of mass */
    weir_vec3 spin;           /* rad/s */
    weir_vec3 contact_force;  /* N from contacts with other bodies, mean over the last step */
    weir_vec3 joint_force;    /* N from joints */
    weir_vec3 pressure_force; /* N from the fluid's pressure, mean over the last step */
    weir_vec3 viscous_force;  /* N from the fluid's friction */
    weir_vec3 torque;         /* N m about the origin, from both */
    size_t spheres;           /* on its surface: where contacts are looked for */
    bool asleep;              /* at rest: counts as fixed until something touches it */
} weir_body_state;

/* False for an id that is not valid; `state` is then left alone. */
WEIR_API bool weir_body_get_state(const weir_world *world, weir_body_id body,
                                  weir_body_state *state);
/* All bodies in order of creation: the id of the index-th, or null. */
WEIR_API weir_body_id weir_world_body_at(const weir_world *world, int index);
/* Distance of a point to the nearest solid (negative inside), and which one. INFINITY: none. */
WEIR_API double weir_world_distance(const weir_world *world, weir_vec3 point,
                                    weir_body_id *nearest);

/* Bodies that another physics engine owns (`hosted`). Every step has four parts: the engine says
 * how its bodies move (set_motion); Weir steps, in which they answer to gravity and to the fluid;
 * the engine gives them the impulse of the fluid (get_impulse) and steps itself, with its gravity,
 * its contacts and joints. Animated hosted bodies move with the velocity that was set last. */
WEIR_API bool weir_body_set_motion(weir_world *world, weir_body_id body, weir_pose pose,
                                   weir_vec3 velocity, weir_vec3 spin, weir_error *error);

/* Momentum that was given. */
typedef struct weir_impulse {
    weir_vec3 linear;  /* N s */
    weir_vec3 angular; /* N m s about the centre of mass */
} weir_impulse;

/* What the fluid gave a hosted body in the last step; zero for animated ones. */
WEIR_API bool weir_body_get_impulse(const weir_world *world, weir_body_id body,
                                    weir_impulse *impulse, weir_error *error);

/* A point where two bodies touch, or came so near in the last substep that they might have; where
 * bodies couple by contacts, also a point where a particle and a body do. */
typedef struct weir_contact {
    weir_body_id a, b;  /* a is null where a particle takes its place */
    weir_vec3 position; /* m, on the surface of one of them */
    weir_vec3 normal;   /* unit, from b to a */
    double distance;    /* m between the surfaces there, now; negative where they overlap */
    double impulse;     /* N s on a along the normal in the last substep; 0: they did not push.
                           Of bodies that sleep: of the last substep before they fell asleep */
} weir_contact;

/* Contacts between bodies, and between bodies and static or animated solids, as the last step left
 * them. Fills at most `capacity` of them and returns how many there are; `contacts` may be NULL
 * where capacity is 0. Where two faces meet, a few points stand for all; where bodies couple by
 * contacts, all their spheres that touch are listed, and the particles that touch a body. There are
 * none before the first step, and after a restore those of sleeping bodies are missing until they
 * wake. */
WEIR_API size_t weir_world_get_contacts(const weir_world *world, weir_contact *contacts,
                                        size_t capacity);

/* ----------------------------------------------------------------- joints */

/* What a joint allows. */
typedef enum weir_joint_kind {
    WEIR_JOINT_BALL,     /* a point of one body stays at a point of the other */
    WEIR_JOINT_HINGE,    /* a ball that turns about `axis` only; in 2D about z */
    WEIR_JOINT_SLIDER,   /* moves along `axis` only, does not turn */
    WEIR_JOINT_LOCK,     /* no relative motion */
    WEIR_JOINT_DISTANCE, /* anchors keep their distance */
    WEIR_JOINT_SPRING,   /* anchors are pulled to `length` by stiffness and damping */
} weir_joint_kind;

/* What a motor keeps: nothing, a speed, or a position. */
typedef enum weir_motor {
    WEIR_MOTOR_NONE,     /* turns or slides freely */
    WEIR_MOTOR_SPEED,    /* `target` in rad/s or m/s */
    WEIR_MOTOR_POSITION, /* `target` in rad or m */
} weir_motor;

/* A joint between two bodies, or a body and the world; one of them at least is dynamic. */
typedef struct weir_joint_def {
    const char *name;     /* for output; NULL = "joint"; copied */
    weir_joint_kind kind; /* what it allows */
    weir_body_id a, b;    /* b may be null: then a is held by the world */
    weir_vec3 anchor;     /* m, world point at creation; of a */
    weir_vec3 anchor_b;   /* distance and spring: the point of b */
    weir_vec3 axis;       /* of hinge and slider, world direction at creation */
    double length;        /* m, distance and spring; negative = as created */
    double stiffness;     /* N/m, spring, > 0 */
    double damping;       /* N s/m, spring, >= 0 */
    bool limited;         /* hinge and slider: keep lo <= angle or offset <= hi */
    double lo, hi;        /* rad or m, 0 as created */
    weir_motor motor;     /* hinge and slider */
    double target;        /* rad/s or m/s; rad or m for a position, neared like exp(-t/0.05 s) */
    double max_effort;    /* N m or N; INFINITY = as much as it takes */
    double break_force;   /* N; 0 = never breaks */
    bool collide;         /* whether a and b collide with each other */
} weir_joint_def;

/* A ball joint without limits and motor; other kinds: axis z, length as created. */
WEIR_API weir_joint_def weir_joint_def_default(void);
/* A null id on failure: a body is not valid, both cannot move, or a value is not allowed. */
WEIR_API weir_joint_id weir_joint_create(weir_world *world, const weir_joint_def *def,
                                         weir_error *error);
/* Changes the motor of a hinge or slider: `target` in rad/s, m/s, rad or m, `max_effort`, >= 0,
 * in N m or N. False for an id that is not valid and for other kinds. */
WEIR_API bool weir_joint_set_motor(weir_world *world, weir_joint_id joint, weir_motor motor,
                                   double target, double max_effort, weir_error *error);

/* A joint as the last step left it. */
typedef struct weir_joint_state {
    const char *name;     /* lives as long as the world */
    weir_joint_kind kind; /* what it allows */
    bool broken;          /* no longer holds */
    double position;  /* rad or m along the axis, 0 as created; the distance of distance joints */
    double speed;     /* rad/s or m/s */
    weir_vec3 force;  /* N on a, mean over the last substep */
    weir_vec3 torque; /* N m on a, besides that of the force at the anchor */
    double effort;    /* N m or N of the motor */
    double drift;     /* m, how far the anchors have come apart */
} weir_joint_state;

/* How many joints were created. */
WEIR_API int weir_world_joint_count(const weir_world *world);
/* The index-th in order of creation; `name` is NULL beyond the last. */
WEIR_API weir_joint_state weir_world_joint_state(const weir_world *world, int index);

/* ------------------------------------------------------ emitters and sinks */

/* A span of time. */
typedef struct weir_interval {
    double start, end; /* s */
} weir_interval;

/* Forms of an opening. */
typedef enum weir_nozzle {
    WEIR_NOZZLE_CIRCLE,    /* of `radius` */
    WEIR_NOZZLE_RECTANGLE, /* of `half_width` and `half_height` */
} weir_nozzle;

/* A source of fluid. Within one spacing of the nozzle the fluid has the speed of the jet, whatever
 * it meets there. What this points to is copied. */
typedef struct weir_emitter_def {
    const char *name;              /* for output; NULL = "emitter"; copied */
    weir_fluid_id fluid;           /* that comes out */
    weir_nozzle nozzle;            /* 2D: a slot of the nozzle's width in either case */
    double radius;                 /* m, circle (2D: half the slot) */
    double half_width;             /* m, rectangle, across `up` (2D: half the slot) */
    double half_height;            /* m, rectangle, along `up` */
    weir_vec3 position;            /* centre of the nozzle */
    weir_vec3 direction;           /* of the jet; any length but 0 */
    weir_vec3 up;                  /* rectangle: direction of its height */
    double speed;                  /* m/s; 0 = from flow_rate and the nozzle's area */
    double flow_rate;              /* m³/s (2D: m²/s); 0 = speed times area */
    const weir_interval *schedule; /* when it runs; none = always */
    size_t schedule_count;         /* intervals; 0 = always open */
    double max_volume;             /* m³; 0 = no limit */
} weir_emitter_def;

/* A round nozzle of 5 cm radius along x at 1 m/s, always open; the fluid is to be set. */
WEIR_API weir_emitter_def weir_emitter_def_default(void);
/* A null id on failure: a value is not allowed, or the fluid does not exist. */
WEIR_API weir_emitter_id weir_emitter_create(weir_world *world, const weir_emitter_def *def,
                                             weir_error *error);

/* A place where fluid vanishes. */
typedef struct weir_sink_def {
    const char *name;              /* for output; NULL = "sink"; copied */
    weir_shape_def shape;          /* what enters is removed */
    const weir_interval *schedule; /* when it takes; none = always */
    size_t schedule_count;         /* intervals; 0 = always open */
    double max_volume;             /* m³; 0 = no limit */
} weir_sink_def;

/* Always open; the shape is to be set. */
WEIR_API weir_sink_def weir_sink_def_default(void);
/* A null id on failure: a value is not allowed. */
WEIR_API weir_sink_id weir_sink_create(weir_world *world, const weir_sink_def *def,
                                       weir_error *error);

/* What an emitter or sink has done. */
typedef struct weir_flow_state {
    const char *name;   /* lives as long as the world */
    uint64_t particles; /* emitted or removed so far */
    double volume;      /* m³ */
} weir_flow_state;

/* How many emitters were created. */
WEIR_API int weir_world_emitter_count(const weir_world *world);
/* How many sinks were created. */
WEIR_API int weir_world_sink_count(const weir_world *world);
/* The index-th in order of creation; `name` is NULL beyond the last. */
WEIR_API weir_flow_state weir_world_emitter_state(const weir_world *world, int index);
/* A place of an emitter's nozzle that lies inside of a solid. */
typedef struct weir_nozzle_cover {
    weir_body_id body;  /* the solid; null where none covers the nozzle */
    weir_vec3 position; /* m, of the place */
    double depth;       /* m from the solid's surface */
} weir_nozzle_cover;

/* How many places of a nozzle lie inside of solids now, 0 beyond the last emitter; those give no
 * particles. `deepest`, which may be NULL, gets the one that lies deepest. */
WEIR_API size_t weir_world_emitter_covered(const weir_world *world, int index,
                                           weir_nozzle_cover *deepest);
/* The index-th in order of creation; `name` is NULL beyond the last. */
WEIR_API weir_flow_state weir_world_sink_state(const weir_world *world, int index);

/* ----------------------------------------------------------------- probes */

/* What a probe measures. */
typedef enum weir_probe_kind {
    WEIR_PROBE_HEIGHT,   /* m: of the fluid above `position` in a column of `radius`, by volume */
    WEIR_PROBE_PRESSURE, /* Pa at `position` */
    WEIR_PROBE_VELOCITY, /* m/s at `position`, three numbers */
    WEIR_PROBE_FLOW,     /* m³/s through the disc of `radius` at `position`, along `normal` */
} weir_probe_kind;

/* A place to measure at. */
typedef struct weir_probe_def {
    const char *name;     /* for output; NULL = "probe"; copied */
    weir_probe_kind kind; /* what it measures */
    weir_vec3 position;   /* m */
    weir_vec3 normal;     /* flow: direction that counts as positive */
    double radius; /* m; height: half width of the column (0 = 2 spacings); flow: 0 = no bound */
} weir_probe_def;

/* A height gauge at the origin. */
WEIR_API weir_probe_def weir_probe_def_default(void);
/* A null id on failure: a value is not allowed. */
WEIR_API weir_probe_id weir_probe_create(weir_world *world, const weir_probe_def *def,
                                         weir_error *error);
/* How many probes were created. */
WEIR_API int weir_world_probe_count(const weir_world *world);

/* What a probe reads; `name` is NULL for an index beyond the last. */
typedef struct weir_probe_reading {
    const char *name;     /* lives as long as the world */
    weir_probe_kind kind; /* what it measures */
    int components;       /* 1 or 3 */
    double value[3];      /* in the unit of the kind */
} weir_probe_reading;

/* Reads the index-th probe now. The flow is the mean over the last step. */
WEIR_API weir_probe_reading weir_world_read_probe(const weir_world *world, int index);

/* ------------------------------------------------------------- statistics */

/* Sums over the fluid, as the last step left it. */
typedef struct weir_statistics {
    double time;             /* s */
    uint64_t steps;          /* calls of weir_world_step */
    uint64_t substeps;       /* of all steps so far */
    size_t particles;        /* how many there are now */
    size_t particles_asleep; /* of them */
    double mass;             /* kg */
    double volume;           /* m³ at rest density */
    double volume_error;     /* volume that the densities give, over the rest volume, minus 1 */
    double compression_mean; /* mean of max(density / rest − 1, 0), all particles */
    double compression_max;  /* the largest of the same */
    double interior_compression_mean; /* the same, farther than h from any solid */
    double interior_compression_max;  /* the largest of the same */
    double wall_compression_max;      /* within h of a solid */
    double bulk_error_mean;     /* mean of |density / rest − 1| where no surface is within h */
    double bulk_error_max;      /* the largest of the same */
    size_t bulk_particles;      /* how many those are */
    double kinetic_energy;      /* J, of the fluid */
    double potential_energy;    /* J, of the fluid, zero at the origin */
    double body_kinetic_energy; /* J, of bodies with mass, spin included */
    /* J, likewise, zero at the origin, at the middle of the last substep: velocities of bodies
     * belong there, and the sum of both is of second order. Without springs. */
    double body_potential_energy;
    double total_energy;        /* J, of fluid and bodies */
    weir_vec3 momentum;         /* kg m/s */
    weir_vec3 angular_momentum; /* about the origin */
    double speed_max;           /* m/s */
} weir_statistics;

/* Densities are those of the last step; without one, and after particles were added or woken by a
 * call, they count as 0. */
WEIR_API weir_statistics weir_world_get_statistics(weir_world *world);

/* Time per stage of the step, in the order in which they run. */
typedef struct weir_stage_time {
    const char *name; /* as in reports; lives as long as the program */
    double seconds;   /* summed since creation */
} weir_stage_time;

/* Fills at most `max` and returns how many stages there are. */
WEIR_API int weir_world_get_profile(const weir_world *world, weir_stage_time *stages, int max);

/* Cost of one loop over particles or pairs, summed since creation. Work is counted from sizes and
 * lists: what the loop does, with the pairs that its lists hold beyond the neighbours. */
typedef struct weir_pass {
    const char *name;     /* lives as long as the program */
    double seconds;       /* that it took */
    double least_seconds; /* of the fastest run */
    double runs;          /* how often it ran */
    double pairs;         /* of particles and candidates */
    double flops;         /* additions, products and maxima */
    double roots;         /* and divisions */
    double bytes;         /* from and to memory, every array touched once a run */
} weir_pass;

/* Fills at most `max` and returns how many passes ran, in the order of their first run. */
WEIR_API int weir_world_get_passes(const weir_world *world, weir_pass *passes, int max);

/* Memory and sizes, now. */
typedef struct weir_counters {
    size_t bytes;           /* held now */
    size_t peak_bytes;      /* most that was held so far */
    uint64_t allocations;   /* calls of the allocator */
    size_t candidates;      /* of the neighbour lists, summed over clusters of 8 */
    size_t clusters;        /* of at most 8 particles */
    size_t wall_contacts;   /* particle–solid pairs within reach */
    size_t springs;         /* between particles (viscoelastic method) */
    size_t springs_changed; /* made or removed in the last substep */
    size_t spring_bytes;    /* that they hold */
} weir_counters;

/* Never fails. */
WEIR_API weir_counters weir_world_get_counters(const weir_world *world);

/* What the solver did in the last substep. */
typedef struct weir_solve_info {
    int velocity_iterations, position_iterations; /* products with the matrix, or sweeps */
    double velocity_residual, position_residual;  /* over their tolerances' measure */
    size_t rows;                                  /* contacts, friction, limits, motors */
    size_t joint_rows;                            /* eliminated directly */
    size_t density_rows;                          /* one a particle, in the constraint method */
    uint64_t iterations;                          /* of all solves so far */
    size_t contacts;                              /* coupling by contacts: those that pushed */
    size_t contacts_most;                         /* in any substep so far */
    int contact_pivots;      /* exchanges and block steps of their problem, or sweeps */
    double contact_residual; /* of their problem: largest error of its conditions */
    double contact_radius;   /* m, of particles and spheres */
    double overlap_bodies;   /* m, deepest at the end of any substep so far, before it is mended */
    double overlap_fluid;    /* m, likewise: how much closer to a body than a radius */
} weir_solve_info;

/* Never fails. */
WEIR_API weir_solve_info weir_world_get_solve_info(const weir_world *world);

/* A hash of the whole state: equal states give equal hashes on every machine. */
WEIR_API uint64_t weir_world_hash(weir_world *world);

/* --------------------------------------------------------- save and restore */

/* Types of saved arrays: floating-point and unsigned numbers of so many bits. */
typedef enum weir_section_type {
    WEIR_SECTION_F32, /* float */
    WEIR_SECTION_F64, /* double */
    WEIR_SECTION_U8,  /* bytes */
    WEIR_SECTION_U32, /* uint32_t */
    WEIR_SECTION_U64, /* uint64_t */
} weir_section_type;

/* One named array of the state. Saving reads `data`, restoring fills it. */
typedef struct weir_section {
    char name[48];          /* such as "velocity/x"; ends with a zero */
    weir_section_type type; /* of each value */
    size_t count;           /* values */
    void *data;             /* owned by the world */
} weir_section;

enum { WEIR_MAX_SECTIONS = 96 };

/* The state as named arrays, valid until the next change of the world. Returns how many. */
WEIR_API int weir_world_get_sections(weir_world *world, weir_section sections[WEIR_MAX_SECTIONS]);
/* Makes room for a saved state: the counts of its sections "id" and "contacts". Then fill the
 * sections and call finish. */
WEIR_API bool weir_world_restore_begin(weir_world *world, size_t particles, size_t contacts,
                                       weir_error *error);
/* Between begin and filling: room for a saved section of another count than it has now. Call it for
 * every section that was saved; those of fixed size are left as they are. */
WEIR_API bool weir_world_restore_reserve(weir_world *world, const char *section, size_t count,
                                         weir_error *error);
/* False where the sections hold what no world can have; the world is then of no use. */
WEIR_API bool weir_world_restore_finish(weir_world *world, weir_error *error);
/* A hash of everything that was defined (not of the state): a state fits worlds of equal value. */
WEIR_API uint64_t weir_world_fingerprint(const weir_world *world);

/* A copy of the state in memory, to go back to. It holds no definitions: bodies and joints that are
 * created or destroyed after it was taken make it useless. */
typedef struct weir_snapshot weir_snapshot;

/* NULL where memory runs out. Uses the allocator of the world, which may end before it. */
WEIR_API weir_snapshot *weir_world_take_snapshot(weir_world *world, weir_error *error);
/* Into the world that it was taken of, or one that was made in the same way. The world continues
 * bit for bit from there; after a failure it is of no use. */
WEIR_API bool weir_world_restore_snapshot(weir_world *world, const weir_snapshot *snapshot,
                                          weir_error *error);
WEIR_API size_t weir_snapshot_get_bytes(const weir_snapshot *snapshot); /* that it holds */
WEIR_API void weir_snapshot_destroy(weir_snapshot *snapshot);           /* NULL is allowed */

/* ---------------------------------------------------------------- queries */

/* Queries see the world as the last step left it, and change nothing. They look at every body,
 * those of the fluid at every particle: for a few of them each step. */

/* Where a ray ends. */
typedef struct weir_ray_hit {
    weir_body_id body;  /* that was met */
    weir_vec3 position; /* m, on its surface */
    weir_vec3 normal;   /* unit, out of it */
    double distance;    /* m from the origin */
} weir_ray_hit;

/* The first body that a ray meets: from `origin` along `direction` (any length but 0) up to
 * `max_distance` (m, > 0). False: none, or the ray is not allowed. A ray that begins in a body hits
 * it at distance 0. `hit` may be NULL. */
WEIR_API bool weir_world_cast_ray(const weir_world *world, weir_vec3 origin, weir_vec3 direction,
                                  double max_distance, weir_ray_hit *hit);

/* Bodies that touch a ball (2D: disc) of `radius` >= 0 m, in order of creation. Fills at most
 * `capacity` of them and returns how many there are; `bodies` may be NULL where capacity is 0. */
WEIR_API size_t weir_world_overlap_ball(const weir_world *world, weir_vec3 centre, double radius,
                                        weir_body_id *bodies, size_t capacity);

/* Particles in the box from `lo` to `hi`: their places in the arrays of weir_particle_view, valid
 * as long as these. Fills at most `capacity` and returns how many there are; z is ignored in 2D. */
WEIR_API size_t weir_world_overlap_fluid(const weir_world *world, weir_vec3 lo, weir_vec3 hi,
                                         uint32_t *particles, size_t capacity);

/* The fluid around a point. */
typedef struct weir_fluid_sample {
    double fill;        /* share of the place that fluid fills: 0 in air, about 1 within fluid */
    weir_vec3 velocity; /* m/s, mean around the point; 0 in air */
    double pressure;    /* Pa, likewise; 0 where the method has none */
    int fluid;          /* which has most of it, in order of creation; -1 in air */
} weir_fluid_sample;

/* The fluid at a point. True where the point is inside it: filled by more than a half. */
WEIR_API bool weir_world_sample_fluid(const weir_world *world, weir_vec3 point,
                                      weir_fluid_sample *sample);

/* ----------------------------------------------------------------- events */

/* What can happen in a step. */
typedef enum weir_event_kind {
    WEIR_EVENT_CONTACT_BEGIN, /* a and b touch, and did not a step ago */
    WEIR_EVENT_CONTACT_END,   /* a and b touched a step ago, and do not now */
    WEIR_EVENT_BODY_WET,      /* a: fluid presses on it, and did not a step ago; moved bodies */
    WEIR_EVENT_BODY_DRY,      /* a: no fluid presses on it any more */
    WEIR_EVENT_BODY_SLEEPS,   /* a came to rest */
    WEIR_EVENT_BODY_WAKES,    /* a moves again */
    WEIR_EVENT_BODY_VANISHED, /* a: its `until` has come */
    WEIR_EVENT_JOINT_BROKE,   /* `joint`, as an index of weir_world_joint_state */
    WEIR_EVENT_FLUID_SLEEPS,  /* some fluid came to rest (`sleep_time`) */
    WEIR_EVENT_FLUID_WAKES,   /* some fluid that slept is awake again */
} weir_event_kind;

/* One thing that happened. */
typedef struct weir_event {
    weir_event_kind kind; /* what happened */
    weir_body_id a, b;    /* null where the kind does not name them */
    int joint;            /* -1 likewise */
} weir_event;

/* What the last step brought, in worlds whose def asks for `events`. Fills at most `capacity` and
 * returns how many there are; `events` may be NULL where capacity is 0. */
WEIR_API size_t weir_world_get_events(const weir_world *world, weir_event *events, size_t capacity);

/* ------------------------------------------------------------- debug draw */

/* What is drawn, for colours. */
typedef enum weir_draw_role {
    WEIR_DRAW_FLUID,    /* particles */
    WEIR_DRAW_STATIC,   /* outlines of bodies, by their kind */
    WEIR_DRAW_ANIMATED, /* likewise */
    WEIR_DRAW_DYNAMIC,  /* likewise */
    WEIR_DRAW_ASLEEP,   /* dynamic bodies at rest, particles that sleep */
    WEIR_DRAW_CONTACT,  /* points with their normals */
    WEIR_DRAW_JOINT,    /* from anchor to anchor */
    WEIR_DRAW_PROBE,    /* where it measures */
} weir_draw_role;

/* The host's pen; members may be NULL. `size` in m: radius of particles, 0 for a mere mark. */
typedef struct weir_debug_draw {
    /* Particles, samples of bodies, contacts. */
    void (*point)(void *user, weir_vec3 at, double size, weir_draw_role role);
    /* Edges, joints, normals. */
    void (*line)(void *user, weir_vec3 from, weir_vec3 to, weir_draw_role role);
    void *user; /* handed to both */
} weir_debug_draw;

/* Calls the pen for everything in the world: particles and samples of bodies as points, boxes and
 * polygons, joints and normals as lines. */
WEIR_API void weir_world_draw(const weir_world *world, const weir_debug_draw *pen);

/* ---------------------------------------------------------------- machine */

/* NULL-terminated list of the instruction levels that this CPU and build can run, best last. */
WEIR_API const char *const *weir_simd_levels(void);

#ifdef __cplusplus
}
#endif

#endif
