/* What a scene file may say: its top level, fluids, method, time and output. Methods, their
 * parameters and fields, and the presets of fluids are asked from the core, so that a new method
 * needs no change here. */
#include "scene/scene_tables.h"

#include "matter/density.h"
#include "scene/parameters.h"
#include "scene/schema.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ------------------------------------------------------------ fields of frames */

const char *scene_field_name(int index)
{
    static const char *const of_all[] = {"velocity", "id", "fluid"};
    if (index < (int)COUNT(of_all))
        return of_all[index];
    index -= (int)COUNT(of_all);
    /* Those of the methods, each name once. */
    for (int m = 0; m < WEIR_METHOD_COUNT; m++) {
        const weir_method_info *info = weir_method_get_info((weir_method)m);
        for (int k = 0; k < info->field_count; k++) {
            bool seen = false;
            for (int before = 0; before < m && !seen; before++) {
                const weir_method_info *other = weir_method_get_info((weir_method)before);
                for (int i = 0; i < other->field_count && !seen; i++)
                    seen = strcmp(other->fields[i].name, info->fields[k].name) == 0;
            }
            if (!seen && index-- == 0)
                return info->fields[k].name;
        }
    }
    return NULL;
}

static const choice *make_field_choices(store *kept, size_t *count)
{
    *count = 0;
    while (scene_field_name((int)*count) && *count < 32)
        (*count)++;
    choice *choices = store_take_array(kept, *count, sizeof *choices);
    for (size_t k = 0; choices && k < *count; k++)
        choices[k] = (choice){.name = scene_field_name((int)k), .value = (int)k};
    return choices;
}

/* ------------------------------------------------------------------ small records */

static const field time_fields[] = {
    {"end", FIELD_NUMBER, AT(scene_time, end), INITIAL(scene_time, end, 1), .unit = "s",
     .range = ABOVE(0), .meaning = "How long the scene runs."},
    {"step", FIELD_NUMBER, AT(scene_time, step), INITIAL(scene_time, step, 1.0 / 60), .unit = "s",
     .range = ABOVE(0), .meaning = "One step, which is cut into substeps."},
    {"substeps", FIELD_INTEGER, AT(scene_time, substeps), INITIAL(scene_time, substeps, 0),
     .range = BETWEEN(1, 100000), .zero_means = "as many as stability needs",
     .meaning = "Substeps of each step."},
    {"allow_unstable", FIELD_BOOL, AT(scene_time, allow_unstable),
     INITIAL(scene_time, allow_unstable, false),
     .meaning = "Runs steps above the stable limit, with a warning, instead of refusing them."},
};
static const record time_record = {"time", sizeof(scene_time), TABLES(TABLE(time_fields)),
                                   .node_at = OFFSET_OF(scene_time, node),
                                   .meaning = "How long the scene runs, and in what steps."};

static const choice format_choices[] = {
    {"vtp", SCENE_FRAMES_VTP, "VTK PolyData with a PVD time index, for ParaView.", NULL},
    {"ply", SCENE_FRAMES_PLY, "Stanford polygon format.", NULL},
    {"bgeo", SCENE_FRAMES_BGEO, "Houdini geometry.", NULL},
};
static const field output_fields[] = {
    {"every", FIELD_NUMBER, AT(scene_output, every), INITIAL(scene_output, every, 1.0 / 30),
     .unit = "s", .range = ABOVE(0),
     .meaning = "Time between frames; each is written at the first step that reaches its time."},
    {"frames", FIELD_CHOICES, AT(scene_output, frames), INITIAL(scene_output, frames, 1),
     CHOICES(format_choices), .meaning = "Formats of the frames; [] for none."},
    {"fields", FIELD_CHOICES, AT(scene_output, fields), CHOICES(format_choices),
     .meaning = "Values per particle in the frames, in place of velocity, density and pressure."},
    {"probes_every", FIELD_NUMBER, AT(scene_output, probes_every),
     INITIAL(scene_output, probes_every, 0), .unit = "s", .range = ABOVE(0),
     .zero_means = "every step", .meaning = "Time between rows of probes.csv."},
};
static const record output_record = {"output", sizeof(scene_output), TABLES(TABLE(output_fields)),
                                     .node_at = OFFSET_OF(scene_output, node),
                                     .meaning = "What is written while the scene runs."};

