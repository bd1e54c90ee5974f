/* What a study file may say. */
#include "study/study.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double none = NAN;

#define WHERE(type, member, text)                                                                  \
    {                                                                                              \
        "where", FIELD_TEXTS, AT_LIST(type, member.names, member.count), .meaning = text           \
    }
#define OPTIONAL(type, member) AT(type, member), .initial = &none

/* ------------------------------------------------------------------------ cases */

static void start_variant(void *item)
{
    study_variant *v = item;
    v->value = NAN;
    v->quick = true;
}

static const field variant_fields[] = {
    {"name", FIELD_TEXT, AT(study_variant, name), .required = true,
     .meaning = "What it is called; with a key, also the value of that key."},
    {"method", FIELD_TEXT, AT(study_variant, method), .meaning = "The method that it runs by."},
    {"scene", FIELD_FILE, AT(study_variant, scene), .meaning = "A scene of its own."},
    {"value", FIELD_NUMBER, AT(study_variant, value),
     .meaning = "The number that plots show, where it is not that of the name."},
    {"set", FIELD_TEXTS, AT_LIST(study_variant, set, set_count),
     .meaning = "What it changes in the scene: [key=value, ...]."},
    {"quick", FIELD_BOOL, AT(study_variant, quick),
     .meaning = "Whether a quick study has it, too; true without it."},
};
static const record variant_record = {"study_variant",
                                      sizeof(study_variant),
                                      TABLES(TABLE(variant_fields)),
                                      .shorthand = "name",
                                      .node_at = OFFSET_OF(study_variant, node),
                                      .initialize = start_variant,
                                      .meaning = "One value of an axis."};

static const field axis_fields[] = {
    {"name", FIELD_TEXT, AT(study_axis, name), .required = true, .meaning = "What varies."},
    {"unit", FIELD_TEXT, AT(study_axis, unit), .meaning = "SI unit of the values, for plots."},
    {"key", FIELD_TEXT, AT(study_axis, key),
     .meaning = "Key of the scene that takes the values' names."},
    {"values", FIELD_LIST, AT_LIST(study_axis, values, value_count), .record = &variant_record,
     .min_count = 1, .max_count = 64, .required = true, .meaning = "The values."},
};
static const record axis_record = {"study_axis", sizeof(study_axis), TABLES(TABLE(axis_fields)),
                                   .node_at = OFFSET_OF(study_axis, node),
                                   .meaning = "Something that varies from case to case."};

static const field adjust_fields[] = {
    WHERE(study_rule, where, "Names that a case must have, all of them: [pbf, 2 cm]."),
    {"set", FIELD_TEXTS, AT_LIST(study_rule, set, set_count), .required = true,
     .meaning = "What changes in the scene: [key=value, ...]."},
};
static const record adjust_record = {
    "study_adjustment", sizeof(study_rule), TABLES(TABLE(adjust_fields)),
    .node_at = OFFSET_OF(study_rule, node), .meaning = "Settings of some cases."};

static const field unable_fields[] = {
    WHERE(study_rule, where, "Names that a case must have, all of them."),
    {"reason", FIELD_TEXT, AT(study_rule, reason), .required = true,
     .meaning = "Why these cases are not run; the report says it."},
};
static const record unable_record = {
    "study_inability", sizeof(study_rule), TABLES(TABLE(unable_fields)),
    .node_at = OFFSET_OF(study_rule, node), .meaning = "Cases that cannot be done."};

/* ----------------------------------------------------------------------- curves */

static const field column_fields[] = {
    {"column", FIELD_TEXT, AT(study_curve, column), .required = true,
     .meaning = "Name of the column."},
};
static const field_table column_table = TABLE(column_fields);

static const choice body_choices[] = {
    {"x", STUDY_X, "Position.", NULL},        {"y", STUDY_Y, "Position.", NULL},
    {"z", STUDY_Z, "Position.", NULL},        {"vx", STUDY_VX, "Velocity.", NULL},
    {"vy", STUDY_VY, "Velocity.", NULL},      {"vz", STUDY_VZ, "Velocity.", NULL},
    {"angle", STUDY_ANGLE, "About z.", NULL}, {"spin", STUDY_SPIN, "About z.", NULL},
};
static const field body_fields[] = {
    {"body", FIELD_TEXT, AT(study_curve, body), .required = true,
     .meaning = "Name of a body or solid of the scene."},
    {"quantity", FIELD_CHOICE, AT(study_curve, quantity), CHOICES(body_choices), .required = true,
     .meaning = "What of it."},
};
static const field_table body_table = TABLE(body_fields);

