/* What a study file may say of curves: those of cases, and known ones. */
#include "study/study_tables.h"

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

const record study_curve_record = {"study_curve",
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
const record study_reference_record = {"study_reference",
                                       sizeof(study_reference),
                                       TABLES(TABLE(reference_fields)),
                                       .node_at = OFFSET_OF(study_reference, node),
                                       .name_at = OFFSET_OF(study_reference, name),
                                       .meaning = "A curve that is known."};
