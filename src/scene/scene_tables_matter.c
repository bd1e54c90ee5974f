/* What a scene file may say of fills, solids, emitters, sinks and probes. */
#include "scene/scene_tables.h"

static const choice lattice_choices[] = {
    {"square", FILL_GRID, "Square; cubic in 3D.", NULL},
    {"hexagonal", FILL_HEXAGONAL, "Hexagonal; face-centred cubic in 3D.", NULL},
};
#define FLOW_CENTER                                                                                \
    {                                                                                              \
        "center", FIELD_VECTOR, AT(scene_flow, center), .unit = "m", .meaning = "Its centre."      \
    }
static const field rotation_flow_fields[] = {
    {"rate", FIELD_NUMBER, AT(scene_flow, rate), .unit = "rad/s", .required = true,
     .meaning = "Angular speed about z, anticlockwise."},
    FLOW_CENTER,
};
static const field strain_flow_fields[] = {
    {"rate", FIELD_NUMBER, AT(scene_flow, rate), .unit = "1/s", .required = true,
     .meaning = "A of the velocity (-A x, A y): it is squeezed along x and drawn out along y."},
    FLOW_CENTER,
};
static const field vortex_flow_fields[] = {
    {"speed", FIELD_NUMBER, AT(scene_flow, speed), .unit = "m/s", .required = true,
     .meaning = "U of the velocity (-U cos kx sin ky, U sin kx cos ky)."},
    {"length", FIELD_NUMBER, AT(scene_flow, length), .unit = "m", .range = ABOVE(0),
     .required = true, .meaning = "L of k = 2 pi/L: two pairs of vortices in a square of side L."},
    FLOW_CENTER,
};
static const field_table rotation_flow_table = TABLE(rotation_flow_fields);
static const field_table strain_flow_table = TABLE(strain_flow_fields);
static const field_table vortex_flow_table = TABLE(vortex_flow_fields);
static const choice flow_choices[] = {
    {"none", SCENE_FLOW_NONE, NULL, NULL},
    {"rotation", SCENE_FLOW_ROTATION, "as a rigid body about z", &rotation_flow_table},
    {"strain", SCENE_FLOW_STRAIN, "which turns a circle into an ellipse", &strain_flow_table},
    {"vortices", SCENE_FLOW_VORTICES, "those of Taylor and Green", &vortex_flow_table},
};
static const field flow_fields[] = {
    {"kind", FIELD_CHOICE, AT(scene_flow, kind), INITIAL(scene_flow, kind, SCENE_FLOW_NONE),
     CHOICES(flow_choices), .meaning = "How the velocity varies."},
};
static const record flow_record = {
    "flow", sizeof(scene_flow), TABLES(TABLE(flow_fields)), .shorthand = "kind",
    .meaning = "Velocities at the start that vary from place to place, beside the uniform one."};

static const field fill_fields[] = {
    {"fluid", FIELD_TEXT, AT(scene_fill, fluid),
     .meaning = "Name of the fluid; may be left out where there is one only."},
    {"shape", FIELD_STRUCT, AT(scene_fill, shape), .record = &scene_shape_record, .required = true,
     .meaning = "The region; particles keep half a spacing from solids."},
    {"velocity", FIELD_VECTOR, AT(scene_fill, velocity), .unit = "m/s",
     .meaning = "Velocity at the start."},
    {"flow", FIELD_STRUCT, AT(scene_fill, flow), .record = &flow_record,
     .meaning = "Velocity at the start that varies from place to place; added to the other."},
    {"lattice", FIELD_CHOICE, AT(scene_fill, lattice), INITIAL(scene_fill, lattice, FILL_GRID),
     CHOICES(lattice_choices), .meaning = "How particles are packed."},
    {"jitter", FIELD_NUMBER, AT(scene_fill, jitter), INITIAL(scene_fill, jitter, 0),
     .range = BETWEEN(0, 0.5), .meaning = "Random shift of each particle, in spacings."},
};
const record scene_fill_record = {"fill",
                                  sizeof(scene_fill),
                                  TABLES(TABLE(fill_fields)),
                                  .node_at = OFFSET_OF(scene_fill, node),
                                  .name_at = OFFSET_OF(scene_fill, name),
                                  .meaning = "A region full of fluid at the start."};

static const field spin_fields[] = {
    {"rate", FIELD_NUMBER, AT(scene_turn, angle), INITIAL(scene_turn, angle, 0), .unit = "rad/s",
     .meaning = "Angular speed, anticlockwise; write 60 rpm for revolutions per minute."},
    {"axis", FIELD_VECTOR, AT(scene_turn, axis), INITIAL(scene_turn, axis, 0, 0, 1),
     .meaning = "Axis of the spin, of any length but 0; 3D only. In 2D it is z."},
};
const record scene_spin_record = {"spin",
                                  sizeof(scene_turn),
                                  TABLES(TABLE(spin_fields)),
                                  .shorthand = "rate",
                                  .node_at = OFFSET_OF(scene_turn, node),
                                  .meaning = "A constant spin: about z, or about an axis."};

