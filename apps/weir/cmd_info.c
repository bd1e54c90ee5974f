/* weir info: what this build offers, from the tables that the parser reads. */
#include "load.h"

#include "base/system_memory.h"
#include "par/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct info_options {
    arguments arguments;
    bool json, schema, reference;
} info_options;

static const option options[] = {
    {"--json", NULL, OPTION_FLAG, offsetof(info_options, json), 0, "Print JSON."},
    {"--schema", NULL, OPTION_FLAG, offsetof(info_options, schema), 0,
     "Print the JSON Schema of scene files."},
    {"--scene-reference", NULL, OPTION_FLAG, offsetof(info_options, reference), 0,
     "Print every key of scene files, as Markdown."},
};

/* ----------------------------------------------------------------------- methods */

static void print_default(const weir_parameter *p, char text[64])
{
    if (p->choices)
        snprintf(text, 64, "%s", p->choices[(int)p->initial]);
    else
        snprintf(text, 64, "%g%s%s", p->initial, strcmp(p->unit, "1") == 0 ? "" : " ",
                 strcmp(p->unit, "1") == 0 ? "" : p->unit);
}

static void print_range(const weir_parameter *p, char *text, size_t size)
{
    size_t used = 0;
    if (!p->choices) {
        snprintf(text, size, "%g to %g", p->min, p->max);
        return;
    }
    for (int k = 0; p->choices[k] && used < size; k++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "", p->choices[k]);
}

static void print_method(const weir_method_info *info)
{
    printf("%s: %s\n\nParameters, as keys of 'method' in a scene:\n", info->name, info->title);
    for (int k = 0; k < info->parameter_count; k++) {
        const weir_parameter *p = &info->parameters[k];
        char initial[64], range[200];
        print_default(p, initial);
        print_range(p, range, sizeof range);
        printf("  %-20s %-12s %s\n", p->name, initial, p->meaning);
        printf("  %-20s %-12s %s", "", "", range);
        printf(p->zero_means ? "; 0 = %s\n" : "\n", p->zero_means);
    }
    printf("\nFields for output.fields, besides velocity, id and fluid:\n");
    for (int k = 0; k < info->field_count; k++)
        printf("  %-20s %-12s %s\n", info->fields[k].name, info->fields[k].unit,
               info->fields[k].meaning);
}

static void write_method(json *j, const weir_method_info *info)
{
    json_object_begin(j, NULL);
    json_string(j, "name", info->name);
    json_string(j, "title", info->title);
    json_array_begin(j, "parameters");
    for (int k = 0; k < info->parameter_count; k++) {
        const weir_parameter *p = &info->parameters[k];
        json_object_begin(j, NULL);
        json_string(j, "name", p->name);
        json_string(j, "unit", p->unit);
        if (p->choices) {
            json_string(j, "default", p->choices[(int)p->initial]);
            json_array_begin_inline(j, "choices");
            for (int c = 0; p->choices[c]; c++)
                json_string(j, NULL, p->choices[c]);
            json_array_end(j);
        } else {
            json_number(j, "default", p->initial);
            json_number(j, "min", p->min);
            json_number(j, "max", p->max);
        }
        if (p->zero_means)
            json_string(j, "zero_means", p->zero_means);
        json_string(j, "meaning", p->meaning);
        json_object_end(j);
    }
    json_array_end(j);
    json_array_begin(j, "fields");
    for (int k = 0; k < info->field_count; k++) {
        json_object_begin(j, NULL);
        json_string(j, "name", info->fields[k].name);
        json_string(j, "unit", info->fields[k].unit);
        json_string(j, "meaning", info->fields[k].meaning);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

static void show_methods(json *j)
{
    if (j)
        json_array_begin(j, "methods");
    else
        printf("Fluid methods ('weir info NAME' lists the parameters):\n");
    for (int m = 0; m < WEIR_METHOD_COUNT; m++) {
        const weir_method_info *info = weir_method_get_info((weir_method)m);
        if (j)
            write_method(j, info);
        else
            printf("  %-14s %s\n", info->name, info->title);
    }
    if (j)
        json_array_end(j);
}

/* ----------------------------------------------------------------------- presets */

static void show_presets(json *j)
{
    const weir_fluid_def *p;
    if (j)
        json_array_begin(j, "presets");
    else
        printf("Fluids at 20 degrees Celsius, for 'preset' in a scene:\n"
               "  %-12s %14s %16s %22s\n",
               "name", "density kg/m3", "viscosity Pa s", "surface tension N/m");
    for (int k = 0; (p = weir_fluid_preset(k)); k++) {
        if (!j) {
            printf("  %-12s %14g %16g %22g\n", p->name, p->density, p->viscosity,
                   p->surface_tension);
            continue;
        }
        json_object_begin(j, NULL);
        json_string(j, "name", p->name);
        json_number(j, "density", p->density);
        json_number(j, "viscosity", p->viscosity);
        json_number(j, "surface_tension", p->surface_tension);
        json_object_end(j);
    }
    if (j)
        json_array_end(j);
}

/* ------------------------------------------------------------------------ shapes */

/* The kinds are the members of the group of the record 'shape'. */
static int show_shapes(json *j)
{
    weir_error error;
    store kept = {0};
    const record *found[RECORD_MAX_COUNT], *root = scene_record(&kept, &error);
    if (!root)
        return command_fail_error(&error);
    size_t count = record_collect(root, found, RECORD_MAX_COUNT);
    if (j)
        json_array_begin(j, "shapes");
    else
        printf("Shapes, for 'shape' in a scene:\n");
    for (size_t k = 0; k < count; k++) {
        const field_table *table = &found[k]->tables[0];
        for (size_t i = 0; strcmp(found[k]->name, "shape") == 0 && i < table->count; i++) {
            const field *f = &table->fields[i];
            if (f->group == 0)
                continue;
            if (!j) {
                printf("  %-12s %s\n", f->key, f->meaning);
                continue;
            }
            json_object_begin(j, NULL);
            json_string(j, "name", f->key);
            json_string(j, "meaning", f->meaning);
            json_object_end(j);
        }
    }
    if (j)
        json_array_end(j);
    else
        printf("Each may have position, rotation, rounding and 'inside: true'; see "
               "docs/scenes.md.\n");
    store_free(&kept);
    return EXIT_OK;
}

/* ------------------------------------------------------------------------- build */

/* The processor's name as Linux tells it. */
static void find_cpu(char name[128])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, 128, "unknown");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(name, 128, "%.120s", strchr(line, ':') + 2);
            name[strcspn(name, "\n")] = '\0';
            break;
        }
    if (file)
        fclose(file);
}

