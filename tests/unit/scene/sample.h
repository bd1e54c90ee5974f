/* A small scene that uses every kind of field, for the tests of binder and schema. */
#ifndef WEIR_TEST_SCENE_SAMPLE_H
#define WEIR_TEST_SCENE_SAMPLE_H

#include "scene/bind.h"

#include <math.h>

typedef enum sample_shape_kind { SAMPLE_BOX, SAMPLE_BALL, SAMPLE_UNION } sample_shape_kind;

typedef struct sample_shape {
    sample_shape_kind kind;
    weir_vec3 center;
    union {
        struct {
            weir_vec3 size;
        } box;
        struct {
            double radius;
        } ball;
        struct {
            struct sample_shape *items;
            size_t count;
        } children;
    } of;
} sample_shape;

static const record sample_shape_record; /* it contains itself */

static const field sample_box_fields[] = {
    {"size", FIELD_VECTOR, AT(sample_shape, of.box.size), .unit = "m", .range = ABOVE(0),
     .required = true, .meaning = "Length of the edges."},
};
static const field sample_ball_fields[] = {
    {"radius", FIELD_NUMBER, AT(sample_shape, of.ball.radius),
     INITIAL(sample_shape, of.ball.radius, 0.5), .unit = "m", .range = ABOVE(0),
     .meaning = "Radius."},
};
static const field sample_union_fields[] = {
    {"items", FIELD_LIST, AT_LIST(sample_shape, of.children.items, of.children.count),
     .record = &sample_shape_record, .min_count = 1, .required = true, .meaning = "Its parts."},
};
static const choice sample_shape_choices[] = {
    {"box", SAMPLE_BOX, "A box.", &(const field_table)TABLE(sample_box_fields)},
    {"ball", SAMPLE_BALL, "A ball.", &(const field_table)TABLE(sample_ball_fields)},
    {"union", SAMPLE_UNION, "Several shapes.", &(const field_table)TABLE(sample_union_fields)},
};
static const field sample_shape_fields[] = {
    {"shape", FIELD_CHOICE, AT(sample_shape, kind), CHOICES(sample_shape_choices), .required = true,
     .meaning = "What it is."},
    {"center", FIELD_VECTOR, AT(sample_shape, center), .unit = "m", .meaning = "Where it is."},
};
static const record sample_shape_record = {
    "shape", sizeof(sample_shape), TABLES(TABLE(sample_shape_fields)), .meaning = "A shape."};

typedef struct sample_fluid {
    const char *name;
    const node *node;
    double density, viscosity;
    float tension;
    bind_color color;
} sample_fluid;

static const field sample_fluid_fields[] = {
    {"density", FIELD_NUMBER, AT(sample_fluid, density), .unit = "kg/m3", .range = ABOVE(0),
     .required = true, .meaning = "Density at rest."},
    {"viscosity", FIELD_NUMBER, AT(sample_fluid, viscosity),
     INITIAL(sample_fluid, viscosity, 0.001), .unit = "Pa s", .range = AT_LEAST(0),
     .meaning = "Dynamic viscosity."},
};
/* A second table, as another module would add it. */
static const field sample_look_fields[] = {
    {"tension", FIELD_NUMBER, AT(sample_fluid, tension), INITIAL(sample_fluid, tension, 0.072f),
     .unit = "N/m", .range = BETWEEN(0, 1), .meaning = "Surface tension."},
    {"color", FIELD_COLOR, AT(sample_fluid, color), INITIAL(sample_fluid, color, 0, 0, 1, 1),
     .meaning = "How it is drawn."},
};
static inline bool sample_check_fluid(const void *item, const node *n, weir_error *error)
{
    const sample_fluid *f = item;
    return f->viscosity < f->density ||
           bind_error_at(n, "viscosity", error, "%g is larger than the density", f->viscosity);
}
static const record sample_fluid_record = {
    "fluid",
    sizeof(sample_fluid),
    TABLES(TABLE(sample_fluid_fields), TABLE(sample_look_fields)),
    .node_at = OFFSET_OF(sample_fluid, node),
    .name_at = OFFSET_OF(sample_fluid, name),
    .check = sample_check_fluid,
    .meaning = "A liquid."};

