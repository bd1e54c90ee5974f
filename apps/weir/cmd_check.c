/* weir check: validates a scene and says what a run would do. Builds the world for real, so that
 * everything that a run would refuse is refused here, and times two steps for the cost. */
#include "load.h"

#include "run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct check_options {
    arguments arguments;
    load_options load;
    bool json;
} check_options;

static const option options[] = {
    LOAD_OPTIONS(check_options, load),
    {"--json", NULL, OPTION_FLAG, offsetof(check_options, json), 0, "Print JSON."},
};

enum { MAX_WARNINGS = 16, WARNING_BYTES = 400 };
static const size_t most_timed = 200000; /* particles; more take too long for a check */

typedef struct checked {
    const scene *s;
    size_t spheres; /* on the surfaces of bodies */
    scene_counts counts;
    weir_step_limit limit;
    double substeps;     /* of a step, at the start */
    double steps;        /* of the whole run */
    double seconds_step; /* wall time; NAN = not measured */
    double bytes;
    char warnings[MAX_WARNINGS][WARNING_BYTES];
    size_t warning_count;
} checked;

static void warn(checked *c, const char *format, ...) WEIR_PRINTF(2, 3);

static void warn(checked *c, const char *format, ...)
{
    if (c->warning_count == MAX_WARNINGS)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(c->warnings[c->warning_count++], WARNING_BYTES, format, args);
    va_end(args);
}

/* ---------------------------------------------------------------------- warnings */

static void warn_step(checked *c)
{
    const scene_time *t = &c->s->data.time;
    double needed = ceil(t->step / c->limit.seconds * (1 - 1e-9));
    if (t->substeps > 0 && needed > t->substeps)
        warn(c,
             "%d substep(s) of %g s are above the stable limit of %g s (%s): a run %s; %.0f or "
             "more are stable",
             t->substeps, t->step / t->substeps, c->limit.seconds, c->limit.cause,
             t->allow_unstable ? "goes on with a warning" : "refuses them", needed);
    if (strcmp(c->limit.cause, "viscosity") == 0)
        warn(c,
             "viscosity, not sound, limits the time step to %g s: a coarser spacing or a thinner "
             "fluid would run faster",
             c->limit.seconds);
    if (c->substeps > 1000)
        warn(c, "a step needs %.0f substeps", c->substeps);
}

/* Below about two spacings of capillary length the force is lost in the noise of particles. */
static void warn_tension(checked *c)
{
    const scene_data *d = &c->s->data;
    double g = vec3_length(vec3_add(d->gravity, d->acceleration));
    for (size_t k = 0; k < d->fluid_count; k++) {
        weir_fluid_def f = scene_fluid_def(c->s, k);
        double length = sqrt(f.surface_tension / (f.density * g));
        if (node_find(d->fluids[k].node, "surface_tension") && f.surface_tension > 0 && g > 0 &&
            length < 2 * d->spacing)
            warn(c,
                 "the surface tension of %s is not resolved: its length is %.2g m, the spacing "
                 "%g m",
                 f.name, length, d->spacing);
    }
}

static void warn_emitters(checked *c)
{
    const scene_data *d = &c->s->data;
    for (size_t k = 0; k < d->emitter_count; k++)
        if (d->emitters[k].speed > c->limit.sound_speed / 5)
            warn(c,
                 "the jet of %s, %g m/s, is fast against the sound speed of the method, %.3g "
                 "m/s: the fluid will be compressed; raise method.sound_speed",
                 d->emitters[k].name, d->emitters[k].speed, c->limit.sound_speed);
}

/* ----------------------------------------------------------------------- the check */

static int measure(checked *c, weir_world *world)
{
    weir_error error;
    const scene_time *t = &c->s->data.time;
    c->limit = weir_world_get_step_limit(world, &error);
    if (c->limit.seconds <= 0)
        return command_fail(EXIT_SCENE, "%s: %s", c->s->path, error.text);
    c->steps = ceil(t->end / t->step - 1e-9);
    c->substeps =
        t->substeps > 0 ? t->substeps : fmax(1, ceil(t->step / c->limit.seconds * (1 - 1e-9)));
    size_t particles = weir_world_get_particles(world).count;
    weir_body_state body;
    for (int k = 0; weir_body_get_state(world, weir_world_body_at(world, k), &body); k++)
        c->spheres += body.spheres;
    c->bytes = (double)particles * c->counts.bytes_per_particle;
    c->seconds_step = NAN;
    if (particles == 0 || particles > most_timed)
        return EXIT_OK;
    /* The first substep takes memory and is left out; the second is timed. */
    double part = fmin(t->step / c->substeps, c->limit.seconds);
    bool ok = !(weir_world_step(world, part, &error) & WEIR_STEP_FAILED);
    double begun = run_now();
    ok = ok && !(weir_world_step(world, part, &error) & WEIR_STEP_FAILED);
    if (ok)
        c->seconds_step = (run_now() - begun) * c->substeps;
    c->bytes = fmax(c->bytes, (double)weir_world_get_counters(world).peak_bytes);
    return EXIT_OK;
}

