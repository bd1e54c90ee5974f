/* weir verify: measures what is known of fluids and bodies for a method at a resolution, and says
 * what passes. */
#include "command.h"
#include "verify.h"

#include "base/json.h"
#include "scene/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct verify_options {
    arguments arguments;
    const char *method, *spacing, *only, *words;
    int64_t dim, threads;
    bool quick, json;
} verify_options;

static const option options[] = {
    {"--method", "M", OPTION_TEXT, offsetof(verify_options, method), 0,
     "The method; the default is constraint."},
    {"--spacing", "D", OPTION_TEXT, offsetof(verify_options, spacing), 0, "Distance of particles."},
    {"--dim", "N", OPTION_INTEGER, offsetof(verify_options, dim), 2, "2 or 3; the default is 2."},
    {"--threads", "N", OPTION_INTEGER, offsetof(verify_options, threads), 0, "0 = all cores."},
    {"--only", "GROUP", OPTION_TEXT, offsetof(verify_options, only), 0,
     "Only pool, floating, floor, momentum or joints."},
    {"--case", "WORDS", OPTION_TEXT, offsetof(verify_options, words), 0,
     "Only bodies with these words in the table, such as 'box of 0.25' or 'size 1.5'."},
    {"--quick", NULL, OPTION_FLAG, offsetof(verify_options, quick), 0, "Fewer and shorter cases."},
    {"--json", NULL, OPTION_FLAG, offsetof(verify_options, json), 0, "Print JSON."},
};

static void print_head(const verify_setup *s)
{
    printf("%s in %dD, particles %g m apart\n\n", weir_method_get_info(s->method)->name, s->dim,
           s->spacing);
    printf("%-10s %-72s %10s %10s %9s %9s\n", "", "case", "expected", "measured", "error",
           "allowed");
}

/* At once: the whole takes minutes. */
static void print_result(const verify_result *r)
{
    printf("%-10s %-72s %10.4g %10.4g %9.2g %9.2g  %s\n", r->name, r->what, r->expected,
           r->measured, r->error, r->tolerance, r->passed ? "ok" : "FAILED");
    fflush(stdout);
}

bool verify_is_asked_for(const verify_setup *s, const char *what)
{
    return !s->words || strstr(what, s->words);
}

void verify_add(verify_list *list, const char *name, const char *what, const char *unit,
                double expected, double measured, double tolerance, bool relative)
{
    if (list->count == VERIFY_MAX_RESULTS)
        return;
    verify_result *r = &list->results[list->count++];
    *r = (verify_result){.name = name,
                         .unit = unit,
                         .expected = expected,
                         .measured = measured,
                         .tolerance = tolerance};
    snprintf(r->what, sizeof r->what, "%s", what);
    r->error = relative ? measured / expected - 1 : measured - expected;
    r->passed = fabs(r->error) <= tolerance; /* NaN does not pass */
    if (!list->silent)
        print_result(r);
}

static void print_json(const verify_setup *s, const verify_list *list, bool passed)
{
    json j = {0};
    json_object_begin(&j, NULL);
    json_string(&j, "method", weir_method_get_info(s->method)->name);
    json_integer(&j, "dim", s->dim);
    json_number(&j, "spacing", s->spacing);
    json_bool(&j, "quick", s->quick);
    json_bool(&j, "passed", passed);
    json_array_begin(&j, "results");
    for (int k = 0; k < list->count; k++) {
        const verify_result *r = &list->results[k];
        json_object_begin(&j, NULL);
        json_string(&j, "name", r->name);
        json_string(&j, "case", r->what);
        json_number(&j, "expected", r->expected);
        json_number(&j, "measured", r->measured);
        json_number(&j, "error", r->error);
        json_number(&j, "tolerance", r->tolerance);
        json_bool(&j, "passed", r->passed);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    fputs(j.text, stdout);
    json_free(&j);
}

typedef struct verify_group {
    const char *name;
    bool (*measure)(const verify_setup *s, verify_list *list, weir_error *error);
    bool of_bodies; /* many cases, of which --case picks some */
} verify_group;

static const verify_group groups[] = {{"pool", verify_pool, false},
                                      {"floating", verify_floating, true},
                                      {"floor", verify_floor, true},
                                      {"momentum", verify_momentum, false},
                                      {"joints", verify_joints, false}};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

static bool find_group(const char *name)
{
    for (size_t k = 0; k < GROUP_COUNT; k++)
        if (strcmp(groups[k].name, name) == 0)
            return true;
    return false;
}

static int run(const command *self, int argc, char **argv)
{
    verify_options o = {.dim = 2};
    int code;
    if (!command_parse(self, argc, argv, &o, &code))
        return code;
    verify_setup s = {.method = WEIR_METHOD_CONSTRAINT,
                      .dim = (int)o.dim,
                      .spacing = 0.02,
                      .quick = o.quick,
                      .threads = (int)o.threads,
                      .words = o.words};
    if (o.method && !weir_method_find(o.method, &s.method))
        return command_fail(EXIT_USAGE, "--method %s: there is no such method; see 'weir info'",
                            o.method);
    if (o.dim > 3)
        return command_fail(EXIT_USAGE, "--dim %lld is not allowed: must be 2 or 3",
                            (long long)o.dim);
    verify_list list = {.silent = o.json};
    weir_error error = {0};
    if (o.spacing &&
        (quantity_parse(o.spacing, "m", &s.spacing) != QUANTITY_OK || !(s.spacing > 0)))
        return command_fail(EXIT_USAGE,
                            "--spacing: '%s' is not allowed: must be a length above 0, such as "
                            "0.02 or 2 cm",
                            o.spacing);
    if (o.only && !find_group(o.only))
        return command_fail(EXIT_USAGE,
                            "--only %s: there is no such group; there are pool, floating, floor, "
                            "momentum and joints",
                            o.only);
    if (!o.json)
        print_head(&s);
    for (size_t k = 0; k < GROUP_COUNT; k++)
        if ((!o.only || strcmp(o.only, groups[k].name) == 0) && (!o.words || groups[k].of_bodies) &&
            !groups[k].measure(&s, &list, &error))
            return command_fail_error(&error);
    if (list.count == 0)
        return command_fail(EXIT_USAGE, "--case: no body that is measured has the words '%s'",
                            o.words);
    bool passed = true;
    for (int k = 0; k < list.count; k++)
        passed = passed && list.results[k].passed;
    if (o.json)
        print_json(&s, &list, passed);
    return passed ? EXIT_OK : EXIT_CHECK;
}

const command command_verify = {
    .name = "verify",
    .usage = "",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Measure pressure, volume, floating depth, momentum and joints against theory",
    .details = "Prints a table with what theory expects, what was measured and what is allowed.\n"
               "Ends with code 5 when something is outside of its tolerance.",
    .run = run,
};
