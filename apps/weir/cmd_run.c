/* weir run: builds a scene, steps it, and leaves results, a report and a summary. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE(member) offsetof(run_options, member)

static const option options[] = {
    {"--steps", "N", OPTION_INTEGER, VALUE(steps), 0,
     "End with step N, counted from the start of the scene."},
    LOAD_OPTIONS(run_options, load),
    {"--out", "DIR", OPTION_TEXT, VALUE(out), 0,
     "Folder of the results; out/SCENE-NAME without it."},
    {"--report", "FILE", OPTION_TEXT, VALUE(report), 0,
     "Where the report goes; DIR/report.json without it."},
    {"--frames", "FORMATS", OPTION_TEXT, VALUE(load.frames), 0,
     "Formats of the frames: vtp,ply,bgeo, some of them, or none."},
    {"--mesh", "FORMAT", OPTION_TEXT, VALUE(mesh), 0,
     "Write the surface of the fluid with each frame: ply, obj, vtp or glb."},
    {"--checkpoint-every", "S", OPTION_SECONDS, VALUE(checkpoint_every), 0,
     "Write DIR/checkpoint.weir every S simulated seconds and at the end."},
    {"--resume", "FILE", OPTION_TEXT, VALUE(resume), 0,
     "Continue from a checkpoint of this scene, bit for bit."},
    {"--quiet", NULL, OPTION_FLAG, VALUE(quiet), 0, "No progress, no summary."},
    {"--json", NULL, OPTION_FLAG, VALUE(json), 0, "Print the report, and nothing else, on stdout."},
};

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bool name_files(run *r)
{
    const run_options *o = r->options;
    r->folder = o->out ? strdup(o->out) : join("out", r->s->name);
    if (!r->folder)
        return false;
    /* "results/" and "results" are the same folder. */
    for (size_t k = strlen(r->folder); k > 1 && r->folder[k - 1] == '/'; k--)
        r->folder[k - 1] = '\0';
    r->checkpoint_path = join(r->folder, "checkpoint.weir");
    r->report_path = o->report ? strdup(o->report) : join(r->folder, "report.json");
    return r->checkpoint_path && r->report_path;
}

static uint64_t count_steps(const run *r)
{
    const scene_time *t = &r->s->data.time;
    if (r->options->steps >= 0)
        return (uint64_t)r->options->steps;
    return (uint64_t)ceil(t->end / t->step - 1e-9);
}

/* Refuses a number of substeps that cannot be stable before anything is written. */
static int check_step(const run *r)
{
    weir_error error;
    const scene_time *t = &r->s->data.time;
    weir_step_limit limit = weir_world_get_step_limit(r->world, &error);
    if (limit.seconds <= 0)
        return command_fail(EXIT_SCENE, "%s: %s", r->s->path, error.text);
    double needed = ceil(t->step / limit.seconds * (1 - 1e-9));
    if (t->substeps == 0 || t->allow_unstable || needed <= t->substeps)
        return EXIT_OK;
    bind_error_at(t->node, "substeps", &error,
                  "%d substep(s) of %g s are above the stable limit of %g s (%s): use at least "
                  "%.0f, 0 for as many as it takes, or --allow-unstable",
                  t->substeps, t->step / t->substeps, limit.seconds, limit.cause, needed);
    return command_fail(EXIT_UNSTABLE, "%s", error.text);
}

/* Continues from a checkpoint, or notes where a new run begins. Returns an exit code. */
static int set_start(run *r)
{
    weir_error error;
    const char *path = r->options->resume;
    r->fingerprint = scene_fingerprint(r->world);
    if (path && !checkpoint_read(path, r->world, r->fingerprint, &r->clock, &error))
        return command_fail(error.code == WEIR_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_SCENE,
                            "--resume: %s", error.text);
    int code = check_step(r);
    if (code != EXIT_OK)
        return code;
    weir_statistics s = weir_world_get_statistics(r->world);
    r->first_step = r->done = s.steps;
    r->first_substep = s.substeps;
    r->last_step = count_steps(r);
    double every = r->options->checkpoint_every;
    r->next_checkpoint = every > 0 ? every * (floor(s.time / every + 1e-9) + 1) : 0;
    r->checkpoint_time = -1;
    if (!path)
        r->clock.initial_energy = s.total_energy;
    return EXIT_OK;
}

