/* Compares a bench with a stored run of it: times row by row, scaled by what both machines can do.
 */
#include "bench.h"

#include "out/file.h"
#include "scene/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STORED_ROWS = 4 * BENCH_MAX_ROWS, NAME_BYTES = 64, PATH_BYTES = 4096 };

typedef struct stored_row {
    char label[NAME_BYTES]; /* "" where rows have none */
    int count;
    char names[BENCH_MAX_COLUMNS][NAME_BYTES]; /* with their group: stages_solve */
    double values[BENCH_MAX_COLUMNS];
} stored_row;

typedef struct stored_bench {
    stored_row *rows;
    int count;
} stored_bench;

static stored_row *add_row(stored_bench *s)
{
    return s->count < MAX_STORED_ROWS ? &s->rows[s->count++] : NULL;
}

static void add_value(stored_row *row, const char *group, const char *name, double value)
{
    if (row->count == BENCH_MAX_COLUMNS)
        return;
    snprintf(row->names[row->count], NAME_BYTES, "%s%s%s", group ? group : "", group ? "_" : "",
             name);
    row->values[row->count++] = value;
}

static const double *find_value(const stored_row *row, const char *group, const char *name)
{
    char full[NAME_BYTES];
    snprintf(full, sizeof full, "%s%s%s", group ? group : "", group ? "_" : "", name);
    for (int k = 0; k < row->count; k++)
        if (strcmp(row->names[k], full) == 0)
            return &row->values[k];
    return NULL;
}

/* ------------------------------------------------------------------- reading */

static void read_json_row(stored_row *row, const node *from, const char *group)
{
    for (const node *n = from->first; n; n = n->next)
        if (n->kind == NODE_MAP && !group)
            read_json_row(row, n, n->key);
        else if (n->kind == NODE_SCALAR && node_is_number(n))
            add_value(row, group, n->key, strtod(n->text, NULL));
        else if (n->kind == NODE_SCALAR && !group && !node_is_null(n))
            snprintf(row->label, NAME_BYTES, "%s", n->text);
}

static bool read_json(stored_bench *s, const char *path, const char *bench, weir_error *error)
{
    tree *t = tree_load(path, NULL, error);
    if (!t)
        return false;
    const node *list = node_find(t->root, bench);
    for (const node *n = list ? list->first : NULL; n; n = n->next) {
        stored_row *row = n->kind == NODE_MAP ? add_row(s) : NULL;
        if (row)
            read_json_row(row, n, NULL);
    }
    tree_free(t);
    return true;
}

static char *next_cell(char **at)
{
    char *cell = *at, *comma = cell ? strchr(cell, ',') : NULL;
    if (comma)
        *comma = '\0';
    *at = comma ? comma + 1 : NULL;
    return cell;
}

/* A line of a CSV file: a row of the bench, or the names of the columns of those that follow. */
static void read_csv_line(stored_bench *s, char *line, char *header, const char *bench)
{
    char names[1024], *name_at = names, *at = line;
    if (strncmp(line, "bench,", 6) == 0) {
        snprintf(header, sizeof names, "%s", line);
        return;
    }
    snprintf(names, sizeof names, "%s", header);
    next_cell(&name_at);
    if (strcmp(next_cell(&at), bench) != 0)
        return;
    stored_row *row = add_row(s);
    while (row && at && name_at) {
        char *end, *name = next_cell(&name_at), *cell = next_cell(&at);
        double value = strtod(cell, &end);
        if (end != cell && *end == '\0')
            add_value(row, NULL, name, value);
        else
            snprintf(row->label, NAME_BYTES, "%s", cell);
    }
}

static bool read_csv_rows(stored_bench *s, const char *path, const char *bench, weir_error *error)
{
    char line[1024], header[1024] = "";
    FILE *f = fopen(path, "r");
    if (!f)
        return fail(error, WEIR_IO, "cannot open %s", path);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] != '\0')
            read_csv_line(s, line, header, bench);
    }
    fclose(f);
    return true;
}

