/* Results as CSV, JSON and Markdown. */
#include "study/study_result.h"

#include "out/file.h"

#include <math.h>
#include <string.h>

static const char *const state_names[] = {"not run", "done", "failed", "unable"};

/* -------------------------------------------------------------------------- CSV */

/* A text as RFC 4180 has it. */
static void put_quoted(file_writer *w, const char *text)
{
    file_print(w, "\"");
    for (const char *c = text; *c; c++)
        file_print(w, *c == '"' ? "\"\"" : "%c", *c);
    file_print(w, "\"");
}

bool study_write_csv(const study_results *r, const char *path, weir_error *error)
{
    const study *s = r->s;
    file_writer w;
    file_begin(&w, path);
    file_print(&w, "case");
    for (size_t a = 0; a < s->data.axis_count; a++)
        file_print(&w, ",%s", s->data.axes[a].name);
    file_print(&w, ",state,particles,wall_s");
    for (size_t m = 0; m < s->data.measure_count; m++)
        file_print(&w, ",%s", s->data.measures[m].name);
    file_print(&w, "\n");
    for (size_t k = 0; k < s->case_count; k++) {
        const study_case_result *c = &r->cases[k];
        char number[FILE_NUMBER_LENGTH];
        put_quoted(&w, s->cases[k].name);
        for (size_t a = 0; a < s->data.axis_count; a++) {
            file_print(&w, ",");
            put_quoted(&w, study_variant_of(s, &s->cases[k], a)->name);
        }
        file_print(&w, ",%s", state_names[c->state]);
        file_print(&w, ",%s", isnan(c->particles) ? "" : file_format_number(number, c->particles));
        file_print(&w, ",%s", isnan(c->wall) ? "" : file_format_number(number, c->wall));
        for (size_t m = 0; m < s->data.measure_count; m++)
            file_print(&w, ",%s",
                       isfinite(c->values[m]) ? file_format_number(number, c->values[m]) : "");
        file_print(&w, "\n");
    }
    return file_commit(&w, error);
}

/* ------------------------------------------------------------------------- JSON */

static void put_text(json *j, const char *key, const char *text)
{
    if (text)
        json_string(j, key, text);
    else
        json_null(j, key);
}

static void put_case(json *j, const study_results *r, size_t k)
{
    const study *s = r->s;
    const study_case_result *c = &r->cases[k];
    json_object_begin(j, NULL);
    json_string(j, "name", s->cases[k].name);
    json_string(j, "folder", s->cases[k].folder);
    json_string(j, "scene", s->cases[k].scene);
    put_text(j, "method", s->cases[k].method);
    json_array_begin(j, "set");
    for (size_t n = 0; n < s->cases[k].set_count; n++)
        json_string(j, NULL, s->cases[k].set[n]);
    json_array_end(j);
    json_string(j, "state", state_names[c->state]);
    put_text(j, "message", c->message);
    put_text(j, "problem", c->problem);
    put_text(j, "hash", c->hash);
    json_number(j, "particles", c->particles);
    json_number(j, "wall_s", c->wall);
    json_object_begin(j, "measures");
    for (size_t m = 0; m < s->data.measure_count; m++)
        json_number(j, s->data.measures[m].name, c->values[m]);
    json_object_end(j);
    json_object_begin(j, "curves");
    for (size_t n = 0; n < s->data.curve_count; n++) {
        json_object_begin(j, s->data.curves[n].name);
        json_vector(j, "x", c->curves[n].x, (int)c->curves[n].count);
        json_vector(j, "y", c->curves[n].y, (int)c->curves[n].count);
        json_object_end(j);
    }
    json_object_end(j);
    json_object_end(j);
}

