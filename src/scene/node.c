/* Nodes: making, finding, and telling the user where they are. */
#include "scene/quantity.h"
#include "scene/tree.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

node *node_create(tree *t, node_kind kind, const char *source, weir_error *error)
{
    if (t->node_count >= t->limits.nodes) {
        fail(error, WEIR_INVALID, "%s: has more than %zu values, with aliases written out", t->name,
             t->limits.nodes);
        return NULL;
    }
    node *n = store_take(&t->memory, sizeof *n);
    if (!n) {
        fail(error, WEIR_OUT_OF_MEMORY, "%s: needs more memory than %zu MiB", t->name,
             t->limits.memory >> 20);
        return NULL;
    }
    t->node_count++;
    n->kind = kind;
    n->source = source;
    return n;
}

void node_append(node *parent, node *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

void node_replace(node *old, node *with)
{
    node *parent = old->parent;
    with->key = old->key;
    with->parent = parent;
    with->next = old->next;
    node **link = &parent->first;
    while (*link != old)
        link = &(*link)->next;
    *link = with;
    if (parent->last == old)
        parent->last = with;
    old->parent = old->next = NULL;
}

void node_remove(node *n)
{
    node *parent = n->parent, *before = NULL;
    for (node *i = parent->first; i != n; i = i->next)
        before = i;
    if (before)
        before->next = n->next;
    else
        parent->first = n->next;
    if (parent->last == n)
        parent->last = before;
    parent->count--;
    n->parent = n->next = NULL;
}

node *node_find(const node *n, const char *key)
{
    if (!n || n->kind != NODE_MAP)
        return NULL;
    node *child = n->first;
    while (child && strcmp(child->key, key) != 0)
        child = child->next;
    return child;
}

static bool is_plain_word(const node *n, const char *const words[])
{
    if (n->kind != NODE_SCALAR || !n->plain)
        return false;
    for (size_t i = 0; words[i]; i++)
        if (strcmp(n->text, words[i]) == 0)
            return true;
    return false;
}

bool node_is_null(const node *n)
{
    return is_plain_word(n, (const char *const[]){"", "~", "null", "Null", "NULL", NULL});
}

bool node_is_bool(const node *n, bool *value)
{
    *value = is_plain_word(n, (const char *const[]){"true", "True", "TRUE", NULL});
    return *value || is_plain_word(n, (const char *const[]){"false", "False", "FALSE", NULL});
}

bool node_is_number(const node *n)
{
    return n->kind == NODE_SCALAR && n->plain && quantity_is_plain(n->text);
}

const char *node_show_text(const char *text, char shown[NODE_SHOWN])
{
    enum { MOST = 60 };
    size_t used = 0;
    for (; used < MOST && text[used]; used++) {
        unsigned char c = (unsigned char)text[used];
        shown[used] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
    }
    if (text[used]) {
        /* Cut before a UTF-8 sequence, not inside. */
        while (used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80)
            used--;
        memcpy(shown + used, "...", 3);
        used += 3;
    }
    shown[used] = '\0';
    return shown;
}

const char *node_show(const node *n, char shown[NODE_SHOWN])
{
    if (n->kind == NODE_LIST)
        return n->count > 0 ? "a list" : "an empty list";
    if (n->kind == NODE_MAP)
        return n->count > 0 ? "a mapping" : "an empty mapping";
    bool truth;
    if (node_is_null(n))
        return "nothing";
    if (node_is_number(n) || node_is_bool(n, &truth))
        return node_show_text(n->text, shown);
    char inner[NODE_SHOWN];
    snprintf(shown, NODE_SHOWN, "'%.*s'", NODE_SHOWN - 3, node_show_text(n->text, inner));
    return shown;
}

/* The name by which tree_set would find this list item, or NULL. */
static const char *find_item_name(const node *n)
{
    const node *name = node_find(n, "name");
    if (!name || name->kind != NODE_SCALAR || !name->text[0])
        return NULL;
    if (strspn(name->text, "0123456789") == strlen(name->text) || strpbrk(name->text, ".="))
        return NULL;
    return name->text;
}

static size_t find_index(const node *n)
{
    size_t index = 0;
    for (const node *i = n->parent->first; i != n; i = i->next)
        index++;
    return index;
}

/* Appends the path to the first `used` bytes; returns how many are used then. */
static size_t write_path(const node *n, char *path, size_t size, size_t used)
{
    if (!n->parent)
        return used;
    used = write_path(n->parent, path, size, used);
    if (used >= size)
        return used;
    const char *dot = used > 0 ? "." : "";
    const char *name = n->key ? n->key : find_item_name(n);
    char shown[NODE_SHOWN];
    int wrote = name ? snprintf(path + used, size - used, "%s%s", dot, node_show_text(name, shown))
                     : snprintf(path + used, size - used, "%s%zu", dot, find_index(n));
    return wrote > 0 ? used + (size_t)wrote : used;
}

void node_path(const node *n, char *path, size_t size)
{
    path[0] = '\0';
    write_path(n, path, size, 0);
}

/* Fails at `at`, or at its key that was not written where `missing` is not NULL. */
static bool report(const node *at, const char *missing, int line, weir_error *error,
                   const char *reason)
{
    char path[500], where[32] = "";
    node_path(at, path, sizeof path);
    if (missing) {
        size_t used = strlen(path);
        snprintf(path + used, sizeof path - used, "%s%s", used > 0 ? "." : "", missing);
    }
    if (line > 0)
        snprintf(where, sizeof where, ":%d:", line);
    return fail(error, WEIR_INVALID, "%s%s %s%s%s", at->source, where, path, path[0] ? ": " : "",
                reason);
}

bool(bind_error_at)(const node *n, const char *key, weir_error *error, const char *format, ...)
{
    const node *written = key ? node_find(n, key) : n;
    const node *at = written ? written : n;
    assert(at);
    char reason[sizeof error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    /* A value that is not there would be at the end of the line or later. */
    bool has_own_line = at->kind == NODE_SCALAR && !node_is_null(at);
    int line = has_own_line ? at->line : at->key_line;
    return report(at, written ? NULL : key, line, error, reason);
}

bool(bind_error_key)(const node *n, weir_error *error, const char *format, ...)
{
    char reason[sizeof error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return report(n, NULL, n->key_line, error, reason);
}

bool(bind_error_memory)(const node *n, weir_error *error)
{
    bind_error_at(n, NULL, error, "memory ran out, or the limit for one scene was reached");
    if (error)
        error->code = WEIR_OUT_OF_MEMORY;
    return false;
}
