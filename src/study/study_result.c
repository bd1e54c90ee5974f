#include "study/study_result.h"

#include "scene/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------ cases */

static const char *keep(study_results *r, const char *text)
{
    return text ? store_text(&r->kept, text, strlen(text)) : NULL;
}

static void note_problem(study_results *r, study_case_result *c, const weir_error *error)
{
    if (!c->problem)
        c->problem = keep(r, error->text);
}

static double measure(study_results *r, study_case_result *c, const study_run *run,
                      const study_measure *m)
{
    const study *s = r->s;
    if (m->report) {
        double value = study_run_number(run, m->report);
        if (m->over)
            value /= study_run_number(run, m->over);
        value = (value + m->offset) * m->scale;
        return m->size ? fabs(value) : value;
    }
    const study_points *points = &c->curves[study_find_curve(s, m->curve) - s->data.curves];
    return study_reduce(m, points, study_find_reference(s, m->reference));
}

static void measure_case(study_results *r, size_t index, const char *folder)
{
    const study *s = r->s;
    study_case_result *c = &r->cases[index];
    weir_error error;
    study_run run;
    char *path;
    if (asprintf(&path, "%s/%s", folder, s->cases[index].folder) < 0)
        return;
    bool opened = study_run_open(&run, path, &error);
    free(path);
    if (!opened) {
        note_problem(r, c, &error);
        return;
    }
    c->hash = keep(r, study_run_text(&run, "hash"));
    c->wall = study_run_number(&run, "wall_s");
    c->particles = study_run_number(&run, "particles");
    for (size_t k = 0; k < s->data.curve_count; k++)
        if (!study_curve_take(&s->data.curves[k], &run, &c->curves[k], &r->kept, &error)) {
            c->curves[k].count = 0;
            note_problem(r, c, &error);
        }
    for (size_t k = 0; k < s->data.measure_count; k++)
        if (study_matches(s, &s->cases[index], &s->data.measures[k].where))
            c->values[k] = measure(r, c, &run, &s->data.measures[k]);
    study_run_close(&run);
}

static bool take_cases(study_results *r, const char *folder, const study_outcome *outcomes,
                       weir_error *error)
{
    const study *s = r->s;
    r->cases = store_take_array(&r->kept, s->case_count, sizeof *r->cases);
    for (size_t k = 0; r->cases && k < s->case_count; k++) {
        study_case_result *c = &r->cases[k];
        *c = (study_case_result){.state = outcomes[k].state,
                                 .message = keep(r, outcomes[k].message),
                                 .wall = NAN,
                                 .particles = NAN};
        c->values = store_take_array(&r->kept, s->data.measure_count + 1, sizeof *c->values);
        c->curves = store_take_array(&r->kept, s->data.curve_count + 1, sizeof *c->curves);
        if (!c->values || !c->curves)
            return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the study's results");
        for (size_t m = 0; m < s->data.measure_count; m++)
            c->values[m] = NAN;
        if (c->state == STUDY_DONE)
            measure_case(r, k, folder);
        r->done_count += c->state == STUDY_DONE;
        r->failed_count += c->state == STUDY_FAILED;
        r->unable_count += c->state == STUDY_UNABLE;
    }
    return r->cases || fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the study's results");
}

/* ----------------------------------------------------------------- expectations */

static study_check judge(const study_expectation *e, double measured)
{
    study_check c = {.expectation = e, .measured = measured, .error = NAN};
    bool ok = isfinite(measured);
    if (!isnan(e->value)) {
        bool share = !e->absolute && e->value != 0;
        c.error = share ? measured / e->value - 1 : measured - e->value;
        ok = ok && fabs(c.error) <= e->tolerance;
    }
    c.passed = ok && !(measured > e->at_most) && !(measured < e->at_least);
    return c;
}

