/* weir study: runs the cases of a study file and writes what they show. */
#include "study.h"

#include "out/file.h"
#include "scene/scene.h"
#include "scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MAX_PANELS = 16 };

#define VALUE(member) offsetof(study_options, member)

static const option options[] = {
    {"--quick", NULL, OPTION_FLAG, VALUE(quick), 0, "Fewer cases and shorter runs."},
    {"--out", "DIR", OPTION_TEXT, VALUE(out), 0,
     "Folder of the results; out/studies/NAME without it, NAME-quick with --quick."},
    {"--jobs", "N", OPTION_INTEGER, VALUE(jobs), 1,
     "Runs at a time; as many as there are cores without it, 1 for studies that are timed."},
    {"--threads", "N", OPTION_INTEGER, VALUE(threads), 1,
     "Threads of each run; the cores over the jobs without it."},
    {"--fresh", NULL, OPTION_FLAG, VALUE(fresh), 0,
     "Run every case again; without it those that are done, or were interrupted, are kept."},
    {"--summary", "FILE", OPTION_TEXT, VALUE(summary), 0,
     "Write the tables of all the studies as one Markdown page."},
    {"--check", NULL, OPTION_FLAG, VALUE(check), 0,
     "Run nothing: print the cases, and whether their scenes are valid."},
    {"--schema", NULL, OPTION_FLAG, VALUE(schema), 0, "Print the JSON Schema of study files."},
    {"--reference", NULL, OPTION_FLAG, VALUE(reference), 0,
     "Print the page that explains study files."},
    {"--quiet", NULL, OPTION_FLAG, VALUE(quiet), 0, "No progress, no summary."},
};

/* ------------------------------------------------------------------------ listing */

static int print_list(const study_program *p)
{
    study_list l = {0};
    int code = study_find_all(p, &l);
    for (size_t k = 0; k < l.count; k++) {
        weir_error error;
        study *full = study_load(l.paths[k], false, &error);
        study *quick = full ? study_load(l.paths[k], true, &error) : NULL;
        if (quick)
            printf("%-28s %4zu cases, quick %3zu  %s\n", full->name, full->case_count,
                   quick->case_count, full->data.title);
        else
            code = command_fail(EXIT_SCENE, "%s", error.text);
        study_free(full);
        study_free(quick);
    }
    study_list_free(&l);
    return code;
}

/* Reads the scene of a case with its settings; the reason where that fails. */
static bool check_case(const study_case *c, weir_error *error)
{
    size_t count = 0;
    scene_override *list = calloc(c->set_count + 1, sizeof *list);
    char method[200];
    if (!list)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    if (c->method) {
        snprintf(method, sizeof method, "method=%s", c->method);
        list[count++] = (scene_override){"--method", method};
    }
    for (size_t k = 0; k < c->set_count; k++)
        list[count++] = (scene_override){"--set", c->set[k]};
    scene *s = scene_load(c->scene, list, count, error);
    scene_free(s);
    free(list);
    return s != NULL;
}

static int check_study(const study *s)
{
    int code = EXIT_OK;
    for (size_t k = 0; k < s->case_count; k++) {
        const study_case *c = &s->cases[k];
        weir_error error;
        bool ok = c->unable || check_case(c, &error);
        printf("%s: %s: %s\n", s->name, c->name, c->unable ? c->unable : ok ? "ok" : error.text);
        if (!ok)
            code = EXIT_SCENE;
    }
    return code;
}

/* ----------------------------------------------------------------------- pictures */

/* `weir render` with the cases that a picture shows side by side. */
static void draw_picture(const study_results *r, const study_program *program, size_t index,
                         const char *folder)
{
    const study *s = r->s;
    const study_picture *p = &s->data.pictures[index];
    const char *a[MAX_PANELS + 20];
    char cases[MAX_PANELS][PATH_BYTES], out[PATH_BYTES], log[PATH_BYTES], time[40];
    size_t count = 0, shown = 0;
    a[count++] = program->path;
    a[count++] = "render";
    for (size_t k = 0; k < s->case_count && shown < MAX_PANELS; k++)
        if (r->cases[k].state == STUDY_DONE && study_matches(s, &s->cases[k], &p->where)) {
            snprintf(cases[shown], PATH_BYTES, "%s/%s", folder, s->cases[k].folder);
            a[count++] = cases[shown++];
        }
    snprintf(out, sizeof out, "%s/picture-%zu.png", folder, index + 1);
    snprintf(log, sizeof log, "%s/picture-%zu.log", folder, index + 1);
    snprintf(time, sizeof time, "%.17g", p->time);
    a[count++] = "--out";
    a[count++] = out;
    a[count++] = "--size";
    a[count++] = shown > 4 ? "1280x900" : "1280x720";
    a[count++] = "--caption";
    a[count++] = "--quiet";
    if (!isnan(p->time)) {
        a[count++] = "--time";
        a[count++] = time;
    }
    if (p->color) {
        a[count++] = "--color";
        a[count++] = p->color;
    }
    if (p->range) {
        a[count++] = "--range";
        a[count++] = p->range;
    }
    a[count] = NULL;
    unlink(out);
    int process = shown > 0 ? study_start(a, log) : -1;
    if (process > 0 && study_wait(process) == EXIT_OK)
        unlink(log);
}