static void show_build(json *j)
{
    char cpu[128];
    find_cpu(cpu);
    double gigabytes = (double)system_memory_available() / 1e9;
    if (j) {
        json_object_begin(j, "build");
        json_string(j, "version", WEIR_VERSION);
        json_string(j, "compiler", __VERSION__);
        json_string(j, "cpu", cpu);
        json_integer(j, "threads", parallel_cores());
        json_number(j, "free_memory_gb", gigabytes);
        json_array_begin_inline(j, "simd");
        for (const char *const *level = weir_simd_levels(); *level; level++)
            json_string(j, NULL, *level);
        json_array_end(j);
        json_object_end(j);
        return;
    }
    printf("Weir %s, compiled by %s\n  CPU          %s\n  threads      %d\n", WEIR_VERSION,
           __VERSION__, cpu, parallel_cores());
    printf("  free memory  %.3g GB\n  SIMD levels ", gigabytes);
    for (const char *const *level = weir_simd_levels(); *level; level++)
        printf(" %s", *level);
    printf(" (the last is used)\n");
}

/* ----------------------------------------------------------------------- command */

static int show_topic(const char *topic, json *j)
{
    weir_method method;
    bool all = !topic;
    if (all || strcmp(topic, "build") == 0)
        show_build(j);
    if (all && !j)
        printf("\n");
    if (all || strcmp(topic, "methods") == 0)
        show_methods(j);
    if (all && !j)
        printf("\n");
    if (all || strcmp(topic, "presets") == 0)
        show_presets(j);
    if (all && !j)
        printf("\n");
    if (all || strcmp(topic, "shapes") == 0)
        return show_shapes(j);
    if (strcmp(topic, "build") == 0 || strcmp(topic, "methods") == 0 ||
        strcmp(topic, "presets") == 0)
        return EXIT_OK;
    if (!weir_method_find(topic, &method))
        return command_fail(EXIT_USAGE,
                            "'%s' is no topic and no method: must be methods, presets, "
                            "shapes, build or the name of a method",
                            topic);
    if (!j) {
        print_method(weir_method_get_info(method));
        return EXIT_OK;
    }
    json_array_begin(j, "methods");
    write_method(j, weir_method_get_info(method));
    json_array_end(j);
    return EXIT_OK;
}

static int print_schema(void)
{
    weir_error error;
    json j = {0};
    bool ok = scene_schema(&j, &error);
    if (ok)
        fputs(j.text, stdout);
    json_free(&j);
    return ok ? EXIT_OK : command_fail_error(&error);
}

static int print_reference(void)
{
    weir_error error;
    char *text = NULL;
    if (!scene_reference(&text, &error))
        return command_fail_error(&error);
    fputs(text, stdout);
    free(text);
    return EXIT_OK;
}

static int execute(const command *self, int argc, char **argv)
{
    info_options values = {0};
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    if (values.schema)
        return print_schema();
    if (values.reference)
        return print_reference();
    const char *topic = values.arguments.count > 0 ? values.arguments.items[0] : NULL;
    if (!values.json)
        return show_topic(topic, NULL);
    json j = {0};
    json_object_begin(&j, NULL);
    code = show_topic(topic, &j);
    json_object_end(&j);
    if (code == EXIT_OK)
        fputs(j.text, stdout);
    json_free(&j);
    return code;
}

const command command_info = {
    .name = "info",
    .usage = "[methods | METHOD | presets | shapes | build]",
    .max_arguments = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "List methods and their parameters, fluid presets, shapes, and this build.",
    .run = execute,
};
