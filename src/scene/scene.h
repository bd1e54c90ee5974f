/* A scene: everything that a scene file says, as structs, and the world that is built from it.
 * scene_tables.c describes the file, scene_build.c makes the world, scene_check.c refuses what no
 * table can refuse. A new section of the file is a struct here, a table there and a build function.
 */
#ifndef WEIR_SCENE_SCENE_H
#define WEIR_SCENE_SCENE_H

#include "base/json.h"
#include "base/vec.h"
#include "scene/bind.h"
#include "scene/fill.h"
#include "weir/weir.h"

/* An axis and an angle, or an angular speed, about it. */
typedef struct scene_turn {
    const node *node;
    double angle; /* rad, or rad/s */
    vec3 axis;    /* z by default, and always in 2D */
} scene_turn;

typedef enum scene_shape_kind {
    SCENE_HALF_SPACE,
    SCENE_BOX,
    SCENE_SPHERE,
    SCENE_CAPSULE,
    SCENE_CYLINDER,
    SCENE_POLYGON,
    SCENE_MESH,
    SCENE_UNION,
} scene_shape_kind;

typedef struct scene_box {
    const node *node;
    vec3 from, to, size, center;
} scene_box;

/* Of a capsule or cylinder: an axis from one end to the other. */
typedef struct scene_rod {
    double radius;
    vec3 from, to;
} scene_rod;

typedef struct scene_mesh {
    const char *file;
    double scale;
    bool repair;
} scene_mesh;

typedef struct scene_shape {
    const node *node;
    int kind; /* scene_shape_kind */
    union {
        struct scene_half_space {
            vec3 normal, point;
        } half_space;
        scene_box box;
        struct scene_sphere {
            double radius;
            vec3 center;
        } sphere;
        scene_rod rod;
        struct scene_polygon {
            vec3 *points;
            size_t count;
        } polygon;
        scene_mesh mesh;
        struct {
            struct scene_shape *items;
            size_t count;
        } parts;
    } of;
    vec3 position;
    scene_turn rotation;
    double rounding;
    bool inside;
} scene_shape;

typedef struct scene_fluid {
    const node *node;
    const char *name;
    int preset;                                 /* index of weir_fluid_preset; -1 = none */
    double density, viscosity, surface_tension; /* NAN = the preset's */
} scene_fluid;

/* Velocities at the start that vary from place to place. */
typedef enum scene_flow_kind {
    SCENE_FLOW_NONE,
    SCENE_FLOW_ROTATION,
    SCENE_FLOW_STRAIN,
    SCENE_FLOW_VORTICES
} scene_flow_kind;

typedef struct scene_flow {
    int kind; /* scene_flow_kind */
    vec3 center;
    double rate;          /* 1/s, of rotation and strain */
    double speed, length; /* m/s and m, of vortices */
} scene_flow;

typedef struct scene_fill {
    const node *node;
    const char *name;
    const char *fluid; /* NULL = the only one */
    scene_shape shape;
    vec3 velocity;
    scene_flow flow;
    int lattice; /* fill_lattice */
    double jitter;
} scene_fill;

typedef struct scene_keyframe {
    double time;
    vec3 position;
    scene_turn rotation;
} scene_keyframe;

typedef struct scene_motion {
    const node *node;
    vec3 velocity, oscillation;
    scene_turn spin, rocking;
    double frequency, phase, start, end;
    bool loop;
    scene_keyframe *keyframes;
    size_t keyframe_count;
} scene_motion;

/* How a solid or body meets others, and particles of the viscoelastic method. */
typedef struct scene_contact {
    double friction, restitution;
    double wet_friction; /* NAN = by the wall */
    double stickiness, stick_distance;
    const char *group;     /* NULL = none */
    const char **collides; /* groups; NULL = all */
    size_t collide_count;
} scene_contact;

typedef struct scene_solid {
    const node *node;
    const char *name;
    scene_shape shape;
    vec3 position;
    scene_turn rotation;
    scene_motion motion;
    double until; /* s; 0 = for ever */
    int wall;     /* weir_wall */
    scene_contact contact;
} scene_solid;

/* A solid that forces move. */
typedef struct scene_body {
    const node *node;
    const char *name;
    scene_shape shape;
    double density, mass; /* one of them is 0 */
    vec3 position, velocity;
    scene_turn rotation, spin;
    int wall; /* weir_wall */
    scene_contact contact;
} scene_body;

typedef struct scene_motor {
    const node *node;  /* NULL = no motor */
    int kind;          /* weir_motor */
    double target;     /* of hinges rad/s or rad, of sliders m/s or m */
    double max_effort; /* N m or N; 0 = no limit */
} scene_motor;

typedef struct scene_joint {
    const node *node;
    const char *name;
    int kind;          /* weir_joint_kind */
    const char *a, *b; /* bodies or solids; b may be NULL: the world */
    vec3 anchor;       /* NAN = the position of a */
    vec3 anchor_b;     /* NAN = the position of b */
    vec3 axis;
    double length; /* NAN = as created */
    double stiffness, damping;
    double *limits; /* two, or none */
    size_t limit_count;
    scene_motor motor;
    double break_force; /* 0 = never */
    bool collide;
} scene_joint;

typedef struct scene_interval {
    const node *node;
    double *ends; /* s, two */
    size_t end_count;
} scene_interval;

typedef enum scene_nozzle_kind { SCENE_CIRCLE, SCENE_RECTANGLE, SCENE_SLOT } scene_nozzle_kind;

