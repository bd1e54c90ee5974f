/* Maps to structs: which keys hold, which are missing, and the structs inside. */
#include "scene/bind.h"
#include "scene/suggest.h"
#include "scene/value.h"

#include <string.h>

/* One map that is being bound. `n` is NULL where only defaults are filled. */
typedef struct binding {
    binder *b;
    const record *r;
    const node *n;
    char *item;
    table_list active;
} binding;

static bool bind_map(binder *b, const record *r, const node *n, void *item);

/* What was written for `key`; with a shorthand, the value in place of the map. */
static const node *look_up(const binding *m, const char *key)
{
    if (m->n && m->n->kind != NODE_MAP)
        return strcmp(key, m->r->shorthand) == 0 ? m->n : NULL;
    return node_find(m->n, key);
}

static bool report_missing(const binding *m, const field *f)
{
    char allowed[FIELD_DESCRIPTION];
    field_describe(f, allowed);
    return bind_error_at(m->n, f->key, m->b->error, "is missing: must be %s", allowed);
}

/* Sets the defaults of a table and follows its tags: the choice of a tag adds a table. */
static bool activate_table(binding *m, size_t index)
{
    field_table table = m->active.tables[index];
    char *base = m->item + table.offset;
    for (const field *f = table.fields; f < table.fields + table.count; f++) {
        if (f->initial && f->group == 0)
            memcpy(base + f->offset, f->initial, f->size);
        if (!field_is_tag(f))
            continue;
        const node *written = look_up(m, f->key);
        if (written && !value_bind(m->b, f, written, base))
            return false;
        bool is_known = written || !f->required || !m->n;
        const choice *chosen = is_known ? field_get_choice(f, base) : NULL;
        if (chosen && chosen->extra && !table_list_add(&m->active, *chosen->extra, table.offset))
            return fail(m->b->error, WEIR_INVALID, "the record '%s' has more than %d tables",
                        m->r->name, TABLE_LIST_MAX);
    }
    return true;
}

static bool activate(binding *m)
{
    for (size_t t = 0; t < m->r->table_count; t++)
        if (!table_list_add(&m->active, m->r->tables[t], 0))
            return fail(m->b->error, WEIR_INVALID, "the record '%s' has more than %d tables",
                        m->r->name, TABLE_LIST_MAX);
    for (size_t t = 0; t < m->active.count; t++)
        if (!activate_table(m, t))
            return false;
    return true;
}

/* A tag with another choice of which `key` would be known; NULL without one. Writes the names of
 * those choices. */
static const field *find_owner(const binding *m, const char *key, writing *names)
{
    for (size_t t = 0; t < m->active.count; t++)
        for (size_t i = 0; i < m->active.tables[t].count; i++) {
            const field *f = &m->active.tables[t].fields[i];
            for (size_t c = 0; f->kind == FIELD_CHOICE && c < f->choice_count; c++)
                if (f->choices[c].extra && table_find(f->choices[c].extra, key))
                    writing_add(names, "%s'%s'", names->used ? ", " : "", f->choices[c].name);
            if (names->used)
                return f;
        }
    return NULL;
}

static bool refuse_key(const binding *m, const node *child)
{
    char text[500] = "";
    writing names = {text, sizeof text, 0};
    const field *tag = find_owner(m, child->key, &names);
    if (tag && tag->required && !look_up(m, tag->key))
        return report_missing(m, tag);
    if (tag)
        return bind_error_key(child, m->b->error, "is not used here: it needs '%s' to be %s",
                              tag->key, text);
    suggestion nearest = suggest_begin(child->key);
    for (size_t t = 0; t < m->active.count; t++)
        for (size_t i = 0; i < m->active.tables[t].count; i++) {
            const char *key = m->active.tables[t].fields[i].key;
            suggest_offer(&nearest, key);
            writing_add(&names, "%s%s", names.used ? ", " : "", key);
        }
    if (nearest.nearest)
        return bind_error_key(child, m->b->error,
                              "unknown key; did you mean '%s'? Allowed here: %s", nearest.nearest,
                              text);
    return bind_error_key(child, m->b->error, "unknown key; allowed here: %s", text);
}

static bool check_keys(const binding *m)
{
    for (const node *child = m->n->first; child; child = child->next)
        if (!table_list_find(&m->active, child->key))
            return refuse_key(m, child);
    return true;
}

