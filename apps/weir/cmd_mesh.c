/* weir mesh: the surface of the fluid as meshes, of one moment or of every output frame. */
#include "interrupt.h"
#include "mesh_animation.h"
#include "surface_file.h"

#include "out/file.h"
#include "surface/solid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mesh_options {
    arguments arguments;
    load_options load;
    const char *out, *format;
    int64_t frame; /* -1: none */
    double resolution;
    bool animate, isotropic, solids, quiet;
} mesh_options;

typedef struct mesh_job {
    const mesh_options *options;
    show source;
    surface_settings settings;
    surface_format format;
    char *out;
    bool is_file; /* one moment; else a folder with one mesh per frame */
} mesh_job;

#define VALUE(member) offsetof(mesh_options, member)

static const option options[] = {
    {"--out", "FILE|DIR", OPTION_TEXT, VALUE(out), 0,
     "One mesh, or a folder for one per output frame; RESULTS/meshes without it."},
    {"--format", "FORMAT", OPTION_TEXT, VALUE(format), 0,
     "ply, obj, vtp or glb, for folders; ply without it, vtp in 2D."},
    {"--frame", "N", OPTION_INTEGER, VALUE(frame), 0, "Only the N-th output frame, from 0."},
    {"--animate", NULL, OPTION_FLAG, VALUE(animate), 0,
     "All output frames as an animation in one .glb, for Blender and other programs."},
    {"--isotropic", NULL, OPTION_FLAG, VALUE(isotropic), 0,
     "Equal balls around the particles, not ellipsoids along the surface."},
    {"--resolution", "X", OPTION_NUMBER, VALUE(resolution), 0,
     "Step of the mesh in particle spacings, 0.1 to 1."},
    {"--solids", NULL, OPTION_FLAG, VALUE(solids), 0,
     "Write solids and bodies, too, where they are (3D)."},
    LOAD_OPTIONS(mesh_options, load),
    {"--quiet", NULL, OPTION_FLAG, VALUE(quiet), 0, "Print nothing but errors."},
};

/* ----------------------------------------------------------------- options */

static bool has_mesh_ending(const char *path)
{
    surface_format format;
    const char *dot = strrchr(path, '.');
    return dot && surface_format_find(dot + 1, &format);
}

static int choose_format(mesh_job *job)
{
    const mesh_options *o = job->options;
    job->format = job->source.s->data.dim == 2 ? SURFACE_VTP : SURFACE_PLY;
    if (job->is_file)
        surface_format_find(strrchr(o->out, '.') + 1, &job->format);
    if (!o->format)
        return EXIT_OK;
    surface_format named;
    if (!surface_format_find(o->format, &named))
        return command_fail(
            EXIT_USAGE, "--format: '%s' is not allowed: must be ply, obj, vtp or glb", o->format);
    if (job->is_file && named != job->format)
        return command_fail(EXIT_USAGE, "--format: '%s' does not fit the name %s", o->format,
                            o->out);
    job->format = named;
    return EXIT_OK;
}

static int check_animation(mesh_job *job)
{
    const mesh_options *o = job->options;
    if (o->out ? !job->is_file || job->format != SURFACE_GLB : o->format != NULL)
        return command_fail(EXIT_USAGE, "--animate writes one file whose name ends in .glb");
    if (o->frame >= 0)
        return command_fail(EXIT_USAGE, "--animate writes all frames; leave out --frame");
    if (job->source.s->data.dim == 2)
        return command_fail(EXIT_USAGE, "--animate is for 3D scenes");
    job->is_file = true;
    return EXIT_OK;
}

static int choose_settings(mesh_job *job)
{
    const mesh_options *o = job->options;
    job->settings = surface_settings_default();
    job->settings.threads = load_threads(&o->load);
    if (o->isotropic)
        job->settings.kind = SURFACE_ISOTROPIC;
    if (o->resolution > 0)
        job->settings.cell = o->resolution;
    if (job->settings.cell < 0.1 || job->settings.cell > 1)
        return command_fail(EXIT_USAGE, "--resolution: %g is not allowed: must be 0.1 to 1",
                            o->resolution);
    return EXIT_OK;
}

static int prepare_out(mesh_job *job)
{
    weir_error error;
    const show *w = &job->source;
    int length = 0;
    const char *name = job->options->animate ? "animation.glb" : "meshes";
    if (job->options->out)
        job->out = strdup(job->options->out);
    else
        length = w->world ? asprintf(&job->out, "out/%s/%s", w->s->name, name)
                          : asprintf(&job->out, "%s/%s", w->results.folder, name);
    char *folder = length >= 0 && job->out ? strdup(job->out) : NULL;
    if (!folder)
        return command_fail(EXIT_FAILED, "memory ran out");
    char *slash = strrchr(folder, '/');
    if (job->is_file && slash)
        *slash = '\0';
    bool done = (job->is_file && (!slash || !folder[0])) || file_make_folder(folder, &error);
    free(folder);
    return done ? EXIT_OK : command_fail(EXIT_FAILED, "%s", error.text);
}

/* ------------------------------------------------------------------- files */