/* A case that failed fails what is expected of it; one that cannot be done does not. */
static bool judge_all(study_results *r, weir_error *error)
{
    const study *s = r->s;
    size_t most = 1;
    for (size_t m = 0; m < s->data.measure_count; m++)
        most += s->data.measures[m].expect_count * s->case_count;
    r->checks = store_take_array(&r->kept, most, sizeof *r->checks);
    if (!r->checks)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the study's results");
    for (size_t m = 0; m < s->data.measure_count; m++)
        for (size_t e = 0; e < s->data.measures[m].expect_count; e++)
            for (size_t k = 0; k < s->case_count; k++) {
                const study_expectation *x = &s->data.measures[m].expect[e];
                study_state state = r->cases[k].state;
                if (state == STUDY_UNABLE || state == STUDY_NOT_RUN ||
                    !study_matches(s, &s->cases[k], &s->data.measures[m].where) ||
                    !study_matches(s, &s->cases[k], &x->where))
                    continue;
                study_check check = judge(x, r->cases[k].values[m]);
                check.measure = m;
                check.of_case = k;
                r->passed_count += check.passed;
                r->checks[r->check_count++] = check;
            }
    return true;
}

static double mean_over(const study_results *r, size_t m, const study_where *where)
{
    double sum = 0, count = 0;
    for (size_t k = 0; k < r->s->case_count; k++)
        if (study_matches(r->s, &r->s->cases[k], where) && isfinite(r->cases[k].values[m])) {
            sum += r->cases[k].values[m];
            count++;
        }
    return sum / count;
}

static bool judge_findings(study_results *r, weir_error *error)
{
    const study_data *d = &r->s->data;
    r->claims = store_take_array(&r->kept, d->finding_count + 1, sizeof *r->claims);
    if (!r->claims)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the study's results");
    for (size_t k = 0; k < d->finding_count; k++) {
        const study_finding *f = &d->findings[k];
        if (!study_has(r->s, &f->of) || !study_has(r->s, &f->over))
            continue;
        size_t m = (size_t)(study_find_measure(r->s, f->measure) - d->measures);
        double value = mean_over(r, m, &f->of);
        if (f->over.count > 0)
            value /= mean_over(r, m, &f->over);
        bool known = isfinite(value);
        bool passed = known && !(value > f->at_most) && !(value < f->at_least);
        r->claims[r->claim_count++] = (study_claim){f, value, known, passed};
        r->claims_passed += passed;
    }
    return true;
}

study_tally study_count(const study_results *r, size_t measure, size_t variant)
{
    study_tally t = {0};
    for (size_t k = 0; k < r->check_count; k++) {
        const study_check *c = &r->checks[k];
        if (c->measure == measure && r->s->cases[c->of_case].index[0] == variant) {
            t.count++;
            t.passed += c->passed;
        }
    }
    return t;
}

bool study_is_judged(const study_results *r, size_t measure)
{
    for (size_t k = 0; k < r->check_count; k++)
        if (r->checks[k].measure == measure)
            return true;
    return false;
}

bool study_has_glance(const study_results *r)
{
    enum { MOST_COLUMNS = 8 };
    const study_data *d = &r->s->data;
    return r->check_count > 3 && d->axis_count > 1 && d->axes[0].value_count > 1 &&
           d->axes[0].value_count <= MOST_COLUMNS;
}

/* ----------------------------------------------------------------------- orders */

double study_error_of(const study_results *r, size_t measure, size_t of_case)
{
    const study_measure *m = &r->s->data.measures[measure];
    double value = r->cases[of_case].values[measure];
    for (size_t e = 0; e < m->expect_count; e++)
        if (!isnan(m->expect[e].value) &&
            study_matches(r->s, &r->s->cases[of_case], &m->expect[e].where))
            return fabs(value - m->expect[e].value);
    return fabs(value);
}

const char *study_rest_name(study_results *r, const study_case *c, size_t axis)
{
    char text[400] = "";
    writing w = {text, sizeof text, 0};
    for (size_t k = 0; k < r->s->data.axis_count; k++)
        if (k != axis)
            writing_add(&w, "%s%s", w.used ? ", " : "", study_variant_of(r->s, c, k)->name);
    const char *name = keep(r, text);
    return name ? name : "";
}

