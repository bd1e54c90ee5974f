/* Studies: scenes over methods and parameters, what is measured of them, and what is expected.
 * A study is a YAML file that is read by the same tables as scenes (docs/studies.md). This room
 * reads it, lists its cases, and turns the results of runs into numbers, judgements, plots and
 * reports. Running the cases is the program's business. */
#ifndef WEIR_STUDY_STUDY_H
#define WEIR_STUDY_STUDY_H

#include "base/json.h"
#include "scene/bind.h"

/* Names of variants that a case must have, all of them: [pbf], [sph, 2 cm]; none: every case. */
typedef struct study_where {
    const char **names;
    size_t count;
} study_where;

/* One value of an axis. */
typedef struct study_variant {
    const node *node;
    const char *name;
    const char *method; /* NULL: as the scene says */
    const char *scene;  /* NULL: the study's */
    double value;       /* for plots; NAN: from the name and the axis' unit */
    const char **set;
    size_t set_count;
    bool quick; /* whether --quick keeps it */
} study_variant;

typedef struct study_axis {
    const node *node;
    const char *name, *unit, *key;
    study_variant *values;
    size_t value_count;
} study_axis;

/* Further settings of some cases, or the reason why they are not run. */
typedef struct study_rule {
    const node *node;
    study_where where;
    const char **set;
    size_t set_count;
    const char *reason;
} study_rule;

typedef enum study_curve_kind {
    STUDY_STATISTICS, /* a column of statistics.csv */
    STUDY_PROBE,      /* a column of probes.csv */
    STUDY_BODY,       /* the pose or velocity of a body */
    STUDY_EXTENT,     /* how far the particles reach */
    STUDY_MOMENT,     /* centre, semi-axes, angular momentum of the particles */
    STUDY_PROFILE,    /* a value of the particles along an axis */
} study_curve_kind;

typedef enum study_quantity {
    STUDY_X,
    STUDY_Y,
    STUDY_Z,
    STUDY_VX,
    STUDY_VY,
    STUDY_VZ,
    STUDY_ANGLE,
    STUDY_SPIN,
    STUDY_CENTRE_X,
    STUDY_CENTRE_Y,
    STUDY_CENTRE_Z,
    STUDY_SEMI_AXIS_X,
    STUDY_SEMI_AXIS_Y,
    STUDY_SEMI_AXIS_Z,
    STUDY_ANGULAR_MOMENTUM,
    STUDY_KINETIC_ENERGY,
    STUDY_WAVE_X,
    STUDY_DENSITY,
    STUDY_PRESSURE,
    STUDY_NEIGHBOURS,
    STUDY_SPEED,
    STUDY_DEPTH,
} study_quantity;

typedef enum study_normal { STUDY_AS_IT_IS, STUDY_OVER_FIRST, STUDY_OVER_LARGEST } study_normal;

typedef struct study_curve {
    const node *node;
    const char *name;
    int kind;           /* study_curve_kind */
    const char *column; /* statistics, probe */
    const char *body;
    int quantity;      /* study_quantity: body, moment, profile */
    int along;         /* study_quantity: of a profile; axis of an extent */
    int side;          /* extent: 1 the largest, 0 the smallest */
    double skip;       /* extent: share of the particles that may lie beyond */
    double wavelength; /* m, of a wave; NAN otherwise */
    int64_t bins;
    weir_vec3 *within; /* two corners, or none */
    size_t within_count;
    double from, to; /* s, the span that counts; NAN: all, or the last frame of a profile */
    int normal;      /* study_normal */
    double x_offset, x_scale, y_offset, y_scale;
    weir_vec3 *tie; /* one point, x and y, that the curve is moved to along x; or none */
    size_t tie_count;
    const char *x_label, *y_label;
} study_curve;

typedef struct study_reference {
    const node *node;
    const char *name;
    weir_vec3 *points; /* x, y */
    size_t point_count;
    const char *source;
    bool marks; /* drawn as marks, as measurements are */
} study_reference;

typedef enum study_reduction {
    STUDY_LAST,
    STUDY_FIRST,
    STUDY_MEAN,
    STUDY_MIN,
    STUDY_MAX,
    STUDY_RANGE,
    STUDY_CHANGE,
    STUDY_AT,
    STUDY_SLOPE,
    STUDY_CURVATURE,
    STUDY_CROSSING,
    STUDY_PERIOD,
    STUDY_DECAY,
    STUDY_RMS_ERROR,
    STUDY_MAX_ERROR,
} study_reduction;