static bool is_json(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static bool read_stored(stored_bench *s, const char *path, const char *bench, weir_error *error)
{
    s->count = 0;
    memset(s->rows, 0, MAX_STORED_ROWS * sizeof *s->rows);
    return is_json(path) ? read_json(s, path, bench, error) : read_csv_rows(s, path, bench, error);
}

/* ------------------------------------------------------------------ machines */

/* The limits that a file has of its own machine, or machine.csv beside it. */
static bool find_stored_limits(stored_bench *s, const char *path, int threads,
                               machine_limits *limits)
{
    char beside[PATH_BYTES];
    weir_error ignored;
    const char *slash = strrchr(path, '/');
    if (!read_stored(s, path, "machine", &ignored) || s->count == 0) {
        snprintf(beside, sizeof beside, "%.*smachine.csv", slash ? (int)(slash - path) + 1 : 0,
                 path);
        if (!read_csv_rows(s, beside, "machine", &ignored))
            return false;
    }
    for (int r = 0; r < s->count; r++) {
        const double *of = find_value(&s->rows[r], NULL, "threads");
        const double *flops = find_value(&s->rows[r], NULL, "gflops");
        const double *bytes = find_value(&s->rows[r], NULL, "gbytes_per_s");
        if (of && *of == threads && flops && bytes && *flops > 0 && *bytes > 0) {
            *limits = (machine_limits){.gflops = *flops, .gbytes_per_s = *bytes};
            return true;
        }
    }
    return false;
}

/* How many times as fast this machine is by the kinder of its two numbers: a loop is limited by one
 * of them, and only what is slower by both counts. */
static bool find_speed(const bench_options *o, stored_bench *s, int threads, double *speed,
                       weir_error *error)
{
    machine_limits here, there;
    *speed = 1;
    if (!find_stored_limits(s, o->stored, threads, &there)) {
        fprintf(
            stderr,
            "weir: %s and machine.csv beside it have no 'machine' row of %d thread(s), as 'weir "
            "bench machine --out machine.csv' writes it: times are compared as they are\n",
            o->stored, threads);
        return true;
    }
    if (!bench_find_limits(threads, true, &here, error))
        return false;
    double flops = here.gflops / there.gflops, bytes = here.gbytes_per_s / there.gbytes_per_s;
    *speed = fmin(flops, bytes);
    /* Within what two runs on one machine differ by, it is the same machine. */
    if (flops > 0.8 && flops < 1.25 && bytes > 0.67 && bytes < 1.5)
        *speed = 1;
    fprintf(stderr,
            "weir: this machine has %.3g times the flops and %.3g times the bytes of the stored "
            "one; old times are divided by %.3g\n",
            flops, bytes, *speed);
    return true;
}

/* ----------------------------------------------------------------- comparing */

/* What makes a row the same one: sizes, not results. */
static bool is_key(const char *name)
{
    static const char *const keys[] = {"particles", "threads", "dim",      "support",  "depth",
                                       "bodies",    "look",    "contacts", "isotropic"};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (strcmp(keys[k], name) == 0)
            return true;
    return false;
}

static bool is_iterations(const char *name)
{
    return strncmp(name, "iterations", strlen("iterations")) == 0;
}

static bool is_time(const char *group, const char *name)
{
    static const char *const ends[] = {"_ms", "_ns", "wall_s", "seconds", "wall_per_simulated_s"};
    static const char *const begins[] = {"ms_per", "ns_per", "us_per"};
    static const char *const not_measured[] = {"flops_ms", "roots_ms", "bytes_ms", "limit_ms"};
    if (group)
        return strcmp(group, "stages") == 0;
    for (size_t k = 0; k < sizeof not_measured / sizeof not_measured[0]; k++)
        if (strcmp(name, not_measured[k]) == 0)
            return false;
    for (size_t k = 0; k < sizeof begins / sizeof begins[0]; k++)
        if (strncmp(name, begins[k], strlen(begins[k])) == 0)
            return true;
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        size_t length = strlen(name), tail = strlen(ends[k]);
        if (length >= tail && strcmp(name + length - tail, ends[k]) == 0)
            return true;
    }
    return strcmp(name, "ms") == 0;
}