static const choice axis_choices[] = {
    {"x", STUDY_X, NULL, NULL}, {"y", STUDY_Y, NULL, NULL}, {"z", STUDY_Z, NULL, NULL}};
static const choice side_choices[] = {{"max", 1, "The largest.", NULL},
                                      {"min", 0, "The smallest.", NULL}};
#define WITHIN                                                                                     \
    {                                                                                              \
        "within", FIELD_VECTORS, AT_LIST(study_curve, within, within_count),                       \
            .min_count = 2, .max_count = 2, .unit = "m",                                           \
            .meaning = "Two opposite corners: only particles between them count."                  \
    }
static const field extent_fields[] = {
    {"axis", FIELD_CHOICE, AT(study_curve, along), CHOICES(axis_choices), .required = true,
     .meaning = "Along which axis."},
    {"side", FIELD_CHOICE, AT(study_curve, side), INITIAL(study_curve, side, 1),
     CHOICES(side_choices), .meaning = "The largest coordinate, or the smallest."},
    {"skip", FIELD_NUMBER, AT(study_curve, skip), INITIAL(study_curve, skip, 0),
     .range = BETWEEN(0, 0.5), .meaning = "Share of the particles that may lie beyond, as spray."},
    WITHIN,
};
static const field_table extent_table = TABLE(extent_fields);

static const choice moment_choices[] = {
    {"centre_x", STUDY_CENTRE_X, "Centre of mass.", NULL},
    {"centre_y", STUDY_CENTRE_Y, "Centre of mass.", NULL},
    {"centre_z", STUDY_CENTRE_Z, "Centre of mass.", NULL},
    {"semi_axis_x", STUDY_SEMI_AXIS_X, "Of the ellipse of the same second moment.", NULL},
    {"semi_axis_y", STUDY_SEMI_AXIS_Y, "Of the ellipse of the same second moment.", NULL},
    {"semi_axis_z", STUDY_SEMI_AXIS_Z, "Of the ellipsoid of the same second moment.", NULL},
    {"angular_momentum", STUDY_ANGULAR_MOMENTUM, "About z through the origin, per mass.", NULL},
    {"kinetic_energy", STUDY_KINETIC_ENERGY, "Per mass.", NULL},
    {"wave_x", STUDY_WAVE_X, "Mean of cos(2 pi x/wavelength).", NULL},
};
static const field moment_fields[] = {
    {"quantity", FIELD_CHOICE, AT(study_curve, quantity), CHOICES(moment_choices), .required = true,
     .meaning =
         "Which moment. wave_x is the mean of cos(2 pi x/wavelength): times twice the depth, "
         "the amplitude of a standing wave."},
    {"wavelength", FIELD_NUMBER, OPTIONAL(study_curve, wavelength), .unit = "m", .range = ABOVE(0),
     .meaning = "Of wave_x."},
    WITHIN,
};
static const field_table moment_table = TABLE(moment_fields);

static const choice value_choices[] = {
    {"density", STUDY_DENSITY, "Over that at rest.", NULL},
    {"pressure", STUDY_PRESSURE, "Pa.", NULL},
    {"neighbours", STUDY_NEIGHBOURS, "Particles within the kernel radius.", NULL},
    {"vx", STUDY_VX, "Velocity.", NULL},
    {"vy", STUDY_VY, "Velocity.", NULL},
    {"vz", STUDY_VZ, "Velocity.", NULL},
    {"speed", STUDY_SPEED, "Size of the velocity.", NULL},
};
static const choice along_choices[] = {
    {"x", STUDY_X, NULL, NULL},
    {"y", STUDY_Y, NULL, NULL},
    {"z", STUDY_Z, NULL, NULL},
    {"depth", STUDY_DEPTH, "Below the level that 1 % of the particles are above.", NULL},
};
static const field profile_fields[] = {
    {"quantity", FIELD_CHOICE, AT(study_curve, quantity), CHOICES(value_choices), .required = true,
     .meaning = "Which value of the particles."},
    {"along", FIELD_CHOICE, AT(study_curve, along), CHOICES(along_choices), .required = true,
     .meaning = "Along what."},
    {"bins", FIELD_INTEGER, AT(study_curve, bins), INITIAL(study_curve, bins, 20),
     .range = BETWEEN(1, 1000), .meaning = "Points of the profile; each is a mean."},
    WITHIN,
};
static const field_table profile_table = TABLE(profile_fields);

