/* The report of a study: one page that needs nothing else. Plots stand in it as SVG, pictures as
 * data; it reads at the width of a phone, too. */
#include "study/study_result.h"

#include "out/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light}*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:1080px;padding:1.2rem 1rem 4rem;color:#1b1f24;background:#fff;"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
    "h1{font-size:1.7rem;line-height:1.2;margin:.4rem 0 .6rem}"
    "h2{font-size:1.2rem;margin:2.2rem 0 .6rem;padding-top:.6rem;border-top:1px solid #dde3ea}"
    "p{margin:.5rem 0;max-width:46rem}.kind{color:#5a6572;font-size:.85rem;margin:0}"
    ".question{font-size:1.1rem}.wide{overflow-x:auto;margin:.6rem 0}"
    "table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;width:100%}"
    "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #e6eaef;vertical-align:top}"
    "th{color:#45505c;font-weight:600;background:#f6f8fa}td.n,th.n{text-align:right;"
    "white-space:nowrap}td.s{min-width:12rem;color:#45505c}td.c,td.m{min-width:9rem}"
    ".ok{color:#1a6b34;font-weight:600;white-space:nowrap}"
    ".no{color:#a4262c;font-weight:600;white-space:nowrap}"
    ".off{color:#6b5a00;font-weight:600;white-space:nowrap}"
    ".sum{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0;padding:0;list-style:none}"
    ".sum li{border:1px solid #dde3ea;border-radius:6px;padding:.4rem .8rem}"
    ".sum b{display:block;font-size:1.25rem}figure{margin:1rem 0;overflow-x:auto}"
    "figcaption{font-weight:600;margin-bottom:.3rem}"
    "figure svg,figure img{display:block;max-width:100%;height:auto;border:1px solid #e6eaef}"
    "code{font-size:.85em;overflow-wrap:anywhere}@media(max-width:600px){body{font-size:15px}"
    "h1{font-size:1.35rem}th,td{padding:.25rem .4rem}figure svg{max-width:none;width:620px}}";

/* ------------------------------------------------------------------------- texts */

static void put(file_writer *w, const char *text)
{
    static const char *const names[] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < sizeof names / sizeof names[0] && names[byte])
            file_print(w, "%s", names[byte]);
        else
            file_write(w, c, 1);
    }
}

static void put_in(file_writer *w, const char *before, const char *text, const char *after)
{
    file_print(w, "%s", before);
    put(w, text);
    file_print(w, "%s", after);
}

/* Paragraphs are parted by empty lines. */
static void put_paragraphs(file_writer *w, const char *text)
{
    while (text && *text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char *one = strndup(text, length);
        if (!one) {
            file_fail(w, WEIR_OUT_OF_MEMORY, "memory ran out");
            return;
        }
        put_in(w, "<p>", one, "</p>\n");
        free(one);
        text += length;
        text += strspn(text, "\n");
    }
}

static void put_number(file_writer *w, double value)
{
    char number[STUDY_NUMBER];
    file_print(w, "<td class=n>%s</td>", study_show(value, number));
}

/* ------------------------------------------------------------------------ tables */

static void put_summary(file_writer *w, const study_results *r)
{
    file_print(w, "<ul class=sum><li><b>%zu</b>cases run</li>", r->done_count);
    if (r->check_count > 0)
        file_print(w, "<li><b class=%s>%zu of %zu</b>expectations met</li>",
                   r->passed_count == r->check_count ? "ok" : "no", r->passed_count,
                   r->check_count);
    if (r->claim_count > 0)
        file_print(w, "<li><b class=%s>%zu of %zu</b>findings come out</li>",
                   r->claims_passed == r->claim_count ? "ok" : "no", r->claims_passed,
                   r->claim_count);
    if (r->unable_count > 0)
        file_print(w, "<li><b class=off>%zu</b>not possible</li>", r->unable_count);
    if (r->failed_count > 0)
        file_print(w, "<li><b class=no>%zu</b>failed</li>", r->failed_count);
    file_print(w, "</ul>\n");
}

