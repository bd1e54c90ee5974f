/* The reference of scene files, docs/scenes.md, from the tables that read them. */
#include "scene/scene.h"

#include "scene/field.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that grows. */
typedef struct page {
    char *text;
    size_t length, capacity;
    bool failed;
} page;

static void add(page *p, const char *format, ...) WEIR_PRINTF(2, 3);

static void add(page *p, const char *format, ...)
{
    char piece[2000];
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    size_t size = wrote > 0 ? (size_t)wrote : 0;
    if (size >= sizeof piece)
        size = sizeof piece - 1;
    if (p->length + size + 1 > p->capacity) {
        size_t capacity = 2 * (p->length + size + 1);
        char *grown = realloc(p->text, capacity);
        if (!grown) {
            p->failed = true;
            return;
        }
        p->text = grown;
        p->capacity = capacity;
    }
    memcpy(p->text + p->length, piece, size + 1);
    p->length += size;
}

static void add_number(page *p, const field *f)
{
    double number;
    int integer;
    int64_t large;
    if (f->kind == FIELD_NUMBER) {
        memcpy(&number, f->initial, sizeof number);
        if (isnan(number))
            add(p, "none");
        else
            add(p, "%.4g", number);
    } else if (f->size == sizeof large) {
        memcpy(&large, f->initial, sizeof large);
        add(p, "%lld", (long long)large);
    } else {
        memcpy(&integer, f->initial, sizeof integer);
        add(p, "%d", integer);
    }
}

/* The names of the choices whose bits are set. */
static void add_mask(page *p, const field *f)
{
    uint32_t mask;
    const char *separator = "";
    memcpy(&mask, f->initial, sizeof mask);
    add(p, "[");
    for (size_t c = 0; c < f->choice_count; c++)
        if (mask >> f->choices[c].value & 1) {
            add(p, "%s%s", separator, f->choices[c].name);
            separator = ", ";
        }
    add(p, "]");
}

static void add_initial(page *p, const field *f)
{
    bool truth;
    vec3 v;
    const choice *chosen;
    field at_start = *f;
    switch (f->kind) {
    case FIELD_NUMBER:
    case FIELD_INTEGER:
        add_number(p, f);
        break;
    case FIELD_BOOL:
        memcpy(&truth, f->initial, sizeof truth);
        add(p, truth ? "true" : "false");
        break;
    case FIELD_CHOICE:
        at_start.offset = 0;
        chosen = field_get_choice(&at_start, f->initial);
        add(p, "%s", chosen ? chosen->name : "none");
        break;
    case FIELD_CHOICES:
        add_mask(p, f);
        break;
    case FIELD_VECTOR:
        memcpy(&v, f->initial, sizeof v);
        if (isnan(v.x))
            add(p, "none");
        else
            add(p, "[%g, %g, %g]", v.x, v.y, v.z);
        break;
    default:
        add(p, "empty");
    }
}

static void add_default(page *p, const field *f)
{
    if (f->required)
        add(p, "required");
    else if (f->initial)
        add_initial(p, f);
    else
        add(p, f->kind == FIELD_VECTOR                    ? "zero"
               : f->kind == FIELD_STRUCT && f->group == 0 ? "its defaults"
                                                          : "none");
}

/* "one of: a, b", or a link to the record that it holds. */
static void add_allowed(page *p, const field *f)
{
    char text[FIELD_DESCRIPTION];
    if (f->kind == FIELD_STRUCT) {
        add(p, "[%s](#%s)", f->record->name, f->record->name);
    } else if (f->kind == FIELD_LIST) {
        add(p, "a list of [%s](#%s)", f->record->name, f->record->name);
    } else if (f->kind == FIELD_MAP) {
        add(p, "a mapping from names to [%s](#%s)", f->record->name, f->record->name);
    } else {
        field_describe(f, text);
        add(p, "%s", text);
        if (f->zero_means && !strstr(text, "or 0 ("))
            add(p, "; 0: %s", f->zero_means);
    }
}

static void add_table(page *p, const field_table *table)
{
    add(p, "\n| key | value | default | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < table->count; i++) {
        const field *f = &table->fields[i];
        add(p, "| `%s` | ", f->key);
        add_allowed(p, f);
        add(p, " | ");
        add_default(p, f);
        add(p, " | %s |\n", f->meaning);
    }
}

/* What each choice means, and the keys that it brings. */
static void add_choices(page *p, const field *f)
{
    for (size_t c = 0; c < f->choice_count; c++) {
        const choice *one = &f->choices[c];
        if (one->extra) {
            add(p, "\nWith `%s: %s`%s%s:\n", f->key, one->name, one->meaning ? ", " : "",
                one->meaning ? one->meaning : "");
            add_table(p, one->extra);
        }
    }
}

static void add_record(page *p, const record *r)
{
    add(p, "\n## %s\n%s", r->name, r->meaning);
    if (r->shorthand)
        add(p, " A value in place of the mapping is its `%s`.", r->shorthand);
    add(p, "\n");
    for (size_t g = 0; g < r->group_count; g++) {
        const char *separator = "";
        add(p, "%s one of: ", r->groups[g].required ? "Exactly" : "At most");
        for (size_t i = 0; i < r->tables[0].count; i++)
            if (r->tables[0].fields[i].group == (int)g + 1) {
                add(p, "%s`%s`", separator, r->tables[0].fields[i].key);
                separator = ", ";
            }
        add(p, ".\n");
    }
    for (size_t t = 0; t < r->table_count; t++) {
        add_table(p, &r->tables[t]);
        for (size_t i = 0; i < r->tables[t].count; i++)
            add_choices(p, &r->tables[t].fields[i]);
    }
}

static const char introduction[] =
    "# Scene files\n"
    "This page is printed by `weir info --scene-reference`; the same tables read scene files and\n"
    "give `schema/scene.schema.json`, so the three agree.\n\n"
    "A scene is YAML (JSON works too). Values are SI; a number may have a unit: `2 cm`, `1/60 s`,\n"
    "`90 deg`, `60 rpm`, `5 l/s`. Vectors have as many numbers as the scene has dimensions.\n"
    "Unknown keys, wrong types and values out of range are refused with file, line and key.\n"
    "`--set` changes any key: `--set fluids.water.viscosity=0.1`; the name of a section may be\n"
    "written in the singular there. Files are found relative to the scene.\n\n"
    "For checks and completion in an editor, begin a scene with\n"
    "`# yaml-language-server: $schema=../../schema/scene.schema.json`.\n";

bool scene_reference(char **text, weir_error *error)
{
    store kept = {0};
    const record *root = scene_record(&kept, error);
    bool ok = root && record_reference(root, introduction, text, error);
    store_free(&kept);
    return ok;
}

bool record_reference(const record *root, const char *opening, char **text, weir_error *error)
{
    page p = {0};
    const record *found[RECORD_MAX_COUNT];
    add(&p, "%s", opening);
    size_t count = record_collect(root, found, RECORD_MAX_COUNT);
    for (size_t k = 0; k < count; k++)
        add_record(&p, found[k]);
    if (p.failed) {
        free(p.text);
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the reference");
    }
    *text = p.text;
    return true;
}