/* ------------------------------------------------------------------------ one study */

static void print_results(const study_results *r, const char *folder)
{
    const study *s = r->s;
    char number[STUDY_NUMBER], text[STUDY_ALLOWED], label[STUDY_ALLOWED];
    printf("%s\n  %zu cases run", s->data.title, r->done_count);
    if (r->check_count > 0)
        printf(", %zu of %zu expectations met", r->passed_count, r->check_count);
    if (r->claim_count > 0)
        printf(", %zu of %zu findings come out", r->claims_passed, r->claim_count);
    if (r->unable_count > 0)
        printf(", %zu cases not possible", r->unable_count);
    if (r->failed_count > 0)
        printf(", %zu cases FAILED", r->failed_count);
    printf("\n");
    for (size_t k = 0; k < r->check_count; k++) {
        const study_check *c = &r->checks[k];
        if (!c->passed)
            printf("  falls short: %s: %s is %s, expected %s\n", s->cases[c->of_case].name,
                   study_label(&s->data.measures[c->measure], label),
                   study_show(c->measured, number), study_show_expected(c->expectation, text));
    }
    for (size_t k = 0; k < r->claim_count; k++)
        if (!r->claims[k].passed)
            printf("  does not come out: %s (%s)\n", r->claims[k].finding->claim,
                   study_show(r->claims[k].value, number));
    for (size_t k = 0; k < s->case_count; k++)
        if (r->cases[k].state == STUDY_FAILED)
            printf("  failed: %s: %s\n", s->cases[k].name, r->cases[k].message);
    printf("report: %s/report.html\n", folder);
}

static bool write_all(study_results *r, const study_program *program, const char *folder,
                      weir_error *error)
{
    char path[PATH_BYTES];
    const char *missing;
    study_stamp stamp = study_stamp_make(program);
    for (size_t k = 0; k < r->s->data.picture_count; k++)
        draw_picture(r, program, k, folder);
    snprintf(path, sizeof path, "%s/results.csv", folder);
    if (!study_write_csv(r, path, error))
        return false;
    snprintf(path, sizeof path, "%s/results.json", folder);
    return study_write_json(r, &stamp, path, error) &&
           study_write_plots(r, folder, &missing, error) &&
           study_write_html(r, &stamp, folder, missing, error);
}

int study_perform(study *s, const study_program *program, const study_options *o,
                  const char *folder, study_results *results)
{
    weir_error error;
    store kept = {0};
    study_outcome *outcomes = store_take_array(&kept, s->case_count + 1, sizeof *outcomes);
    *results = (study_results){0};
    if (!outcomes)
        return command_fail(EXIT_FAILED, "memory ran out");
    if (!file_make_folder(folder, &error) || !file_check_folder(folder, NULL, &error)) {
        store_free(&kept);
        return command_fail(EXIT_FAILED, "%s", error.text);
    }
    if (!o->quiet)
        fprintf(stderr, "%s: %zu cases, results in %s\n", s->name, s->case_count, folder);
    int code = study_run_cases(s, program, o, folder, outcomes, &kept);
    if (code == EXIT_INTERRUPTED) {
        fprintf(stderr, "weir: interrupted; the same command goes on\n");
    } else if (code == EXIT_OK) {
        bool ok = study_evaluate(results, s, folder, outcomes, &error) &&
                  write_all(results, program, folder, &error);
        if (!ok)
            code = command_fail(EXIT_FAILED, "%s", error.text);
        else if (results->passed_count < results->check_count || results->failed_count > 0 ||
                 results->claims_passed < results->claim_count)
            code = EXIT_CHECK;
        if (ok && !o->quiet && !o->brief)
            print_results(results, folder);
    }
    store_free(&kept);
    return code;
}

/* ---------------------------------------------------------------------- all of them */

