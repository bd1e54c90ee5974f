/* Records as JSON Schema: objects, their variants by tag, and their groups. The values of single
 * fields are in schema_field.c. */
#include "scene/schema.h"
#include "scene/field.h"
#include "scene/schema_field.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TAGS = 8 };

/* A tag and what is chosen: all choices that bring the same further fields. */
typedef struct decision {
    const field *tag;
    const field_table *extra;
} decision;

/* One variant of a record: its tables, with the choices of its tags that led to them. */
typedef struct variant {
    const record *r;
    table_list active;
    decision decisions[MAX_TAGS];
    size_t decision_count;
} variant;

typedef struct writer {
    json *j;
    const record *root;
    weir_error *error;
} writer;

static const decision *find_decision(const variant *v, const field *f)
{
    for (size_t i = 0; i < v->decision_count; i++)
        if (v->decisions[i].tag == f)
            return &v->decisions[i];
    return NULL;
}

/* The variant's defaults: those of the record, then those of its fields. */
static void fill_defaults(const variant *v, char *item)
{
    if (v->r->initialize)
        v->r->initialize(item);
    for (size_t t = 0; t < v->active.count; t++) {
        const field_table *table = &v->active.tables[t];
        for (const field *f = table->fields; f < table->fields + table->count; f++)
            if (f->initial)
                memcpy(item + table->offset + f->offset, f->initial, f->size);
    }
}

/* Whether the tag may be left out in this variant: its default then leads here. */
static bool leads_by_default(const decision *d, const void *base)
{
    const choice *standard = field_get_choice(d->tag, base);
    return !d->tag->required && standard && standard->extra == d->extra;
}

static void write_tag(json *j, const decision *d, const void *base)
{
    json_object_begin(j, d->tag->key);
    schema_write_description(j, d->tag);
    json_array_begin_inline(j, "enum");
    for (size_t c = 0; c < d->tag->choice_count; c++)
        if (d->tag->choices[c].extra == d->extra)
            json_string(j, NULL, d->tag->choices[c].name);
    json_array_end(j);
    if (leads_by_default(d, base))
        json_string(j, "default", field_get_choice(d->tag, base)->name);
    json_object_end(j);
}

static void write_properties(const writer *w, const variant *v, const char *item)
{
    json_object_begin(w->j, "properties");
    for (size_t t = 0; t < v->active.count; t++) {
        const field_table *table = &v->active.tables[t];
        for (const field *f = table->fields; f < table->fields + table->count; f++) {
            const decision *d = find_decision(v, f);
            if (d)
                write_tag(w->j, d, item + table->offset);
            else
                schema_write_field(w->j, f, item + table->offset, w->root);
        }
    }
    json_object_end(w->j);
}

static void write_required(const writer *w, const variant *v, const char *item)
{
    bool any = false;
    for (size_t t = 0; t < v->active.count; t++) {
        const field_table *table = &v->active.tables[t];
        for (const field *f = table->fields; f < table->fields + table->count; f++) {
            const decision *d = find_decision(v, f);
            if (!f->required && (!d || leads_by_default(d, item + table->offset)))
                continue;
            if (!any)
                json_array_begin_inline(w->j, "required");
            any = true;
            json_string(w->j, NULL, f->key);
        }
    }
    if (any)
        json_array_end(w->j);
}

/* {"required": [key]} for each member of a group. */
static void write_members(const writer *w, const variant *v, size_t group)
{
    for (size_t t = 0; t < v->active.count; t++)
        for (size_t i = 0; i < v->active.tables[t].count; i++) {
            const field *f = &v->active.tables[t].fields[i];
            if (f->group != (int)group + 1)
                continue;
            json_object_begin(w->j, NULL);
            json_array_begin_inline(w->j, "required");
            json_string(w->j, NULL, f->key);
            json_array_end(w->j);
            json_object_end(w->j);
        }
}

/* One of the members, or none of them where the group is not required. */
static void write_groups(const writer *w, const variant *v)
{
    if (v->r->group_count == 0)
        return;
    json_array_begin(w->j, "allOf");
    for (size_t g = 0; g < v->r->group_count; g++) {
        json_object_begin(w->j, NULL);
        json_array_begin(w->j, "oneOf");
        write_members(w, v, g);
        if (!v->r->groups[g].required) {
            json_object_begin(w->j, NULL);
            json_object_begin(w->j, "not");
            json_array_begin(w->j, "anyOf");
            write_members(w, v, g);
            json_array_end(w->j);
            json_object_end(w->j);
            json_object_end(w->j);
        }
        json_array_end(w->j);
        json_object_end(w->j);
    }
    json_array_end(w->j);
}