static void put_checks(json *j, const study_results *r)
{
    char text[STUDY_ALLOWED];
    json_array_begin(j, "expectations");
    for (size_t k = 0; k < r->check_count; k++) {
        const study_check *c = &r->checks[k];
        json_object_begin(j, NULL);
        json_string(j, "measure", r->s->data.measures[c->measure].name);
        json_string(j, "case", r->s->cases[c->of_case].name);
        json_string(j, "expected", study_show_expected(c->expectation, text));
        json_string(j, "source", c->expectation->source);
        json_number(j, "measured", c->measured);
        json_number(j, "error", c->error);
        json_bool(j, "passed", c->passed);
        json_object_end(j);
    }
    json_array_end(j);
    json_array_begin(j, "findings");
    for (size_t k = 0; k < r->claim_count; k++) {
        const study_claim *c = &r->claims[k];
        json_object_begin(j, NULL);
        json_string(j, "claim", c->finding->claim);
        json_string(j, "source", c->finding->source);
        json_number(j, "value", c->value);
        json_number(j, "at_most", c->finding->at_most);
        json_number(j, "at_least", c->finding->at_least);
        json_bool(j, "passed", c->passed);
        json_object_end(j);
    }
    json_array_end(j);
    json_array_begin(j, "orders");
    for (size_t k = 0; k < r->order_count; k++) {
        json_object_begin(j, NULL);
        json_string(j, "measure", r->s->data.measures[r->orders[k].measure].name);
        json_string(j, "cases", r->orders[k].name);
        json_number(j, "order", r->orders[k].order);
        json_integer(j, "points", (int64_t)r->orders[k].points);
        json_object_end(j);
    }
    json_array_end(j);
}

bool study_write_json(const study_results *r, const study_stamp *stamp, const char *path,
                      weir_error *error)
{
    json j = {0};
    const study_data *d = &r->s->data;
    json_object_begin(&j, NULL);
    json_string(&j, "study", r->s->name);
    json_string(&j, "title", d->title);
    json_string(&j, "question", d->question);
    put_text(&j, "source", d->source);
    json_bool(&j, "quick", r->s->quick);
    json_string(&j, "weir", stamp->version);
    json_string(&j, "program_hash", stamp->program);
    json_string(&j, "date", stamp->date);
    json_string(&j, "cpu", stamp->cpu);
    json_integer(&j, "cores", stamp->cores);
    put_checks(&j, r);
    json_array_begin(&j, "cases");
    for (size_t k = 0; k < r->s->case_count; k++)
        put_case(&j, r, k);
    json_array_end(&j);
    json_object_end(&j);
    return file_write_json(path, &j, error);
}

/* --------------------------------------------------------------------- Markdown */

/* A text in a cell of a table. */
static void put_cell(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == '|')
            fputs("\\|", out);
        else
            fputc(*c == '\n' ? ' ' : *c, out);
}

static void put_paragraph(FILE *out, const char *text)
{
    if (!text)
        return;
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    fprintf(out, "%.*s\n\n", (int)length, text);
}

