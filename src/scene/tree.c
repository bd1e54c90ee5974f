/* Text to nodes, through the events of libyaml. */
#include "scene/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef struct anchor {
    const char *name;
    const node *value;
    bool is_open; /* its end was not read yet: an alias here would contain itself */
} anchor;

typedef struct reader {
    yaml_parser_t yaml;
    tree *t;
    const char *source; /* of the nodes */
    const char *name;   /* of the text, in messages */
    bool has_lines;
    anchor *anchors;
    int anchor_count;
    weir_error *error;
} reader;

tree_limits tree_limits_default(void)
{
    return (tree_limits){
        .bytes = (size_t)16 << 20,
        .nodes = 1000000,
        .memory = (size_t)512 << 20,
        .depth = 64,
        .keys = 1000,
        .anchors = 1000,
    };
}

/* Fails at `mark`; returns NULL, as most readers do. */
WEIR_PRINTF(3, 4)
static node *refuse(const reader *r, yaml_mark_t mark, const char *format, ...)
{
    char text[sizeof r->error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->has_lines)
        fail(r->error, WEIR_FORMAT, "%s:%zu: %s", r->name, mark.line + 1, text);
    else
        fail(r->error, WEIR_FORMAT, "%s: %s", r->name, text);
    return NULL;
}

static bool refuse_memory(const reader *r)
{
    return fail(r->error, WEIR_OUT_OF_MEMORY,
                "%s: memory ran out, or more than %zu MiB would be needed", r->name,
                r->t->limits.memory >> 20);
}

static void refuse_syntax(const reader *r)
{
    const yaml_parser_t *y = &r->yaml;
    if (y->error == YAML_MEMORY_ERROR) {
        refuse_memory(r);
        return;
    }
    char context[100] = "";
    if (y->context && r->has_lines)
        snprintf(context, sizeof context, " %s that began in line %zu", y->context,
                 y->context_mark.line + 1);
    else if (y->context)
        snprintf(context, sizeof context, " %s", y->context);
    const char *problem = y->problem ? y->problem : "cannot be read";
    const char *hint = strstr(problem, "cannot start any token")
                           ? " (indent with spaces, not tabs; quote texts that begin with @ or `)"
                           : "";
    yaml_mark_t mark = y->problem_mark;
    if (y->error == YAML_READER_ERROR)
        fail(r->error, WEIR_FORMAT, "%s: is not text in UTF-8: %s at byte %zu", r->name, problem,
             y->problem_offset);
    else
        refuse(r, mark, "is not valid YAML: %s%s%s", problem, context, hint);
}

static bool next(reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->yaml, event))
        return true;
    refuse_syntax(r);
    return false;
}

static node *create_at(reader *r, node_kind kind, yaml_mark_t mark)
{
    node *n = node_create(r->t, kind, r->source, r->error);
    if (n && r->has_lines) {
        n->line = n->key_line = (int)mark.line + 1;
        n->column = (int)mark.column + 1;
    }
    return n;
}

static char *keep_text(reader *r, const yaml_char_t *text, size_t length)
{
    char *kept = store_text(&r->t->memory, (const char *)text, length);
    if (!kept)
        refuse_memory(r);
    return kept;
}

/* Remembers `value` under the anchor's name. Sets *index, or -1 where there is no anchor. */
static bool open_anchor(reader *r, const yaml_event_t *event, const yaml_char_t *name,
                        const node *value, int *index)
{
    *index = -1;
    if (!name)
        return true;
    if (r->anchor_count >= r->t->limits.anchors) {
        refuse(r, event->start_mark, "there are more than %d anchors", r->t->limits.anchors);
        return false;
    }
    if (!r->anchors)
        r->anchors = store_take_array(&r->t->memory, (size_t)r->t->limits.anchors, sizeof(anchor));
    if (!r->anchors)
        return refuse_memory(r);
    const char *kept = keep_text(r, name, strlen((const char *)name));
    if (!kept)
        return false;
    *index = r->anchor_count++;
    r->anchors[*index] = (anchor){kept, value, true};
    return true;
}

static void close_anchor(reader *r, int index)
{
    if (index >= 0)
        r->anchors[index].is_open = false;
}

static bool check_tag(const reader *r, const yaml_event_t *event, const yaml_char_t *tag)
{
    char shown[NODE_SHOWN];
    if (tag)
        refuse(r, event->start_mark, "the tag %s is not supported: remove it",
               node_show_text((const char *)tag, shown));
    return !tag;
}

static bool check_depth(const reader *r, const yaml_event_t *event, int depth)
{
    if (depth <= r->t->limits.depth)
        return true;
    refuse(r, event->start_mark, "lists and mappings are nested more than %d deep",
           r->t->limits.depth);
    return false;
}

