#include "command.h"

#include "scene/quantity.h"
#include "scene/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int command_fail(int code, const char *format, ...)
{
    va_list args;
    fputs("weir: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

int command_fail_error(const weir_error *error)
{
    bool unstable = error->code == WEIR_UNSTABLE || error->code == WEIR_NOT_FINITE;
    return command_fail(unstable ? EXIT_UNSTABLE : EXIT_FAILED, "%s", error->text);
}

static const option help_option = {"--help", NULL, OPTION_FLAG, 0, 0, "Print this help."};

static void print_option(const option *o)
{
    char left[60];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-26s %s\n", left, o->meaning);
}

void command_print_help(const command *c)
{
    printf("Usage: weir %s%s%s\n\n%s\n", c->name, c->usage[0] ? " " : "", c->usage, c->summary);
    if (c->details)
        printf("\n%s\n", c->details);
    printf("\nOptions:\n");
    for (size_t k = 0; k < c->option_count; k++)
        print_option(&c->options[k]);
    print_option(&help_option);
}

/* The option of `text`, which may end with =value; NULL without one. */
static const option *find_option(const command *c, const char *text)
{
    size_t length = strcspn(text, "=");
    for (size_t k = 0; k < c->option_count; k++)
        if (strlen(c->options[k].name) == length && strncmp(c->options[k].name, text, length) == 0)
            return &c->options[k];
    return NULL;
}

static int refuse_option(const command *c, const char *text)
{
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    suggestion nearest = suggest_begin(name);
    for (size_t k = 0; k < c->option_count; k++)
        suggest_offer(&nearest, c->options[k].name);
    if (nearest.nearest)
        return command_fail(EXIT_USAGE,
                            "unknown option '%s': did you mean '%s'? "
                            "See 'weir help %s'",
                            name, nearest.nearest, c->name);
    return command_fail(EXIT_USAGE, "unknown option '%s': see 'weir help %s'", name, c->name);
}

static bool store_seconds(const option *o, const char *text, char *at)
{
    double value;
    if (quantity_parse(text, "s", &value) != QUANTITY_OK || !(value > 0))
        return false;
    memcpy(at + o->offset, &value, sizeof value);
    return true;
}

static bool store_integer(const option *o, const char *text, char *at)
{
    int64_t value;
    if (quantity_parse_integer(text, &value) != QUANTITY_OK || value < o->least)
        return false;
    memcpy(at + o->offset, &value, sizeof value);
    return true;
}

static bool store_number(const option *o, const char *text, char *at)
{
    double value;
    if (quantity_parse(text, "1", &value) != QUANTITY_OK || !(value > 0))
        return false;
    memcpy(at + o->offset, &value, sizeof value);
    return true;
}

static bool store_text_item(const option *o, const char *text, char *at)
{
    option_texts *texts = (option_texts *)(void *)(at + o->offset);
    if (texts->count == OPTION_MAX_TEXTS)
        return false;
    texts->items[texts->count++] = text;
    return true;
}

/* Stores the value of an option; returns an exit code, EXIT_OK when all is well. */
static int store_value(const option *o, const char *text, char *at)
{
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)(at + o->offset) = true;
        return EXIT_OK;
    case OPTION_TEXT:
        if (!text[0])
            return command_fail(EXIT_USAGE, "%s: needs a value: %s", o->name, o->value);
        memcpy(at + o->offset, &text, sizeof text);
        return EXIT_OK;
    case OPTION_SECONDS:
        return store_seconds(o, text, at)
                   ? EXIT_OK
                   : command_fail(EXIT_USAGE,
                                  "%s: '%s' is not allowed: must be a time above 0, "
                                  "such as 0.5, 1/60 or 20 ms",
                                  o->name, text);
    case OPTION_INTEGER:
        return store_integer(o, text, at)
                   ? EXIT_OK
                   : command_fail(EXIT_USAGE,
                                  "%s: '%s' is not allowed: must be a whole number from %lld",
                                  o->name, text, (long long)o->least);
    case OPTION_NUMBER:
        return store_number(o, text, at)
                   ? EXIT_OK
                   : command_fail(EXIT_USAGE, "%s: '%s' is not allowed: must be a number above 0",
                                  o->name, text);
    case OPTION_TEXTS:
        return store_text_item(o, text, at)
                   ? EXIT_OK
                   : command_fail(EXIT_USAGE, "%s: may be given at most %d times", o->name,
                                  OPTION_MAX_TEXTS);
    }
    return EXIT_USAGE;
}

/* Handles argv[*index], and what belongs to it. */
static int parse_option(const command *c, int argc, char **argv, int *index, char *values)
{
    const char *text = argv[*index];
    const option *o = find_option(c, text);
    if (!o)
        return refuse_option(c, text);
    const char *equals = strchr(text, '=');
    if (o->kind == OPTION_FLAG)
        return equals ? command_fail(EXIT_USAGE, "%s: takes no value", o->name)
                      : store_value(o, NULL, values);
    if (equals)
        return store_value(o, equals + 1, values);
    if (*index + 1 >= argc)
        return command_fail(EXIT_USAGE, "%s: needs a value: %s", o->name, o->value);
    return store_value(o, argv[++*index], values);
}

bool command_parse(const command *c, int argc, char **argv, void *values, int *code)
{
    arguments *given = values;
    bool options_ended = false;
    *code = EXIT_OK;
    for (int k = 0; k < argc && *code == EXIT_OK; k++) {
        const char *text = argv[k];
        if (!options_ended && strcmp(text, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            command_print_help(c);
            return false;
        } else if (!options_ended && text[0] == '-' && text[1]) {
            *code = parse_option(c, argc, argv, &k, values);
        } else if (given->count == c->max_arguments) {
            *code = command_fail(EXIT_USAGE, "unexpected argument '%s': usage is weir %s %s", text,
                                 c->name, c->usage);
        } else {
            given->items[given->count++] = text;
        }
    }
    if (*code == EXIT_OK && given->count < c->min_arguments)
        *code = command_fail(EXIT_USAGE, "an argument is missing: usage is weir %s %s", c->name,
                             c->usage);
    return *code == EXIT_OK;
}
