/* weir bench: what this machine can do, and what a step costs on it. */
#include "bench.h"

#include "out/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VALUE(member) offsetof(bench_options, member)

static const option options[] = {
    {"--json", NULL, OPTION_FLAG, VALUE(json), 0, "Print JSON."},
    {"--quick", NULL, OPTION_FLAG, VALUE(quick), 0, "Smaller sizes and fewer repetitions."},
    {"--threads", "N", OPTION_INTEGER, VALUE(threads), 1, "Threads; all cores without it."},
    {"--method", "M", OPTION_TEXT, VALUE(method), 0,
     "Only this method; the peer-dam benches use constraint without it."},
    {"--set", "NAME=NUMBER", OPTION_TEXTS, VALUE(set), 0,
     "Set a parameter of the method, or support (scenes, scaling, threads, stages, depth)."},
    {"--simd", "LEVEL", OPTION_TEXT, VALUE(simd), 0,
     "Instruction level, see 'weir info'; the fastest without it."},
    {"--max", "N", OPTION_INTEGER, VALUE(most), 1000,
     "Particles at most (scaling, threads, stages, neighbours, peer-dam-2d)."},
    {"--max-threads", "N", OPTION_INTEGER, VALUE(threads), 1, "The same as --threads."},
    {"--seconds", "S", OPTION_SECONDS, VALUE(seconds), 0, "Simulate that long (peer benches)."},
    {"--out", "FILE.csv", OPTION_TEXT, VALUE(out), 0, "Write the rows to a CSV file, too."},
    {"--compare", "FILE", OPTION_TEXT, VALUE(stored), 0,
     "Compare times with a stored run (JSON or CSV); exit code 5 where some grew."},
    {"--threshold", "RATIO", OPTION_NUMBER, VALUE(threshold), 0,
     "New over old time that counts as slower; 1.25 without it."},
};

static const struct {
    const char *name, *meaning;
    bool (*run)(const bench_options *o, bench_table *table, weir_error *error);
} benches[] = {
    {"machine", "floating-point and memory speed", bench_machine},
    {"neighbours", "search with its sort; ns a particle and thread", bench_neighbours},
    {"scaling", "cost from 10^3 to --max particles; ns a particle and thread", bench_scaling},
    {"threads", "cost for 1, 2, 4, ... threads: 10^6 particles, and as many for each thread",
     bench_threads},
    {"stages", "every loop of a substep, its work, and the time that the machine's limits allow",
     bench_stages},
    {"lcp", "cost of the contact problem by solver", bench_lcp},
    {"convergence",
     "residual of the density rows of a pillar of 99,200 particles (quick: 9,720), by solver",
     bench_convergence},
    {"depth", "iterations of the density solve for columns of growing depth", bench_depth},
    {"floating", "16 to 1,024 boxes that float, with as much fluid for each", bench_floating},
    {"mesh", "surface meshes of sheets of water", bench_mesh},
    {"render", "pictures of 1280x720; look 0: particles, 1: splats, 2: water, 3: mesh",
     bench_render},
    {"peer-dam", "3D dam break of 97,336 particles, first second", bench_peer_dam},
    {"peer-dam-2d", "2D dam break with boxes as a game would run it, 2,000 to 50,000 particles",
     bench_peer_dam_2d},
    {"peer-pyramid", "2D pyramid of 1,035 boxes, 1 thread", bench_peer_pyramid},
    {"peer-pile", "500 boxes and 500 spheres dropped into a box, 1 thread", bench_peer_pile},
};
enum { BENCHES = sizeof benches / sizeof benches[0] };

/* Stages that a method does not use are left out; small compressions are results. */
static bool is_empty(const bench_table *t, int column)
{
    if (t->groups[column] && strcmp(t->groups[column], "compression") == 0)
        return false;
    for (int r = 0; r < t->rows; r++)
        if (t->label || t->values[r][column] >= 0.01)
            return false;
    return true;
}

static int label_width(const bench_table *t)
{
    size_t width = 12;
    for (int r = 0; r < t->rows; r++)
        width = strlen(t->labels[r]) > width ? strlen(t->labels[r]) : width;
    return (int)width;
}

static void print_table(const char *name, const char *meaning, const bench_table *t)
{
    int labels = t->label ? label_width(t) : 0;
    printf("%s: %s\n", name, meaning);
    for (int row = -1; row < t->rows; row++) {
        if (t->label)
            printf("  %-*s", labels, row < 0 ? t->label : t->labels[row]);
        for (int c = 0; c < t->columns; c++) {
            int width = (int)strlen(t->names[c]) + 2;
            width = width > 11 ? width : 11;
            if (is_empty(t, c))
                continue;
            if (row < 0)
                printf("%*s", width, t->names[c]);
            else if (isnan(t->values[row][c]))
                printf("%*s", width, "-");
            else
                printf("%*.4g", width, t->values[row][c]);
        }
        printf("\n");
    }
}