static const field camera_fields[] = {
    {"position", FIELD_VECTOR, AT(scene_camera, position), INITIAL(scene_camera, position, 0),
     .unit = "m", .meaning = "Where it is; needed in 3D."},
    {"target", FIELD_VECTOR, AT(scene_camera, target), .unit = "m",
     .meaning = "Where it looks: the middle of the picture."},
    {"up", FIELD_VECTOR, AT(scene_camera, up), INITIAL(scene_camera, up, 0, 1, 0),
     .meaning = "What is upwards in the picture, in 3D."},
    {"fov", FIELD_NUMBER, AT(scene_camera, fov), INITIAL(scene_camera, fov, 0.7), .unit = "rad",
     .range = ABOVE_TO(0, 3), .meaning = "Vertical angle of view, in 3D."},
    {"height", FIELD_NUMBER, AT(scene_camera, height), INITIAL(scene_camera, height, 0),
     .unit = "m", .range = ABOVE(0), .zero_means = "as high as all that there is to see",
     .meaning = "What the picture shows from its lower to its upper edge, in 2D."},
};
static const record camera_record = {"camera", sizeof(scene_camera), TABLES(TABLE(camera_fields)),
                                     .node_at = OFFSET_OF(scene_camera, node),
                                     .meaning = "The view of pictures; a run does not need it."};

#define PERIOD(axis)                                                                               \
    {                                                                                              \
#axis, FIELD_NUMBERS, AT_LIST(scene_periodic, axis.ends, axis.count),                      \
            .unit = "m", .min_count = 2, .max_count = 2,                                           \
            .meaning = "Begin and end of the period along " #axis "."                              \
    }
static const field periodic_fields[] = {PERIOD(x), PERIOD(y), PERIOD(z)};
static const record periodic_record = {
    "periodic", sizeof(scene_periodic), TABLES(TABLE(periodic_fields)),
    .node_at = OFFSET_OF(scene_periodic, node),
    .meaning = "Axes that repeat: what leaves at one end comes back at the other."};

static const choice lcp_choices[] = {
    {"structured", WEIR_LCP_STRUCTURED, "Lemke's method along the structure of contacts.", NULL},
    {"block", WEIR_LCP_BLOCK, "Block principal pivoting on the same structure.", NULL},
    {"lemke", WEIR_LCP_LEMKE, "Lemke's method on the whole matrix, as in the paper.", NULL},
    {"pgs", WEIR_LCP_PGS, "Projected Gauss-Seidel.", NULL},
    {"mprgp", WEIR_LCP_MPRGP, "Projected conjugate gradients.", NULL},
};
/* Each mode has the keys that it reads; those of another are refused. */
#define CONTACT_RADIUS                                                                             \
    {                                                                                              \
        "radius", FIELD_NUMBER, AT(scene_coupling, radius), INITIAL(scene_coupling, radius, 0),    \
            .unit = "m", .range = ABOVE(0), .zero_means = "0.65 of the spacing",                   \
            .meaning = "Radius of particles and of the spheres on bodies."                         \
    }
static const field lcp_fields[] = {
    {"solver", FIELD_CHOICE, AT(scene_coupling, solver),
     INITIAL(scene_coupling, solver, WEIR_LCP_STRUCTURED), CHOICES(lcp_choices),
     .meaning = "Solver of the complementarity problem."},
    CONTACT_RADIUS,
    {"restitution", FIELD_NUMBER, AT(scene_coupling, restitution),
     INITIAL(scene_coupling, restitution, 0), .range = BETWEEN(0, 1),
     .meaning = "Of fluid against bodies."},
};
static const field penalty_fields[] = {
    CONTACT_RADIUS,
    {"stiffness", FIELD_NUMBER, AT(scene_coupling, stiffness),
     INITIAL(scene_coupling, stiffness, 0), .unit = "N/m", .range = ABOVE(0),
     .zero_means = "what stops a particle within a radius",
     .meaning = "Of the springs, the paper's k_s."},
    {"damping", FIELD_NUMBER, AT(scene_coupling, damping), INITIAL(scene_coupling, damping, 0),
     .unit = "N s/m", .range = ABOVE(0), .zero_means = "half of critical for a particle",
     .meaning = "Of the dampers, the paper's k_d."},
};
static const field_table lcp_table = TABLE(lcp_fields), penalty_table = TABLE(penalty_fields);
static const choice coupling_choices[] = {
    {"boundary-volume", WEIR_COUPLING_BOUNDARY_VOLUME,
     "as the method does it: bodies take part in its sums", NULL},
    {"contact-lcp", WEIR_COUPLING_CONTACT_LCP,
     "contacts, resolved by one complementarity problem a substep (Kurose and Takahashi 2009)",
     &lcp_table},
    {"penalty", WEIR_COUPLING_PENALTY, "springs and dampers at the same contacts", &penalty_table},
};
static const field coupling_fields[] = {
    {"mode", FIELD_CHOICE, AT(scene_coupling, mode),
     INITIAL(scene_coupling, mode, WEIR_COUPLING_BOUNDARY_VOLUME), CHOICES(coupling_choices),
     .meaning = "How fluid and bodies act on each other."},
};
static const record coupling_record = {
    "coupling", sizeof(scene_coupling), TABLES(TABLE(coupling_fields)),
    .node_at = OFFSET_OF(scene_coupling, node),
    .meaning = "How fluid and the bodies that forces move act on each other."};