static const choice curve_choices[] = {
    {"statistics", STUDY_STATISTICS, "A column of statistics.csv.", &column_table},
    {"probe", STUDY_PROBE, "A column of probes.csv.", &column_table},
    {"body", STUDY_BODY, "The pose or velocity of a body.", &body_table},
    {"extent", STUDY_EXTENT, "How far the particles reach.", &extent_table},
    {"moment", STUDY_MOMENT, "A moment of all particles.", &moment_table},
    {"profile", STUDY_PROFILE, "A value of the particles along an axis, a mean over frames.",
     &profile_table},
};
static const choice normal_choices[] = {
    {"none", STUDY_AS_IT_IS, "As it is.", NULL},
    {"first", STUDY_OVER_FIRST, "Over its first value.", NULL},
    {"largest", STUDY_OVER_LARGEST, "Over its largest size.", NULL},
};
static const field curve_fields[] = {
    {"kind", FIELD_CHOICE, AT(study_curve, kind), CHOICES(curve_choices), .required = true,
     .meaning = "Where it comes from; further keys follow from it."},
    {"from", FIELD_NUMBER, OPTIONAL(study_curve, from), .unit = "s",
     .meaning = "Begin of the span of time that counts; of a profile: the last frame without it."},
    {"to", FIELD_NUMBER, OPTIONAL(study_curve, to), .unit = "s", .meaning = "End of that span."},
    {"over", FIELD_CHOICE, AT(study_curve, normal), INITIAL(study_curve, normal, 0),
     CHOICES(normal_choices), .meaning = "What the values are divided by."},
    {"x_offset", FIELD_NUMBER, AT(study_curve, x_offset), INITIAL(study_curve, x_offset, 0),
     .meaning = "Added to x."},
    {"x_scale", FIELD_NUMBER, AT(study_curve, x_scale), INITIAL(study_curve, x_scale, 1),
     .meaning = "Then x is multiplied by it."},
    {"y_offset", FIELD_NUMBER, AT(study_curve, y_offset), INITIAL(study_curve, y_offset, 0),
     .meaning = "Added to y."},
    {"y_scale", FIELD_NUMBER, AT(study_curve, y_scale), INITIAL(study_curve, y_scale, 1),
     .meaning = "Then y is multiplied by it."},
    {"tie", FIELD_VECTORS, AT_LIST(study_curve, tie, tie_count), .max_count = 1,
     .meaning = "[[x, y]]: the curve is then moved along x so that it first passes y at x, as "
                "experiments are tied whose start is not known."},
    {"x_label", FIELD_TEXT, AT(study_curve, x_label), .meaning = "Of plots, with the unit."},
    {"y_label", FIELD_TEXT, AT(study_curve, y_label), .meaning = "Of plots, with the unit."},
};

static bool check_curve(const void *item, const node *n, weir_error *error)
{
    const study_curve *c = item;
    bool is_wave = c->kind == STUDY_MOMENT && c->quantity == STUDY_WAVE_X;
    return !is_wave || !isnan(c->wavelength) ||
           bind_error_at(n, "wavelength", error, "is missing: wave_x needs it");
}

static const record curve_record = {"study_curve",
                                    sizeof(study_curve),
                                    TABLES(TABLE(curve_fields)),
                                    .node_at = OFFSET_OF(study_curve, node),
                                    .name_at = OFFSET_OF(study_curve, name),
                                    .check = check_curve,
                                    .meaning = "A series of points that each case gives."};

static const field reference_fields[] = {
    {"points", FIELD_VECTORS, AT_LIST(study_reference, points, point_count), .min_count = 2,
     .required = true, .meaning = "Points [x, y] in the order of x."},
    {"source", FIELD_TEXT, AT(study_reference, source), .required = true,
     .meaning = "Where they are from."},
    {"marks", FIELD_BOOL, AT(study_reference, marks), INITIAL(study_reference, marks, false),
     .meaning = "Drawn as marks, as measurements are."},
};
static const record reference_record = {"study_reference",
                                        sizeof(study_reference),
                                        TABLES(TABLE(reference_fields)),
                                        .node_at = OFFSET_OF(study_reference, node),
                                        .name_at = OFFSET_OF(study_reference, name),
                                        .meaning = "A curve that is known."};

/* --------------------------------------------------------------------- measures */