/* Whether two cases differ along one axis at most. */
static bool is_sibling(const study *s, const study_case *a, const study_case *b, size_t axis)
{
    for (size_t k = 0; k < s->data.axis_count; k++)
        if (k != axis && a->index[k] != b->index[k])
            return false;
    return true;
}

/* The slope of log(error) over log(value), by least squares. */
static study_order find_order(study_results *r, size_t m, size_t first, size_t axis)
{
    const study *s = r->s;
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t k = 0; k < s->case_count; k++) {
        if (!is_sibling(s, &s->cases[first], &s->cases[k], axis))
            continue;
        double x = log(study_value(s, axis, s->cases[k].index[axis]));
        double y = log(study_error_of(r, m, k));
        if (!isfinite(x) || !isfinite(y))
            continue;
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    double spread = n * sxx - sx * sx;
    return (study_order){.measure = m,
                         .of_case = first,
                         .name = study_rest_name(r, &s->cases[first], axis),
                         .order = n >= 2 && spread > 0 ? (n * sxy - sx * sy) / spread : NAN,
                         .points = (size_t)n};
}

static bool find_orders(study_results *r, weir_error *error)
{
    const study *s = r->s;
    r->orders =
        store_take_array(&r->kept, s->data.measure_count * s->case_count + 1, sizeof *r->orders);
    if (!r->orders)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the study's results");
    for (size_t m = 0; m < s->data.measure_count; m++) {
        if (!s->data.measures[m].order)
            continue;
        size_t axis = (size_t)study_find_axis(s, s->data.measures[m].order);
        for (size_t k = 0; k < s->case_count; k++)
            if (s->cases[k].index[axis] == 0 && r->cases[k].state != STUDY_UNABLE &&
                study_matches(s, &s->cases[k], &s->data.measures[m].where))
                r->orders[r->order_count++] = find_order(r, m, k, axis);
    }
    return true;
}

bool study_evaluate(study_results *r, const study *s, const char *folder,
                    const study_outcome *outcomes, weir_error *error)
{
    *r = (study_results){.s = s};
    bool ok = take_cases(r, folder, outcomes, error) && judge_all(r, error) &&
              judge_findings(r, error) && find_orders(r, error);
    if (!ok)
        study_results_free(r);
    return ok;
}

void study_results_free(study_results *r)
{
    store_free(&r->kept);
    *r = (study_results){0};
}

/* ------------------------------------------------------------------------ texts */

const char *study_show(double value, char text[STUDY_NUMBER])
{
    if (!isfinite(value))
        snprintf(text, STUDY_NUMBER, "-");
    else if (fabs(value) >= 1e4 && fabs(value) < 1e7)
        snprintf(text, STUDY_NUMBER, "%.0f", value); /* counts, above all */
    else
        snprintf(text, STUDY_NUMBER, "%.4g", value);
    return text;
}

const char *study_show_expected(const study_expectation *e, char text[STUDY_ALLOWED])
{
    writing w = {text, STUDY_ALLOWED, 0};
    text[0] = '\0';
    if (!isnan(e->value) && (e->absolute || e->value == 0))
        writing_add(&w, "%.4g ± %.4g", e->value, e->tolerance);
    else if (!isnan(e->value))
        writing_add(&w, "%.4g ± %.3g %%", e->value, 100 * e->tolerance);
    if (!isnan(e->at_least))
        writing_add(&w, "%sat least %.4g", w.used ? ", " : "", e->at_least);
    if (!isnan(e->at_most))
        writing_add(&w, "%sat most %.4g", w.used ? ", " : "", e->at_most);
    return text;
}

const char *study_label(const study_measure *m, char text[STUDY_ALLOWED])
{
    snprintf(text, STUDY_ALLOWED, "%s%s%s%s", m->label ? m->label : m->name, m->unit ? " (" : "",
             m->unit ? m->unit : "", m->unit ? ")" : "");
    return text;
}