static const field keyframe_fields[] = {
    {"time", FIELD_NUMBER, AT(scene_keyframe, time), .unit = "s", .required = true,
     .meaning = "When; later than the keyframe before."},
    {"position", FIELD_VECTOR, AT(scene_keyframe, position), .unit = "m", .meaning = "Where."},
    {"rotation", FIELD_STRUCT, AT(scene_keyframe, rotation), .record = &scene_rotation_record,
     .meaning = "How it is turned."},
};
static const record keyframe_record = {"keyframe", sizeof(scene_keyframe),
                                       TABLES(TABLE(keyframe_fields)),
                                       .meaning = "Where a solid is at one time."};

static const field motion_fields[] = {
    {"velocity", FIELD_VECTOR, AT(scene_motion, velocity), .unit = "m/s",
     .meaning = "Constant velocity."},
    {"spin", FIELD_STRUCT, AT(scene_motion, spin), .record = &scene_spin_record,
     .meaning = "Constant spin about the solid's position."},
    {"oscillation", FIELD_VECTOR, AT(scene_motion, oscillation), .unit = "m",
     .meaning = "Amplitude of a swing to and fro, as sin(2 pi frequency time + phase)."},
    {"rocking", FIELD_STRUCT, AT(scene_motion, rocking), .record = &scene_rotation_record,
     .meaning = "Amplitude of a swing about the solid's position, in step with the oscillation."},
    {"frequency", FIELD_NUMBER, AT(scene_motion, frequency), INITIAL(scene_motion, frequency, 1),
     .unit = "Hz", .range = AT_LEAST(0), .meaning = "Of oscillation and rocking."},
    {"phase", FIELD_NUMBER, AT(scene_motion, phase), INITIAL(scene_motion, phase, 0), .unit = "rad",
     .meaning = "Of oscillation and rocking; 0 starts at the centre."},
    {"keyframes", FIELD_LIST, AT_LIST(scene_motion, keyframes, keyframe_count),
     .record = &keyframe_record,
     .meaning = "Poses at times, in place of position and rotation of the solid."},
    {"loop", FIELD_BOOL, AT(scene_motion, loop), INITIAL(scene_motion, loop, false),
     .meaning = "Whether the keyframes repeat; the last must then have the pose of the first."},
    {"start", FIELD_NUMBER, AT(scene_motion, start), INITIAL(scene_motion, start, 0), .unit = "s",
     .range = AT_LEAST(0), .meaning = "When velocity, spin and oscillation begin."},
    {"end", FIELD_NUMBER, AT(scene_motion, end), INITIAL(scene_motion, end, 0), .unit = "s",
     .range = ABOVE(0), .zero_means = "never", .meaning = "When they end."},
};
static bool check_motion(const void *item, const node *n, weir_error *error)
{
    const scene_motion *m = item;
    if (m->end > 0 && m->end <= m->start)
        return bind_error_at(n, "end", error, "%g s is not allowed: must be after the start, %g s",
                             m->end, m->start);
    for (size_t k = 1; k < m->keyframe_count; k++)
        if (m->keyframes[k].time <= m->keyframes[k - 1].time)
            return bind_error_at(n, "keyframes", error,
                                 "keyframe %zu is at %g s: must be after the one before it, %g s",
                                 k, m->keyframes[k].time, m->keyframes[k - 1].time);
    return true;
}
static const record motion_record = {"motion",
                                     sizeof(scene_motion),
                                     TABLES(TABLE(motion_fields)),
                                     .node_at = OFFSET_OF(scene_motion, node),
                                     .check = check_motion,
                                     .meaning = "Prescribed motion; the parts add up."};

