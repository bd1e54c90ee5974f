/* weir compare: the same scene by several methods. It writes a study (compare.json) of the scene's
 * own bodies and probes, runs it, and prints the table. */
#include "load.h"
#include "study.h"

#include "base/json.h"
#include "out/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MAX_METHODS = 16 };

typedef struct compare_options {
    arguments arguments;
    load_options load;
    const char *methods, *out;
    int64_t jobs;
    bool film, fresh, quiet;
} compare_options;

#define VALUE(member) offsetof(compare_options, member)

static const option options[] = {
    {"--methods", "A,B,C", OPTION_TEXT, VALUE(methods), 0, "The methods; all without it."},
    {"--out", "DIR", OPTION_TEXT, VALUE(out), 0,
     "Folder of the results; out/compare/SCENE-NAME without it."},
    {"--film", NULL, OPTION_FLAG, VALUE(film), 0, "A film of all of them side by side, too."},
    {"--jobs", "N", OPTION_INTEGER, VALUE(jobs), 1,
     "Runs at a time; 1 without it, so that times can be compared."},
    {"--fresh", NULL, OPTION_FLAG, VALUE(fresh), 0, "Run again what is there already."},
    LOAD_OPTIONS(compare_options, load),
    {"--quiet", NULL, OPTION_FLAG, VALUE(quiet), 0, "No progress, no table."},
};

typedef struct compare {
    const compare_options *o;
    scene *s;
    char folder[PATH_BYTES], scene_path[PATH_BYTES];
    const char *methods[MAX_METHODS];
    size_t method_count;
    char *text; /* of --methods, cut into names */
} compare;

/* ----------------------------------------------------------------- the study */

static void put_measure(json *j, const char *name, const char *label, const char *unit,
                        const char *report, const char *over, double offset, double scale)
{
    json_object_begin(j, name);
    json_string(j, "label", label);
    if (unit)
        json_string(j, "unit", unit);
    json_string(j, "report", report);
    if (over)
        json_string(j, "over", over);
    json_number(j, "offset", offset);
    json_number(j, "scale", scale);
    json_object_end(j);
}

/* What a body of this density should have under water, if it floats in a single fluid; NAN. */
static double floating_share(const scene *s, const scene_body *b)
{
    if (s->data.fluid_count != 1 || !(b->density > 0))
        return NAN;
    double share = b->density / scene_fluid_def(s, 0).density;
    return share < 1 ? share : NAN;
}

static void put_measures(json *j, const scene *s)
{
    json_object_begin(j, "measures");
    put_measure(j, "wall", "time of all steps", "s", "wall_s", NULL, 0, 1);
    put_measure(j, "step", "time per step", "ms", "ms_per_step", NULL, 0, 1);
    put_measure(j, "substep", "mean substep", "ms", "simulated_s", "substeps", 0, 1000);
    put_measure(j, "allowed", "most iterations of the fluid's solver", NULL,
                "parameters.iterations", NULL, 0, 1);
    put_measure(j, "iterations", "row solver's iterations per substep", NULL, "iterations.total",
                "substeps", 0, 1);
    put_measure(j, "density", "mean density error inside", "%", "density.bulk_error_mean", NULL, 0,
                100);
    put_measure(j, "compression", "largest compression", "%", "density.compression_max", NULL, 0,
                100);
    put_measure(j, "volume", "volume error", "%", "volume_error", NULL, 0, 100);
    put_measure(j, "kinetic", "fluid's kinetic energy in the end", "J", "energy.kinetic", NULL, 0,
                1);
    put_measure(j, "energy", "change of the fluid's total energy", "%", "energy.total",
                "energy.initial", -1, 100);
    put_measure(j, "momentum_x", "fluid's momentum along x in the end", "kg m/s", "momentum.0",
                NULL, 0, 1);
    put_measure(j, "momentum_y", "fluid's momentum along y in the end", "kg m/s", "momentum.1",
                NULL, 0, 1);
    put_measure(j, "memory", "largest memory", "MB", "memory.peak_bytes", NULL, 0, 1e-6);
    for (size_t k = 0; k < s->data.body_count; k++) {
        const scene_body *b = &s->data.bodies[k];
        double share = floating_share(s, b);
        char name[200], label[260], report[260];
        if (isnan(share))
            continue;
        snprintf(name, sizeof name, "buoyancy_%.150s", b->name);
        snprintf(label, sizeof label, "%.150s: share under water less Archimedes' %.3g", b->name,
                 share);
        snprintf(report, sizeof report, "bodies.%.150s.submerged_fraction", b->name);
        put_measure(j, name, label, NULL, report, NULL, -share, 1);
    }
    json_object_end(j);
}

typedef struct series {
    const char *name, *column, *title, *label;
} series;