static bool write_object(const writer *w, const variant *v)
{
    char *item = calloc(1, v->r->size);
    if (!item)
        return fail(w->error, WEIR_OUT_OF_MEMORY, "memory ran out for the schema");
    fill_defaults(v, item);
    json_string(w->j, "type", "object");
    write_properties(w, v, item);
    write_required(w, v, item);
    write_groups(w, v);
    json_bool(w->j, "additionalProperties", false);
    free(item);
    return true;
}

/* A tag of the variant that is not decided yet, or NULL. Sets the offset of its table. */
static const field *find_open_tag(const variant *v, size_t *offset)
{
    for (size_t t = 0; t < v->active.count; t++)
        for (size_t i = 0; i < v->active.tables[t].count; i++) {
            const field *f = &v->active.tables[t].fields[i];
            if (field_is_tag(f) && !find_decision(v, f)) {
                *offset = v->active.tables[t].offset;
                return f;
            }
        }
    return NULL;
}

/* Whether an earlier choice brings the same fields, so that both share a variant. */
static bool is_repeated(const field *tag, size_t index)
{
    for (size_t c = 0; c < index; c++)
        if (tag->choices[c].extra == tag->choices[index].extra)
            return true;
    return false;
}

/* The keywords of an object, or of a choice of objects where a tag is open. */
static bool write_variant(const writer *w, const variant *v)
{
    size_t offset = 0;
    const field *tag = find_open_tag(v, &offset);
    if (!tag)
        return write_object(w, v);
    if (v->decision_count == MAX_TAGS)
        return fail(w->error, WEIR_INVALID, "the record '%s' has too many tags", v->r->name);
    json_array_begin(w->j, "oneOf");
    for (size_t c = 0; c < tag->choice_count; c++) {
        if (is_repeated(tag, c))
            continue;
        variant next = *v;
        const field_table *extra = tag->choices[c].extra;
        next.decisions[next.decision_count++] = (decision){tag, extra};
        if (extra && !table_list_add(&next.active, *extra, offset))
            return fail(w->error, WEIR_INVALID, "the record '%s' has too many tables", v->r->name);
        json_object_begin(w->j, NULL);
        if (!write_variant(w, &next))
            return false;
        json_object_end(w->j);
    }
    json_array_end(w->j);
    return true;
}

static bool write_record(const writer *w, const record *r)
{
    variant v = {.r = r};
    for (size_t t = 0; t < r->table_count; t++)
        if (!table_list_add(&v.active, r->tables[t], 0))
            return fail(w->error, WEIR_INVALID, "the record '%s' has too many tables", r->name);
    json_string(w->j, "description", r->meaning);
    if (!r->shorthand)
        return write_variant(w, &v);
    json_array_begin(w->j, "anyOf");
    json_object_begin(w->j, NULL);
    schema_write_value(w->j, table_list_find(&v.active, r->shorthand), w->root);
    json_object_end(w->j);
    json_object_begin(w->j, NULL);
    if (!write_variant(w, &v))
        return false;
    json_object_end(w->j);
    json_array_end(w->j);
    return true;
}

bool schema_write(const record *root, const char *id, const char *title, json *j, weir_error *error)
{
    const record *all[RECORD_MAX_COUNT];
    writer w = {j, root, error};
    if (!record_check(root, error))
        return false;
    size_t count = record_collect(root, all, RECORD_MAX_COUNT);
    json_object_begin(j, NULL);
    json_string(j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    if (id)
        json_string(j, "$id", id);
    json_string(j, "title", title);
    if (!write_record(&w, root))
        return false;
    json_object_begin(j, "$defs");
    for (size_t i = 1; i < count; i++) {
        json_object_begin(j, all[i]->name);
        if (!write_record(&w, all[i]))
            return false;
        json_object_end(j);
    }
    json_object_end(j);
    json_object_end(j);
    return !j->failed || fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the schema");
}