typedef enum sample_flow { SAMPLE_FLOW_NONE, SAMPLE_FLOW_SPEED, SAMPLE_FLOW_RATE } sample_flow;

typedef struct sample_source {
    const char *name;
    sample_flow flow;
    union {
        double speed, rate;
    } of;
    sample_shape nozzle;
} sample_source;

static const field sample_source_fields[] = {
    {"name", FIELD_TEXT, AT(sample_source, name), .meaning = "Its name."},
    {"speed", FIELD_NUMBER, AT(sample_source, of.speed), .unit = "m/s", .group = 1,
     .tag = SAMPLE_FLOW_SPEED, .meaning = "Speed of the jet."},
    {"rate", FIELD_NUMBER, AT(sample_source, of.rate), .unit = "m3/s", .group = 1,
     .tag = SAMPLE_FLOW_RATE, .meaning = "Volume per time."},
    {"nozzle", FIELD_STRUCT, AT(sample_source, nozzle), .record = &sample_shape_record,
     .meaning = "Its mouth."},
};
static const record sample_source_record = {
    "source", sizeof(sample_source), TABLES(TABLE(sample_source_fields)),
    GROUPS({.required = true, .tag_at = OFFSET_OF(sample_source, flow)}), .meaning = "An inflow."};

typedef enum sample_method { SAMPLE_SPH, SAMPLE_PBF } sample_method;

typedef struct sample_solver {
    const node *node;
    sample_method method;
    double parameters[2];
} sample_solver;

static const field sample_sph_fields[] = {
    {"stiffness", FIELD_NUMBER, .offset = 0, .size = sizeof(double), .initial = &(const double){3},
     .range = AT_LEAST(0), .meaning = "Stiffness."},
};
static const choice sample_method_choices[] = {
    {"sph", SAMPLE_SPH, NULL,
     &(const field_table){sample_sph_fields, 1, offsetof(sample_solver, parameters)}},
    {"pbf", SAMPLE_PBF, NULL, NULL},
};
static const field sample_solver_fields[] = {
    {"method", FIELD_CHOICE, AT(sample_solver, method), CHOICES(sample_method_choices),
     .meaning = "The method."},
};
static const record sample_solver_record = {"solver",
                                            sizeof(sample_solver),
                                            TABLES(TABLE(sample_solver_fields)),
                                            .shorthand = "method",
                                            .node_at = OFFSET_OF(sample_solver, node),
                                            .meaning = "How it is solved."};

typedef struct sample_scene {
    const char *title, *output, *mesh;
    int dim, substeps;
    int64_t steps;
    double dt, angle, ratio, spacing;
    bool closed;
    uint32_t periodic;
    weir_vec3 gravity;
    double *times;
    size_t time_count;
    weir_vec3 *points;
    size_t point_count;
    const char **tags;
    size_t tag_count;
    sample_fluid *fluids;
    size_t fluid_count;
    sample_source *sources;
    size_t source_count;
    sample_shape *solids;
    size_t solid_count;
    sample_solver solver;
} sample_scene;

static inline void sample_initialize(void *item)
{
    sample_scene *s = item;
    s->dim = 3;
    s->gravity = (weir_vec3){0, -9.81, 0};
}

static const choice sample_axis_choices[] = {{"x", 0, NULL, NULL}, {"y", 1, NULL, NULL}};