/* Of the fields of a group at most one is given, or exactly one. Stores which. */
static bool check_group(const binding *m, size_t index)
{
    const field_group *group = &m->r->groups[index];
    const field *given = NULL;
    char text[400] = "";
    writing names = {text, sizeof text, 0};
    for (size_t t = 0; t < m->active.count; t++)
        for (size_t i = 0; i < m->active.tables[t].count; i++) {
            const field *f = &m->active.tables[t].fields[i];
            if (f->group != (int)index + 1)
                continue;
            writing_add(&names, "%s%s", names.used ? ", " : "", f->key);
            const node *written = look_up(m, f->key);
            if (written && given)
                return bind_error_key(written, m->b->error, "cannot be given together with '%s'",
                                      given->key);
            given = written ? f : given;
        }
    if (!given && group->required)
        return bind_error_at(m->n, NULL, m->b->error, "needs one of the keys: %s", text);
    if (given && group->tag_at)
        memcpy(m->item + group->tag_at - 1, &given->tag, sizeof given->tag);
    return true;
}

/* An array of structs from the children of a list or map. */
static bool bind_items(binder *b, const field *f, const node *n, char *base)
{
    if (!value_check_count(b, f, n))
        return false;
    size_t size = f->record->size;
    char *items = n->count > 0 ? store_take_array(b->memory, n->count, size) : NULL;
    if (n->count > 0 && !items)
        return bind_error_memory(n, b->error);
    char *at = items;
    for (const node *child = n->first; child; child = child->next, at += size)
        if (!bind_map(b, f->record, child, at))
            return false;
    memcpy(base + f->offset, &items, sizeof items);
    memcpy(base + f->count_offset, &n->count, sizeof n->count);
    return true;
}

/* A name must be usable in tree_set and not look like the index of a list item. */
static bool check_names(const binder *b, const node *n)
{
    for (const node *child = n->first; child; child = child->next) {
        const char *name = child->key;
        if (strpbrk(name, ".= \t\r\n\"'") || strspn(name, "0123456789") == strlen(name))
            return bind_error_key(child, b->error,
                                  "the name is not allowed: it must have a letter and none of "
                                  "space . = ' \"");
    }
    return true;
}

static bool bind_field(binder *b, const field *f, const node *n, char *base)
{
    switch (f->kind) {
    case FIELD_STRUCT:
        return bind_map(b, f->record, n, base + f->offset);
    case FIELD_LIST:
        return n->kind == NODE_LIST ? bind_items(b, f, n, base) : value_refuse(b, f, n);
    case FIELD_MAP:
        if (n->kind != NODE_MAP)
            return value_refuse(b, f, n);
        return check_names(b, n) && bind_items(b, f, n, base);
    default:
        return value_bind(b, f, n, base);
    }
}

static bool bind_table(const binding *m, field_table table)
{
    char *base = m->item + table.offset;
    for (const field *f = table.fields; f < table.fields + table.count; f++) {
        const node *written = look_up(m, f->key);
        if (written) {
            if (!field_is_tag(f) && !bind_field(m->b, f, written, base))
                return false;
        } else if (f->required && m->n) {
            return report_missing(m, f);
        } else if (f->kind == FIELD_STRUCT && f->group == 0) {
            if (!bind_map(m->b, f->record, NULL, base + f->offset))
                return false;
        }
    }
    return true;
}

/* Stores where the struct comes from, and lets the record have the last word. */
static bool finish(const binding *m)
{
    const record *r = m->r;
    if (r->node_at)
        memcpy(m->item + r->node_at - 1, &m->n, sizeof m->n);
    if (r->name_at && m->n && m->n->key) {
        const char *name = store_text(m->b->memory, m->n->key, strlen(m->n->key));
        if (!name)
            return bind_error_memory(m->n, m->b->error);
        memcpy(m->item + r->name_at - 1, &name, sizeof name);
    }
    return !m->n || !r->check || r->check(m->item, m->n, m->b->error);
}

static bool bind_map(binder *b, const record *r, const node *n, void *item)
{
    binding m = {.b = b, .r = r, .n = n, .item = item};
    memset(item, 0, r->size);
    if (r->initialize)
        r->initialize(item);
    if (n && n->kind != NODE_MAP && (!r->shorthand || node_is_null(n))) {
        field self = {.kind = FIELD_STRUCT, .record = r};
        return value_refuse(b, &self, n);
    }
    if (!activate(&m))
        return false;
    if (n && n->kind == NODE_MAP && !check_keys(&m))
        return false;
    for (size_t g = 0; n && g < r->group_count; g++)
        if (!check_group(&m, g))
            return false;
    for (size_t t = 0; t < m.active.count; t++)
        if (!bind_table(&m, m.active.tables[t]))
            return false;
    return finish(&m);
}

bool record_bind(const record *r, const node *n, void *item, store *memory,
                 const bind_options *options, weir_error *error)
{
    binder b = {.memory = memory, .error = error};
    if (options)
        b.options = *options;
    return bind_map(&b, r, n, item);
}

bool record_initialize(const record *r, void *item, store *memory, weir_error *error)
{
    return record_bind(r, NULL, item, memory, NULL, error);
}