static void put_glance(FILE *out, const study_results *r)
{
    const study_data *d = &r->s->data;
    if (!study_has_glance(r))
        return;
    fputs("| expectations met |", out);
    for (size_t v = 0; v < d->axes[0].value_count; v++)
        fprintf(out, " %s |", d->axes[0].values[v].name);
    fputs("\n|---|", out);
    for (size_t v = 0; v < d->axes[0].value_count; v++)
        fputs("---|", out);
    fputc('\n', out);
    for (size_t m = 0; m < d->measure_count; m++) {
        char text[STUDY_ALLOWED];
        if (!study_is_judged(r, m))
            continue;
        fprintf(out, "| %s |", study_label(&d->measures[m], text));
        for (size_t v = 0; v < d->axes[0].value_count; v++) {
            study_tally t = study_count(r, m, v);
            if (t.count == 0)
                fputs(" - |", out);
            else
                fprintf(out, " %zu of %zu |", t.passed, t.count);
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}

static void put_expectations(FILE *out, const study_results *r)
{
    if (r->check_count == 0)
        return;
    fputs("| case | measure | expected | measured | | source |\n|---|---|---|---|---|---|\n", out);
    for (size_t k = 0; k < r->check_count; k++) {
        const study_check *c = &r->checks[k];
        char number[STUDY_NUMBER], text[STUDY_ALLOWED];
        fputs("| ", out);
        put_cell(out, r->s->cases[c->of_case].name);
        fputs(" | ", out);
        put_cell(out, study_label(&r->s->data.measures[c->measure], text));
        fprintf(out, " | %s", study_show_expected(c->expectation, text));
        fprintf(out, " | %s | %s | ", study_show(c->measured, number),
                c->passed ? "ok" : "**falls short**");
        put_cell(out, c->expectation->source);
        fputs(" |\n", out);
    }
    fputc('\n', out);
}

static void put_claims(FILE *out, const study_results *r)
{
    for (size_t k = 0; k < r->claim_count; k++) {
        const study_claim *c = &r->claims[k];
        char number[STUDY_NUMBER];
        fputs("- ", out);
        put_cell(out, c->finding->claim);
        fprintf(out, " (%s%s): %s", c->finding->over.count > 0 ? "ratio " : "",
                study_show(c->value, number),
                !c->known   ? "**not known: a case that it needs is missing**"
                : c->passed ? "comes out"
                            : "**does not come out**");
        fputs(". ", out);
        put_cell(out, c->finding->source);
        fputs("\n", out);
    }
    if (r->claim_count > 0)
        fputc('\n', out);
}

static void put_orders(FILE *out, const study_results *r)
{
    if (r->order_count == 0)
        return;
    fputs("| observed order of | cases | order | spacings |\n|---|---|---|---|\n", out);
    for (size_t k = 0; k < r->order_count; k++) {
        const study_order *o = &r->orders[k];
        char number[STUDY_NUMBER], text[STUDY_ALLOWED];
        snprintf(number, sizeof number, isfinite(o->order) ? "%.2f" : "-", o->order);
        fprintf(out, "| %s | %s | %s | %zu |\n",
                study_label(&r->s->data.measures[o->measure], text), o->name, number, o->points);
    }
    fputc('\n', out);
}

static const char *reason_of(const study_results *r, size_t k)
{
    return r->cases[k].message ? r->cases[k].message : "no reason given";
}

static bool has_reason(const study_results *r, size_t k, study_state state, const char *reason)
{
    return r->cases[k].state == state && strcmp(reason_of(r, k), reason) == 0;
}

/* Cases with the same reason stand in one line. */
static void put_others(FILE *out, const study_results *r, study_state state, const char *word)
{
    for (size_t k = 0; k < r->s->case_count; k++) {
        size_t first = 0;
        if (r->cases[k].state != state)
            continue;
        while (!has_reason(r, first, state, reason_of(r, k)))
            first++;
        if (first < k)
            continue;
        fprintf(out, "- %s: ", word);
        for (size_t n = k; n < r->s->case_count; n++)
            if (has_reason(r, n, state, reason_of(r, k)))
                fprintf(out, "%s%s", n > k ? "; " : "", r->s->cases[n].name);
        fprintf(out, ": %s\n", reason_of(r, k));
    }
}

void study_write_markdown(const study_results *r, FILE *out)
{
    const study_data *d = &r->s->data;
    fprintf(out, "## %s\n", d->title);
    put_paragraph(out, d->question);
    fprintf(out, "`weir study %s%s`: %zu cases", r->s->name, r->s->quick ? " --quick" : "",
            r->s->case_count);
    if (r->check_count > 0)
        fprintf(out, ", %zu of %zu expectations met", r->passed_count, r->check_count);
    if (r->claim_count > 0)
        fprintf(out, ", %zu of %zu findings come out", r->claims_passed, r->claim_count);
    fputs(".\n\n", out);
    put_glance(out, r);
    put_expectations(out, r);
    put_claims(out, r);
    put_orders(out, r);
    put_others(out, r, STUDY_UNABLE, "not possible");
    put_others(out, r, STUDY_FAILED, "failed");
    if (r->unable_count + r->failed_count > 0)
        fputc('\n', out);
    put_paragraph(out, d->follows);
}
