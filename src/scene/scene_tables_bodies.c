/* What a scene file may say of bodies that forces move, and of the joints between them. */
#include "scene/scene_tables.h"

#include "matter/density.h"

#include <math.h>

const choice scene_wall_choices[SCENE_WALL_CHOICES] = {
    {"slip", WEIR_WALL_SLIP, "Fluid glides along it.", NULL},
    {"no-slip", WEIR_WALL_NO_SLIP, "Fluid sticks to it.", NULL},
};

static const double by_wall = NAN;

const field scene_contact_fields[SCENE_CONTACT_FIELDS] = {
    {"friction", FIELD_NUMBER, AT(scene_contact, friction), INITIAL(scene_contact, friction, 0.5),
     .range = AT_LEAST(0),
     .meaning = "Coefficient of friction; two that touch have the mean of theirs."},
    {"restitution", FIELD_NUMBER, AT(scene_contact, restitution),
     INITIAL(scene_contact, restitution, 0), .range = BETWEEN(0, 1),
     .meaning = "Share of the speed after an impact; two that touch have the mean of theirs."},
    {"group", FIELD_TEXT, AT(scene_contact, group),
     .meaning = "Name of a group that it belongs to, for the collides of others."},
    {"collides", FIELD_TEXTS, AT_LIST(scene_contact, collides, collide_count), .max_count = 32,
     .meaning = "Groups that it collides with, in place of all; [] for none. The group none holds "
                "what has no group."},
    {"wet_friction", FIELD_NUMBER, AT(scene_contact, wet_friction), .initial = &by_wall,
     .range = BETWEEN(0, 1),
     .meaning =
         "Viscoelastic method: share of its sliding velocity that fluid at the surface loses "
         "in 1/30 s, in place of 0 for slip and 1 for no-slip walls."},
    {"stickiness", FIELD_NUMBER, AT(scene_contact, stickiness),
     INITIAL(scene_contact, stickiness, 0), .unit = "1/s2", .range = AT_LEAST(0),
     .meaning = "Viscoelastic method: how strongly fluid near the surface is pulled to it."},
    {"stick_distance", FIELD_NUMBER, AT(scene_contact, stick_distance),
     INITIAL(scene_contact, stick_distance, 0), .unit = "m", .range = ABOVE(0),
     .zero_means = "0.4 of the kernel radius", .meaning = "How near is near, for stickiness."},
};

/* ---------------------------------------------------------------------- bodies */

static const field body_fields[] = {
    {"shape", FIELD_STRUCT, AT(scene_body, shape), .record = &scene_shape_record, .required = true,
     .meaning = "Its shape, about its position; it must have an end on every side."},
    {"density", FIELD_NUMBER, AT(scene_body, density), INITIAL(scene_body, density, 0),
     .unit = "kg/m3", .range = BETWEEN(DENSITY_LEAST, DENSITY_MOST), .zero_means = "from the mass",
     .meaning = "Mass per volume of the shape; in 2D of a body 1 m deep."},
    {"mass", FIELD_NUMBER, AT(scene_body, mass), INITIAL(scene_body, mass, 0), .unit = "kg",
     .range = ABOVE(0), .zero_means = "from the density",
     .meaning = "Mass, spread evenly over the shape; its density must be one that is allowed."},
    {"position", FIELD_VECTOR, AT(scene_body, position), .unit = "m",
     .meaning = "Where its origin is at the start."},
    {"rotation", FIELD_STRUCT, AT(scene_body, rotation), .record = &scene_rotation_record,
     .meaning = "How it is turned about its origin at the start."},
    {"velocity", FIELD_VECTOR, AT(scene_body, velocity), .unit = "m/s",
     .meaning = "Velocity of its centre of mass at the start."},
    {"spin", FIELD_STRUCT, AT(scene_body, spin), .record = &scene_spin_record,
     .meaning = "Angular velocity at the start."},
    {"wall", FIELD_CHOICE, AT(scene_body, wall), INITIAL(scene_body, wall, WEIR_WALL_SLIP),
     .choices = scene_wall_choices, .choice_count = SCENE_WALL_CHOICES,
     .meaning = "Whether fluid glides along it or sticks to it."},
};