static const series statistics[] = {
    {"kinetic", "kinetic_energy", "Kinetic energy", "kinetic energy (J)"},
    {"total", "total_energy", "Total energy", "total energy (J)"},
    {"compression", "compression_mean", "Mean compression", "mean of max(density/rest - 1, 0)"},
    {"volume", "volume_error", "Volume error", "volume error"},
};
enum { STATISTICS = sizeof statistics / sizeof statistics[0] };

static void put_curve(json *j, const char *name, const char *kind, const char *column,
                      const char *label)
{
    json_object_begin(j, name);
    json_string(j, "kind", kind);
    json_string(j, "column", column);
    json_string(j, "x_label", "time (s)");
    json_string(j, "y_label", label);
    json_object_end(j);
}

/* The column of a probe: a velocity has one per axis, of which the first is shown. */
static void name_column(const scene_probe *p, char column[200])
{
    snprintf(column, 200, "%.150s%s", p->name, p->kind == WEIR_PROBE_VELOCITY ? "_x" : "");
}

static void put_curves(json *j, const scene *s)
{
    json_object_begin(j, "curves");
    for (size_t k = 0; k < STATISTICS; k++)
        put_curve(j, statistics[k].name, "statistics", statistics[k].column, statistics[k].label);
    for (size_t k = 0; k < s->data.probe_count; k++) {
        char name[200], column[200];
        name_column(&s->data.probes[k], column);
        snprintf(name, sizeof name, "probe_%.150s", s->data.probes[k].name);
        put_curve(j, name, "probe", column, column);
    }
    json_object_end(j);
}

static void put_plots(json *j, const scene *s)
{
    json_array_begin(j, "plots");
    for (size_t k = 0; k < STATISTICS; k++) {
        json_object_begin(j, NULL);
        json_string(j, "title", statistics[k].title);
        json_string(j, "curve", statistics[k].name);
        json_object_end(j);
    }
    for (size_t k = 0; k < s->data.probe_count; k++) {
        char name[200], title[200];
        snprintf(name, sizeof name, "probe_%.150s", s->data.probes[k].name);
        snprintf(title, sizeof title, "Probe %.150s", s->data.probes[k].name);
        json_object_begin(j, NULL);
        json_string(j, "title", title);
        json_string(j, "curve", name);
        json_object_end(j);
    }
    json_array_end(j);
    json_array_begin(j, "pictures");
    json_object_begin(j, NULL);
    json_string(j, "title", "In the end");
    json_object_end(j);
    json_array_end(j);
}

static void put_settings(json *j, const compare_options *o)
{
    char text[80];
    json_array_begin(j, "set");
    if (o->load.time > 0) {
        snprintf(text, sizeof text, "time.end=%.17g", o->load.time);
        json_string(j, NULL, text);
    }
    if (o->load.dt > 0) {
        snprintf(text, sizeof text, "time.step=%.17g", o->load.dt);
        json_string(j, NULL, text);
    }
    if (o->load.allow_unstable)
        json_string(j, NULL, "time.allow_unstable=true");
    for (size_t k = 0; k < o->load.set.count; k++)
        json_string(j, NULL, o->load.set.items[k]);
    json_array_end(j);
}

static bool write_study(const compare *c, const char *path, weir_error *error)
{
    json j = {0};
    char question[400];
    const char *title = c->s->data.title[0] ? c->s->data.title : c->s->name;
    snprintf(question, sizeof question, "How do %zu methods do on this scene?", c->method_count);
    json_object_begin(&j, NULL);
    json_string(&j, "title", title);
    json_string(&j, "question", question);
    json_string(&j, "scene", c->scene_path);
    json_array_begin(&j, "methods");
    for (size_t k = 0; k < c->method_count; k++)
        json_string(&j, NULL, c->methods[k]);
    json_array_end(&j);
    put_settings(&j, c->o);
    put_curves(&j, c->s);
    put_measures(&j, c->s);
    put_plots(&j, c->s);
    json_object_end(&j);
    return file_write_json(path, &j, error);
}

/* -------------------------------------------------------------- what it shows */

static void print_table(const study_results *r, const char *folder)
{
    const study *s = r->s;
    char number[STUDY_NUMBER], label[STUDY_ALLOWED];
    printf("%-48s", s->data.title);
    for (size_t k = 0; k < s->case_count; k++)
        printf(" %13s", s->cases[k].name);
    printf("\n");
    for (size_t m = 0; m < s->data.measure_count; m++) {
        printf("  %-46s", study_label(&s->data.measures[m], label));
        for (size_t k = 0; k < s->case_count; k++)
            printf(" %13s", study_show(r->cases[k].values[m], number));
        printf("\n");
    }
    for (size_t k = 0; k < s->case_count; k++)
        if (r->cases[k].state == STUDY_FAILED)
            printf("  %s failed: %s\n", s->cases[k].name, r->cases[k].message);
    printf("report: %s/report.html\n", folder);
}

