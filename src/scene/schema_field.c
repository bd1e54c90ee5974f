#include "scene/schema_field.h"
#include "scene/field.h"
#include "scene/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_PATTERN "[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"

void schema_write_description(json *j, const field *f)
{
    char text[1000] = "", range[FIELD_DESCRIPTION];
    writing w = {text, sizeof text, 0};
    writing_add(&w, "%s", f->meaning);
    field_describe_range(f, range);
    if (range[0])
        writing_add(&w, " Must be %s.", range);
    else if (field_unit(f))
        writing_add(&w, " Unit: %s.", field_unit(f));
    if (f->zero_means && !range[0])
        writing_add(&w, " 0 means: %s.", f->zero_means);
    for (size_t i = 0; i < f->choice_count; i++)
        if (f->choices[i].meaning)
            writing_add(&w, " %s: %s", f->choices[i].name, f->choices[i].meaning);
    json_string(j, "description", text);
}

/* A unit as a pattern, with the spellings that quantity_parse takes. */
static void add_unit_pattern(writing *w, const char *unit)
{
    for (const char *c = unit; *c; c++) {
        if (*c == '2' || *c == '3')
            writing_add(w, "(\\^?%c|%s)", *c, *c == '2' ? "²" : "³");
        else if (*c == ' ')
            writing_add(w, "[ ·*]");
        else if (*c == 'l')
            writing_add(w, "[lL]");
        else if (*c == 'u')
            writing_add(w, "[uµμ]");
        else if (strncmp(c, "deg", 3) == 0) {
            writing_add(w, "(deg|°)");
            c += 2;
        } else
            writing_add(w, "%c", *c);
    }
}

/* Numbers may also be written as text: "2 cm", "1/120". */
static void write_quantity_pattern(json *j, const field *f)
{
    char text[1000] = "";
    writing w = {text, sizeof text, 0};
    const char *unit = field_unit(f), *other;
    writing_add(&w, "^" NUMBER_PATTERN "( */ *" NUMBER_PATTERN ")? *(");
    if (unit)
        add_unit_pattern(&w, unit);
    for (int i = 0; (other = quantity_alternative(unit, i)); i++) {
        writing_add(&w, "%s", i > 0 || unit ? "|" : "");
        add_unit_pattern(&w, other);
    }
    writing_add(&w, ")?$");
    json_string(j, "pattern", text);
}

static void write_bounds(json *j, const field_range *r)
{
    if (r->ends & RANGE_MIN)
        json_number(j, r->ends & RANGE_MIN_OPEN ? "exclusiveMinimum" : "minimum", r->min);
    if (r->ends & RANGE_MAX)
        json_number(j, r->ends & RANGE_MAX_OPEN ? "exclusiveMaximum" : "maximum", r->max);
}

/* The range; 0 is beside it where it has a meaning of its own. */
static void write_range(json *j, const field *f)
{
    field without_zero = *f;
    without_zero.zero_means = NULL;
    if (!f->zero_means || field_allows(&without_zero, 0)) {
        write_bounds(j, &f->range);
        return;
    }
    json_array_begin(j, "anyOf");
    json_object_begin(j, NULL);
    json_integer(j, "const", 0);
    json_object_end(j);
    json_object_begin(j, NULL);
    write_bounds(j, &f->range);
    json_object_end(j);
    json_array_end(j);
}

static void write_number(json *j, const field *f)
{
    json_array_begin_inline(j, "type");
    json_string(j, NULL, "number");
    json_string(j, NULL, "string");
    json_array_end(j);
    write_range(j, f);
    write_quantity_pattern(j, f);
}

static void write_names(json *j, const field *f)
{
    json_array_begin_inline(j, "enum");
    for (size_t i = 0; i < f->choice_count; i++)
        json_string(j, NULL, f->choices[i].name);
    json_array_end(j);
}

static void write_vector(json *j, const field *f)
{
    json_string(j, "type", "array");
    json_object_begin(j, "items");
    write_number(j, f);
    json_object_end(j);
    json_integer(j, "minItems", 2);
    json_integer(j, "maxItems", 3);
}

static void write_color(json *j)
{
    json_array_begin(j, "anyOf");
    json_object_begin(j, NULL);
    json_string(j, "type", "string");
    json_string(j, "pattern", "^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$");
    json_object_end(j);
    json_object_begin(j, NULL);
    json_string(j, "type", "array");
    json_object_begin(j, "items");
    write_number(j, &(field){.kind = FIELD_NUMBER, .range = BETWEEN(0, 1)});
    json_object_end(j);
    json_integer(j, "minItems", 3);
    json_integer(j, "maxItems", 4);
    json_object_end(j);
    json_array_end(j);
}

static void write_reference(json *j, const record *r, const record *root)
{
    char address[200];
    snprintf(address, sizeof address, "#/$defs/%s", r->name);
    json_string(j, "$ref", r == root ? "#" : address);
}

