/* One value of a tree set by its path, as the command line does. */
#include "scene/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    tree *t;
    const char *option;
    const char *path; /* as given, for messages */
    weir_error *error;
} setting;

/* The items of a list as a message names them: "'gate', 'wheel'" or "0 to 2". */
static void describe_items(const node *list, char *text, size_t size)
{
    size_t used = 0;
    for (const node *item = list->first; item && used < size; item = item->next) {
        const node *name = node_find(item, "name");
        char shown[NODE_SHOWN];
        if (name && name->kind == NODE_SCALAR)
            used += (size_t)snprintf(text + used, size - used, "%s'%s'", used ? ", " : "",
                                     node_show_text(name->text, shown));
    }
    if (used == 0 && list->count > 1)
        snprintf(text, size, "0 to %zu", list->count - 1);
    else if (used == 0)
        snprintf(text, size, "%s", list->count == 1 ? "only 0" : "none");
}

/* The item of a list by its index or its `name`; NULL, with the error filled, without one. */
static node *find_item(const setting *s, const node *list, const char *step)
{
    bool by_index = strspn(step, "0123456789") == strlen(step);
    size_t wanted = by_index ? strtoul(step, NULL, 10) : 0;
    size_t index = 0, matches = 0;
    node *found = NULL;
    for (node *item = list->first; item; item = item->next, index++) {
        const node *name = node_find(item, "name");
        bool has_name = name && name->kind == NODE_SCALAR && strcmp(name->text, step) == 0;
        if (by_index ? index == wanted : has_name) {
            found = item;
            matches++;
        }
    }
    if (matches == 1)
        return found;
    char items[300], shown[NODE_SHOWN];
    describe_items(list, items, sizeof items);
    node_show_text(step, shown);
    if (matches > 1)
        fail(s->error, WEIR_INVALID, "%s %s: %zu items are named '%s': give an index, from 0",
             s->option, s->path, matches, shown);
    else
        fail(s->error, WEIR_NOT_FOUND, "%s %s: the list has no item '%s'; there are: %s", s->option,
             s->path, shown, items);
    return NULL;
}

/* A key that was missing, with nothing as its value yet. */
static node *add_key(const setting *s, node *map, const char *key)
{
    if (map->count >= (size_t)s->t->limits.keys) {
        fail(s->error, WEIR_INVALID, "%s %s: the mapping would have more than %d keys", s->option,
             s->path, s->t->limits.keys);
        return NULL;
    }
    node *n = node_create(s->t, NODE_SCALAR, s->option, s->error);
    if (n) {
        n->plain = true;
        n->text = "";
        n->key = key;
        node_append(map, n);
    }
    return n;
}

/* The node that `step` names below `at`; NULL, with the error filled, where there can be none. */
static node *enter(const setting *s, node *at, const char *step)
{
    char shown[NODE_SHOWN], path[300];
    if (!step[0]) {
        fail(s->error, WEIR_INVALID, "%s %s: a key is empty: write key.key=value", s->option,
             s->path);
        return NULL;
    }
    if (at->kind == NODE_LIST)
        return find_item(s, at, step);
    if (node_is_null(at))
        at->kind = NODE_MAP;
    if (at->kind != NODE_MAP) {
        node_path(at, path, sizeof path);
        fail(s->error, WEIR_INVALID, "%s %s: '%s' is %s, not a mapping: it has no keys", s->option,
             s->path, path, node_show(at, shown));
        return NULL;
    }
    node *child = node_find(at, step);
    return child ? child : add_key(s, at, step);
}

/* Follows `steps`, which is cut at its dots; *depth becomes that of the place. */
static node *follow(const setting *s, char *steps, int *depth)
{
    node *at = s->t->root;
    for (char *step = steps; at && step; (*depth)++) {
        char *dot = strchr(step, '.');
        if (dot)
            *dot = '\0';
        if (*depth > s->t->limits.depth) {
            fail(s->error, WEIR_INVALID, "%s %s: goes more than %d levels deep", s->option, s->path,
                 s->t->limits.depth);
            return NULL;
        }
        at = enter(s, at, step);
        step = dot ? dot + 1 : NULL;
    }
    return at;
}

bool tree_set(tree *t, const char *option, const char *assignment, weir_error *error)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment)
        return fail(error, WEIR_INVALID, "%s %s: must be written key.key=value", option,
                    assignment);
    size_t length = (size_t)(equals - assignment);
    char *path = store_text(&t->memory, assignment, length);
    char *steps = store_text(&t->memory, assignment, length);
    char *name = store_take(&t->memory, strlen(option) + length + 2);
    if (!path || !steps || !name)
        return fail(error, WEIR_OUT_OF_MEMORY, "%s %s: memory ran out", option, assignment);
    snprintf(name, strlen(option) + length + 2, "%s %s", option, path);
    setting s = {t, option, path, error};
    int depth = 1;
    node *place = follow(&s, steps, &depth);
    node *value = place ? tree_parse_value(t, equals + 1, option, name, depth, error) : NULL;
    if (!value)
        return false;
    node_replace(place, value);
    return true;
}