static int make_film(const study_results *r, const study_program *program, const char *folder)
{
    const char *a[MAX_METHODS + 12];
    char cases[MAX_METHODS][PATH_BYTES + 200], out[PATH_BYTES + 20], log[PATH_BYTES + 20];
    size_t count = 0, shown = 0;
    a[count++] = program->path;
    a[count++] = "render";
    for (size_t k = 0; k < r->s->case_count && shown < MAX_METHODS; k++)
        if (r->cases[k].state == STUDY_DONE) {
            snprintf(cases[shown], sizeof cases[0], "%s/%s", folder, r->s->cases[k].folder);
            a[count++] = cases[shown++];
        }
    if (shown == 0)
        return command_fail(EXIT_FAILED, "there is no film: every run failed");
    snprintf(out, sizeof out, "%s/film.mp4", folder);
    snprintf(log, sizeof log, "%s/film.log", folder);
    a[count++] = "--out";
    a[count++] = out;
    a[count++] = "--caption";
    a[count++] = "--quiet";
    a[count] = NULL;
    int process = study_start(a, log);
    if (process < 0 || study_wait(process) != EXIT_OK)
        return command_fail(EXIT_FAILED, "the film could not be made; %s says why", log);
    unlink(log);
    printf("film: %s\n", out);
    return EXIT_OK;
}

/* ------------------------------------------------------------------------ all */

static int choose_methods(compare *c)
{
    if (!c->o->methods) {
        for (int k = 0; k < WEIR_METHOD_COUNT; k++)
            c->methods[c->method_count++] = weir_method_get_info((weir_method)k)->name;
        return EXIT_OK;
    }
    c->text = strdup(c->o->methods);
    if (!c->text)
        return command_fail(EXIT_FAILED, "memory ran out");
    for (char *rest = c->text, *one; (one = strsep(&rest, ",")) != NULL;) {
        weir_method method;
        if (!weir_method_find(one, &method))
            return command_fail(EXIT_USAGE, "--methods: there is no method '%s'; see 'weir info'",
                                one);
        if (c->method_count == MAX_METHODS)
            return command_fail(EXIT_USAGE, "--methods: at most %d are possible", MAX_METHODS);
        c->methods[c->method_count++] = one;
    }
    return EXIT_OK;
}

static int run_study(compare *c, const study_program *program)
{
    char path[PATH_BYTES + 20];
    weir_error error;
    study_options o = {.fresh = c->o->fresh,
                       .quiet = c->o->quiet,
                       .brief = true,
                       .jobs = c->o->jobs > 0 ? c->o->jobs : 1,
                       .threads = c->o->load.threads};
    snprintf(path, sizeof path, "%s/compare.json", c->folder);
    if (!file_make_folder(c->folder, &error) || !write_study(c, path, &error))
        return command_fail(EXIT_FAILED, "%s", error.text);
    study *s = study_load(path, false, &error);
    if (!s)
        return command_fail(EXIT_SCENE, "%s", error.text);
    study_results results;
    int code = study_perform(s, program, &o, c->folder, &results);
    bool done = results.s != NULL;
    if (done && !c->o->quiet)
        print_table(&results, c->folder);
    if (done && c->o->film && make_film(&results, program, c->folder) != EXIT_OK)
        code = EXIT_FAILED;
    study_results_free(&results);
    study_free(s);
    return code;
}

static int execute(const command *self, int argc, char **argv)
{
    compare_options o = {0};
    compare c = {.o = &o};
    study_program program;
    weir_error error;
    int code;
    if (!command_parse(self, argc, argv, &o, &code))
        return code;
    if (o.load.method)
        return command_fail(EXIT_USAGE, "--method: several methods are given by --methods");
    if (!study_program_find(&program, &error))
        return command_fail_error(&error);
    c.s = load_scene(o.arguments.items[0], &o.load, &code);
    if (!c.s)
        return code;
    char *full = realpath(o.arguments.items[0], NULL);
    snprintf(c.scene_path, sizeof c.scene_path, "%s", full ? full : o.arguments.items[0]);
    free(full);
    if (o.out)
        snprintf(c.folder, sizeof c.folder, "%s", o.out);
    else
        snprintf(c.folder, sizeof c.folder, "out/compare/%s", c.s->name);
    code = choose_methods(&c);
    if (code == EXIT_OK)
        code = run_study(&c, &program);
    free(c.text);
    scene_free(c.s);
    return code;
}

const command command_compare = {
    .name = "compare",
    .usage = "SCENE [OPTIONS]",
    .min_arguments = 1,
    .max_arguments = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Run a scene by several methods and compare them.",
    .details =
        "Prints times, steps, iterations, errors of density and volume, energies, momentum,\n"
        "buoyancy and memory; report.html has them with plots and pictures.",
    .run = execute,
};
