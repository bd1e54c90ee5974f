#include "load.h"

#include "par/parallel.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_OVERRIDES = OPTION_MAX_TEXTS + 5, TEXT_BYTES = 200 };

typedef struct override_list {
    scene_override items[MAX_OVERRIDES];
    size_t count;
    char texts[5][TEXT_BYTES];
    size_t text_count;
} override_list;

static void add(override_list *list, const char *option_name, const char *assignment)
{
    list->items[list->count++] = (scene_override){option_name, assignment};
}

static bool add_text(override_list *list, const char *option_name, const char *key,
                     const char *value)
{
    char *text = list->texts[list->text_count++];
    add(list, option_name, text);
    return snprintf(text, TEXT_BYTES, "%s=%s", key, value) < TEXT_BYTES;
}

static bool add_seconds(override_list *list, const char *option_name, const char *key,
                        double seconds)
{
    char value[40];
    if (seconds == 0)
        return true;
    snprintf(value, sizeof value, "%.17g", seconds);
    return add_text(list, option_name, key, value);
}

/* --set comes last: it has the last word. */
static bool collect(override_list *list, const load_options *o)
{
    bool ok = add_seconds(list, "--time", "time.end", o->time) &&
              add_seconds(list, "--dt", "time.step", o->dt);
    if (o->method)
        ok = ok && add_text(list, "--method", "method", o->method);
    if (o->frames) {
        char formats[TEXT_BYTES];
        bool none = strcmp(o->frames, "none") == 0;
        ok = ok && snprintf(formats, sizeof formats, "[%s]", none ? "" : o->frames) < TEXT_BYTES &&
             add_text(list, "--frames", "output.frames", formats);
    }
    if (o->allow_unstable)
        add(list, "--allow-unstable", "time.allow_unstable=true");
    for (size_t k = 0; k < o->set.count; k++)
        add(list, "--set", o->set.items[k]);
    return ok;
}

scene *load_scene(const char *path, const load_options *options, int *code)
{
    override_list list = {.count = 0};
    weir_error error;
    if (!collect(&list, options)) {
        *code = command_fail(EXIT_USAGE, "an option's value is too long");
        return NULL;
    }
    if (options->threads > PARALLEL_MAX_THREADS) {
        *code = command_fail(EXIT_USAGE, "--threads: %lld is not allowed: must be from 1 to %d",
                             (long long)options->threads, PARALLEL_MAX_THREADS);
        return NULL;
    }
    scene *s = scene_load(path, list.items, list.count, &error);
    if (!s)
        *code = command_fail(EXIT_SCENE, "%s", error.text);
    return s;
}

weir_world *load_world(scene *s, const load_options *options, scene_counts *counts, int *code)
{
    weir_error error;
    scene_build_options build = {(int)options->threads, options->simd};
    weir_world *world = scene_build(s, &build, counts, &error);
    if (!world && error.code == WEIR_UNSUPPORTED)
        *code = command_fail(EXIT_USAGE, "--%s; see 'weir info build'", error.text);
    else if (!world)
        *code = command_fail(EXIT_SCENE, "%s", error.text);
    return world;
}

char *load_results_folder(const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return strdup(path);
    if (strcmp(slash ? slash + 1 : path, "report.json") != 0)
        return NULL;
    return slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
}

int load_threads(const load_options *options)
{
    return options->threads > 0 ? (int)options->threads : parallel_cores();
}

const char *load_simd(const load_options *options)
{
    const char *const *levels = weir_simd_levels();
    while (levels[1])
        levels++;
    return options->simd ? options->simd : levels[0];
}