/* Which of the methods, or whatever the first axis has, meets what is expected. */
static void put_glance(file_writer *w, const study_results *r)
{
    const study_data *d = &r->s->data;
    if (!study_has_glance(r))
        return;
    file_print(w, "<h2 id=glance>At a glance</h2>\n<div class=wide><table><thead><tr><th>"
                  "expectations met");
    for (size_t v = 0; v < d->axes[0].value_count; v++)
        put_in(w, "<th>", d->axes[0].values[v].name, "");
    file_print(w, "</thead><tbody>\n");
    for (size_t m = 0; m < d->measure_count; m++) {
        char text[STUDY_ALLOWED];
        if (!study_is_judged(r, m))
            continue;
        put_in(w, "<tr><td class=m>", study_label(&d->measures[m], text), "</td>");
        for (size_t v = 0; v < d->axes[0].value_count; v++) {
            study_tally t = study_count(r, m, v);
            if (t.count == 0)
                file_print(w, "<td>-</td>");
            else
                file_print(w, "<td class=%s>%zu of %zu</td>", t.passed == t.count ? "ok" : "no",
                           t.passed, t.count);
        }
        file_print(w, "</tr>\n");
    }
    file_print(w, "</tbody></table></div>\n");
}

static void put_checks(file_writer *w, const study_results *r)
{
    if (r->check_count == 0)
        return;
    file_print(w, "<h2 id=expected>Expected and measured</h2>\n<div class=wide><table>"
                  "<thead><tr><th>case<th>measure<th class=n>expected<th class=n>measured"
                  "<th class=n>off by<th><th>source</thead><tbody>\n");
    for (size_t k = 0; k < r->check_count; k++) {
        const study_check *c = &r->checks[k];
        char text[STUDY_ALLOWED], off[STUDY_NUMBER] = "";
        bool share = !c->expectation->absolute && c->expectation->value != 0;
        if (isfinite(c->error))
            snprintf(off, sizeof off, share ? "%.2g %%" : "%.3g",
                     share ? 100 * c->error : c->error);
        put_in(w, "<tr><td class=c>", r->s->cases[c->of_case].name, "</td>");
        put_in(w, "<td class=m>", study_label(&r->s->data.measures[c->measure], text), "</td>");
        file_print(w, "<td class=n>%s</td>", study_show_expected(c->expectation, text));
        put_number(w, c->measured);
        file_print(w, "<td class=n>%s</td><td class=%s>%s</td>", off, c->passed ? "ok" : "no",
                   c->passed ? "passes" : "falls short");
        put_in(w, "<td class=s>", c->expectation->source, "</td></tr>\n");
    }
    file_print(w, "</tbody></table></div>\n");
}

static void put_claims(file_writer *w, const study_results *r)
{
    if (r->claim_count == 0)
        return;
    file_print(w, "<h2 id=findings>Findings</h2>\n<div class=wide><table><thead><tr><th>claim"
                  "<th class=n>value<th class=n>bound<th><th>source</thead><tbody>\n");
    for (size_t k = 0; k < r->claim_count; k++) {
        const study_claim *c = &r->claims[k];
        char bound[STUDY_ALLOWED];
        study_expectation e = {
            .value = NAN, .at_most = c->finding->at_most, .at_least = c->finding->at_least};
        put_in(w, "<tr><td class=s>", c->finding->claim, "</td>");
        put_number(w, c->value);
        file_print(w, "<td class=n>%s%s</td>", c->finding->over.count > 0 ? "ratio " : "",
                   study_show_expected(&e, bound));
        file_print(w, "<td class=%s>%s</td>", c->passed ? "ok" : "no",
                   !c->known   ? "not known: a case is missing"
                   : c->passed ? "comes out"
                               : "does not come out");
        put_in(w, "<td class=s>", c->finding->source, "</td></tr>\n");
    }
    file_print(w, "</tbody></table></div>\n");
}

static void put_orders(file_writer *w, const study_results *r)
{
    if (r->order_count == 0)
        return;
    file_print(w,
               "<h2 id=orders>Observed orders</h2>\n<p>Error ~ valueⁿ, by least squares over the "
               "cases that differ in that axis only.</p>\n<div class=wide><table><thead><tr>"
               "<th>measure<th>axis<th>cases<th class=n>order<th class=n>points</thead><tbody>\n");
    for (size_t k = 0; k < r->order_count; k++) {
        const study_order *o = &r->orders[k];
        const study_measure *m = &r->s->data.measures[o->measure];
        char text[STUDY_ALLOWED];
        put_in(w, "<tr><td class=m>", study_label(m, text), "</td>");
        put_in(w, "<td>", m->order, "</td>");
        put_in(w, "<td class=c>", o->name, "</td>");
        snprintf(text, sizeof text, isfinite(o->order) ? "%.2f" : "-", o->order);
        file_print(w, "<td class=n>%s</td><td class=n>%zu</td></tr>\n", text, o->points);
    }
    file_print(w, "</tbody></table></div>\n");
}

