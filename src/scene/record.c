/* Checks of the tables themselves. What they find are mistakes of whoever wrote a table. */
#include "scene/field.h"
#include "scene/quantity.h"

#include <math.h>
#include <string.h>

static size_t add_record(const record *r, const record *found[], size_t count, size_t most)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] == r)
            return count;
    if (r && count < most)
        found[count++] = r;
    return count;
}

/* Adds the records of a table's fields, also of those that its choices bring. */
static size_t collect_table(const field_table *table, const record *found[], size_t count,
                            size_t most)
{
    for (size_t i = 0; i < table->count; i++) {
        const field *f = &table->fields[i];
        count = add_record(f->record, found, count, most);
        for (size_t c = 0; c < f->choice_count; c++)
            if (f->choices[c].extra)
                count = collect_table(f->choices[c].extra, found, count, most);
    }
    return count;
}

size_t record_collect(const record *r, const record *found[], size_t most)
{
    size_t count = add_record(r, found, 0, most);
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < found[i]->table_count; t++)
            count = collect_table(&found[i]->tables[t], found, count, most);
    return count;
}

/* Whether the member has the size that its kind needs. */
static bool has_right_size(const field *f)
{
    switch (f->kind) {
    case FIELD_NUMBER:
        return f->size == sizeof(double) || f->size == sizeof(float);
    case FIELD_INTEGER:
        return f->size == 4 || f->size == 8;
    case FIELD_BOOL:
        return f->size == sizeof(bool);
    case FIELD_CHOICE:
        return f->size == sizeof(int) || f->size == sizeof(double);
    case FIELD_CHOICES:
        return f->size == sizeof(uint32_t);
    case FIELD_VECTOR:
        return f->size == sizeof(weir_vec3);
    case FIELD_COLOR:
        return f->size == sizeof(bind_color);
    case FIELD_STRUCT:
        return f->record && f->size == f->record->size;
    default:
        return f->size == sizeof(void *);
    }
}

static bool is_list(field_kind kind)
{
    return kind == FIELD_NUMBERS || kind == FIELD_VECTORS || kind == FIELD_TEXTS ||
           kind == FIELD_LIST || kind == FIELD_MAP;
}

static const char *find_flaw(const field *f)
{
    bool needs_record = f->kind >= FIELD_STRUCT;
    bool needs_choices = f->kind == FIELD_CHOICE || f->kind == FIELD_CHOICES;
    if (!f->meaning || !f->meaning[0])
        return "has no meaning";
    if (needs_record != (f->record != NULL))
        return "has no record, or one that it does not need";
    if (needs_choices != (f->choice_count > 0))
        return "has no choices, or some that it does not need";
    if (!has_right_size(f))
        return "has a member of another size than its kind";
    if (is_list(f->kind) && (f->initial || f->count_offset == f->offset))
        return "is a list, so it needs a count and can have no default here";
    if (f->required && (f->initial || f->group > 0))
        return "is required, so it can have no default and no group";
    for (size_t c = 0; c < f->choice_count; c++)
        if (f->kind == FIELD_CHOICES && (f->choices[c].value < 0 || f->choices[c].value > 31))
            return "has a choice that is no bit of 32";
    return NULL;
}

/* Whether a number's default is allowed; NAN stands for "chosen elsewhere". */
static bool has_allowed_default(const field *f)
{
    double value;
    if (f->kind != FIELD_NUMBER || f->size != sizeof value || !f->initial)
        return true;
    memcpy(&value, f->initial, sizeof value);
    return isnan(value) || field_allows(f, value);
}

static bool check_table(const record *r, const field_table *table, table_list *before,
                        weir_error *error)
{
    for (size_t i = 0; i < table->count; i++) {
        const field *f = &table->fields[i];
        const char *flaw = find_flaw(f);
        field_table rest = {f + 1, table->count - i - 1, 0};
        size_t end = table->offset + f->offset + f->size;
        if (!flaw && !has_allowed_default(f))
            flaw = "has a default out of its range";
        if (!flaw && end > r->size)
            flaw = "lies outside of its struct";
        if (!flaw && (f->group < 0 || (size_t)f->group > r->group_count))
            flaw = "has a group that its record does not have";
        if (!flaw && (table_find(&rest, f->key) || table_list_find(before, f->key)))
            flaw = "is there twice";
        if (flaw)
            return fail(error, WEIR_INVALID, "the field '%s' of the record '%s' %s", f->key,
                        r->name, flaw);
    }
    if (!table_list_add(before, *table, 0))
        return fail(error, WEIR_INVALID, "the record '%s' has too many tables", r->name);
    for (size_t i = 0; i < table->count; i++)
        for (size_t c = 0; c < table->fields[i].choice_count; c++) {
            const field_table *extra = table->fields[i].choices[c].extra;
            table_list with_extra = *before;
            field_table moved = extra ? *extra : (field_table){0};
            moved.offset += table->offset;
            if (extra && !check_table(r, &moved, &with_extra, error))
                return false;
        }
    return true;
}

bool record_check(const record *r, weir_error *error)
{
    const record *all[RECORD_MAX_COUNT];
    size_t count = record_collect(r, all, RECORD_MAX_COUNT);
    if (count == RECORD_MAX_COUNT)
        return fail(error, WEIR_INVALID, "the record '%s' leads to too many records", r->name);
    for (size_t i = 0; i < count; i++) {
        const record *one = all[i];
        table_list before = {0};
        if (!one->name || one->size == 0 || !one->meaning)
            return fail(error, WEIR_INVALID, "a record below '%s' lacks a name, size or meaning",
                        r->name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(all[k]->name, one->name) == 0)
                return fail(error, WEIR_INVALID, "two records are named '%s'", one->name);
        for (size_t t = 0; t < one->table_count; t++)
            if (!check_table(one, &one->tables[t], &before, error))
                return false;
        if (one->shorthand && !table_list_find(&before, one->shorthand))
            return fail(error, WEIR_INVALID, "the record '%s' has no field '%s' for its shorthand",
                        one->name, one->shorthand);
    }
    return true;
}