/* ---------------------------------------------------------------------- fluids */

static const double none = NAN;

static bool check_fluid(const void *item, const node *n, weir_error *error)
{
    const scene_fluid *f = item;
    return f->preset >= 0 || !isnan(f->density) ||
           bind_error_at(n, "density", error,
                         "is missing: must be a number from %g to %g kg/m3, or give a 'preset'",
                         DENSITY_LEAST, DENSITY_MOST);
}

static const choice no_presets[] = {{"none", -1, "Values are given here.", NULL}};

static const field fluid_fields[] = {
    {"preset", FIELD_CHOICE, AT(scene_fluid, preset), INITIAL(scene_fluid, preset, -1),
     CHOICES(no_presets), .meaning = "A real liquid at 20 degrees Celsius; other keys change it."},
    {"density", FIELD_NUMBER, AT(scene_fluid, density), .initial = &none, .unit = "kg/m3",
     .range = BETWEEN(DENSITY_LEAST, DENSITY_MOST),
     .meaning = "Density at rest; needed where there is no preset."},
    {"viscosity", FIELD_NUMBER, AT(scene_fluid, viscosity), .initial = &none, .unit = "Pa s",
     .range = AT_LEAST(0), .meaning = "Dynamic viscosity; 0 without a preset."},
    {"surface_tension", FIELD_NUMBER, AT(scene_fluid, surface_tension), .initial = &none,
     .unit = "N/m", .range = AT_LEAST(0), .meaning = "Surface tension; 0 without a preset."},
};
static const record fluid_record = {"fluid",
                                    sizeof(scene_fluid),
                                    TABLES(TABLE(fluid_fields)),
                                    .shorthand = "preset",
                                    .node_at = OFFSET_OF(scene_fluid, node),
                                    .name_at = OFFSET_OF(scene_fluid, name),
                                    .check = check_fluid,
                                    .meaning = "A liquid: a preset, or values, or both."};

static const choice *make_preset_choices(store *kept, size_t *count)
{
    *count = 1;
    while (weir_fluid_preset((int)*count - 1))
        (*count)++;
    choice *choices = store_take_array(kept, *count, sizeof *choices);
    if (!choices)
        return NULL;
    choices[0] = no_presets[0];
    for (size_t k = 1; k < *count; k++)
        choices[k] = (choice){.name = weir_fluid_preset((int)k - 1)->name, .value = (int)k - 1};
    return choices;
}

/* ---------------------------------------------------------------------- methods */

static const choice no_methods[] = {{"sph", WEIR_METHOD_SPH, NULL, NULL}};

static const field method_fields[] = {
    {"name", FIELD_CHOICE, AT(scene_method, name), INITIAL(scene_method, name, WEIR_METHOD_SPH),
     CHOICES(no_methods), .meaning = "The method; its parameters are further keys."},
};
static const record method_record = {"method",
                                     sizeof(scene_method),
                                     TABLES(TABLE(method_fields)),
                                     .shorthand = "name",
                                     .node_at = OFFSET_OF(scene_method, node),
                                     .meaning = "How the fluid is computed."};

static const field change_fields[] = {
    {"at", FIELD_NUMBER, AT(scene_change, at), .unit = "s", .range = AT_LEAST(0), .required = true,
     .meaning = "When it happens: before the step that begins then."},
    {"method", FIELD_STRUCT, AT(scene_change, method), .record = &method_record, .required = true,
     .meaning = "The method's name, and the parameters that change; others stay as they are."},
};
static const record change_record = {
    "change", sizeof(scene_change), TABLES(TABLE(change_fields)),
    .node_at = OFFSET_OF(scene_change, node),
    .meaning = "A change of parameters; it is left out where the scene runs by another method."};

