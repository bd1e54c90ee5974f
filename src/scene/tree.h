/* Scene text as a tree of nodes that know where they were written.
 * Reads YAML 1.2 as far as libyaml does, and so JSON. Aliases are expanded to copies, so that
 * every node has one parent and an override changes one place. Refused, because a scene has no
 * use for them and they hide mistakes: several documents, duplicate keys, tags, keys that are
 * not plain text. Every size is bounded: no input can exhaust the stack, memory or patience. */
#ifndef WEIR_SCENE_TREE_H
#define WEIR_SCENE_TREE_H

#include "base/error.h"
#include "scene/store.h"
#include "weir/types.h"

typedef enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP } node_kind;

typedef struct node {
    node_kind kind;
    bool plain;         /* scalar: written without quotes, so it may be a number, true or null */
    const char *text;   /* scalar: its text, without quotes; never NULL for a scalar */
    const char *key;    /* in a map; NULL in a list and at the root */
    const char *source; /* file name, or the option that set the value */
    int line, column;   /* of the value, from 1; 0 where the source is an option */
    int key_line;       /* of the key, or of the value where there is no key */
    struct node *parent, *first, *last, *next;
    size_t count; /* children of a list or map */
} node;

typedef struct tree_limits {
    size_t bytes;  /* of the text */
    size_t nodes;  /* after aliases are expanded */
    size_t memory; /* bytes of all nodes, texts and what is bound from them */
    int depth;     /* of lists and maps inside each other */
    int keys;      /* of one map */
    int anchors;
} tree_limits;

typedef struct tree {
    node *root;
    const char *name; /* of the file, for messages */
    store memory;
    tree_limits limits;
    size_t node_count;
} tree;

tree_limits tree_limits_default(void);

/* `name` stands for the file in messages; `limits` may be NULL. Any bytes may be given. */
tree *tree_parse(const void *bytes, size_t length, const char *name, const tree_limits *limits,
                 weir_error *error);
tree *tree_load(const char *path, const tree_limits *limits, weir_error *error);
void tree_free(tree *t);

/* Reads `text` to a node that is not yet part of the tree but lives as long as the tree. Its
 * `source` must do so, too; `name` stands for the text in messages, and `depth` is how deep the
 * place is where it will go, 1 for the root. No lines are kept. */
node *tree_parse_value(tree *t, const char *text, const char *source, const char *name, int depth,
                       weir_error *error);

/* Sets one key: "fluids.water.viscosity=0.1 Pa s", "solids.0.pose.position=[0, 1, 0]".
 * A list item is named by its index, or by its own `name`. The value is YAML and replaces what
 * was there. Missing keys of maps are created. `option` stands for the file in messages, for
 * example "--set", and must outlive the tree. After a failure the tree may be partly changed. */
bool tree_set(tree *t, const char *option, const char *assignment, weir_error *error);

/* A node of the tree; NULL, with `error` filled, when a limit is reached. */
node *node_create(tree *t, node_kind kind, const char *source, weir_error *error);
void node_append(node *parent, node *child);
void node_replace(node *old, node *with); /* `old` must not be the root */
void node_remove(node *n);                /* from its parent */

/* The value of `key`, or NULL; also NULL where `n` is NULL or not a map. */
node *node_find(const node *n, const char *key);

bool node_is_null(const node *n); /* nothing written, ~ or null */
bool node_is_bool(const node *n, bool *value);
bool node_is_number(const node *n); /* also .nan and .inf */

/* The path of a node as tree_set reads it. Long names are shortened. */
void node_path(const node *n, char *path, size_t size);

/* The value as a message shows it: -5, 'heavy', a list, a mapping, nothing. */
enum { NODE_SHOWN = 80 };
const char *node_show(const node *n, char shown[NODE_SHOWN]);

/* Copies `text` for a message: no control characters, at most about 60 bytes. */
const char *node_show_text(const char *text, char shown[NODE_SHOWN]);

/* Fails with "FILE:LINE: path.of.key: " before the message. `key` is NULL to mean `n` itself.
 * A key that was not written has the line of its map. Returns false. */
bool bind_error_at(const node *n, const char *key, weir_error *error, const char *format, ...)
    WEIR_PRINTF(4, 5);

/* The same for a key itself: an alias as its value has the line of its anchor, the key does not. */
bool bind_error_key(const node *n, weir_error *error, const char *format, ...) WEIR_PRINTF(3, 4);

/* The same for memory that ran out, or its limit that was reached. */
bool bind_error_memory(const node *n, weir_error *error);

#ifdef __clang_analyzer__ /* as in base/error.h */
#define bind_error_at(...) (bind_error_at(__VA_ARGS__), false)
#define bind_error_key(...) (bind_error_key(__VA_ARGS__), false)
#define bind_error_memory(...) (bind_error_memory(__VA_ARGS__), false)
#endif

#endif