#define SAMPLE_AT(member) AT(sample_scene, member)
static const field sample_scene_fields[] = {
    {"title", FIELD_TEXT, SAMPLE_AT(title), INITIAL(sample_scene, title, "untitled"),
     .meaning = "Its title."},
    {"output", FIELD_PATH, SAMPLE_AT(output), .meaning = "Folder of the results."},
    {"mesh", FIELD_FILE, SAMPLE_AT(mesh), .meaning = "A mesh."},
    {"dim", FIELD_INTEGER, SAMPLE_AT(dim), .range = BETWEEN(2, 3), .meaning = "2 or 3."},
    {"substeps", FIELD_INTEGER, SAMPLE_AT(substeps), .range = BETWEEN(1, 100),
     .zero_means = "as many as stability needs", .meaning = "Substeps of a step."},
    {"steps", FIELD_INTEGER, SAMPLE_AT(steps), INITIAL(sample_scene, steps, 100),
     .range = AT_LEAST(0), .meaning = "Steps."},
    {"dt", FIELD_NUMBER, SAMPLE_AT(dt), INITIAL(sample_scene, dt, NAN), .unit = "s",
     .range = ABOVE(0), .meaning = "Time step."},
    {"angle", FIELD_NUMBER, SAMPLE_AT(angle), .unit = "rad", .meaning = "An angle."},
    {"ratio", FIELD_NUMBER, SAMPLE_AT(ratio), INITIAL(sample_scene, ratio, 0.5), .unit = "1",
     .range = ABOVE_TO(0, 1), .meaning = "A pure number."},
    {"spacing", FIELD_NUMBER, SAMPLE_AT(spacing), INITIAL(sample_scene, spacing, 0.02), .unit = "m",
     .range = ABOVE(0), .meaning = "Distance of particles."},
    {"closed", FIELD_BOOL, SAMPLE_AT(closed), INITIAL(sample_scene, closed, true),
     .meaning = "Whether it is closed."},
    {"periodic", FIELD_CHOICES, SAMPLE_AT(periodic), CHOICES(sample_axis_choices),
     .meaning = "Directions that repeat."},
    {"gravity", FIELD_VECTOR, SAMPLE_AT(gravity), .unit = "m/s2", .meaning = "Gravity."},
    {"times", FIELD_NUMBERS, AT_LIST(sample_scene, times, time_count), .unit = "s",
     .range = AT_LEAST(0), .max_count = 4, .meaning = "When pictures are taken."},
    {"points", FIELD_VECTORS, AT_LIST(sample_scene, points, point_count), .unit = "m",
     .min_count = 3, .meaning = "A polygon."},
    {"tags", FIELD_TEXTS, AT_LIST(sample_scene, tags, tag_count), .meaning = "Words."},
    {"fluids", FIELD_MAP, AT_LIST(sample_scene, fluids, fluid_count),
     .record = &sample_fluid_record, .required = true, .min_count = 1, .meaning = "Liquids."},
    {"sources", FIELD_LIST, AT_LIST(sample_scene, sources, source_count),
     .record = &sample_source_record, .meaning = "Inflows."},
    {"solids", FIELD_LIST, AT_LIST(sample_scene, solids, solid_count),
     .record = &sample_shape_record, .meaning = "Solids."},
    {"solver", FIELD_STRUCT, SAMPLE_AT(solver), .record = &sample_solver_record,
     .meaning = "The solver."},
};
static const record sample_scene_record = {"scene", sizeof(sample_scene),
                                           TABLES(TABLE(sample_scene_fields)),
                                           .initialize = sample_initialize, .meaning = "A scene."};

/* A scene that uses all of it. */
static const char sample_text[] = "# a comment\n"
                                  "title: Dam break\n"
                                  "dim: 2\n"
                                  "steps: 1e3\n"
                                  "dt: 1/120 s\n"
                                  "angle: 90 deg\n"
                                  "ratio: 50 %\n"
                                  "spacing: 7 cm\n"
                                  "closed: false\n"
                                  "periodic: [y]\n"
                                  "gravity: [0, -10]\n"
                                  "times: [0, 500 ms, 1]\n"
                                  "points: [[0, 0], [1, 0], [1, 1 mm]]\n"
                                  "tags: [a, \"2\"]\n"
                                  "fluids:\n"
                                  "  water: &water\n"
                                  "    density: 1 g/cm3\n"
                                  "    color: \"#ff8000\"\n"
                                  "  oil:\n"
                                  "    <<: *water\n"
                                  "    density: 900\n"
                                  "    viscosity: 50 cP\n"
                                  "sources:\n"
                                  "  - name: tap\n"
                                  "    rate: 60 l/min\n"
                                  "    nozzle: {shape: ball, radius: 0.1}\n"
                                  "  - {speed: 36 km/h}\n"
                                  "solids:\n"
                                  "  - shape: union\n"
                                  "    items:\n"
                                  "      - {shape: box, size: [1, 2]}\n"
                                  "      - shape: ball\n"
                                  "solver: {method: sph, stiffness: 5}\n";

#endif