static void write_list(json *j, const field *f, const record *root)
{
    field element = *f;
    element.kind = f->kind == FIELD_VECTORS   ? FIELD_VECTOR
                   : f->kind == FIELD_NUMBERS ? FIELD_NUMBER
                   : f->kind == FIELD_TEXTS   ? FIELD_TEXT
                   : f->kind == FIELD_CHOICES ? FIELD_CHOICE
                                              : FIELD_STRUCT;
    json_string(j, "type", "array");
    json_object_begin(j, "items");
    schema_write_value(j, &element, root);
    json_object_end(j);
    if (f->min_count > 0)
        json_integer(j, "minItems", (int64_t)f->min_count);
    json_integer(j, "maxItems", (int64_t)field_max_count(f));
}

static void write_map(json *j, const field *f, const record *root)
{
    json_string(j, "type", "object");
    json_object_begin(j, "propertyNames");
    json_string(j, "pattern", "^(?=.*[^0-9])[^.= \\t\\r\\n\"']+$");
    json_object_end(j);
    json_object_begin(j, "additionalProperties");
    write_reference(j, f->record, root);
    json_object_end(j);
    if (f->min_count > 0)
        json_integer(j, "minProperties", (int64_t)f->min_count);
    json_integer(j, "maxProperties", (int64_t)field_max_count(f));
}

void schema_write_value(json *j, const field *f, const record *root)
{
    switch (f->kind) {
    case FIELD_NUMBER:
        write_number(j, f);
        break;
    case FIELD_INTEGER:
        json_string(j, "type", "integer");
        write_range(j, f);
        break;
    case FIELD_BOOL:
        json_string(j, "type", "boolean");
        break;
    case FIELD_TEXT:
        json_string(j, "type", "string");
        break;
    case FIELD_PATH:
    case FIELD_FILE:
        json_string(j, "type", "string");
        json_integer(j, "minLength", 1);
        break;
    case FIELD_CHOICE:
        write_names(j, f);
        break;
    case FIELD_VECTOR:
        write_vector(j, f);
        break;
    case FIELD_COLOR:
        write_color(j);
        break;
    case FIELD_STRUCT:
        write_reference(j, f->record, root);
        break;
    case FIELD_MAP:
        write_map(j, f, root);
        break;
    case FIELD_CHOICES:
    case FIELD_NUMBERS:
    case FIELD_VECTORS:
    case FIELD_TEXTS:
    case FIELD_LIST:
        write_list(j, f, root);
        break;
    }
}

/* A float as the shortest decimal that gives it back: 0.1, not 0.10000000149. */
static double widen(float value)
{
    char text[32];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    return strtod(text, NULL);
}

static void write_number_default(json *j, const field *f, const char *at)
{
    double value;
    float narrow;
    if (f->size == sizeof value) {
        memcpy(&value, at, sizeof value);
    } else {
        memcpy(&narrow, at, sizeof narrow);
        value = widen(narrow);
    }
    if (isfinite(value))
        json_number(j, "default", value);
}

static void write_integer_default(json *j, const field *f, const char *at)
{
    int64_t value;
    int32_t narrow;
    if (f->size == sizeof value) {
        memcpy(&value, at, sizeof value);
    } else {
        memcpy(&narrow, at, sizeof narrow);
        value = narrow;
    }
    json_integer(j, "default", value);
}

static void write_choices_default(json *j, const field *f, const char *at)
{
    uint32_t mask;
    memcpy(&mask, at, sizeof mask);
    json_array_begin_inline(j, "default");
    for (size_t i = 0; i < f->choice_count; i++)
        if (mask >> f->choices[i].value & 1)
            json_string(j, NULL, f->choices[i].name);
    json_array_end(j);
}

static void write_vector_default(json *j, const char *at)
{
    double axis[3];
    memcpy(axis, at, sizeof axis);
    if (isfinite(axis[0]) && isfinite(axis[1]) && isfinite(axis[2]))
        json_vector(j, "default", axis, 3);
}

static void write_color_default(json *j, const char *at)
{
    bind_color c;
    memcpy(&c, at, sizeof c);
    json_vector(j, "default", (double[]){widen(c.r), widen(c.g), widen(c.b), widen(c.a)}, 4);
}

static void write_text_default(json *j, const char *at)
{
    const char *text;
    memcpy(&text, at, sizeof text);
    if (text)
        json_string(j, "default", text);
}

static void write_default(json *j, const field *f, const char *base)
{
    const char *at = base + f->offset;
    bool truth;
    switch (f->kind) {
    case FIELD_NUMBER:
        write_number_default(j, f, at);
        break;
    case FIELD_INTEGER:
        write_integer_default(j, f, at);
        break;
    case FIELD_BOOL:
        memcpy(&truth, at, sizeof truth);
        json_bool(j, "default", truth);
        break;
    case FIELD_CHOICE:
        if (field_get_choice(f, base))
            json_string(j, "default", field_get_choice(f, base)->name);
        break;
    case FIELD_CHOICES:
        write_choices_default(j, f, at);
        break;
    case FIELD_VECTOR:
        write_vector_default(j, at);
        break;
    case FIELD_COLOR:
        write_color_default(j, at);
        break;
    case FIELD_TEXT:
    case FIELD_PATH:
    case FIELD_FILE:
        write_text_default(j, at);
        break;
    default:
        break;
    }
}

void schema_write_field(json *j, const field *f, const char *base, const record *root)
{
    json_object_begin(j, f->key);
    schema_write_description(j, f);
    schema_write_value(j, f, root);
    if (!f->required && f->group == 0)
        write_default(j, f, base);
    json_object_end(j);
}