/* All solids but tanks, whose walls would hide the rest, as one mesh. */
static bool write_solids(mesh_job *job, const char *path, weir_error *error)
{
    show_solids solids;
    surface_mesh all = {0};
    if (!show_solids_build(&solids, &job->source, error))
        return false;
    bool done = true;
    for (size_t k = 0; k < solids.count && done; k++)
        if (!solids.bodies[k].is_wall)
            done = surface_mesh_append(&all, &solids.meshes[k], solids.bodies[k].pose, error);
    done = done && surface_mesh_write(path, job->format, &all, error);
    surface_mesh_free(&all);
    show_solids_free(&solids);
    return done;
}

/* "dam.ply" has its solids in "dam_solids.ply". */
static char *solids_path(const char *path)
{
    char *name;
    int stem = (int)(strrchr(path, '.') - path);
    return asprintf(&name, "%.*s_solids%s", stem, path, path + stem) < 0 ? NULL : name;
}

static int write_moment(mesh_job *job, const char *path)
{
    weir_error error;
    surface_size size;
    const show *w = &job->source;
    bool flat = w->s->data.dim == 2;
    if (!surface_file_write(path, job->format, &w->particles, &job->settings, &size, &error))
        return command_fail(error.code == WEIR_INVALID ? EXIT_USAGE : EXIT_FAILED, "%s",
                            error.text);
    if (!job->options->quiet)
        printf("%8.4g s  %8zu triangles  %10.4g %s  %s\n", w->time, size.triangles, size.volume,
               flat ? "m2" : "m3", path);
    if (!job->options->solids)
        return EXIT_OK;
    if (flat)
        return command_fail(EXIT_USAGE, "--solids is for 3D scenes");
    char *name = solids_path(path);
    bool done =
        name ? write_solids(job, name, &error) : fail(&error, WEIR_OUT_OF_MEMORY, "memory ran out");
    free(name);
    return done ? EXIT_OK : command_fail(EXIT_FAILED, "%s", error.text);
}

static int write_frame(mesh_job *job, size_t index, double time)
{
    char *path;
    int code = show_go(&job->source, time);
    if (code != EXIT_OK)
        return code;
    if (asprintf(&path, "%s/surface_%05zu.%s", job->out, index, surface_format_name(job->format)) <
        0)
        return command_fail(EXIT_FAILED, "memory ran out");
    code = write_moment(job, path);
    free(path);
    return code;
}

static size_t count_frames(const show *w)
{
    if (w->world)
        return (size_t)floor(w->end / w->s->data.output.every + 1e-6) + 1;
    size_t count = 0;
    while (count < w->results.particles.count && w->results.particles.entries[count].time <= w->end)
        count++;
    return count;
}

static int write_animation(mesh_job *job)
{
    const mesh_animation film = {.path = job->out,
                                 .frames = count_frames(&job->source),
                                 .settings = job->settings,
                                 .solids = job->options->solids,
                                 .quiet = job->options->quiet};
    return mesh_animation_write(&job->source, &film);
}

static int write_all(mesh_job *job)
{
    double time = job->source.end;
    if (job->options->animate)
        return write_animation(job);
    int64_t wanted = job->options->frame;
    if (wanted >= 0 && !show_frame_time(&job->source, wanted, &time))
        return EXIT_USAGE;
    if (job->is_file) {
        int code = show_go(&job->source, time);
        return code == EXIT_OK ? write_moment(job, job->out) : code;
    }
    if (wanted >= 0)
        return write_frame(job, (size_t)wanted, time);
    size_t count = count_frames(&job->source);
    int code = EXIT_OK;
    for (size_t k = 0; k < count && code == EXIT_OK; k++) {
        show_frame_time(&job->source, (int64_t)k, &time);
        code = write_frame(job, k, time);
        if (code == EXIT_OK && interrupt_seen() && k + 1 < count)
            code =
                command_fail(EXIT_INTERRUPTED, "interrupted after %zu of %zu frames", k + 1, count);
    }
    return code;
}

static int mesh_all(mesh_job *job)
{
    const mesh_options *o = job->options;
    job->is_file = o->out && has_mesh_ending(o->out);
    int code = choose_settings(job);
    if (code == EXIT_OK)
        code = show_open(&job->source, o->arguments.items[0], &o->load);
    if (code == EXIT_OK)
        code = choose_format(job);
    if (code == EXIT_OK && o->animate)
        code = check_animation(job);
    if (code == EXIT_OK)
        code = prepare_out(job);
    return code == EXIT_OK ? write_all(job) : code;
}

static int execute(const command *self, int argc, char **argv)
{
    mesh_options values = {.frame = -1};
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    mesh_job job = {.options = &values};
    interrupt_catch();
    code = mesh_all(&job);
    show_close(&job.source);
    free(job.out);
    return code;
}

const command command_mesh = {
    .name = "mesh",
    .usage = "SCENE|RESULTS [OPTIONS]",
    .min_arguments = 1,
    .max_arguments = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Write the surface of the fluid as meshes.",
    .details = "Closed triangle meshes with normals, velocities and fluids; outlines in 2D. --out\n"
               "FILE.ply (.obj, .vtp, .glb) writes the last moment, a folder every output frame,\n"
               "--animate all of them in one .glb.",
    .run = execute,
};