typedef struct study_expectation {
    const node *node;
    study_where where;
    double value, tolerance; /* NAN: not given */
    double at_most, at_least;
    bool absolute; /* the tolerance is not a share of the value */
    const char *source;
} study_expectation;

typedef struct study_measure {
    const node *node;
    const char *name, *label, *unit;
    study_where where;
    const char *report, *over; /* paths of report.json; NULL: from a curve */
    const char *curve;
    int reduction; /* study_reduction */
    double at, level;
    double from, to; /* of the curve's x; NAN: all */
    const char *reference;
    double offset, scale;
    bool size;         /* without its sign */
    const char *order; /* axis over which the error's order is found; NULL: none */
    study_expectation *expect;
    size_t expect_count;
} study_measure;

/* A claim about two groups of cases: the mean of a measure over one and over the other. */
typedef struct study_finding {
    const node *node;
    const char *claim, *measure, *source;
    study_where of, over; /* over: none = the value itself */
    double at_most, at_least;
} study_finding;

typedef struct study_plot {
    const node *node;
    const char *title;
    const char *curve;             /* all cases in one plot, or */
    const char *measure, *against; /* a measure against an axis, one line for each rest of a case */
    const char **references;
    size_t reference_count;
    study_where where;
    bool log_x, log_y, error;
    const char *x_label, *y_label;
} study_plot;

typedef struct study_picture {
    const node *node;
    const char *title;
    study_where where;
    double time; /* NAN: the last frame */
    const char *color, *range;
} study_picture;

typedef struct study_data {
    const node *node;
    const char *title, *question, *setup, *follows, *source, *scene;
    const char **set, **quick_set;
    size_t set_count, quick_set_count;
    const char **methods;
    size_t method_count;
    bool timed; /* one case at a time, so that times can be compared */
    study_axis *axes;
    size_t axis_count;
    study_rule *adjust, *unable;
    size_t adjust_count, unable_count;
    study_curve *curves;
    size_t curve_count;
    study_reference *references;
    size_t reference_count;
    study_measure *measures;
    size_t measure_count;
    study_finding *findings;
    size_t finding_count;
    study_plot *plots;
    size_t plot_count;
    study_picture *pictures;
    size_t picture_count;
} study_data;

enum { STUDY_MAX_AXES = 6, STUDY_MAX_CASES = 2000 };

/* One run. */
typedef struct study_case {
    const char *name;   /* "sph, 2 cm" */
    const char *folder; /* of its results, below that of the study: "sph_2-cm" */
    const char *scene, *method;
    const char **set;
    size_t set_count;
    size_t index[STUDY_MAX_AXES]; /* variant of each axis */
    const char *unable;           /* why it is not run; NULL: it is */
    bool needs_frames;
} study_case;

typedef struct study {
    study_data data;
    char *name, *path; /* as scenes have them */
    bool quick;
    tree *tree;
    store kept;
    study_case *cases;
    size_t case_count;
} study;

/* Reads a file, checks it and lists its cases. NULL on failure. */
study *study_load(const char *path, bool quick, weir_error *error);
void study_free(study *s);

const record *study_record(void);
bool study_reference_page(char **text, weir_error *error);

/* The axis of this name, or -1. */
int study_find_axis(const study *s, const char *name);
const study_variant *study_variant_of(const study *s, const study_case *c, size_t axis);
/* The number of a variant: as given, or read from its name; NAN where it has none. */
double study_value(const study *s, size_t axis, size_t index);
bool study_matches(const study *s, const study_case *c, const study_where *where);
/* Whether any case matches: a quick study may lack those that a plot or a finding is about. */
bool study_has(const study *s, const study_where *where);

const study_curve *study_find_curve(const study *s, const char *name);
const study_reference *study_find_reference(const study *s, const char *name);
const study_measure *study_find_measure(const study *s, const char *name);

/* A hash of what a case is computed from: its scene file, its settings and the program. */
bool study_fingerprint(const study_case *c, uint64_t program, uint64_t *value, weir_error *error);

#endif