/* The stored row with the same label and sizes. Rows that are equal in these come in order. */
static const stored_row *find_row(const stored_bench *s, const bench_table *t, int r, bool *used)
{
    for (int k = 0; k < s->count; k++) {
        const stored_row *row = &s->rows[k];
        bool same = !used[k] && strcmp(row->label, t->label ? t->labels[r] : "") == 0;
        for (int c = 0; same && c < t->columns; c++) {
            const double *old =
                is_key(t->names[c]) ? find_value(row, t->groups[c], t->names[c]) : NULL;
            same = !old || fabs(*old - t->values[r][c]) <= 1e-4 * fabs(*old);
        }
        if (same) {
            used[k] = true;
            return row;
        }
    }
    return NULL;
}

static int compare_row(const bench_table *t, int r, const stored_row *old, double speed,
                       double threshold, FILE *to)
{
    int slower = 0;
    for (int c = 0; c < t->columns; c++) {
        const double *before = find_value(old, t->groups[c], t->names[c]);
        /* A hundredth of a millisecond says nothing. */
        bool stage = t->groups[c] != NULL;
        bool time = is_time(t->groups[c], t->names[c]);
        if (!before || !(time || is_iterations(t->names[c])) || !(*before > (stage ? 0.01 : 0)))
            continue;
        double ratio = t->values[r][c] / *before * (time ? speed : 1);
        bool worse = ratio > threshold;
        slower += worse ? 1 : 0;
        fprintf(to, "  %-22s %-22s %12.4g -> %-12.4g %6.3f%s\n", t->label ? t->labels[r] : "",
                t->names[c], *before, t->values[r][c], ratio, worse ? "  slower" : "");
    }
    return slower;
}

int bench_compare(const bench_options *o, const char *bench, const bench_table *t,
                  weir_error *error)
{
    double threshold = o->threshold > 0 ? o->threshold : 1.25, speed = 1;
    int slower = 0, matched = 0, threads = bench_threads_of(o);
    bool used[MAX_STORED_ROWS] = {false};
    FILE *to = o->json ? stderr : stdout;
    stored_bench s = {.rows = malloc(MAX_STORED_ROWS * sizeof(stored_row))};
    bool ok = s.rows || fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for stored results");
    for (int c = 0; ok && c < t->columns && t->rows > 0; c++)
        if (strcmp(t->names[c], "threads") == 0)
            threads = (int)t->values[0][c];
    ok =
        ok && find_speed(o, &s, threads, &speed, error) && read_stored(&s, o->stored, bench, error);
    if (ok && s.count == 0)
        ok = fail(error, WEIR_NOT_FOUND,
                  "--compare %s: the file has no rows of bench %s; it must be one that 'weir bench "
                  "%s --json' or '--out FILE.csv' wrote",
                  o->stored, bench, bench);
    if (ok)
        fprintf(to, "%s: times and iterations, old -> new, and new over old\n", bench);
    for (int r = 0; ok && r < t->rows; r++) {
        const stored_row *old = find_row(&s, t, r, used);
        matched += old ? 1 : 0;
        slower += old ? compare_row(t, r, old, speed, threshold, to) : 0;
    }
    if (ok && matched < t->rows)
        fprintf(stderr, "weir: %d of %d rows have none of the same size in %s\n", t->rows - matched,
                t->rows, o->stored);
    if (ok)
        fprintf(to, "%s: %d of them grew by more than %.0f %%\n", bench, slower,
                100 * (threshold - 1));
    free(s.rows);
    return ok ? slower : -1;
}