typedef struct scene_nozzle {
    const node *node;
    int kind; /* scene_nozzle_kind */
    union {
        struct scene_circle {
            double radius;
        } circle;
        struct scene_rectangle {
            double width, height;
            vec3 up;
        } rectangle;
        struct scene_slot {
            double width;
        } slot;
    } of;
} scene_nozzle;

typedef struct scene_emitter {
    const node *node;
    const char *name, *fluid;
    scene_nozzle nozzle;
    vec3 position, direction;
    double speed, flow_rate, max_volume;
    scene_interval *schedule;
    size_t schedule_count;
} scene_emitter;

typedef struct scene_sink {
    const node *node;
    const char *name;
    scene_shape shape;
    double max_volume;
    scene_interval *schedule;
    size_t schedule_count;
} scene_sink;

typedef struct scene_probe {
    const node *node;
    const char *name;
    int kind; /* weir_probe_kind */
    vec3 position, normal;
    double radius;
} scene_probe;

typedef struct scene_method {
    const node *node;
    int name; /* weir_method */
    double parameters[WEIR_MAX_PARAMETERS];
} scene_method;

/* Parameters of the method that change while the scene runs. */
typedef struct scene_change {
    const node *node;
    double at; /* s */
    scene_method method;
} scene_change;

typedef struct scene_time {
    const node *node;
    double end, step;
    int substeps;
    bool allow_unstable;
} scene_time;

enum { SCENE_FRAMES_VTP, SCENE_FRAMES_PLY, SCENE_FRAMES_BGEO };

typedef struct scene_output {
    const node *node;
    double every, probes_every;
    uint32_t frames; /* bits of SCENE_FRAMES_ */
    uint32_t fields; /* bits: indices of scene_field_name */
} scene_output;

/* Kept for the renderer. */
typedef struct scene_camera {
    const node *node;
    vec3 position, target, up;
    double fov, height;
} scene_camera;

typedef struct scene_period {
    double *ends; /* m, two */
    size_t count; /* 2 where the axis repeats, else 0 */
} scene_period;

typedef struct scene_periodic {
    const node *node;
    scene_period x, y, z;
} scene_periodic;

typedef struct scene_coupling {
    const node *node;
    int mode, solver;
    double radius, restitution, stiffness, damping;
} scene_coupling;

/* What the file says; the root record binds this. */
typedef struct scene_data {
    const node *node;
    const char *title;
    int dim, kernel;
    double spacing, support;
    scene_method method;
    vec3 gravity, acceleration;
    scene_periodic periodic;
    scene_coupling coupling;
    scene_time time;
    int64_t seed, max_particles;
    double sleep_time;
    scene_fluid *fluids;
    size_t fluid_count;
    scene_fill *fills;
    size_t fill_count;
    scene_solid *solids;
    size_t solid_count;
    scene_body *bodies;
    size_t body_count;
    scene_joint *joints;
    size_t joint_count;
    scene_emitter *emitters;
    size_t emitter_count;
    scene_sink *sinks;
    size_t sink_count;
    scene_probe *probes;
    size_t probe_count;
    scene_change *changes;
    size_t change_count;
    scene_output output;
    scene_camera camera;
} scene_data;

/* The kernel radius in spacings, where the file leaves it open what suits the method. */
double scene_support(const scene_data *d);

enum { SCENE_MAX_NOTES = 32 };

typedef struct scene {
    scene_data data;
    char *name;                    /* of the file, without folder and ending */
    char *path;                    /* as given */
    tree *tree;                    /* where the nodes live */
    store kept;                    /* tables, and what was bound */
    struct mesh_distance **meshes; /* sampled while the scene is built */
    size_t mesh_count;
    const char *notes[SCENE_MAX_NOTES]; /* what the user should know of how it was built */
    size_t note_count;
} scene;

/* A value that the command line puts in place of what the file says. */
typedef struct scene_override {
    const char *option;     /* for messages: "--set" */
    const char *assignment; /* "time.step=1/120 s" */
} scene_override;

/* Reads, binds and checks a file; builds nothing yet. NULL on failure. */
scene *scene_load(const char *path, const scene_override *overrides, size_t count,
                  weir_error *error);
void scene_free(scene *s);

typedef struct scene_build_options {
    int threads;      /* 0 = all cores */
    const char *simd; /* NULL = the best */
} scene_build_options;

/* What was built, beside the world. */
typedef struct scene_counts {
    size_t *fills; /* particles of each fill; lives as long as the scene */
    size_t particles;
    double bytes_per_particle; /* estimate for a running world, with its neighbour lists */
} scene_counts;

/* Builds the world with all that the scene has in it. `counts` may be NULL. */
weir_world *scene_build(scene *s, const scene_build_options *options, scene_counts *counts,
                        weir_error *error);

/* A hash of the scene as it was built, start state included: a checkpoint fits a scene of equal
 * value. To be asked before the first step. */
uint64_t scene_fingerprint(weir_world *world);

/* The index-th fluid: what was written, over its preset. */
weir_fluid_def scene_fluid_def(const scene *s, size_t index);

/* The record of a scene file, in `kept`; NULL on failure. */
const record *scene_record(store *kept, weir_error *error);

/* The schema of scene files, as JSON, and the same as a Markdown reference. */
bool scene_schema(json *j, weir_error *error);
bool scene_reference(char **text, weir_error *error);
/* The reference of any record and those below it, behind an opening; to be freed. */
bool record_reference(const record *root, const char *opening, char **text, weir_error *error);

/* The values per particle that frames can have, over all methods; NULL behind the last. The first
 * three are of every method. */
const char *scene_field_name(int index);
enum { SCENE_FIELD_VELOCITY, SCENE_FIELD_ID, SCENE_FIELD_FLUID, SCENE_FIELD_METHOD };

#endif