static node *read_scalar(reader *r, const yaml_event_t *event)
{
    const yaml_char_t *text = event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (!check_tag(r, event, event->data.scalar.tag))
        return NULL;
    if (memchr(text, 0, length))
        return refuse(r, event->start_mark, "a text contains a NUL character");
    node *n = create_at(r, NODE_SCALAR, event->start_mark);
    if (!n)
        return NULL;
    n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    n->text = keep_text(r, text, length);
    int index;
    if (!n->text || !open_anchor(r, event, event->data.scalar.anchor, n, &index))
        return NULL;
    close_anchor(r, index);
    return n;
}

/* A copy of `from` and all below it. Texts are shared, lines stay those of the original. */
static node *copy(reader *r, const node *from, const yaml_event_t *event, int depth)
{
    if (from->kind != NODE_SCALAR && !check_depth(r, event, depth))
        return NULL;
    node *n = node_create(r->t, from->kind, from->source, r->error);
    if (!n)
        return NULL;
    n->plain = from->plain;
    n->text = from->text;
    n->key = from->key;
    n->line = from->line;
    n->column = from->column;
    n->key_line = from->key_line;
    for (const node *child = from->first; child; child = child->next) {
        node *copied = copy(r, child, event, depth + 1);
        if (!copied)
            return NULL;
        node_append(n, copied);
    }
    return n;
}

static node *read_alias(reader *r, const yaml_event_t *event, int depth)
{
    const char *name = (const char *)event->data.alias.anchor;
    char shown[NODE_SHOWN];
    for (int i = r->anchor_count - 1; i >= 0; i--) {
        if (strcmp(r->anchors[i].name, name) != 0)
            continue;
        if (r->anchors[i].is_open)
            return refuse(r, event->start_mark, "the alias *%s is inside its own anchor",
                          node_show_text(name, shown));
        return copy(r, r->anchors[i].value, event, depth);
    }
    return refuse(r, event->start_mark, "the alias *%s has no anchor before it",
                  node_show_text(name, shown));
}

static node *read_value(reader *r, const yaml_event_t *event, int depth);

static node *read_list(reader *r, const yaml_event_t *event, int depth)
{
    int index;
    node *list = create_at(r, NODE_LIST, event->start_mark);
    if (!list || !check_tag(r, event, event->data.sequence_start.tag) ||
        !open_anchor(r, event, event->data.sequence_start.anchor, list, &index))
        return NULL;
    for (;;) {
        yaml_event_t item;
        if (!next(r, &item))
            return NULL;
        if (item.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&item);
            break;
        }
        node *child = read_value(r, &item, depth + 1);
        yaml_event_delete(&item);
        if (!child)
            return NULL;
        child->key = NULL;
        node_append(list, child);
    }
    close_anchor(r, index);
    return list;
}

/* Whether one more key fits. Keys are compared one by one, so there must be few. */
static bool check_room(const reader *r, const yaml_event_t *event, const node *map)
{
    if (map->count < (size_t)r->t->limits.keys)
        return true;
    refuse(r, event->start_mark, "a mapping has more than %d keys", r->t->limits.keys);
    return false;
}

/* The text of a key; NULL, with the error filled, where it is no plain text or a repetition. */
static const char *read_key(reader *r, const yaml_event_t *event, const node *map)
{
    char shown[NODE_SHOWN];
    if (event->type != YAML_SCALAR_EVENT || event->data.scalar.anchor) {
        refuse(r, event->start_mark, "a key must be plain text");
        return NULL;
    }
    const yaml_char_t *text = event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (!check_tag(r, event, event->data.scalar.tag))
        return NULL;
    if (length == 0 || memchr(text, 0, length)) {
        refuse(r, event->start_mark, "a key is %s", length ? "not plain text" : "empty");
        return NULL;
    }
    const node *twin = node_find(map, (const char *)text);
    if (twin && r->has_lines)
        refuse(r, event->start_mark, "the key '%s' is repeated: it is already in line %d",
               node_show_text((const char *)text, shown), twin->key_line);
    else if (twin)
        refuse(r, event->start_mark, "the key '%s' is repeated",
               node_show_text((const char *)text, shown));
    else if (check_room(r, event, map))
        return keep_text(r, text, length);
    return NULL;
}

/* One "key: value" of a map, whose key is `event`. */
static bool read_pair(reader *r, const yaml_event_t *event, node *map, int depth)
{
    const char *key = read_key(r, event, map);
    yaml_event_t value;
    if (!key || !next(r, &value))
        return false;
    node *child = read_value(r, &value, depth + 1);
    yaml_event_delete(&value);
    if (!child)
        return false;
    child->key = key;
    if (r->has_lines)
        child->key_line = (int)event->start_mark.line + 1;
    node_append(map, child);
    return true;
}

