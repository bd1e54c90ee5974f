/* weir plot: time series of runs as PNG or SVG, by gnuplot. */
#include "load.h"

#include "draw/plot.h"
#include "out/file.h"
#include "out/read_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SERIES = 64, MAX_NAMES = 16 };

typedef struct plot_options {
    arguments arguments;
    const char *out, *show;
    bool quiet;
} plot_options;

/* Columns that belong together: they have one unit. */
typedef struct group {
    const char *name, *label;
    bool log_y;
    const char *columns[MAX_NAMES]; /* ends with NULL */
} group;

static const group groups[] = {
    {"energy",
     "energy (J)",
     false,
     {"kinetic_energy", "potential_energy", "body_kinetic_energy", "body_potential_energy",
      "total_energy"}},
    {"density",
     "density error",
     false,
     {"compression_mean", "compression_max", "bulk_error_mean", "bulk_error_max"}},
    {"volume", "volume error", false, {"volume_error"}},
    {"speed", "largest speed (m/s)", false, {"speed_max"}},
    {"particles", "particles", false, {"particles"}},
    {"iterations", "iterations of the last substep", false, {"iterations"}},
    {"residual", "residual of the last substep", true, {"residual"}},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

/* The tables of one argument. */
typedef struct input {
    char *folder; /* of results; NULL: a CSV file */
    char *label;
    read_csv tables[2]; /* statistics and probes, or the file and none */
} input;

typedef struct plot_job {
    const plot_options *options;
    input inputs[COMMAND_MAX_ARGUMENTS];
    size_t count;
    plot_series series[MAX_SERIES];
    char names[MAX_SERIES][160];
    size_t series_count;
} plot_job;

#define VALUE(member) offsetof(plot_options, member)

static const option options[] = {
    {"--out", "FILE", OPTION_TEXT, VALUE(out), 0,
     "One plot (.png or .svg); without it, every plot goes to the first RESULTS."},
    {"--show", "WHAT", OPTION_TEXT, VALUE(show), 0,
     "energy, density, volume, speed, particles, iterations, residual, probes or columns: a,b"},
    {"--quiet", NULL, OPTION_FLAG, VALUE(quiet), 0, "Print nothing but errors."},
};

/* ------------------------------------------------------------------- input */

static char *join(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool load_table(read_csv *table, const char *folder, const char *name, bool must,
                       weir_error *error)
{
    weir_error why;
    char *path = join(folder, name);
    if (!path)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    bool done = read_csv_load(table, path, &why);
    free(path);
    if (done || (!must && why.code == WEIR_NOT_FOUND))
        return true;
    return fail(error, why.code, "%s", why.text);
}

/* The last part of a path: "out/dam" is "dam". */
static char *last_part(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    return strndup(path + begin, end - begin);
}

static int open_input(input *in, const char *path)
{
    weir_error error;
    in->folder = load_results_folder(path);
    in->label = last_part(in->folder ? in->folder : path);
    if (!in->label)
        return command_fail(EXIT_FAILED, "memory ran out");
    bool done = in->folder
                    ? load_table(&in->tables[0], in->folder, "statistics.csv", true, &error) &&
                          load_table(&in->tables[1], in->folder, "probes.csv", false, &error)
                    : read_csv_load(&in->tables[0], path, &error);
    if (!done)
        return command_fail(EXIT_SCENE, "%s", error.text);
    for (int t = 0; t < 2; t++)
        if (in->tables[t].columns > 0 && read_csv_find(&in->tables[t], "time") < 0)
            return command_fail(EXIT_SCENE, "%s has no column 'time'", path);
    return EXIT_OK;
}

/* ------------------------------------------------------------------ series */

static bool has_values(const read_csv *table, int column)
{
    for (size_t i = 0; i < table->rows; i++)
        if (isfinite(table->values[column][i]))
            return true;
    return false;
}

static void add_series(plot_job *job, const input *in, const read_csv *table, int column)
{
    if (job->series_count == MAX_SERIES || !has_values(table, column))
        return;
    char *name = job->names[job->series_count];
    const char *title = table->names[column];
    if (job->count > 1)
        snprintf(name, sizeof job->names[0], "%.70s: %.70s", in->label, title);
    else
        snprintf(name, sizeof job->names[0], "%.150s", title);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    job->series[job->series_count++] = (plot_series){
        .name = name,
        .x = table->values[read_csv_find(table, "time")],
        .y = table->values[column],
        .count = table->rows,
    };
}

/* Adds a column of every input; false when none has it. */
static bool add_column(plot_job *job, const char *name)
{
    bool found = false;
    for (size_t k = 0; k < job->count; k++)
        for (int t = 0; t < 2; t++) {
            const read_csv *table = &job->inputs[k].tables[t];
            int column = read_csv_find(table, name);
            if (column < 0)
                continue;
            add_series(job, &job->inputs[k], table, column);
            found = true;
        }
    return found;
}

/* Adds all columns of a table but the time. */
static void add_table(plot_job *job, int which)
{
    for (size_t k = 0; k < job->count; k++) {
        const read_csv *table = &job->inputs[k].tables[which];
        for (size_t c = 0; c < table->columns; c++)
            if (strcmp(table->names[c], "time") != 0)
                add_series(job, &job->inputs[k], table, (int)c);
    }
}

/* ------------------------------------------------------------------- plots */

static int write_plot(plot_job *job, const char *path, const char *label, bool log_y)
{
    weir_error error;
    plot p = {.title = job->count == 1 ? job->inputs[0].label : NULL,
              .x_label = "time (s)",
              .y_label = label,
              .log_y = log_y,
              .series = job->series,
              .series_count = job->series_count};
    if (!plot_write(path, &p, &error))
        return command_fail(error.code == WEIR_INVALID ? EXIT_USAGE : EXIT_FAILED, "%s",
                            error.text);
    if (!job->options->quiet)
        printf("plot: %s\n", path);
    return EXIT_OK;
}

/* Whether a log axis has anything to show. */
static bool has_positive(const plot_job *job)
{
    for (size_t k = 0; k < job->series_count; k++)
        for (size_t i = 0; i < job->series[k].count; i++)
            if (job->series[k].y[i] > 0)
                return true;
    return false;
}

static int plot_named(plot_job *job, const char *path, const char *name)
{
    char *column = strdup(name);
    int code = column ? EXIT_OK : command_fail(EXIT_FAILED, "memory ran out");
    for (char *rest = column, *one; code == EXIT_OK && (one = strsep(&rest, ",")) != NULL;)
        if (!add_column(job, one))
            code = command_fail(EXIT_USAGE,
                                "--show: there is no '%s': must be energy, density, volume, speed, "
                                "particles, iterations, residual, probes or columns of the files",
                                one);
    if (code == EXIT_OK)
        code = write_plot(job, path, strchr(name, ',') ? NULL : name, false);
    free(column);
    return code;
}

/* One plot, as --out and --show say. */
static int plot_one(plot_job *job)
{
    const char *path = job->options->out, *what = job->options->show;
    bool is_file = !job->inputs[0].folder;
    if (!what && is_file) {
        add_table(job, 0);
        return write_plot(job, path, NULL, false);
    }
    what = what ? what : "energy";
    if (strcmp(what, "probes") == 0) {
        add_table(job, is_file ? 0 : 1);
        return write_plot(job, path, NULL, false);
    }
    for (size_t k = 0; k < GROUPS; k++)
        if (strcmp(groups[k].name, what) == 0) {
            for (const char *const *c = groups[k].columns; *c; c++)
                add_column(job, *c);
            return write_plot(job, path, groups[k].label, groups[k].log_y && has_positive(job));
        }
    return plot_named(job, path, what);
}

/* Writes `folder/name.png` if there is anything to show. */
static int plot_into(plot_job *job, const char *name, const char *label, bool log_y)
{
    char *path;
    if (job->series_count == 0 || (log_y && !has_positive(job)))
        return EXIT_OK;
    if (asprintf(&path, "%s/%s.png", job->inputs[0].folder, name) < 0)
        return command_fail(EXIT_FAILED, "memory ran out");
    int code = write_plot(job, path, label, log_y);
    free(path);
    return code;
}

/* The label of a probe's column: its kind and unit, from the scene of the results. */
static void find_label(const scene *s, const char *column, char label[200])
{
    static const char *const kinds[] = {[WEIR_PROBE_HEIGHT] = "height (m)",
                                        [WEIR_PROBE_PRESSURE] = "pressure (Pa)",
                                        [WEIR_PROBE_VELOCITY] = "velocity (m/s)",
                                        [WEIR_PROBE_FLOW] = "flow (m3/s)"};
    snprintf(label, 200, "%.190s", column);
    for (size_t k = 0; s && k < s->data.probe_count; k++) {
        size_t length = strlen(s->data.probes[k].name);
        if (strncmp(column, s->data.probes[k].name, length) == 0 &&
            (!column[length] || (column[length] == '_' && strlen(column) == length + 2)))
            snprintf(label, 200, "%s", kinds[s->data.probes[k].kind]);
    }
}

static int plot_probes(plot_job *job)
{
    const read_csv *probes = &job->inputs[0].tables[1];
    char *path = join(job->inputs[0].folder, "scene.yaml");
    scene *s = path ? scene_load(path, NULL, 0, NULL) : NULL;
    int code = EXIT_OK;
    for (size_t c = 0; c < probes->columns && code == EXIT_OK; c++) {
        char name[140], label[200];
        snprintf(name, sizeof name, "probe-%.120s", probes->names[c]);
        job->series_count = 0;
        if (strcmp(probes->names[c], "time") == 0 || strchr(name, '/'))
            continue;
        add_column(job, probes->names[c]);
        find_label(s, probes->names[c], label);
        code = plot_into(job, name, label, false);
    }
    scene_free(s);
    free(path);
    return code;
}

/* Every group, and every probe by itself: their units differ. */
static int plot_every(plot_job *job)
{
    int code = EXIT_OK;
    if (!job->inputs[0].folder)
        return command_fail(EXIT_USAGE, "--out is needed for CSV files: the plot, .png or .svg");
    for (size_t k = 0; k < GROUPS && code == EXIT_OK; k++) {
        job->series_count = 0;
        for (const char *const *c = groups[k].columns; *c; c++)
            add_column(job, *c);
        code = plot_into(job, groups[k].name, groups[k].label, groups[k].log_y);
    }
    return code == EXIT_OK ? plot_probes(job) : code;
}

static int plot_all(plot_job *job)
{
    const arguments *given = &job->options->arguments;
    int code = EXIT_OK;
    for (size_t k = 0; k < given->count && code == EXIT_OK; k++) {
        job->count = k + 1;
        code = open_input(&job->inputs[k], given->items[k]);
    }
    if (code == EXIT_OK && job->options->show && !job->options->out)
        code = command_fail(EXIT_USAGE, "--show needs --out: the plot, .png or .svg");
    if (code != EXIT_OK)
        return code;
    return job->options->out ? plot_one(job) : plot_every(job);
}

static int execute(const command *self, int argc, char **argv)
{
    plot_options values = {0};
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    plot_job *job = calloc(1, sizeof *job);
    if (!job)
        return command_fail(EXIT_FAILED, "memory ran out");
    job->options = &values;
    code = plot_all(job);
    for (size_t k = 0; k < job->count; k++) {
        free(job->inputs[k].folder);
        free(job->inputs[k].label);
        read_csv_free(&job->inputs[k].tables[0]);
        read_csv_free(&job->inputs[k].tables[1]);
    }
    free(job);
    return code;
}

const command command_plot = {
    .name = "plot",
    .usage = "RESULTS|REPORT|CSV... [OPTIONS]",
    .min_arguments = 1,
    .max_arguments = COMMAND_MAX_ARGUMENTS,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Plot energies, density errors and probes of runs.",
    .details = "Several runs go into one plot. Needs gnuplot.",
    .run = execute,
};