static const field expectation_fields[] = {
    WHERE(study_expectation, where, "Cases that it is about; all without it."),
    {"value", FIELD_NUMBER, OPTIONAL(study_expectation, value), .meaning = "What is expected."},
    {"tolerance", FIELD_NUMBER, OPTIONAL(study_expectation, tolerance), .range = AT_LEAST(0),
     .meaning = "How far off it may be, as a share of the value."},
    {"absolute", FIELD_BOOL, AT(study_expectation, absolute),
     INITIAL(study_expectation, absolute, false),
     .meaning = "Whether the tolerance has the measure's unit instead."},
    {"at_most", FIELD_NUMBER, OPTIONAL(study_expectation, at_most), .meaning = "An upper bound."},
    {"at_least", FIELD_NUMBER, OPTIONAL(study_expectation, at_least), .meaning = "A lower bound."},
    {"source", FIELD_TEXT, AT(study_expectation, source), .required = true,
     .meaning = "Where the expectation is from."},
};

static bool check_expectation(const void *item, const node *n, weir_error *error)
{
    const study_expectation *e = item;
    if (!isnan(e->value) && isnan(e->tolerance))
        return bind_error_at(n, "tolerance", error, "is missing: a value needs one");
    return !isnan(e->value) || !isnan(e->at_most) || !isnan(e->at_least) ||
           bind_error_at(n, NULL, error, "needs one of the keys: value, at_most, at_least");
}

static const record expectation_record = {"study_expectation",
                                          sizeof(study_expectation),
                                          TABLES(TABLE(expectation_fields)),
                                          .node_at = OFFSET_OF(study_expectation, node),
                                          .check = check_expectation,
                                          .meaning = "What a measure should be."};

static const choice reduction_choices[] = {
    {"last", STUDY_LAST, "Its last value.", NULL},
    {"first", STUDY_FIRST, "Its first value.", NULL},
    {"mean", STUDY_MEAN, "The mean of its points.", NULL},
    {"min", STUDY_MIN, "The smallest value.", NULL},
    {"max", STUDY_MAX, "The largest value.", NULL},
    {"range", STUDY_RANGE, "Largest minus smallest.", NULL},
    {"change", STUDY_CHANGE, "Last minus first.", NULL},
    {"at", STUDY_AT, "The value at x = at, between points by a straight line.", NULL},
    {"slope", STUDY_SLOPE, "Of the straight line of least squares.", NULL},
    {"curvature", STUDY_CURVATURE, "Second derivative of the parabola of least squares.", NULL},
    {"crossing", STUDY_CROSSING, "The first x at which it passes `level`.", NULL},
    {"period", STUDY_PERIOD, "Mean time between rises through its mean.", NULL},
    {"decay", STUDY_DECAY, "Share of the amplitude that a period loses.", NULL},
    {"rms_error", STUDY_RMS_ERROR, "Root mean square of the difference to a reference.", NULL},
    {"max_error", STUDY_MAX_ERROR, "Largest difference to a reference.", NULL},
};
static const field measure_fields[] = {
    {"label", FIELD_TEXT, AT(study_measure, label), .meaning = "In tables; the name without it."},
    {"unit", FIELD_TEXT, AT(study_measure, unit), .meaning = "Its unit."},
    WHERE(study_measure, where, "Cases that it is taken of; all without it."),
    {"report", FIELD_TEXT, AT(study_measure, report),
     .meaning = "A number of report.json: density.compression_max, bodies.box.centre.1."},
    {"over", FIELD_TEXT, AT(study_measure, over),
     .meaning = "Another number of report.json that it is divided by."},
    {"curve", FIELD_TEXT, AT(study_measure, curve), .meaning = "The curve that it is taken from."},
    {"take", FIELD_CHOICE, AT(study_measure, reduction), INITIAL(study_measure, reduction, 0),
     CHOICES(reduction_choices), .meaning = "What of the curve."},
    {"at", FIELD_NUMBER, OPTIONAL(study_measure, at), .meaning = "The x of `at`."},
    {"level", FIELD_NUMBER, OPTIONAL(study_measure, level), .meaning = "The y of `crossing`."},
    {"from", FIELD_NUMBER, OPTIONAL(study_measure, from), .meaning = "Only points with x from it."},
    {"to", FIELD_NUMBER, OPTIONAL(study_measure, to), .meaning = "Only points with x up to it."},
    {"reference", FIELD_TEXT, AT(study_measure, reference), .meaning = "For errors."},
    {"offset", FIELD_NUMBER, AT(study_measure, offset), INITIAL(study_measure, offset, 0),
     .meaning = "Added to it."},
    {"scale", FIELD_NUMBER, AT(study_measure, scale), INITIAL(study_measure, scale, 1),
     .meaning = "Then it is multiplied by it."},
    {"size", FIELD_BOOL, AT(study_measure, size), INITIAL(study_measure, size, false),
     .meaning = "Taken without its sign."},
    {"order", FIELD_TEXT, AT(study_measure, order),
     .meaning = "Axis over which the order of its error is found: error ~ value^order."},
    {"expect", FIELD_LIST, AT_LIST(study_measure, expect, expect_count),
     .record = &expectation_record, .meaning = "What it should be."},
};

