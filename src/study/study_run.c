#include "study/study_run.h"

#include "scene/quantity.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *join(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Tables and indices that a run may lack. */
static bool open_table(read_csv *table, const char *folder, const char *name, weir_error *error)
{
    weir_error why;
    char *path = join(folder, name);
    bool ok = path && read_csv_load(table, path, &why);
    if (!path)
        fail(&why, WEIR_OUT_OF_MEMORY, "memory ran out");
    free(path);
    return ok || why.code == WEIR_NOT_FOUND || fail(error, why.code, "%s", why.text);
}

static bool open_index(pvd *index, const char *folder, const char *name, weir_error *error)
{
    char *path = join(folder, name);
    bool ok = path ? pvd_open(index, path, DBL_MAX, error)
                   : fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    free(path);
    return ok;
}

bool study_run_open(study_run *r, const char *folder, weir_error *error)
{
    char *path = join(folder, "report.json");
    *r = (study_run){.folder = strdup(folder)};
    bool ok = path && r->folder ? true : fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    if (ok)
        r->report = tree_load(path, NULL, error);
    free(path);
    ok = ok && r->report && open_table(&r->statistics, folder, "statistics.csv", error) &&
         open_table(&r->probes, folder, "probes.csv", error) &&
         open_index(&r->particles, folder, "particles.pvd", error) &&
         open_index(&r->bodies, folder, "solids.pvd", error);
    if (!ok) {
        study_run_close(r);
        return false;
    }
    r->dim = study_run_number(r, "dim") == 2 ? 2 : 3;
    r->kernel_radius = study_run_number(r, "kernel_radius");
    r->rest_density = study_run_number(r, "mass") / study_run_number(r, "volume");
    r->end = study_run_number(r, "simulated_s");
    return true;
}

void study_run_close(study_run *r)
{
    tree_free(r->report);
    read_csv_free(&r->statistics);
    read_csv_free(&r->probes);
    pvd_close(&r->particles);
    pvd_close(&r->bodies);
    free(r->folder);
    *r = (study_run){0};
}

/* ---------------------------------------------------------------------- report */

static const node *find_child(const node *n, const char *step)
{
    if (n->kind == NODE_MAP)
        return node_find(n, step);
    size_t index = 0;
    for (const node *item = n->first; item; item = item->next, index++) {
        char number[24];
        const node *name = node_find(item, "name");
        snprintf(number, sizeof number, "%zu", index);
        if (strcmp(step, number) == 0 ||
            (name && name->kind == NODE_SCALAR && strcmp(name->text, step) == 0))
            return item;
    }
    return NULL;
}

static const node *find_path(const study_run *r, const char *path)
{
    const node *n = r->report->root;
    char *copy = strdup(path), *rest = copy;
    for (char *step; copy && n && (step = strsep(&rest, ".")) != NULL;)
        n = find_child(n, step);
    free(copy);
    return copy ? n : NULL;
}

double study_run_number(const study_run *r, const char *path)
{
    const node *n = find_path(r, path);
    double value;
    bool found = n && n->kind == NODE_SCALAR && n->plain &&
                 quantity_parse(n->text, NULL, &value) == QUANTITY_OK;
    return found ? value : NAN;
}

const char *study_run_text(const study_run *r, const char *path)
{
    const node *n = find_path(r, path);
    return n && n->kind == NODE_SCALAR && !node_is_null(n) ? n->text : NULL;
}

/* ---------------------------------------------------------------------- points */

bool study_points_add(study_points *p, store *kept, double x, double y, weir_error *error)
{
    if (p->count == p->capacity) {
        size_t capacity = p->capacity > 0 ? 2 * p->capacity : 64;
        double *grown = store_take_array(kept, 2 * capacity, sizeof *grown);
        if (!grown)
            return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a curve");
        if (p->count > 0) {
            memcpy(grown, p->x, p->count * sizeof *grown);
            memcpy(grown + capacity, p->y, p->count * sizeof *grown);
        }
        p->x = grown;
        p->y = grown + capacity;
        p->capacity = capacity;
    }
    p->x[p->count] = x;
    p->y[p->count++] = y;
    return true;
}

double study_points_at(const study_points *p, double x)
{
    for (size_t k = 0; k + 1 < p->count; k++)
        if (x >= p->x[k] && x <= p->x[k + 1]) {
            double span = p->x[k + 1] - p->x[k];
            double share = span > 0 ? (x - p->x[k]) / span : 0;
            return p->y[k] + share * (p->y[k + 1] - p->y[k]);
        }
    return NAN;
}

/* ---------------------------------------------------------------------- curves */

static bool take_column(const read_csv *table, const char *file, const study_curve *c,
                        study_points *out, store *kept, weir_error *error)
{
    int time = read_csv_find(table, "time"), column = read_csv_find(table, c->column);
    if (time < 0 || column < 0)
        return fail(error, WEIR_NOT_FOUND, "%s has no column '%s'", file, c->column);
    for (size_t k = 0; k < table->rows; k++)
        if (isfinite(table->values[column][k]) &&
            !study_points_add(out, kept, table->values[time][k], table->values[column][k], error))
            return false;
    return true;
}

static bool is_in_span(const study_curve *c, double time)
{
    return !(time < c->from - 1e-9) && !(time > c->to + 1e-9); /* NAN bounds nothing */
}

static void scale(const study_curve *c, study_points *p)
{
    double largest = 0;
    for (size_t k = 0; k < p->count; k++)
        largest = fmax(largest, fabs(p->y[k]));
    double unit = c->normal == STUDY_OVER_LARGEST && largest > 0  ? largest
                  : c->normal == STUDY_OVER_FIRST && p->count > 0 ? p->y[0]
                                                                  : 1;
    for (size_t k = 0; k < p->count; k++) {
        p->x[k] = (p->x[k] + c->x_offset) * c->x_scale;
        p->y[k] = (p->y[k] / unit + c->y_offset) * c->y_scale;
    }
}

/* Where it first passes the tie's y; nothing moves where it never does. */
static void move_to_tie(const study_curve *c, study_points *p)
{
    double level = c->tie[0].y;
    for (size_t k = 0; k + 1 < p->count; k++)
        if (p->y[k] != p->y[k + 1] && (p->y[k] - level) * (p->y[k + 1] - level) <= 0) {
            double share = (level - p->y[k]) / (p->y[k + 1] - p->y[k]);
            double shift = c->tie[0].x - p->x[k] - share * (p->x[k + 1] - p->x[k]);
            for (size_t n = 0; n < p->count; n++)
                p->x[n] += shift;
            return;
        }
}

bool study_curve_take(const study_curve *c, const study_run *r, study_points *out, store *kept,
                      weir_error *error)
{
    *out = (study_points){0};
    bool ok;
    if (c->kind == STUDY_STATISTICS)
        ok = take_column(&r->statistics, "statistics.csv", c, out, kept, error);
    else if (c->kind == STUDY_PROBE)
        ok = take_column(&r->probes, "probes.csv", c, out, kept, error);
    else
        ok = study_take_frames(c, r, out, kept, error);
    if (!ok)
        return false;
    size_t count = 0;
    for (size_t k = 0; k < out->count && c->kind != STUDY_PROFILE; k++)
        if (is_in_span(c, out->x[k])) {
            out->x[count] = out->x[k];
            out->y[count++] = out->y[k];
        }
    if (c->kind != STUDY_PROFILE)
        out->count = count;
    scale(c, out);
    if (c->tie_count > 0)
        move_to_tie(c, out);
    return true;
}
