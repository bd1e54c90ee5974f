/* Writes the tree as YAML in block style. Plain scalars stay plain: they may be numbers or
 * quantities. In block style a plain scalar may hold everything that it may hold anywhere. */
#include "out/scene_copy.h"

#include "out/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct copy {
    file_writer file;
    const scene *s;
} copy;

static void write_quoted(copy *c, const char *text)
{
    file_write(&c->file, "\"", 1);
    for (const char *t = text; *t; t++) {
        unsigned char letter = (unsigned char)*t;
        if (letter == '"' || letter == '\\')
            file_print(&c->file, "\\%c", letter);
        else if (letter < 0x20 || letter == 0x7f)
            file_print(&c->file, "\\x%02x", letter);
        else
            file_write(&c->file, t, 1);
    }
    file_write(&c->file, "\"", 1);
}

/* A path is relative to the folder of the scene file, which is another one than the copy's. */
static void write_path(copy *c, const char *name)
{
    const char *slash = strrchr(c->s->path, '/');
    char *joined = NULL, *full = NULL;
    int folder = slash && name[0] != '/' ? (int)(slash + 1 - c->s->path) : 0;
    if (asprintf(&joined, "%.*s%s", folder, c->s->path, name) >= 0)
        full = realpath(joined, NULL);
    else
        joined = NULL;
    write_quoted(c, full ? full : name);
    free(full);
    free(joined);
}

static bool is_mesh_file(const node *n)
{
    return n->key && strcmp(n->key, "file") == 0 && n->parent && n->parent->key &&
           strcmp(n->parent->key, "mesh") == 0;
}

static void write_scalar(copy *c, const node *n)
{
    if (is_mesh_file(n))
        write_path(c, n->text);
    else if (node_is_null(n))
        file_print(&c->file, "null");
    else if (n->plain && !strpbrk(n->text, "\n\r"))
        file_print(&c->file, "%s", n->text);
    else
        write_quoted(c, n->text);
}

/* Names are plain where no reader could take them for anything else. */
static void write_key(copy *c, const char *key)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    bool is_plain = strspn(key, letters) == strlen(key) && key[0];
    if (is_plain)
        file_print(&c->file, "%s", key);
    else
        write_quoted(c, key);
}

/* Lists of numbers and plain words stand on one line. */
static bool is_short_list(const node *n)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_.+-/ ";
    if (n->kind != NODE_LIST || n->count > 8)
        return false;
    for (const node *item = n->first; item; item = item->next)
        if (item->kind != NODE_SCALAR || !item->plain || !item->text[0] ||
            strspn(item->text, letters) != strlen(item->text))
            return false;
    return true;
}

static void write_short_list(copy *c, const node *n)
{
    for (const node *item = n->first; item; item = item->next)
        file_print(&c->file, "%s%s", item == n->first ? " [" : ", ", item->text);
    file_print(&c->file, "]\n");
}

/* The value behind "key:" or "-", up to the end of its last line. The tree bounds the depth. */
static void write_value(copy *c, const node *n, int depth)
{
    if (n->kind == NODE_SCALAR || n->count == 0) {
        file_write(&c->file, " ", 1);
        if (n->kind == NODE_SCALAR)
            write_scalar(c, n);
        else
            file_print(&c->file, "%s", n->kind == NODE_MAP ? "{}" : "[]");
        file_write(&c->file, "\n", 1);
        return;
    }
    if (is_short_list(n)) {
        write_short_list(c, n);
        return;
    }
    if (depth > 0)
        file_write(&c->file, "\n", 1);
    for (const node *child = n->first; child; child = child->next) {
        file_print(&c->file, "%*s", 2 * depth, "");
        if (n->kind == NODE_MAP) {
            write_key(c, child->key);
            file_write(&c->file, ":", 1);
        } else {
            file_write(&c->file, "-", 1);
        }
        write_value(c, child, depth + 1);
    }
}

bool scene_copy_write(const char *path, const scene *s, weir_error *error)
{
    copy c = {.s = s};
    file_begin(&c.file, path);
    file_print(&c.file, "# The scene of these results, with what the command line changed.\n");
    write_value(&c, s->tree->root, 0);
    return file_commit(&c.file, error);
}