static bool check_body(const void *item, const node *n, weir_error *error)
{
    const scene_body *b = item;
    if (b->density > 0 && b->mass > 0)
        return bind_error_at(n, "mass", error, "give either 'density' or 'mass', not both");
    return b->density > 0 || b->mass > 0 ||
           bind_error_at(n, NULL, error, "needs a 'density' or a 'mass' above 0");
}

const record scene_body_record = {
    "body",
    sizeof(scene_body),
    TABLES(TABLE(body_fields),
           {scene_contact_fields, SCENE_CONTACT_FIELDS, offsetof(scene_body, contact)}),
    .node_at = OFFSET_OF(scene_body, node),
    .name_at = OFFSET_OF(scene_body, name),
    .check = check_body,
    .meaning = "A solid that forces, contacts, joints and the fluid move."};

/* ---------------------------------------------------------------------- joints */

#define MOTOR_FIELDS(rate, place, load)                                                            \
    {                                                                                              \
        {"speed",                                                                                  \
         FIELD_NUMBER,                                                                             \
         AT(scene_motor, target),                                                                  \
         .unit = rate,                                                                             \
         .group = 1,                                                                               \
         .tag = WEIR_MOTOR_SPEED,                                                                  \
         .meaning = "Speed of a relative to b that it holds."},                                    \
            {"position",                                                                           \
             FIELD_NUMBER,                                                                         \
             AT(scene_motor, target),                                                              \
             .unit = place,                                                                        \
             .group = 1,                                                                           \
             .tag = WEIR_MOTOR_POSITION,                                                           \
             .meaning = "Position that it goes to; 0 is the start."},                              \
            {"max_effort",                                                                         \
             FIELD_NUMBER,                                                                         \
             AT(scene_motor, max_effort),                                                          \
             INITIAL(scene_motor, max_effort, 0),                                                  \
             .unit = load,                                                                         \
             .range = ABOVE(0),                                                                    \
             .zero_means = "as much as it takes",                                                  \
             .meaning = "The most that it can do."},                                               \
    }
#define MOTOR_RECORD(title, fields)                                                                \
    {                                                                                              \
        title, sizeof(scene_motor), TABLES(TABLE(fields)),                                         \
            GROUPS({.required = true, .tag_at = OFFSET_OF(scene_motor, kind)}),                    \
            .node_at = OFFSET_OF(scene_motor, node), .meaning = "What drives a joint."             \
    }
static const field hinge_motor_fields[] = MOTOR_FIELDS("rad/s", "rad", "N m");
static const record hinge_motor_record = MOTOR_RECORD("hinge_motor", hinge_motor_fields);
static const field slider_motor_fields[] = MOTOR_FIELDS("m/s", "m", "N");
static const record slider_motor_record = MOTOR_RECORD("slider_motor", slider_motor_fields);

#define LIMITS(unit_text)                                                                          \
    {                                                                                              \
        "limits", FIELD_NUMBERS, AT_LIST(scene_joint, limits, limit_count),                        \
            .unit = unit_text, .min_count = 2, .max_count = 2,                                     \
            .meaning = "Least and largest position of a relative to b; 0 is the start."            \
    }
static const field hinge_fields[] = {
    {"axis", FIELD_VECTOR, AT(scene_joint, axis), INITIAL(scene_joint, axis, 0, 0, 1),
     .meaning = "Direction of the axis at the start; 3D only. In 2D it is z."},
    LIMITS("rad"),
    {"motor", FIELD_STRUCT, AT(scene_joint, motor), .record = &hinge_motor_record,
     .meaning = "Turns a about the axis; without it the hinge is free."},
};
static const field slider_fields[] = {
    {"axis", FIELD_VECTOR, AT(scene_joint, axis), .required = true,
     .meaning = "Direction of the motion at the start; any length but 0."},
    LIMITS("m"),
    {"motor", FIELD_STRUCT, AT(scene_joint, motor), .record = &slider_motor_record,
     .meaning = "Moves a along the axis; without it the slider is free."},
};

