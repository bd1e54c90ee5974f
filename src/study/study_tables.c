/* What a study file may say. */
#include "study/study_tables.h"

#define WHERE(type, member, text)                                                                  \
    {                                                                                              \
        "where", FIELD_TEXTS, AT_LIST(type, member.names, member.count), .meaning = text           \
    }

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
    {"curves", FIELD_MAP, AT_LIST(study_data, curves, curve_count), .record = &study_curve_record,
     .meaning = "Curves, by name."},
    {"references", FIELD_MAP, AT_LIST(study_data, references, reference_count),
     .record = &study_reference_record, .meaning = "Known curves, by name."},
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
