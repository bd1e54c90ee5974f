/* The plots of a study, by gnuplot. */
#include "study/study_result.h"

#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SERIES = 64 };

typedef struct plotting {
    study_results *r;
    const study_plot *p;
    plot_series series[MAX_SERIES];
    size_t count;
} plotting;

static void add_series(plotting *g, const char *name, const double *x, const double *y,
                       size_t count, bool points)
{
    if (g->count < MAX_SERIES && count > 0)
        g->series[g->count++] = (plot_series){name, x, y, count, points};
}

static bool add_reference(plotting *g, const char *name, weir_error *error)
{
    const study_reference *from = study_find_reference(g->r->s, name);
    study_points p = {0};
    for (size_t k = 0; k < from->point_count; k++)
        if (!study_points_add(&p, &g->r->kept, from->points[k].x, from->points[k].y, error))
            return false;
    add_series(g, name, p.x, p.y, p.count, from->marks);
    return true;
}

/* One line per case. */
static void add_curves(plotting *g)
{
    const study *s = g->r->s;
    size_t curve = (size_t)(study_find_curve(s, g->p->curve) - s->data.curves);
    for (size_t k = 0; k < s->case_count; k++)
        if (study_matches(s, &s->cases[k], &g->p->where)) {
            const study_points *p = &g->r->cases[k].curves[curve];
            add_series(g, s->cases[k].name, p->x, p->y, p->count, false);
        }
}

static bool add_references(plotting *g, weir_error *error)
{
    for (size_t k = 0; k < g->p->reference_count; k++)
        if (!add_reference(g, g->p->references[k], error))
            return false;
    return true;
}

/* One line per group of cases that differ along the axis only. */
static bool add_measures(plotting *g, weir_error *error)
{
    const study *s = g->r->s;
    size_t axis = (size_t)study_find_axis(s, g->p->against);
    size_t m = (size_t)(study_find_measure(s, g->p->measure) - s->data.measures);
    for (size_t first = 0; first < s->case_count; first++) {
        if (s->cases[first].index[axis] != 0)
            continue;
        study_points p = {0};
        for (size_t k = 0; k < s->case_count; k++) {
            bool same = study_matches(s, &s->cases[k], &g->p->where);
            for (size_t a = 0; a < s->data.axis_count && same; a++)
                same = a == axis || s->cases[k].index[a] == s->cases[first].index[a];
            double x = study_value(s, axis, s->cases[k].index[axis]);
            x = isnan(x) ? (double)s->cases[k].index[axis] : x;
            double y = g->p->error ? study_error_of(g->r, m, k) : g->r->cases[k].values[m];
            if (same && isfinite(y) && !study_points_add(&p, &g->r->kept, x, y, error))
                return false;
        }
        add_series(g, study_rest_name(g->r, &s->cases[first], axis), p.x, p.y, p.count, false);
        /* A mark at each case: three spacings are points, not a curve. */
        add_series(g, NULL, p.x, p.y, p.count, true);
    }
    return true;
}

static const char *choose(const char *first, const char *second)
{
    return first ? first : second;
}

static bool draw(plotting *g, const char *path, weir_error *error)
{
    const study *s = g->r->s;
    const study_curve *c = study_find_curve(s, g->p->curve);
    const study_measure *m = study_find_measure(s, g->p->measure);
    char label[STUDY_ALLOWED] = "";
    if (m)
        study_label(m, label);
    plot p = {.x_label = choose(g->p->x_label, c ? c->x_label : g->p->against),
              .y_label = choose(g->p->y_label, c ? c->y_label : label),
              .log_x = g->p->log_x,
              .log_y = g->p->log_y,
              .series = g->series,
              .series_count = g->count};
    return plot_write(path, &p, error);
}

bool study_write_plots(study_results *r, const char *folder, const char **missing,
                       weir_error *error)
{
    *missing = NULL;
    for (size_t k = 0; k < r->s->data.plot_count; k++) {
        plotting *g = calloc(1, sizeof *g);
        char *path = NULL;
        weir_error why;
        if (!study_has(r->s, &r->s->data.plots[k].where)) {
            free(g);
            continue;
        }
        if (!g || asprintf(&path, "%s/plot-%zu.svg", folder, k + 1) < 0) {
            free(g);
            return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a plot");
        }
        g->r = r;
        g->p = &r->s->data.plots[k];
        if (g->p->curve)
            add_curves(g);
        bool ok = (g->p->curve || add_measures(g, error)) && add_references(g, error);
        if (ok && !draw(g, path, &why) && !*missing)
            *missing = store_text(&r->kept, why.text, strlen(why.text));
        free(path);
        free(g);
        if (!ok)
            return false;
    }
    return true;
}