/* Makes the folder of the report, which may be another one than that of the results. */
static bool prepare_report(const run *r, weir_error *error)
{
    char *folder = strdup(r->report_path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash && slash > folder)
        *slash = '\0';
    bool ok = !slash || slash == folder ||
              (file_make_folder(folder, error) && file_check_folder(folder, NULL, error));
    free(folder);
    return ok;
}

static int choose_mesh(run *r)
{
    const char *name = r->options->mesh;
    r->output.has_meshes = name != NULL;
    if (name && !surface_format_find(name, &r->output.mesh))
        return command_fail(EXIT_USAGE, "--mesh: '%s' is not allowed: must be ply, obj, vtp or glb",
                            name);
    if (name && r->s->data.dim == 2 && r->output.mesh != SURFACE_VTP)
        return command_fail(EXIT_USAGE, "--mesh: '%s' is not for 2D scenes: must be vtp", name);
    return EXIT_OK;
}

/* Finds out now, not after hours, that results cannot be written. */
static int prepare_output(run *r)
{
    weir_error error;
    double resume_time = r->options->resume ? weir_world_get_time(r->world) : -INFINITY;
    if (!file_make_folder(r->folder, &error) || !file_check_folder(r->folder, NULL, &error) ||
        !prepare_report(r, &error) || !run_output_open(r, resume_time, &error))
        return command_fail(EXIT_FAILED, "%s", error.text);
    return EXIT_OK;
}

static void explain_failure(const run *r)
{
    command_fail(EXIT_FAILED, "the run failed after step %llu: %s", (unsigned long long)r->done,
                 r->failure);
    if (r->checkpoint_time >= 0)
        fprintf(stderr, "weir: the last good checkpoint is %s, at %.6g s\n", r->checkpoint_path,
                r->checkpoint_time);
    else if (r->options->resume)
        fprintf(stderr, "weir: the last good checkpoint is %s\n", r->options->resume);
    else
        fprintf(stderr, "weir: there is no checkpoint; --checkpoint-every writes them\n");
}

static int finish(run *r, int code, int argc, char **argv)
{
    weir_error error;
    if (code != EXIT_OK && code != EXIT_INTERRUPTED)
        explain_failure(r);
    if (!run_write_report(r, &error)) {
        command_fail(EXIT_FAILED, "the report could not be written: %s", error.text);
        code = code == EXIT_OK ? EXIT_FAILED : code;
    }
    if (!r->options->quiet && !r->options->json)
        run_print_summary(r);
    if (code == EXIT_INTERRUPTED)
        run_print_resume(r, argc, argv);
    return code;
}

static int run_all(run *r, int argc, char **argv)
{
    int code = EXIT_OK;
    r->s = load_scene(r->options->arguments.items[0], &r->options->load, &code);
    if (!r->s)
        return code;
    if (!name_files(r))
        return command_fail(EXIT_FAILED, "memory ran out");
    code = choose_mesh(r);
    if (code != EXIT_OK)
        return code;
    r->world = load_world(r->s, &r->options->load, &r->counts, &code);
    if (!r->world)
        return code;
    for (size_t k = 0; k < r->s->note_count; k++)
        run_warn(r, "%s", r->s->notes[k]);
    code = set_start(r);
    if (code == EXIT_OK)
        code = prepare_output(r);
    if (code != EXIT_OK)
        return code;
    return finish(r, run_loop(r), argc, argv);
}

static int execute(const command *self, int argc, char **argv)
{
    run_options values = {.steps = -1};
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    run *r = calloc(1, sizeof *r);
    if (!r)
        return command_fail(EXIT_FAILED, "memory ran out");
    r->options = &values;
    code = run_all(r, argc, argv);
    run_output_free(r);
    weir_world_destroy(r->world);
    scene_free(r->s);
    free(r->folder);
    free(r->checkpoint_path);
    free(r->report_path);
    free(r);
    return code;
}

const command command_run = {
    .name = "run",
    .usage = "SCENE [OPTIONS]",
    .min_arguments = 1,
    .max_arguments = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Run a scene and write its results.",
    .details = "Ctrl-C ends the run after the present step, writes a checkpoint and prints the\n"
               "command that resumes; a second Ctrl-C quits at once.",
    .run = execute,
};