#define ANCHOR_B                                                                                   \
    {                                                                                              \
        "anchor_b", FIELD_VECTOR, AT(scene_joint, anchor_b),                                       \
            INITIAL(scene_joint, anchor_b, NAN, NAN, NAN),                                         \
            .unit = "m",                                                                           \
            .meaning = "World point at the start that moves with b; without it the position of b." \
    }
static const field distance_fields[] = {
    ANCHOR_B,
    {"length", FIELD_NUMBER, AT(scene_joint, length), INITIAL(scene_joint, length, NAN),
     .unit = "m", .range = ABOVE(0),
     .meaning = "Distance that the anchors keep; without it that of the start."},
};
static const field spring_fields[] = {
    ANCHOR_B,
    {"length", FIELD_NUMBER, AT(scene_joint, length), INITIAL(scene_joint, length, NAN),
     .unit = "m", .range = AT_LEAST(0),
     .meaning = "Distance of the anchors without force; without it that of the start."},
    {"stiffness", FIELD_NUMBER, AT(scene_joint, stiffness), .unit = "N/m", .range = ABOVE(0),
     .required = true, .meaning = "Force per length."},
    {"damping", FIELD_NUMBER, AT(scene_joint, damping), INITIAL(scene_joint, damping, 0),
     .unit = "N s/m", .range = AT_LEAST(0), .meaning = "Force per speed."},
};

static const field_table hinge_table = TABLE(hinge_fields), slider_table = TABLE(slider_fields),
                         distance_table = TABLE(distance_fields),
                         spring_table = TABLE(spring_fields);
static const choice joint_choices[] = {
    {"ball", WEIR_JOINT_BALL, "a point of one body stays at a point of the other", NULL},
    {"hinge", WEIR_JOINT_HINGE, "a ball that turns about one axis only", &hinge_table},
    {"slider", WEIR_JOINT_SLIDER, "motion along one axis only, without turning", &slider_table},
    {"lock", WEIR_JOINT_LOCK, "no relative motion", NULL},
    {"distance", WEIR_JOINT_DISTANCE, "the anchors keep their distance", &distance_table},
    {"spring", WEIR_JOINT_SPRING, "the anchors are pulled to a distance", &spring_table},
};
static const field joint_fields[] = {
    {"kind", FIELD_CHOICE, AT(scene_joint, kind), CHOICES(joint_choices), .required = true,
     .meaning = "What the joint leaves free."},
    {"a", FIELD_TEXT, AT(scene_joint, a), .required = true, .meaning = "Name of a body or solid."},
    {"b", FIELD_TEXT, AT(scene_joint, b),
     .meaning = "Name of another body or solid; without it a is held by the world."},
    {"anchor", FIELD_VECTOR, AT(scene_joint, anchor), INITIAL(scene_joint, anchor, NAN, NAN, NAN),
     .unit = "m",
     .meaning = "World point at the start that moves with a; without it the position of a."},
    {"break_force", FIELD_NUMBER, AT(scene_joint, break_force),
     INITIAL(scene_joint, break_force, 0), .unit = "N", .range = ABOVE(0), .zero_means = "never",
     .meaning = "Force that breaks it."},
    {"collide", FIELD_BOOL, AT(scene_joint, collide), INITIAL(scene_joint, collide, false),
     .meaning = "Whether a and b collide with each other."},
};

static bool check_joint(const void *item, const node *n, weir_error *error)
{
    const scene_joint *j = item;
    return j->limit_count == 0 || j->limits[0] <= j->limits[1] ||
           bind_error_at(n, "limits", error,
                         "%g to %g is not allowed: the least must not be above the largest",
                         j->limits[0], j->limits[1]);
}

const record scene_joint_record = {"joint",
                                   sizeof(scene_joint),
                                   TABLES(TABLE(joint_fields)),
                                   .node_at = OFFSET_OF(scene_joint, node),
                                   .name_at = OFFSET_OF(scene_joint, name),
                                   .check = check_joint,
                                   .meaning = "What holds two bodies together, or one in place."};
