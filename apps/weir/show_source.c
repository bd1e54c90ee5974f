/* Moments of a scene that runs in memory, or of the results of a run. */
#include "interrupt.h"
#include "run.h"
#include "show.h"

#include "scene/scene_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ scenes */

static void view_world(show *w)
{
    weir_particle_view p = weir_world_get_particles(w->world);
    weir_body_state state;
    w->time = weir_world_get_time(w->world);
    w->particles = surface_particles_of(&p, w->s->data.dim, w->s->data.spacing);
    size_t count = w->s->data.solid_count + w->s->data.body_count;
    for (size_t k = 0; k < count; k++)
        if (weir_body_get_state(w->world, weir_world_body_at(w->world, (int)k), &state))
            w->poses[k] = state.pose;
}

static int step_to(show *w, double time)
{
    weir_error error;
    double step = w->s->data.time.step;
    while (weir_world_get_time(w->world) < time - 1e-6 * step &&
           (w->patience == 0 || w->spent < w->patience)) {
        double begun = run_now();
        uint32_t flags = weir_world_step(w->world, step, &error);
        w->spent += run_now() - begun;
        if (interrupt_seen()) {
            view_world(w);
            return command_fail(EXIT_INTERRUPTED, "interrupted at %.4g s of %s", w->time, w->path);
        }
        if (flags & WEIR_STEP_FAILED) {
            view_world(w);
            return command_fail(error.code == WEIR_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_UNSTABLE,
                                "%s: the run failed at %.4g s: %s", w->path, w->time, error.text);
        }
    }
    view_world(w);
    return EXIT_OK;
}

/* ----------------------------------------------------------------- results */

static int open_results(show *w, const load_options *options)
{
    int code = EXIT_OK;
    weir_error error;
    char *path;
    if (options->method || options->dt > 0)
        return command_fail(EXIT_USAGE, "%s holds results; --method and --dt are for scenes",
                            w->path);
    if (asprintf(&path, "%s/scene.yaml", w->results.folder) < 0)
        return command_fail(EXIT_FAILED, "memory ran out");
    if (access(path, F_OK) != 0)
        code = command_fail(EXIT_SCENE, "%s has no scene.yaml, so it holds no results of weir run",
                            w->path);
    else
        w->s = load_scene(path, &(load_options){.set = options->set}, &code);
    free(path);
    if (!w->s)
        return code;
    return show_results_open(w, &error) ? EXIT_OK : command_fail(EXIT_SCENE, "%s", error.text);
}

/* --------------------------------------------------------------------- all */

pose show_start_pose(const scene *s, size_t index)
{
    const scene_data *d = &s->data;
    bool is_solid = index < d->solid_count;
    const scene_solid *solid = is_solid ? &d->solids[index] : NULL;
    const scene_body *body = is_solid ? NULL : &d->bodies[index - d->solid_count];
    const scene_turn *turn = is_solid ? &solid->rotation : &body->rotation;
    return (pose){is_solid ? solid->position : body->position, scene_turn_rotation(turn)};
}

static bool set_poses(show *w)
{
    size_t count = w->s->data.solid_count + w->s->data.body_count;
    w->poses = calloc(count + 1, sizeof *w->poses);
    for (size_t k = 0; w->poses && k < count; k++)
        w->poses[k] = show_start_pose(w->s, k);
    return w->poses != NULL;
}

static int open_source(show *w, const load_options *options)
{
    int code = EXIT_OK;
    w->results.folder = load_results_folder(w->path);
    if (w->results.folder) {
        code = open_results(w, options);
    } else {
        w->s = load_scene(w->path, options, &code);
        w->world = w->s ? load_world(w->s, options, NULL, &code) : NULL;
    }
    if (code != EXIT_OK)
        return code;
    if (!set_poses(w))
        return command_fail(EXIT_FAILED, "memory ran out");
    if (w->world) {
        w->end = w->s->data.time.end;
        view_world(w);
    } else if (options->time > 0) {
        w->end = fmin(w->end, options->time);
    }
    return EXIT_OK;
}