static const choice *make_method_choices(store *kept, weir_error *error)
{
    choice *choices = store_take_array(kept, WEIR_METHOD_COUNT, sizeof *choices);
    field_table *tables = store_take_array(kept, WEIR_METHOD_COUNT, sizeof *tables);
    if (!choices || !tables)
        return NULL;
    for (int m = 0; m < WEIR_METHOD_COUNT; m++) {
        const weir_method_info *info = weir_method_get_info((weir_method)m);
        if (!parameters_to_table(info->parameters, info->parameter_count,
                                 offsetof(scene_method, parameters), kept, &tables[m], error))
            return NULL;
        choices[m] = (choice){info->name, m, info->title, &tables[m]};
    }
    return choices;
}

/* ----------------------------------------------------------------------- the root */

static const choice kernel_choices[] = {
    {"wendland", WEIR_KERNEL_WENDLAND_C2, "Wendland C2.", NULL},
    {"cubic", WEIR_KERNEL_CUBIC, "Cubic spline.", NULL},
    {"poly6", WEIR_KERNEL_POLY6, "Mueller's poly6.", NULL},
    {"spiky", WEIR_KERNEL_SPIKY, "Mueller's spiky.", NULL},
};

#define SCENE_AT(member) AT(scene_data, member)
static const field root_fields[] = {
    {"title", FIELD_TEXT, SCENE_AT(title), INITIAL(scene_data, title, ""),
     .meaning = "One line that says what it shows."},
    {"dim", FIELD_INTEGER, SCENE_AT(dim), INITIAL(scene_data, dim, 3), .range = BETWEEN(2, 3),
     .meaning = "Dimensions; vectors have as many numbers. 2D scenes are 1 m deep."},
    {"spacing", FIELD_NUMBER, SCENE_AT(spacing), .unit = "m", .range = ABOVE(0), .required = true,
     .meaning = "Distance of particles at rest; half of it makes 8 times as many in 3D."},
    {"support", FIELD_NUMBER, SCENE_AT(support), INITIAL(scene_data, support, 0),
     .range = BETWEEN(1.1, 4), .zero_means = "what suits the method",
     .meaning = "Radius of the kernel, in spacings."},
    {"kernel", FIELD_CHOICE, SCENE_AT(kernel), INITIAL(scene_data, kernel, WEIR_KERNEL_WENDLAND_C2),
     CHOICES(kernel_choices), .meaning = "Kernel of the sums over neighbours."},
    {"method", FIELD_STRUCT, SCENE_AT(method), .record = &method_record,
     .meaning = "How the fluid is computed: a name, or a name and parameters."},
    {"gravity", FIELD_VECTOR, SCENE_AT(gravity), INITIAL(scene_data, gravity, 0, -9.81, 0),
     .unit = "m/s2", .meaning = "Gravity."},
    {"acceleration", FIELD_VECTOR, SCENE_AT(acceleration), .unit = "m/s2",
     .meaning = "A further uniform force per mass, such as a pump."},
    {"periodic", FIELD_STRUCT, SCENE_AT(periodic), .record = &periodic_record,
     .meaning = "Axes that repeat."},
    {"coupling", FIELD_STRUCT, SCENE_AT(coupling), .record = &coupling_record,
     .meaning = "How fluid and bodies act on each other."},
    {"time", FIELD_STRUCT, SCENE_AT(time), .record = &time_record,
     .meaning = "How long the scene runs, and in what steps."},
    {"seed", FIELD_INTEGER, SCENE_AT(seed), INITIAL(scene_data, seed, 1), .range = AT_LEAST(0),
     .meaning = "Of all random numbers."},
    {"max_particles", FIELD_INTEGER, SCENE_AT(max_particles), INITIAL(scene_data, max_particles, 0),
     .range = BETWEEN(1, 2e9), .zero_means = "no limit", .meaning = "Emitters stop there."},
    {"sleep_time", FIELD_NUMBER, SCENE_AT(sleep_time), INITIAL(scene_data, sleep_time, 0),
     .unit = "s", .range = BETWEEN(0.2, 1e6), .zero_means = "never",
     .meaning =
         "How long fluid must have been at rest before it sleeps, with the bodies in it, and "
         "costs nothing until something comes near. 2 s suits most scenes."},
    {"fluids", FIELD_MAP, AT_LIST(scene_data, fluids, fluid_count), .record = &fluid_record,
     .required = true, .min_count = 1, .max_count = 16, .meaning = "The liquids, by name."},
    {"fills", FIELD_MAP, AT_LIST(scene_data, fills, fill_count), .record = &scene_fill_record,
     .meaning = "Regions full of fluid at the start, by name."},
    {"solids", FIELD_MAP, AT_LIST(scene_data, solids, solid_count), .record = &scene_solid_record,
     .meaning = "Walls and obstacles, by name."},
    {"bodies", FIELD_MAP, AT_LIST(scene_data, bodies, body_count), .record = &scene_body_record,
     .meaning = "Solids that forces and the fluid move, by name."},
    {"joints", FIELD_MAP, AT_LIST(scene_data, joints, joint_count), .record = &scene_joint_record,
     .meaning = "What holds bodies together, by name."},
    {"emitters", FIELD_MAP, AT_LIST(scene_data, emitters, emitter_count),
     .record = &scene_emitter_record, .meaning = "Jets that add fluid, by name."},
    {"sinks", FIELD_MAP, AT_LIST(scene_data, sinks, sink_count), .record = &scene_sink_record,
     .meaning = "Regions that remove fluid, by name."},
    {"probes", FIELD_MAP, AT_LIST(scene_data, probes, probe_count), .record = &scene_probe_record,
     .meaning = "Instruments, by name; they fill probes.csv."},
    {"changes", FIELD_LIST, AT_LIST(scene_data, changes, change_count), .record = &change_record,
     .meaning = "Parameters of the method that change while the scene runs."},
    {"output", FIELD_STRUCT, SCENE_AT(output), .record = &output_record,
     .meaning = "What is written while the scene runs."},
    {"camera", FIELD_STRUCT, SCENE_AT(camera), .record = &camera_record,
     .meaning = "The view of pictures."},
};
static const record root_template = {"scene", sizeof(scene_data), TABLES(TABLE(root_fields)),
                                     .node_at = OFFSET_OF(scene_data, node),
                                     .meaning = "A Weir scene, in SI units."};