static bool check_measure(const void *item, const node *n, weir_error *error)
{
    const study_measure *m = item;
    if (!m->report == !m->curve)
        return bind_error_at(n, NULL, error, "needs one of the keys: report, curve");
    if (m->curve && m->reduction == STUDY_AT && isnan(m->at))
        return bind_error_at(n, "at", error, "is missing: take: at needs it");
    if (m->curve && m->reduction == STUDY_CROSSING && isnan(m->level))
        return bind_error_at(n, "level", error, "is missing: take: crossing needs it");
    bool needs = m->reduction == STUDY_RMS_ERROR || m->reduction == STUDY_MAX_ERROR;
    return !m->curve || !needs || m->reference ||
           bind_error_at(n, "reference", error, "is missing: errors need it");
}

static const record measure_record = {"study_measure",
                                      sizeof(study_measure),
                                      TABLES(TABLE(measure_fields)),
                                      .node_at = OFFSET_OF(study_measure, node),
                                      .name_at = OFFSET_OF(study_measure, name),
                                      .check = check_measure,
                                      .meaning = "A number that each case gives."};

static const field finding_fields[] = {
    {"claim", FIELD_TEXT, AT(study_finding, claim), .required = true, .meaning = "In words."},
    {"measure", FIELD_TEXT, AT(study_finding, measure), .required = true,
     .meaning = "The measure that shows it."},
    {"of", FIELD_TEXTS, AT_LIST(study_finding, of.names, of.count), .required = true,
     .meaning = "Cases: the mean over those that have all of these names."},
    {"over", FIELD_TEXTS, AT_LIST(study_finding, over.names, over.count),
     .meaning = "Other cases, whose mean it is divided by."},
    {"at_most", FIELD_NUMBER, OPTIONAL(study_finding, at_most), .meaning = "Upper bound."},
    {"at_least", FIELD_NUMBER, OPTIONAL(study_finding, at_least), .meaning = "Lower bound."},
    {"source", FIELD_TEXT, AT(study_finding, source), .required = true, .meaning = "Who found it."},
};
static const record finding_record = {
    "study_finding", sizeof(study_finding), TABLES(TABLE(finding_fields)),
    .node_at = OFFSET_OF(study_finding, node), .meaning = "A claim that compares cases."};

/* ------------------------------------------------------------- plots and pictures */

static const field plot_fields[] = {
    {"title", FIELD_TEXT, AT(study_plot, title), .required = true, .meaning = "Its title."},
    {"curve", FIELD_TEXT, AT(study_plot, curve), .meaning = "A curve of every case."},
    {"references", FIELD_TEXTS, AT_LIST(study_plot, references, reference_count),
     .meaning = "References beside it."},
    {"measure", FIELD_TEXT, AT(study_plot, measure), .meaning = "Or a measure,"},
    {"against", FIELD_TEXT, AT(study_plot, against), .meaning = "against this axis."},
    {"error", FIELD_BOOL, AT(study_plot, error), INITIAL(study_plot, error, false),
     .meaning = "The distance from what is expected, in place of the measure."},
    WHERE(study_plot, where, "Only cases that have all of these names."),
    {"log_x", FIELD_BOOL, AT(study_plot, log_x), INITIAL(study_plot, log_x, false),
     .meaning = "A logarithmic axis."},
    {"log_y", FIELD_BOOL, AT(study_plot, log_y), INITIAL(study_plot, log_y, false),
     .meaning = "A logarithmic axis."},
    {"x_label", FIELD_TEXT, AT(study_plot, x_label), .meaning = "In place of the curve's."},
    {"y_label", FIELD_TEXT, AT(study_plot, y_label), .meaning = "In place of the curve's."},
};