/* Gives `map` the keys of `from` that it does not have. */
static bool merge_map(reader *r, node *map, const node *from, const yaml_event_t *event, int depth)
{
    if (from->kind != NODE_MAP) {
        refuse(r, event->start_mark, "the key << takes a mapping, or a list of mappings");
        return false;
    }
    for (const node *child = from->first; child; child = child->next) {
        if (node_find(map, child->key))
            continue;
        if (!check_room(r, event, map))
            return false;
        node *copied = copy(r, child, event, depth + 1);
        if (!copied)
            return false;
        node_append(map, copied);
    }
    return true;
}

/* The merge key of YAML 1.1, "<<: *base": scenes vary one fluid or solid with it. */
static bool merge(reader *r, node *map, const yaml_event_t *event, int depth)
{
    node *from = node_find(map, "<<");
    if (!from)
        return true;
    node_remove(from);
    if (from->kind != NODE_LIST)
        return merge_map(r, map, from, event, depth);
    for (const node *item = from->first; item; item = item->next)
        if (!merge_map(r, map, item, event, depth))
            return false;
    return true;
}

static node *read_map(reader *r, const yaml_event_t *event, int depth)
{
    int index;
    node *map = create_at(r, NODE_MAP, event->start_mark);
    if (!map || !check_tag(r, event, event->data.mapping_start.tag) ||
        !open_anchor(r, event, event->data.mapping_start.anchor, map, &index))
        return NULL;
    for (;;) {
        yaml_event_t key;
        if (!next(r, &key))
            return NULL;
        bool at_end = key.type == YAML_MAPPING_END_EVENT;
        bool ok = at_end || read_pair(r, &key, map, depth);
        yaml_event_delete(&key);
        if (!ok)
            return NULL;
        if (at_end)
            break;
    }
    if (!merge(r, map, event, depth))
        return NULL;
    close_anchor(r, index);
    return map;
}

/* `depth` counts the lists and maps around the value, and itself. */
static node *read_value(reader *r, const yaml_event_t *event, int depth)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(r, event);
    case YAML_ALIAS_EVENT:
        return read_alias(r, event, depth);
    case YAML_SEQUENCE_START_EVENT:
        return check_depth(r, event, depth) ? read_list(r, event, depth) : NULL;
    case YAML_MAPPING_START_EVENT:
        return check_depth(r, event, depth) ? read_map(r, event, depth) : NULL;
    default:
        return refuse(r, event->start_mark, "is not valid YAML: a value is missing");
    }
}

/* Takes the next event, which must be of `type`. */
static bool expect(reader *r, yaml_event_type_t type)
{
    yaml_event_t event;
    if (!next(r, &event))
        return false;
    bool as_expected = event.type == type;
    if (!as_expected && type == YAML_STREAM_END_EVENT)
        refuse(r, event.start_mark, "a second document begins here: a scene is one document");
    else if (!as_expected)
        fail(r->error, WEIR_FORMAT, "%s: is empty", r->name);
    yaml_event_delete(&event);
    return as_expected;
}

/* Stream and document around one value. */
static node *read_document(reader *r, int depth)
{
    yaml_event_t event;
    if (!expect(r, YAML_STREAM_START_EVENT) || !expect(r, YAML_DOCUMENT_START_EVENT) ||
        !next(r, &event))
        return NULL;
    node *root = read_value(r, &event, depth);
    yaml_event_delete(&event);
    if (!root || !expect(r, YAML_DOCUMENT_END_EVENT) || !expect(r, YAML_STREAM_END_EVENT))
        return NULL;
    return root;
}

static node *read_text(reader *r, const void *bytes, size_t length, int depth)
{
    if (!yaml_parser_initialize(&r->yaml)) {
        refuse_memory(r);
        return NULL;
    }
    yaml_parser_set_input_string(&r->yaml, bytes, length);
    node *root = read_document(r, depth);
    yaml_parser_delete(&r->yaml);
    return root;
}

tree *tree_parse(const void *bytes, size_t length, const char *name, const tree_limits *limits,
                 weir_error *error)
{
    tree *t = calloc(1, sizeof *t);
    if (!t) {
        fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", name);
        return NULL;
    }
    t->limits = limits ? *limits : tree_limits_default();
    t->memory.limit = t->limits.memory;
    t->name = store_text(&t->memory, name, strlen(name));
    if (!t->name)
        fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", name);
    else if (length > t->limits.bytes)
        fail(error, WEIR_INVALID, "%s: is larger than %zu bytes", name, t->limits.bytes);
    else {
        reader r = {.t = t, .source = t->name, .name = t->name, .has_lines = true, .error = error};
        t->root = read_text(&r, bytes, length, 1);
    }
    if (t->root)
        return t;
    tree_free(t);
    return NULL;
}

node *tree_parse_value(tree *t, const char *text, const char *source, const char *name, int depth,
                       weir_error *error)
{
    reader r = {.t = t, .source = source, .name = name, .error = error};
    return read_text(&r, text, strlen(text), depth);
}

void tree_free(tree *t)
{
    if (t) {
        store_free(&t->memory);
        free(t);
    }
}