static void put_case(file_writer *w, const study_results *r, size_t k)
{
    static const char *const words[] = {"not run", "done", "failed", "not possible"};
    static const char *const classes[] = {"off", "ok", "no", "off"};
    const study *s = r->s;
    const study_case_result *c = &r->cases[k];
    put_in(w, "<tr><td class=c>", s->cases[k].name, "</td>");
    file_print(w, "<td class=%s>%s</td>", classes[c->state], words[c->state]);
    if (c->message || c->problem) {
        file_print(w, "<td class=s colspan=%zu>", s->data.measure_count + 2);
        put(w, c->message ? c->message : c->problem);
        file_print(w, "</td></tr>\n");
        return;
    }
    put_number(w, c->particles);
    put_number(w, c->wall);
    for (size_t m = 0; m < s->data.measure_count; m++)
        if (study_has(s, &s->data.measures[m].where))
            put_number(w, c->values[m]);
    file_print(w, "</tr>\n");
}

static void put_cases(file_writer *w, const study_results *r)
{
    const study *s = r->s;
    file_print(w, "<h2 id=cases>All cases</h2>\n<div class=wide><table><thead><tr><th>case<th>"
                  "<th class=n>particles<th class=n>time (s)");
    for (size_t m = 0; m < s->data.measure_count; m++) {
        char text[STUDY_ALLOWED];
        if (study_has(s, &s->data.measures[m].where))
            put_in(w, "<th class=n>", study_label(&s->data.measures[m], text), "");
    }
    file_print(w, "</thead><tbody>\n");
    for (size_t k = 0; k < s->case_count; k++)
        put_case(w, r, k);
    file_print(w, "</tbody></table></div>\n");
}

/* ----------------------------------------------------------- plots and pictures */

/* The <svg> of a file, without what stands before it. */
static bool put_svg(file_writer *w, const char *path)
{
    size_t size;
    char *text = file_read(path, &size, NULL);
    char *svg = text ? strstr(text, "<svg") : NULL;
    if (svg)
        file_write(w, svg, strlen(svg));
    free(text);
    return svg != NULL;
}

static void put_base64(file_writer *w, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < size; k += 3) {
        size_t left = size - k;
        uint32_t word = (uint32_t)bytes[k] << 16 | (uint32_t)(left > 1 ? bytes[k + 1] : 0) << 8 |
                        (uint32_t)(left > 2 ? bytes[k + 2] : 0);
        char text[4] = {digits[word >> 18], digits[word >> 12 & 63],
                        left > 1 ? digits[word >> 6 & 63] : '=',
                        left > 2 ? digits[word & 63] : '='};
        file_write(w, text, sizeof text);
    }
}

static bool put_png(file_writer *w, const char *path, const char *title)
{
    size_t size;
    unsigned char *bytes = file_read(path, &size, NULL);
    if (!bytes)
        return false;
    put_in(w, "<img alt=\"", title, "\" src=\"data:image/png;base64,");
    put_base64(w, bytes, size);
    file_print(w, "\">");
    free(bytes);
    return true;
}

static void put_figure(file_writer *w, const char *folder, const char *name, size_t number,
                       const char *title, bool is_plot)
{
    char *path;
    if (asprintf(&path, "%s/%s-%zu.%s", folder, name, number, is_plot ? "svg" : "png") < 0) {
        file_fail(w, WEIR_OUT_OF_MEMORY, "memory ran out");
        return;
    }
    put_in(w, "<figure><figcaption>", title, "</figcaption>");
    if (!(is_plot ? put_svg(w, path) : put_png(w, path, title)))
        file_print(w, "<p class=no>It could not be drawn.</p>");
    file_print(w, "</figure>\n");
    free(path);
}