static bool check_plot(const void *item, const node *n, weir_error *error)
{
    const study_plot *p = item;
    if (!p->curve == !p->measure)
        return bind_error_at(n, NULL, error, "needs one of the keys: curve, measure");
    return p->curve || p->against ||
           bind_error_at(n, "against", error, "is missing: a measure is plotted against an axis");
}

static const record plot_record = {"study_plot",
                                   sizeof(study_plot),
                                   TABLES(TABLE(plot_fields)),
                                   .node_at = OFFSET_OF(study_plot, node),
                                   .check = check_plot,
                                   .meaning = "A plot."};

static const field picture_fields[] = {
    {"title", FIELD_TEXT, AT(study_picture, title), .required = true, .meaning = "Its title."},
    WHERE(study_picture, where, "Cases side by side, at most 16: those with all of these names."),
    {"time", FIELD_NUMBER, OPTIONAL(study_picture, time), .unit = "s",
     .meaning = "The moment; the last without it."},
    {"color", FIELD_TEXT, AT(study_picture, color), .meaning = "As of weir render --color."},
    {"range", FIELD_TEXT, AT(study_picture, range), .meaning = "As of weir render --range."},
};
static const record picture_record = {
    "study_picture", sizeof(study_picture), TABLES(TABLE(picture_fields)),
    .node_at = OFFSET_OF(study_picture, node), .meaning = "A picture of some cases."};

/* -------------------------------------------------------------------------- all */

static const field study_fields[] = {
    {"title", FIELD_TEXT, AT(study_data, title), .required = true, .meaning = "One line."},
    {"question", FIELD_TEXT, AT(study_data, question), .required = true,
     .meaning = "What the study asks."},
    {"setup", FIELD_TEXT, AT(study_data, setup), .meaning = "How it is set up, in words."},
    {"follows", FIELD_TEXT, AT(study_data, follows),
     .meaning = "What follows from it, and where results differ from the source and why."},
    {"source", FIELD_TEXT, AT(study_data, source), .meaning = "The paper or formula behind it."},
    {"scene", FIELD_FILE, AT(study_data, scene), .meaning = "The scene, relative to the study."},
    {"set", FIELD_TEXTS, AT_LIST(study_data, set, set_count),
     .meaning = "What changes in it for all cases: [key=value, ...]."},
    {"quick", FIELD_TEXTS, AT_LIST(study_data, quick_set, quick_set_count),
     .meaning = "What changes further with --quick."},
    {"methods", FIELD_TEXTS, AT_LIST(study_data, methods, method_count),
     .meaning = "Methods: the first axis, named method."},
    {"timed", FIELD_BOOL, AT(study_data, timed), INITIAL(study_data, timed, false),
     .meaning = "One case at a time, so that times can be compared."},
    {"axes", FIELD_LIST, AT_LIST(study_data, axes, axis_count), .record = &axis_record,
     .max_count = STUDY_MAX_AXES - 1, .meaning = "What else varies; cases are all combinations."},
    {"adjust", FIELD_LIST, AT_LIST(study_data, adjust, adjust_count), .record = &adjust_record,
     .meaning = "Further settings of some cases."},
    {"unable", FIELD_LIST, AT_LIST(study_data, unable, unable_count), .record = &unable_record,
     .meaning = "Cases that are not run, with the reason."},
    {"curves", FIELD_MAP, AT_LIST(study_data, curves, curve_count), .record = &curve_record,
     .meaning = "Curves, by name."},
    {"references", FIELD_MAP, AT_LIST(study_data, references, reference_count),
     .record = &reference_record, .meaning = "Known curves, by name."},
    {"measures", FIELD_MAP, AT_LIST(study_data, measures, measure_count), .record = &measure_record,
     .meaning = "Numbers, by name."},
    {"findings", FIELD_LIST, AT_LIST(study_data, findings, finding_count),
     .record = &finding_record, .meaning = "Claims that compare cases."},
    {"plots", FIELD_LIST, AT_LIST(study_data, plots, plot_count), .record = &plot_record,
     .meaning = "Plots of the report."},
    {"pictures", FIELD_LIST, AT_LIST(study_data, pictures, picture_count),
     .record = &picture_record, .meaning = "Pictures of the report."},
};
static const record root = {"study", sizeof(study_data), TABLES(TABLE(study_fields)),
                            .node_at = OFFSET_OF(study_data, node),
                            .meaning = "A Weir study: scenes over methods and parameters, what is "
                                       "measured of them, and what is expected."};

const record *study_record(void)
{
    return &root;
}