static const field solid_fields[] = {
    {"shape", FIELD_STRUCT, AT(scene_solid, shape), .record = &scene_shape_record, .required = true,
     .meaning = "Its shape, about its position."},
    {"position", FIELD_VECTOR, AT(scene_solid, position), .unit = "m",
     .meaning = "Where its origin is."},
    {"rotation", FIELD_STRUCT, AT(scene_solid, rotation), .record = &scene_rotation_record,
     .meaning = "How it is turned about its origin."},
    {"motion", FIELD_STRUCT, AT(scene_solid, motion), .record = &motion_record,
     .meaning = "How it moves; without it the solid is fixed."},
    {"until", FIELD_NUMBER, AT(scene_solid, until), INITIAL(scene_solid, until, 0), .unit = "s",
     .range = ABOVE(0), .zero_means = "for ever",
     .meaning = "When it vanishes, such as a mould that is taken away."},
    {"wall", FIELD_CHOICE, AT(scene_solid, wall), INITIAL(scene_solid, wall, WEIR_WALL_SLIP),
     .choices = scene_wall_choices, .choice_count = SCENE_WALL_CHOICES,
     .meaning = "Whether fluid glides along it or sticks to it."},
};
const record scene_solid_record = {
    "solid",
    sizeof(scene_solid),
    TABLES(TABLE(solid_fields),
           {scene_contact_fields, SCENE_CONTACT_FIELDS, offsetof(scene_solid, contact)}),
    .node_at = OFFSET_OF(scene_solid, node),
    .name_at = OFFSET_OF(scene_solid, name),
    .meaning = "A wall, an obstacle, or something that is moved."};

static const field interval_fields[] = {
    {"between", FIELD_NUMBERS, AT_LIST(scene_interval, ends, end_count), .unit = "s",
     .range = AT_LEAST(0), .min_count = 2, .max_count = 2, .required = true,
     .meaning = "Begin and end."},
};
static bool check_interval(const void *item, const node *n, weir_error *error)
{
    const scene_interval *i = item;
    return i->ends[0] < i->ends[1] ||
           bind_error_at(n, NULL, error,
                         "%g to %g s is not allowed: the end must be after the begin", i->ends[0],
                         i->ends[1]);
}
static const record interval_record = {"interval",
                                       sizeof(scene_interval),
                                       TABLES(TABLE(interval_fields)),
                                       .shorthand = "between",
                                       .node_at = OFFSET_OF(scene_interval, node),
                                       .check = check_interval,
                                       .meaning = "A time span: [begin, end]."};

static const field circle_fields[] = {
    {"radius", FIELD_NUMBER, AT(struct scene_circle, radius), .unit = "m", .range = ABOVE(0),
     .required = true, .meaning = "Its radius; in 2D half the width of a slot."},
};
static const record circle_record = {"circle_nozzle", sizeof(struct scene_circle),
                                     TABLES(TABLE(circle_fields)), .shorthand = "radius",
                                     .meaning = "A round nozzle."};
static const field rectangle_fields[] = {
    {"width", FIELD_NUMBER, AT(struct scene_rectangle, width), .unit = "m", .range = ABOVE(0),
     .required = true, .meaning = "Across up and the jet."},
    {"height", FIELD_NUMBER, AT(struct scene_rectangle, height), .unit = "m", .range = ABOVE(0),
     .required = true, .meaning = "Along up."},
    {"up", FIELD_VECTOR, AT(struct scene_rectangle, up),
     INITIAL(struct scene_rectangle, up, 0, 1, 0), .meaning = "Direction of the height."},
};
static const record rectangle_record = {"rectangle_nozzle", sizeof(struct scene_rectangle),
                                        TABLES(TABLE(rectangle_fields)),
                                        .meaning = "A rectangular nozzle; 3D only."};
static const field slot_fields[] = {
    {"width", FIELD_NUMBER, AT(struct scene_slot, width), .unit = "m", .range = ABOVE(0),
     .required = true, .meaning = "Across the jet."},
};
static const record slot_record = {"slot_nozzle", sizeof(struct scene_slot),
                                   TABLES(TABLE(slot_fields)), .shorthand = "width",
                                   .meaning = "A slot; 2D only."};
static const field nozzle_fields[] = {
    {"circle", FIELD_STRUCT, AT(scene_nozzle, of.circle), .record = &circle_record, .group = 1,
     .tag = SCENE_CIRCLE, .meaning = "A round nozzle; a slot in 2D."},
    {"rectangle", FIELD_STRUCT, AT(scene_nozzle, of.rectangle), .record = &rectangle_record,
     .group = 1, .tag = SCENE_RECTANGLE, .meaning = "A rectangular nozzle; 3D only."},
    {"slot", FIELD_STRUCT, AT(scene_nozzle, of.slot), .record = &slot_record, .group = 1,
     .tag = SCENE_SLOT, .meaning = "A slot; 2D only."},
};
static const record nozzle_record = {
    "nozzle",
    sizeof(scene_nozzle),
    TABLES(TABLE(nozzle_fields)),
    GROUPS({.required = true, .tag_at = OFFSET_OF(scene_nozzle, kind)}),
    .node_at = OFFSET_OF(scene_nozzle, node),
    .meaning = "The mouth of an emitter."};

