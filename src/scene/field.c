/* Fields in words, and their small questions. */
#include "scene/field.h"
#include "scene/quantity.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *field_unit(const field *f)
{
    return f->unit && strcmp(f->unit, "1") != 0 && f->unit[0] ? f->unit : NULL;
}

size_t field_max_count(const field *f)
{
    /* Numbers are small, structs are not: a typing error must not ask for gigabytes. */
    bool has_structs = f->kind == FIELD_LIST || f->kind == FIELD_MAP;
    return f->max_count > 0 ? f->max_count : has_structs ? 10000 : 1000000;
}

bool field_allows(const field *f, double value)
{
    const field_range *r = &f->range;
    if (f->zero_means && value == 0)
        return true;
    if ((r->ends & RANGE_MIN) &&
        (value < r->min || ((r->ends & RANGE_MIN_OPEN) && value == r->min)))
        return false;
    if ((r->ends & RANGE_MAX) &&
        (value > r->max || ((r->ends & RANGE_MAX_OPEN) && value == r->max)))
        return false;
    return true;
}

bool field_is_tag(const field *f)
{
    for (size_t i = 0; f->kind == FIELD_CHOICE && i < f->choice_count; i++)
        if (f->choices[i].extra)
            return true;
    return false;
}

const choice *field_get_choice(const field *f, const void *base)
{
    const char *at = (const char *)base + f->offset;
    int value;
    double number;
    if (f->size == sizeof number) {
        memcpy(&number, at, sizeof number);
        value = number >= -1e9 && number <= 1e9 ? (int)number : -1;
    } else {
        memcpy(&value, at, sizeof value);
    }
    for (size_t i = 0; i < f->choice_count; i++)
        if (f->choices[i].value == value)
            return &f->choices[i];
    return NULL;
}

void field_set_choice(const field *f, void *base, int value)
{
    char *at = (char *)base + f->offset;
    double number = value;
    if (f->size == sizeof number)
        memcpy(at, &number, sizeof number);
    else
        memcpy(at, &value, sizeof value);
}

void writing_add(writing *w, const char *format, ...)
{
    if (w->used + 1 >= w->size)
        return;
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (wrote > 0)
        w->used += (size_t)wrote;
    if (w->used >= w->size) {
        /* Shows that something is missing. */
        w->used = w->size - 1;
        memcpy(w->text + w->used - 3, "...", 3);
    }
}

static void add_range(writing *w, const field *f)
{
    const field_range *r = &f->range;
    bool open_min = r->ends & RANGE_MIN_OPEN, open_max = r->ends & RANGE_MAX_OPEN;
    bool has_min = r->ends & RANGE_MIN, has_max = r->ends & RANGE_MAX;
    const char *unit = field_unit(f);
    if (has_min && has_max && !open_min && !open_max)
        writing_add(w, "from %.10g to %.10g", r->min, r->max);
    else if (has_min && has_max)
        writing_add(w, "%s %.10g and %s %.10g", open_min ? ">" : ">=", r->min,
                    open_max ? "<" : "<=", r->max);
    else if (has_min)
        writing_add(w, "%s %.10g", open_min ? ">" : ">=", r->min);
    else if (has_max)
        writing_add(w, "%s %.10g", open_max ? "<" : "<=", r->max);
    else
        return;
    if (unit)
        writing_add(w, " %s", unit);
    if (f->zero_means)
        writing_add(w, ", or 0 (%s)", f->zero_means);
}

static void add_numbers(writing *w, const field *f, const char *noun)
{
    const char *unit = field_unit(f);
    writing_add(w, "%s", noun);
    if (f->range.ends & (RANGE_MIN | RANGE_MAX)) {
        writing_add(w, " ");
        add_range(w, f);
    } else if (unit) {
        writing_add(w, " in %s", unit);
    }
}

static void add_choices(writing *w, const field *f)
{
    for (size_t i = 0; i < f->choice_count; i++)
        writing_add(w, "%s%s", i > 0 ? ", " : "", f->choices[i].name);
}

static void add_keys(writing *w, const record *r)
{
    bool first = true;
    for (size_t t = 0; t < r->table_count; t++)
        for (size_t i = 0; i < r->tables[t].count; i++, first = false)
            writing_add(w, "%s%s", first ? "" : ", ", r->tables[t].fields[i].key);
}

void field_describe_range(const field *f, char text[FIELD_DESCRIPTION])
{
    text[0] = '\0';
    writing w = {text, FIELD_DESCRIPTION, 0};
    add_range(&w, f);
}

void field_describe(const field *f, char text[FIELD_DESCRIPTION])
{
    text[0] = '\0';
    writing w = {text, FIELD_DESCRIPTION, 0};
    switch (f->kind) {
    case FIELD_NUMBER:
        add_numbers(&w, f, "a number");
        break;
    case FIELD_INTEGER:
        add_numbers(&w, f, "a whole number");
        break;
    case FIELD_BOOL:
        writing_add(&w, "true or false");
        break;
    case FIELD_TEXT:
        writing_add(&w, "a text");
        break;
    case FIELD_PATH:
    case FIELD_FILE:
        writing_add(&w, "the name of a file");
        break;
    case FIELD_CHOICE:
        writing_add(&w, "one of: ");
        add_choices(&w, f);
        break;
    case FIELD_CHOICES:
        writing_add(&w, "a list of some of: ");
        add_choices(&w, f);
        break;
    case FIELD_VECTOR:
        add_numbers(&w, f, "a list of 2 or 3 numbers");
        break;
    case FIELD_COLOR:
        writing_add(&w, "a colour: \"#rrggbb\" in quotes, or a list of 3 or 4 numbers from 0 to 1");
        break;
    case FIELD_NUMBERS:
        add_numbers(&w, f, "a list of numbers");
        break;
    case FIELD_VECTORS:
        add_numbers(&w, f, "a list of lists of 2 or 3 numbers");
        break;
    case FIELD_TEXTS:
        writing_add(&w, "a list of texts");
        break;
    case FIELD_STRUCT:
        writing_add(&w, "a mapping with the keys ");
        add_keys(&w, f->record);
        break;
    case FIELD_LIST:
        writing_add(&w, "a list of mappings with the keys ");
        add_keys(&w, f->record);
        break;
    case FIELD_MAP:
        writing_add(&w, "a mapping of names to mappings with the keys ");
        add_keys(&w, f->record);
        break;
    }
}

bool table_list_add(table_list *list, field_table table, size_t offset)
{
    if (list->count == TABLE_LIST_MAX)
        return false;
    table.offset += offset;
    list->tables[list->count++] = table;
    return true;
}

const field *table_find(const field_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->fields[i].key, key) == 0)
            return &table->fields[i];
    return NULL;
}

const field *table_list_find(const table_list *list, const char *key)
{
    const field *found = NULL;
    for (size_t t = 0; t < list->count && !found; t++)
        found = table_find(&list->tables[t], key);
    return found;
}