int show_open(show *w, const char *path, const load_options *options)
{
    *w = (show){.path = strdup(path)};
    return w->path ? open_source(w, options) : command_fail(EXIT_FAILED, "memory ran out");
}

void show_close(show *w)
{
    show_results_close(&w->results);
    weir_world_destroy(w->world);
    scene_free(w->s);
    free(w->path);
    free(w->poses);
    free(w->scratch);
    *w = (show){0};
}

int show_go(show *w, double time)
{
    weir_error error;
    if (w->world)
        return step_to(w, time);
    return show_results_go(w, time, &error) ? EXIT_OK : command_fail(EXIT_SCENE, "%s", error.text);
}

bool show_frame_time(const show *w, int64_t index, double *time)
{
    if (w->world) {
        *time = (double)index * w->s->data.output.every;
        return true;
    }
    const pvd *frames = &w->results.particles;
    if ((uint64_t)index >= frames->count) {
        command_fail(EXIT_USAGE, "--frame: %lld is not allowed: %s has the frames 0 to %zu",
                     (long long)index, w->path, frames->count - 1);
        return false;
    }
    *time = frames->entries[index].time;
    return true;
}

const char *show_method(const show *w)
{
    return weir_method_get_info((weir_method)w->s->data.method.name)->name;
}

/* ------------------------------------------------------------------ values */

static const float *fill_speed(show *w)
{
    const surface_particles *p = &w->particles;
    for (size_t i = 0; i < p->count; i++) {
        float z = p->vz ? p->vz[i] : 0;
        w->scratch[i] = sqrtf(p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + z * z);
    }
    return w->scratch;
}

/* Before the first step no method has computed densities: the fluids' own stand for them. */
static const float *fill_density(show *w)
{
    const surface_particles *p = &w->particles;
    for (size_t i = 0; i < p->count; i++)
        w->scratch[i] = (float)scene_fluid_def(w->s, p->fluid[i]).density;
    return w->scratch;
}

static const float *find_values(const show *w, const char *name)
{
    if (w->world)
        return weir_world_get_field(w->world, name);
    const frame_field *f = read_frame_find(&w->results.frame, name);
    return f && f->type == FRAME_F32 && f->components == 1 ? f->data[0] : NULL;
}

/* Names of what can be shown, for the message. */
static bool refuse_values(const show *w, const char *name, weir_error *error)
{
    const weir_method_info *info = weir_method_get_info((weir_method)w->s->data.method.name);
    char text[300] = "fluid";
    size_t used = strlen(text);
    if (w->particles.vx)
        used += (size_t)snprintf(text + used, sizeof text - used, ", velocity");
    for (int k = 0; k < info->field_count && used < sizeof text; k++)
        if (find_values(w, info->fields[k].name))
            used += (size_t)snprintf(text + used, sizeof text - used, ", %s", info->fields[k].name);
    return fail(error, WEIR_INVALID, "--color: '%s' is not allowed: %s has %s", name, w->path,
                text);
}

const float *show_values(show *w, const char *name, weir_error *error)
{
    float *scratch = realloc(w->scratch, (w->particles.count + 1) * sizeof *scratch);
    if (!scratch) {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the colours");
        return NULL;
    }
    w->scratch = scratch;
    if (strcmp(name, "velocity") == 0 && w->particles.vx)
        return fill_speed(w);
    if (w->world && w->time == 0 && strcmp(name, "density") == 0)
        return fill_density(w);
    const float *values = find_values(w, name);
    if (!values)
        refuse_values(w, name, error);
    return values;
}

const char *show_unit(const show *w, const char *name)
{
    const weir_method_info *info = weir_method_get_info((weir_method)w->s->data.method.name);
    if (strcmp(name, "velocity") == 0)
        return "m/s";
    for (int k = 0; k < info->field_count; k++)
        if (strcmp(info->fields[k].name, name) == 0 && strcmp(info->fields[k].unit, "1") != 0)
            return info->fields[k].unit;
    return "";
}