static void put_figures(file_writer *w, const study_results *r, const char *folder,
                        const char *missing)
{
    const study_data *d = &r->s->data;
    if (d->plot_count > 0)
        file_print(w, "<h2 id=plots>Plots</h2>\n");
    if (missing)
        put_in(w, "<p class=no>", missing, "</p>\n");
    for (size_t k = 0; k < d->plot_count; k++)
        if (study_has(r->s, &d->plots[k].where))
            put_figure(w, folder, "plot", k + 1, d->plots[k].title, true);
    if (d->picture_count > 0)
        file_print(w, "<h2 id=pictures>Pictures</h2>\n");
    for (size_t k = 0; k < d->picture_count; k++)
        if (study_has(r->s, &d->pictures[k].where))
            put_figure(w, folder, "picture", k + 1, d->pictures[k].title, false);
}

/* ---------------------------------------------------------------------- the end */

static void put_sources(file_writer *w, const study_results *r)
{
    const study_data *d = &r->s->data;
    if (!d->source && d->reference_count == 0)
        return;
    file_print(w, "<h2 id=sources>Sources</h2>\n");
    put_paragraphs(w, d->source);
    for (size_t k = 0; k < d->reference_count; k++) {
        put_in(w, "<p><b>", d->references[k].name, "</b>: ");
        put_in(w, "", d->references[k].source, "</p>\n");
    }
}

static void put_versions(file_writer *w, const study_results *r, const study_stamp *stamp)
{
    const study *s = r->s;
    file_print(w,
               "<h2 id=versions>Versions and hashes</h2>\n<p>Weir %s, program <code>%s</code>, %s, "
               "on %d cores of ",
               stamp->version, stamp->program, stamp->date, stamp->cores);
    put_in(w, "", stamp->cpu,
           ". The hash of a case is over its whole last state: equal hashes are "
           "equal results, bit for bit.</p>\n");
    put_in(w, "<p>Again: <code>weir study ", s->path,
           s->quick ? " --quick</code></p>\n" : "</code></p>\n");
    file_print(w, "<div class=wide><table><thead><tr><th>case<th>hash<th>scene and settings</thead>"
                  "<tbody>\n");
    for (size_t k = 0; k < s->case_count; k++) {
        const study_case *c = &s->cases[k];
        if (r->cases[k].state != STUDY_DONE)
            continue;
        put_in(w, "<tr><td class=c>", c->name, "</td>");
        put_in(w, "<td><code>", r->cases[k].hash ? r->cases[k].hash : "", "</code></td>");
        put_in(w, "<td class=s><code>", c->scene, "");
        if (c->method)
            put_in(w, " --method ", c->method, "");
        for (size_t n = 0; n < c->set_count; n++)
            put_in(w, " --set '", c->set[n], "'");
        file_print(w, "</code></td></tr>\n");
    }
    file_print(w, "</tbody></table></div>\n");
}

bool study_write_html(const study_results *r, const study_stamp *stamp, const char *folder,
                      const char *missing, weir_error *error)
{
    const study_data *d = &r->s->data;
    file_writer out, *w = &out;
    char *path;
    if (asprintf(&path, "%s/report.html", folder) < 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    file_begin(w, path);
    free(path);
    file_print(w, "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
                  "<meta name=viewport content=\"width=device-width,initial-scale=1\"><title>");
    put_in(w, "", d->title, "</title>");
    file_print(w, "<style>%s</style></head><body>\n<p class=kind>Weir study %s%s</p>\n", style,
               r->s->name, r->s->quick ? ", quick: fewer cases and shorter runs" : "");
    put_in(w, "<h1>", d->title, "</h1>\n");
    put_in(w, "<p class=question>", d->question, "</p>\n");
    put_summary(w, r);
    if (d->setup)
        file_print(w, "<h2 id=setup>Set-up</h2>\n");
    put_paragraphs(w, d->setup);
    put_glance(w, r);
    put_checks(w, r);
    put_claims(w, r);
    /* Without expectations the numbers themselves are what is asked for. */
    if (r->check_count == 0)
        put_cases(w, r);
    put_figures(w, r, folder, missing);
    put_orders(w, r);
    if (r->check_count > 0)
        put_cases(w, r);
    if (d->follows)
        file_print(w, "<h2 id=follows>What follows</h2>\n");
    put_paragraphs(w, d->follows);
    put_sources(w, r);
    put_versions(w, r, stamp);
    file_print(w, "</body></html>\n");
    return file_commit(w, error);
}