/* A copy of a record with one table, whose fields can be changed. */
static record *copy_record(const record *from, store *kept, field **fields)
{
    record *copy = store_take(kept, sizeof *copy);
    field_table *table = store_take(kept, sizeof *table);
    *fields = store_take_array(kept, from->tables[0].count, sizeof **fields);
    if (!copy || !table || !*fields)
        return NULL;
    memcpy(*fields, from->tables[0].fields, from->tables[0].count * sizeof **fields);
    *table = (field_table){*fields, from->tables[0].count, 0};
    *copy = *from;
    copy->tables = table;
    return copy;
}

static field *find_field(field *fields, const char *key)
{
    while (strcmp(fields->key, key) != 0)
        fields++;
    return fields;
}

/* The choices that the core offers, in place of those that the tables above name. */
static bool complete(store *kept, field *root, weir_error *error)
{
    field *method, *fluid, *output, *change;
    record *method_copy = copy_record(&method_record, kept, &method);
    record *fluid_copy = copy_record(&fluid_record, kept, &fluid);
    record *output_copy = copy_record(&output_record, kept, &output);
    record *change_copy = copy_record(&change_record, kept, &change);
    if (!method_copy || !fluid_copy || !output_copy || !change_copy)
        return false;
    field *name = find_field(method, "name"), *preset = find_field(fluid, "preset");
    field *shown = find_field(output, "fields");
    name->choices = make_method_choices(kept, error);
    name->choice_count = WEIR_METHOD_COUNT;
    preset->choices = make_preset_choices(kept, &preset->choice_count);
    shown->choices = make_field_choices(kept, &shown->choice_count);
    uint32_t *initial = store_take(kept, sizeof *initial);
    if (!name->choices || !preset->choices || !shown->choices || !initial)
        return false;
    for (size_t k = 0; k < shown->choice_count; k++) {
        const char *field_name = shown->choices[k].name;
        if (strcmp(field_name, "velocity") == 0 || strcmp(field_name, "density") == 0 ||
            strcmp(field_name, "pressure") == 0)
            *initial |= (uint32_t)1 << k;
    }
    shown->initial = initial;
    find_field(change, "method")->record = method_copy;
    find_field(root, "changes")->record = change_copy;
    find_field(root, "method")->record = method_copy;
    find_field(root, "fluids")->record = fluid_copy;
    find_field(root, "output")->record = output_copy;
    return true;
}

const record *scene_record(store *kept, weir_error *error)
{
    field *fields;
    record *root = copy_record(&root_template, kept, &fields);
    if (!root || !complete(kept, fields, error)) {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the tables of scene files");
        return NULL;
    }
    return root;
}

bool scene_schema(json *j, weir_error *error)
{
    store kept = {0};
    const record *root = scene_record(&kept, error);
    bool ok = root && schema_write(root, NULL, "Weir scene", j, error);
    store_free(&kept);
    return ok;
}
