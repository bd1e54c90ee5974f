/* Reads complementarity problems through the node tree; see lcp_file.h for the format. */
#include "scene/lcp_file.h"

#include "scene/lcp_file_parts.h"
#include "scene/quantity.h"

static const char *EXPECTED = "must be a list of numbers";

bool lcp_file_number(const node *n, double *value, weir_error *error)
{
    char shown[NODE_SHOWN];
    if (n->kind == NODE_SCALAR && quantity_parse(n->text, NULL, value) == QUANTITY_OK)
        return true;
    return bind_error_at(n, NULL, error, "%s is not allowed: must be a finite number",
                         node_show(n, shown));
}

bool lcp_file_numbers(const node *list, size_t count, double *values, weir_error *error)
{
    char shown[NODE_SHOWN];
    if (list->kind != NODE_LIST)
        return bind_error_at(list, NULL, error, "%s is not allowed: %s", node_show(list, shown),
                             EXPECTED);
    if (list->count != count)
        return bind_error_at(list, NULL, error, "has %zu numbers: must have %zu", list->count,
                             count);
    for (const node *n = list->first; n; n = n->next)
        if (!lcp_file_number(n, values++, error))
            return false;
    return true;
}

static const node *require(const node *map, const char *key, weir_error *error)
{
    const node *found = node_find(map, key);
    if (!found)
        bind_error_at(map, key, error,
                      "is missing: a problem has q, and M, a list of rows, or contacts");
    return found;
}

/* The vector `key`, of as many numbers as q. */
static const double *read_vector(tree *t, const node *list, size_t n, weir_error *error)
{
    double *values = store_take_array(&t->memory, n, sizeof *values);
    if (!values && n > 0) {
        bind_error_memory(list, error);
        return NULL;
    }
    return lcp_file_numbers(list, n, values, error) ? values : NULL;
}

static const double *read_matrix(tree *t, const node *rows, size_t n, weir_error *error)
{
    if (rows->kind != NODE_LIST || rows->count != n) {
        bind_error_at(rows, NULL, error, "has %zu rows: must be a list of %zu, as many as q has",
                      rows->kind == NODE_LIST ? rows->count : 0, n);
        return NULL;
    }
    double *values = store_take_array(&t->memory, n * n, sizeof *values);
    if (!values) {
        bind_error_memory(rows, error);
        return NULL;
    }
    size_t at = 0;
    for (const node *row = rows->first; row; row = row->next, at += n)
        if (!lcp_file_numbers(row, n, values + at, error))
            return NULL;
    return values;
}

static bool check_size(const node *map, size_t n, weir_error *error)
{
    enum { MOST_ROWS = 20000 };
    const node *size = node_find(map, "n");
    double stated = (double)n;
    if (size && !lcp_file_number(size, &stated, error))
        return false;
    if (stated != (double)n)
        return bind_error_at(map, "n", error, "is %g, but q has %zu numbers", stated, n);
    if (n == 0 || n > MOST_ROWS)
        return bind_error_at(map, "q", error, "has %zu numbers: must have 1 to %d", n, MOST_ROWS);
    return true;
}

static bool read_problem(tree *t, const node *map, lcp_file_problem *problem, weir_error *error)
{
    char shown[NODE_SHOWN];
    if (map->kind != NODE_MAP)
        return bind_error_at(map, NULL, error, "%s is not allowed: must be a mapping with M and q",
                             node_show(map, shown));
    const node *name = node_find(map, "name"), *cover = node_find(map, "cover");
    const node *contacts = node_find(map, "contacts"), *q = require(map, "q", error);
    const node *m = q && !contacts ? require(map, "M", error) : NULL;
    if (!q || (!m && !contacts))
        return false;
    if (q->kind != NODE_LIST)
        return bind_error_at(q, NULL, error, "%s is not allowed: %s", node_show(q, shown),
                             EXPECTED);
    if (!check_size(map, q->count, error))
        return false;
    problem->name = name && name->kind == NODE_SCALAR ? name->text : "";
    problem->n = (int)q->count;
    problem->has_contacts = contacts != NULL;
    const double *values = read_vector(t, q, q->count, error);
    if (!values)
        return false;
    if (contacts && !lcp_file_read_contacts(t, map, contacts, values, problem, error))
        return false;
    if (!contacts) {
        problem->dense = (lcp_dense){problem->n, read_matrix(t, m, q->count, error), values};
        if (!problem->dense.m)
            return false;
    }
    problem->cover = cover ? read_vector(t, cover, q->count, error) : NULL;
    return !cover || problem->cover;
}

static bool read_problems(lcp_file *file, weir_error *error)
{
    tree *t = file->tree;
    const node *list = node_find(t->root, "problems"), *first = t->root;
    file->count = 1;
    if (list) {
        if (list->kind != NODE_LIST || list->count == 0)
            return bind_error_at(list, NULL, error, "must be a list of problems");
        first = list->first;
        file->count = list->count;
        file->is_list = true;
    }
    file->problems = store_take_array(&t->memory, file->count, sizeof *file->problems);
    if (!file->problems)
        return bind_error_memory(t->root, error);
    for (size_t i = 0; i < file->count; i++, first = first->next)
        if (!read_problem(t, first, &file->problems[i], error))
            return false;
    return true;
}

static tree_limits limits(void)
{
    /* 2,000 rows are four million numbers. */
    tree_limits l = tree_limits_default();
    l.bytes = (size_t)256 << 20;
    l.nodes = 5000000;
    l.memory = (size_t)2 << 30;
    return l;
}

static bool finish(lcp_file *file, tree *t, weir_error *error)
{
    *file = (lcp_file){.tree = t};
    if (t && read_problems(file, error))
        return true;
    lcp_file_free(file);
    return false;
}

bool lcp_file_load(lcp_file *file, const char *path, weir_error *error)
{
    tree_limits l = limits();
    return finish(file, tree_load(path, &l, error), error);
}

bool lcp_file_parse(lcp_file *file, const void *bytes, size_t length, const char *name,
                    weir_error *error)
{
    tree_limits l = limits();
    return finish(file, tree_parse(bytes, length, name, &l, error), error);
}

void lcp_file_free(lcp_file *file)
{
    if (file->tree)
        tree_free(file->tree);
    *file = (lcp_file){0};
}

void lcp_file_write_result(json *out, const lcp_file_problem *problem, const char *solver,
                           const double *z, const double *w, const lcp_result *result)
{
    json_object_begin(out, NULL);
    json_string(out, "name", problem->name);
    json_integer(out, "rows", problem->n);
    json_string(out, "solver", solver);
    json_string(out, "status", lcp_status_name(result->status));
    json_bool(out, "infeasible", result->infeasible);
    json_integer(out, "pivots", result->pivots);
    json_integer(out, "block_steps", result->block_steps);
    json_integer(out, "iterations", result->iterations);
    json_number(out, "residual", result->residual);
    json_number(out, "complementarity", result->complementarity);
    json_vector(out, "z", z, problem->n);
    json_vector(out, "w", w, problem->n);
    json_object_end(out);
}