static void print_check(const checked *c)
{
    const scene_data *d = &c->s->data;
    printf("%s is valid: %s\n", c->s->path, d->title[0] ? d->title : c->s->name);
    printf("  particles      %zu at the start, %g m apart, kernel radius %g m\n",
           c->counts.particles, d->spacing, scene_support(d) * d->spacing);
    for (size_t k = 0; k < d->fill_count; k++)
        printf("    %-12s %zu of %s\n", d->fills[k].name, c->counts.fills[k],
               d->fills[k].fluid ? d->fills[k].fluid : d->fluids[0].name);
    for (size_t k = 0; k < d->fluid_count; k++) {
        weir_fluid_def f = scene_fluid_def(c->s, k);
        printf("  fluid          %s: %g kg/m3, %g Pa s, %g N/m; %.4g kg a particle\n", f.name,
               f.density, f.viscosity, f.surface_tension, f.density * pow(d->spacing, d->dim));
    }
    if (d->coupling.mode != WEIR_COUPLING_BOUNDARY_VOLUME)
        printf("  spheres        %zu on the surfaces of bodies\n", c->spheres);
    printf("  memory         about %.3g MB\n", c->bytes / 1e6);
    printf("  stable step    %.4g s (%s); sound speed %.4g m/s\n", c->limit.seconds, c->limit.cause,
           c->limit.sound_speed);
    printf("  steps          %.0f of %.4g s, each in %.0f substep%s at the start\n", c->steps,
           d->time.step, c->substeps, c->substeps == 1 ? "" : "s");
    if (isnan(c->seconds_step))
        printf("  cost           not estimated: %s\n",
               c->counts.particles == 0 ? "there are no particles yet" : "too many particles");
    else
        printf("  cost           about %.3g s of wall time (an estimate from one substep)\n",
               c->seconds_step * c->steps);
    for (size_t k = 0; k < c->warning_count; k++)
        printf("  warning        %s\n", c->warnings[k]);
}

static void print_json(const checked *c)
{
    const scene_data *d = &c->s->data;
    json j = {0};
    json_object_begin(&j, NULL);
    json_string(&j, "scene", c->s->path);
    json_bool(&j, "valid", true);
    json_integer(&j, "particles", (int64_t)c->counts.particles);
    json_object_begin(&j, "fills");
    for (size_t k = 0; k < d->fill_count; k++)
        json_integer(&j, d->fills[k].name, (int64_t)c->counts.fills[k]);
    json_object_end(&j);
    json_integer(&j, "spheres", (int64_t)c->spheres);
    json_number(&j, "spacing", d->spacing);
    json_number(&j, "kernel_radius", scene_support(d) * d->spacing);
    json_number(&j, "memory_bytes", c->bytes);
    json_object_begin(&j, "step_limit");
    json_number(&j, "seconds", c->limit.seconds);
    json_string(&j, "cause", c->limit.cause);
    json_number(&j, "sound_speed", c->limit.sound_speed);
    json_object_end(&j);
    json_number(&j, "dt", d->time.step);
    json_number(&j, "steps", c->steps);
    json_number(&j, "substeps_per_step", c->substeps);
    json_number(&j, "estimated_wall_s", c->seconds_step * c->steps);
    json_array_begin(&j, "warnings");
    for (size_t k = 0; k < c->warning_count; k++)
        json_string(&j, NULL, c->warnings[k]);
    json_array_end(&j);
    json_object_end(&j);
    if (j.text)
        fputs(j.text, stdout);
    json_free(&j);
}

static int check_scene(scene *s, const check_options *o)
{
    int code = EXIT_OK;
    checked c = {.s = s};
    weir_world *world = load_world(s, &o->load, &c.counts, &code);
    if (!world)
        return code;
    code = measure(&c, world);
    weir_world_destroy(world);
    if (code != EXIT_OK)
        return code;
    for (size_t k = 0; k < s->note_count; k++)
        warn(&c, "%s", s->notes[k]);
    warn_step(&c);
    warn_tension(&c);
    warn_emitters(&c);
    if (o->json)
        print_json(&c);
    else
        print_check(&c);
    return EXIT_OK;
}

static int execute(const command *self, int argc, char **argv)
{
    check_options values = {0};
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    scene *s = load_scene(values.arguments.items[0], &values.load, &code);
    if (!s)
        return code;
    code = check_scene(s, &values);
    scene_free(s);
    return code;
}

const command command_check = {
    .name = "check",
    .usage = "SCENE [OPTIONS]",
    .min_arguments = 1,
    .max_arguments = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Validate a scene and say what a run would do and cost.",
    .run = execute,
};