static void write_json(json *j, const char *name, const bench_table *t)
{
    json_array_begin(j, name);
    for (int r = 0; r < t->rows; r++) {
        json_object_begin(j, NULL);
        const char *group = NULL;
        if (t->label)
            json_string(j, t->label, t->labels[r]);
        for (int c = 0; c < t->columns; c++) {
            if (group && t->groups[c] != group)
                json_object_end(j);
            if (t->groups[c] && t->groups[c] != group)
                json_object_begin(j, t->groups[c]);
            group = t->groups[c];
            json_number(j, t->names[c], t->values[r][c]);
        }
        if (group)
            json_object_end(j);
        json_object_end(j);
    }
    json_array_end(j);
}

static void write_csv(file_writer *w, const char *name, const bench_table *t)
{
    file_print(w, "bench");
    if (t->label)
        file_print(w, ",%s", t->label);
    for (int c = 0; c < t->columns; c++)
        file_print(w, ",%s%s%s", t->groups[c] ? t->groups[c] : "", t->groups[c] ? "_" : "",
                   t->names[c]);
    file_print(w, "\n");
    for (int r = 0; r < t->rows; r++) {
        file_print(w, "%s", name);
        if (t->label)
            file_print(w, ",%s", t->labels[r]);
        for (int c = 0; c < t->columns; c++)
            file_print(w, ",%.6g", t->values[r][c]);
        file_print(w, "\n");
    }
}

/* Runs one bench and hands its table to whoever wants it. */
static int run_bench(const bench_options *o, int index, json *j, file_writer *w)
{
    weir_error error;
    bench_table table = {.rows = 0};
    if (!benches[index].run(o, &table, &error)) {
        /* A bench has no input but its options. */
        bool refused = error.code == WEIR_INVALID || error.code == WEIR_NOT_FOUND;
        return refused ? command_fail(EXIT_USAGE, "%s", error.text) : command_fail_error(&error);
    }
    if (j)
        write_json(j, benches[index].name, &table);
    else
        print_table(benches[index].name, benches[index].meaning, &table);
    if (w)
        write_csv(w, benches[index].name, &table);
    int slower = o->stored ? bench_compare(o, benches[index].name, &table, &error) : 0;
    return slower < 0   ? command_fail(EXIT_SCENE, "%s", error.text)
           : slower > 0 ? EXIT_CHECK
                        : EXIT_OK;
}

static int find_bench(const char *name)
{
    for (int k = 0; k < BENCHES; k++)
        if (strcmp(benches[k].name, name) == 0)
            return k;
    return -1;
}

static int fail_unknown(const char *name)
{
    char known[512] = "";
    for (int k = 0; k < BENCHES; k++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", k ? ", " : "",
                 benches[k].name);
    return command_fail(EXIT_USAGE, "unknown bench '%s': must be one of %s", name, known);
}

static int run_benches(const bench_options *o, int only)
{
    json j = {0};
    file_writer w;
    int code = EXIT_OK;
    if (o->out)
        file_begin(&w, o->out);
    if (o->json)
        json_object_begin(&j, NULL);
    bool slower = false;
    for (int k = 0; k < BENCHES && code == EXIT_OK; k++)
        if (only < 0 || k == only) {
            code = run_bench(o, k, o->json ? &j : NULL, o->out ? &w : NULL);
            /* What got slower is a result: the rest runs, and all is written. */
            slower = slower || code == EXIT_CHECK;
            code = code == EXIT_CHECK ? EXIT_OK : code;
        }
    if (o->json) {
        json_object_end(&j);
        if (code == EXIT_OK && j.text)
            fputs(j.text, stdout);
    }
    json_free(&j);
    weir_error error;
    if (o->out && code != EXIT_OK)
        file_discard(&w);
    else if (o->out && !file_commit(&w, &error))
        code = command_fail(EXIT_FAILED, "%s", error.text);
    return code == EXIT_OK && slower ? EXIT_CHECK : code;
}

/* Whether this machine can run a level; none is named for the fastest. */
static bool is_level(const char *simd)
{
    for (const char *const *level = weir_simd_levels(); simd && *level; level++)
        if (strcmp(*level, simd) == 0)
            return true;
    return !simd;
}

static int execute(const command *self, int argc, char **argv)
{
    bench_options values = {0};
    int code, only = -1;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    if (values.arguments.count > 0) {
        only = find_bench(values.arguments.items[0]);
        if (only < 0)
            return fail_unknown(values.arguments.items[0]);
    }
    if (!is_level(values.simd))
        return command_fail(EXIT_USAGE,
                            "--simd %s: this CPU or build has no such level; see "
                            "'weir info'",
                            values.simd);
    /* Before minutes are spent on what it shall be compared with. */
    if (values.stored && access(values.stored, R_OK) != 0)
        return command_fail(EXIT_SCENE, "--compare %s: cannot read the file", values.stored);
    return run_benches(&values, only);
}

const command command_bench = {
    .name = "bench",
    .usage = "[NAME] [OPTIONS]",
    .max_arguments = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Measure this machine and the cost of a step; all benches without a name.",
    .details = "Benches: machine, neighbours, scaling, threads, stages, lcp, convergence, depth,\n"
               "floating, mesh, render, peer-dam, peer-dam-2d, peer-pyramid, peer-pile.",
    .run = execute,
};