static int perform_one(const char *path, const study_program *program, const study_options *o,
                       study_page *page)
{
    weir_error error;
    char folder[PATH_BYTES];
    study *s = study_load(path, o->quick, &error);
    if (!s)
        return command_fail(EXIT_SCENE, "%s", error.text);
    if (o->check) {
        int checked = check_study(s);
        study_free(s);
        return checked;
    }
    bool several = o->arguments.count > 1 || strcmp(o->arguments.items[0], "all") == 0;
    if (o->out && several)
        snprintf(folder, sizeof folder, "%s/%s", o->out, s->name);
    else if (o->out)
        snprintf(folder, sizeof folder, "%s", o->out);
    else
        snprintf(folder, sizeof folder, "out/studies/%s%s", s->name, o->quick ? "-quick" : "");
    study_results results;
    int code = study_perform(s, program, o, folder, &results);
    if (page && results.s)
        study_page_add(page, &results);
    study_results_free(&results);
    study_free(s);
    return code;
}

static int perform_list(const study_list *l, const study_program *program, const study_options *o)
{
    study_page page = {0};
    weir_error error;
    int worst = EXIT_OK;
    bool wants_page = o->summary && !o->check;
    if (wants_page && !study_page_begin(&page))
        worst = command_fail(EXIT_FAILED, "memory ran out");
    for (size_t k = 0; k < l->count && worst != EXIT_FAILED && worst != EXIT_INTERRUPTED; k++) {
        int code = perform_one(l->paths[k], program, o, wants_page ? &page : NULL);
        worst = code == EXIT_OK ? worst : code;
    }
    study_page_close(&page);
    /* Half a page would pass for a whole one. */
    if (wants_page && worst != EXIT_FAILED && worst != EXIT_INTERRUPTED &&
        !study_page_write(&page, program, o->quick, o->summary, &error))
        worst = command_fail(EXIT_FAILED, "%s", error.text);
    study_page_free(&page);
    return worst;
}

static const char introduction[] =
    "# Study files\n"
    "This page is printed by `weir study --reference`; the same tables read study files and give\n"
    "`schema/study.schema.json`.\n\n"
    "A study runs scenes over methods and parameters, measures every run, compares the numbers to\n"
    "what is expected, and writes a report. `weir study NAME` runs one of `studies/`, `weir study\n"
    "FILE` any other. A short one:\n"
    "```yaml\n"
    "title: How high does the water rise?\n"
    "question: How high is the water at the far wall, and does it depend on the spacing?\n"
    "scene: ../scenes/examples/dam-break-2d.yaml\n"
    "methods: [sph, constraint]\n"
    "axes:\n"
    "  - {name: spacing, key: spacing, unit: m, values: [4 cm, 3 cm]}\n"
    "curves:\n"
    "  height: {kind: extent, axis: y, skip: 0.01, x_label: time (s), y_label: height (m)}\n"
    "measures:\n"
    "  highest: {curve: height, take: max, unit: m}\n"
    "plots:\n"
    "  - {title: Height over time, curve: height}\n"
    "```\n"
    "Cases are all combinations of the methods and the values of the axes. `where` picks those\n"
    "that have all of the names in it: `[sph]`, `[sph, 4 cm]`. What is missing is said, not left\n"
    "out: a case that fails is shown with its reason, and `unable` gives the reason of those that\n"
    "are not run. Numbers used as names are written in quotes.\n";

static int print_about(const study_options *o)
{
    weir_error error;
    json j = {0};
    char *text = NULL;
    bool ok = o->schema ? schema_write(study_record(), NULL, "Weir study", &j, &error)
                        : record_reference(study_record(), introduction, &text, &error);
    if (ok)
        fputs(o->schema ? j.text : text, stdout);
    json_free(&j);
    free(text);
    return ok ? EXIT_OK : command_fail_error(&error);
}

static int execute(const command *self, int argc, char **argv)
{
    study_options o = {0};
    int code;
    weir_error error;
    study_program program;
    if (!command_parse(self, argc, argv, &o, &code))
        return code;
    if (o.schema || o.reference)
        return print_about(&o);
    if (o.arguments.count == 0)
        return command_fail(EXIT_USAGE, "a study is missing: see 'weir study list'");
    if (!study_program_find(&program, &error))
        return command_fail_error(&error);
    if (strcmp(o.arguments.items[0], "list") == 0)
        return print_list(&program);
    study_list l = {0};
    if (strcmp(o.arguments.items[0], "all") == 0)
        code = study_find_all(&program, &l);
    else
        for (size_t k = 0; k < o.arguments.count && code == EXIT_OK; k++)
            code = study_find(&program, o.arguments.items[k], &l);
    if (code == EXIT_OK)
        code = perform_list(&l, &program, &o);
    study_list_free(&l);
    return code;
}

const command command_study = {
    .name = "study",
    .usage = "list | all | NAME|FILE...",
    .max_arguments = COMMAND_MAX_ARGUMENTS,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Run scenes over methods and parameters, and report what they show.",
    .details =
        "Writes results.csv, results.json, plots, pictures and report.html. Ctrl-C stops it;\n"
        "the same command goes on. Ends with code 5 when something falls short of what is\n"
        "expected of it.",
    .run = execute,
};