static const field emitter_fields[] = {
    {"fluid", FIELD_TEXT, AT(scene_emitter, fluid),
     .meaning = "Name of the fluid; may be left out where there is one only."},
    {"nozzle", FIELD_STRUCT, AT(scene_emitter, nozzle), .record = &nozzle_record, .required = true,
     .meaning = "Its mouth."},
    {"position", FIELD_VECTOR, AT(scene_emitter, position), .unit = "m", .required = true,
     .meaning = "Centre of the mouth."},
    {"direction", FIELD_VECTOR, AT(scene_emitter, direction), .required = true,
     .meaning = "Of the jet; any length but 0."},
    {"speed", FIELD_NUMBER, AT(scene_emitter, speed), INITIAL(scene_emitter, speed, 0),
     .unit = "m/s", .range = ABOVE(0), .zero_means = "from flow_rate and the mouth's area",
     .meaning = "Speed of the jet."},
    {"flow_rate", FIELD_NUMBER, AT(scene_emitter, flow_rate), INITIAL(scene_emitter, flow_rate, 0),
     .unit = "m3/s", .range = ABOVE(0), .zero_means = "speed times the mouth's area",
     .meaning = "Volume per time; in 2D of a layer 1 m deep."},
    {"schedule", FIELD_LIST, AT_LIST(scene_emitter, schedule, schedule_count),
     .record = &interval_record, .max_count = 1000,
     .meaning = "When it runs, as [[begin, end], ...]; always without it."},
    {"max_volume", FIELD_NUMBER, AT(scene_emitter, max_volume),
     INITIAL(scene_emitter, max_volume, 0), .unit = "m3", .range = ABOVE(0),
     .zero_means = "no limit", .meaning = "It stops after this volume."},
};
static bool check_emitter(const void *item, const node *n, weir_error *error)
{
    const scene_emitter *e = item;
    return e->speed > 0 || e->flow_rate > 0 ||
           bind_error_at(n, NULL, error, "needs a 'speed' or a 'flow_rate' above 0");
}
const record scene_emitter_record = {"emitter",
                                     sizeof(scene_emitter),
                                     TABLES(TABLE(emitter_fields)),
                                     .node_at = OFFSET_OF(scene_emitter, node),
                                     .name_at = OFFSET_OF(scene_emitter, name),
                                     .check = check_emitter,
                                     .meaning = "A jet that adds fluid."};

static const field sink_fields[] = {
    {"shape", FIELD_STRUCT, AT(scene_sink, shape), .record = &scene_shape_record, .required = true,
     .meaning = "Fluid that enters is removed."},
    {"schedule", FIELD_LIST, AT_LIST(scene_sink, schedule, schedule_count),
     .record = &interval_record, .max_count = 1000,
     .meaning = "When it works, as [[begin, end], ...]; always without it."},
    {"max_volume", FIELD_NUMBER, AT(scene_sink, max_volume), INITIAL(scene_sink, max_volume, 0),
     .unit = "m3", .range = ABOVE(0), .zero_means = "no limit",
     .meaning = "It stops after this volume."},
};
const record scene_sink_record = {"sink",
                                  sizeof(scene_sink),
                                  TABLES(TABLE(sink_fields)),
                                  .node_at = OFFSET_OF(scene_sink, node),
                                  .name_at = OFFSET_OF(scene_sink, name),
                                  .meaning = "A region that removes fluid."};

static const choice probe_choices[] = {
    {"height", WEIR_PROBE_HEIGHT, "m: fluid above the position, by its volume.", NULL},
    {"pressure", WEIR_PROBE_PRESSURE, "Pa, at the position.", NULL},
    {"velocity", WEIR_PROBE_VELOCITY, "m/s, at the position.", NULL},
    {"flow", WEIR_PROBE_FLOW, "m3/s through a disc, along its normal.", NULL},
};
static const field probe_fields[] = {
    {"kind", FIELD_CHOICE, AT(scene_probe, kind), CHOICES(probe_choices), .required = true,
     .meaning = "What is measured."},
    {"position", FIELD_VECTOR, AT(scene_probe, position), .unit = "m", .required = true,
     .meaning = "Where."},
    {"radius", FIELD_NUMBER, AT(scene_probe, radius), INITIAL(scene_probe, radius, 0), .unit = "m",
     .range = ABOVE(0), .zero_means = "height: 2 spacings; flow: the whole plane",
     .meaning = "Height: half the width of the column. Flow: of the disc."},
    {"normal", FIELD_VECTOR, AT(scene_probe, normal), INITIAL(scene_probe, normal, 1, 0, 0),
     .meaning = "Flow: the direction that counts as positive."},
};
const record scene_probe_record = {"probe",
                                   sizeof(scene_probe),
                                   TABLES(TABLE(probe_fields)),
                                   .node_at = OFFSET_OF(scene_probe, node),
                                   .name_at = OFFSET_OF(scene_probe, name),
                                   .meaning = "An instrument that is read while the scene runs."};
