#include "scene/value.h"
#include "scene/quantity.h"
#include "scene/suggest.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool(value_refuse)(const binder *b, const field *f, const node *n)
{
    char shown[NODE_SHOWN], allowed[FIELD_DESCRIPTION];
    field_describe(f, allowed);
    if (node_is_null(n))
        return bind_error_at(n, NULL, b->error, "has no value: must be %s", allowed);
    return bind_error_at(n, NULL, b->error, "%s is not allowed: must be %s", node_show(n, shown),
                         allowed);
}

bool value_check_count(const binder *b, const field *f, const node *n)
{
    size_t most = field_max_count(f);
    if (n->count >= f->min_count && n->count <= most)
        return true;
    const char *items = n->count == 1 ? "item" : "items";
    if (f->min_count == most)
        return bind_error_at(n, NULL, b->error, "has %zu %s: must have %zu", n->count, items, most);
    if (n->count < f->min_count)
        return bind_error_at(n, NULL, b->error, "has %zu %s: must have at least %zu", n->count,
                             items, f->min_count);
    return bind_error_at(n, NULL, b->error, "has %zu %s: must have at most %zu", n->count, items,
                         most);
}

/* The field of one element of a vector or list, for reading and for messages. */
static field get_element(const field *f, field_kind kind)
{
    field element = *f;
    element.kind = kind;
    return element;
}

static bool refuse_unit(const binder *b, const field *f, const node *n)
{
    char shown[NODE_SHOWN], text[200] = "";
    writing others = {text, sizeof text, 0};
    const char *unit = field_unit(f), *other;
    for (int i = 0; (other = quantity_alternative(unit, i)); i++)
        writing_add(&others, "%s%s", i > 0 ? ", " : "", other);
    node_show(n, shown);
    if (!unit)
        return bind_error_at(n, NULL, b->error,
                             "%s is not allowed: must be a number without a unit", shown);
    if (!text[0])
        return bind_error_at(n, NULL, b->error, "%s is not allowed: its unit must be %s", shown,
                             unit);
    return bind_error_at(n, NULL, b->error, "%s is not allowed: its unit must be %s (or %s)", shown,
                         unit, text);
}

static bool check_range(const binder *b, const field *f, const node *n, double value)
{
    char shown[NODE_SHOWN], allowed[FIELD_DESCRIPTION];
    if (field_allows(f, value))
        return true;
    field_describe_range(f, allowed);
    return bind_error_at(n, NULL, b->error, "%s is not allowed: must be %s", node_show(n, shown),
                         allowed);
}

static bool read_number(const binder *b, const field *f, const node *n, double *value)
{
    char shown[NODE_SHOWN], allowed[FIELD_DESCRIPTION];
    field element = get_element(f, FIELD_NUMBER);
    assert(value);
    if (n->kind != NODE_SCALAR)
        return value_refuse(b, &element, n);
    switch (quantity_parse(n->text, field_unit(f), value)) {
    case QUANTITY_NOT_A_NUMBER:
        return value_refuse(b, &element, n);
    case QUANTITY_NOT_FINITE:
        field_describe(&element, allowed);
        return bind_error_at(n, NULL, b->error, "%s is not finite: must be %s", node_show(n, shown),
                             allowed);
    case QUANTITY_WRONG_UNIT:
        return refuse_unit(b, f, n);
    case QUANTITY_OK:
        break;
    }
    return check_range(b, f, n, *value);
}

static bool bind_number(binder *b, const field *f, const node *n, char *base)
{
    double value;
    if (!read_number(b, f, n, &value))
        return false;
    if (f->size == sizeof(double)) {
        memcpy(base + f->offset, &value, sizeof value);
        return true;
    }
    float narrow = (float)value;
    if (!isfinite(narrow))
        return value_refuse(b, f, n);
    memcpy(base + f->offset, &narrow, sizeof narrow);
    return true;
}

static bool bind_integer(binder *b, const field *f, const node *n, char *base)
{
    int64_t value;
    if (n->kind != NODE_SCALAR || !n->plain ||
        quantity_parse_integer(n->text, &value) != QUANTITY_OK)
        return value_refuse(b, f, n);
    if (!check_range(b, f, n, (double)value))
        return false;
    if (f->size == sizeof value) {
        memcpy(base + f->offset, &value, sizeof value);
        return true;
    }
    int32_t narrow = (int32_t)value;
    if (narrow != value)
        return bind_error_at(n, NULL, b->error, "%s is not allowed: must be from %d to %d", n->text,
                             INT32_MIN, INT32_MAX);
    memcpy(base + f->offset, &narrow, sizeof narrow);
    return true;
}

static bool bind_bool(binder *b, const field *f, const node *n, char *base)
{
    bool value;
    if (!node_is_bool(n, &value))
        return value_refuse(b, f, n);
    memcpy(base + f->offset, &value, sizeof value);
    return true;
}

/* A text. A number in its place is refused, as the schema does: it should be quoted. */
static bool read_text(binder *b, const field *f, const node *n, const char **text)
{
    bool truth;
    assert(text);
    if (n->kind == NODE_SCALAR && (node_is_number(n) || node_is_bool(n, &truth))) {
        char shown[NODE_SHOWN];
        return bind_error_at(n, NULL, b->error, "%s is not a text: write it in quotes",
                             node_show(n, shown));
    }
    if (n->kind != NODE_SCALAR || node_is_null(n))
        return value_refuse(b, f, n);
    *text = store_text(b->memory, n->text, strlen(n->text));
    return *text || bind_error_memory(n, b->error);
}

static bool bind_text(binder *b, const field *f, const node *n, char *base)
{
    const char *text = NULL;
    if (!read_text(b, f, n, &text))
        return false;
    memcpy(base + f->offset, &text, sizeof text);
    return true;
}

static bool check_file(const binder *b, const node *n, const char *path)
{
    struct stat status;
    char shown[NODE_SHOWN];
    int problem = 0;
    if (stat(path, &status) != 0)
        problem = errno;
    else if (S_ISDIR(status.st_mode))
        problem = EISDIR;
    else if (access(path, R_OK) != 0)
        problem = errno;
    if (problem == 0)
        return true;
    bind_error_at(n, NULL, b->error, "%s cannot be read: %s (looked for %s)", node_show(n, shown),
                  strerror(problem), path);
    if (b->error && problem == ENOENT)
        b->error->code = WEIR_NOT_FOUND;
    return false;
}

static bool bind_path(binder *b, const field *f, const node *n, char *base)
{
    const char *name = NULL, *folder = b->options.folder;
    if (!read_text(b, f, n, &name))
        return false;
    if (!name[0])
        return value_refuse(b, f, n);
    if (name[0] != '/' && folder && folder[0]) {
        size_t size = strlen(folder) + strlen(name) + 2;
        char *joined = store_take(b->memory, size);
        if (!joined)
            return bind_error_memory(n, b->error);
        const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
        snprintf(joined, size, "%s%s%s", folder, slash, name);
        name = joined;
    }
    if (f->kind == FIELD_FILE && !check_file(b, n, name))
        return false;
    memcpy(base + f->offset, &name, sizeof name);
    return true;
}

static bool read_choice(const binder *b, const field *f, const node *n, int *value)
{
    field element = get_element(f, FIELD_CHOICE);
    if (n->kind != NODE_SCALAR || node_is_null(n))
        return value_refuse(b, &element, n);
    suggestion nearest = suggest_begin(n->text);
    for (size_t i = 0; i < f->choice_count; i++) {
        if (strcmp(f->choices[i].name, n->text) == 0) {
            *value = f->choices[i].value;
            return true;
        }
        suggest_offer(&nearest, f->choices[i].name);
    }
    if (!nearest.nearest)
        return value_refuse(b, &element, n);
    char shown[NODE_SHOWN], allowed[FIELD_DESCRIPTION];
    field_describe(&element, allowed);
    return bind_error_at(n, NULL, b->error, "%s is not allowed: did you mean '%s'? It must be %s",
                         node_show(n, shown), nearest.nearest, allowed);
}

static bool bind_choice(binder *b, const field *f, const node *n, char *base)
{
    int value;
    if (!read_choice(b, f, n, &value))
        return false;
    field_set_choice(f, base, value);
    return true;
}

static bool bind_choices(binder *b, const field *f, const node *n, char *base)
{
    if (n->kind != NODE_LIST)
        return value_refuse(b, f, n);
    if (!value_check_count(b, f, n))
        return false;
    uint32_t mask = 0;
    for (const node *item = n->first; item; item = item->next) {
        int value;
        if (!read_choice(b, f, item, &value))
            return false;
        mask |= (uint32_t)1 << value;
    }
    memcpy(base + f->offset, &mask, sizeof mask);
    return true;
}

static bool read_vector(const binder *b, const field *f, const node *n, weir_vec3 *vector)
{
    field element = get_element(f, FIELD_VECTOR);
    double axis[3] = {0, 0, 0};
    if (n->kind != NODE_LIST)
        return value_refuse(b, &element, n);
    size_t count = n->count, dim = (size_t)b->options.dim;
    if (dim > 0 && count != dim)
        return bind_error_at(n, NULL, b->error,
                             "has %zu number%s: must have %zu, as all vectors in %zuD", count,
                             count == 1 ? "" : "s", dim, dim);
    if (count < 2 || count > 3)
        return bind_error_at(n, NULL, b->error, "has %zu number%s: must have 2 or 3", count,
                             count == 1 ? "" : "s");
    int i = 0;
    for (const node *item = n->first; item; item = item->next)
        if (!read_number(b, f, item, &axis[i++]))
            return false;
    *vector = (weir_vec3){axis[0], axis[1], axis[2]};
    return true;
}

static bool bind_vector(binder *b, const field *f, const node *n, char *base)
{
    weir_vec3 vector;
    if (!read_vector(b, f, n, &vector))
        return false;
    memcpy(base + f->offset, &vector, sizeof vector);
    return true;
}

/* "#rrggbb" or "#rrggbbaa" */
static bool read_hex(const char *text, float channel[4])
{
    size_t length = strlen(text);
    if (text[0] != '#' || (length != 7 && length != 9) ||
        strspn(text + 1, "0123456789abcdefABCDEF") != length - 1)
        return false;
    for (size_t i = 0; 2 * i + 1 < length; i++) {
        unsigned value = 0;
        sscanf(text + 1 + 2 * i, "%2x", &value);
        channel[i] = (float)value / 255;
    }
    return true;
}

static bool bind_color_value(binder *b, const field *f, const node *n, char *base)
{
    float channel[4] = {0, 0, 0, 1};
    if (n->kind == NODE_LIST && n->count >= 3 && n->count <= 4) {
        field element = {.kind = FIELD_NUMBER, .range = BETWEEN(0, 1)};
        int i = 0;
        for (const node *item = n->first; item; item = item->next) {
            double value;
            if (!read_number(b, &element, item, &value))
                return false;
            channel[i++] = (float)value;
        }
    } else if (n->kind != NODE_SCALAR || !read_hex(n->text, channel)) {
        return value_refuse(b, f, n);
    }
    bind_color color = {channel[0], channel[1], channel[2], channel[3]};
    memcpy(base + f->offset, &color, sizeof color);
    return true;
}

/* One element of a list, to `at`. */
static bool bind_element(binder *b, const field *f, const node *n, void *at)
{
    if (f->kind == FIELD_NUMBERS)
        return read_number(b, f, n, at);
    if (f->kind == FIELD_VECTORS)
        return read_vector(b, f, n, at);
    field element = get_element(f, FIELD_TEXT);
    return read_text(b, &element, n, at);
}

static bool bind_elements(binder *b, const field *f, const node *n, char *base)
{
    size_t size = f->kind == FIELD_NUMBERS   ? sizeof(double)
                  : f->kind == FIELD_VECTORS ? sizeof(weir_vec3)
                                             : sizeof(const char *);
    if (n->kind != NODE_LIST)
        return value_refuse(b, f, n);
    if (!value_check_count(b, f, n))
        return false;
    char *items = n->count > 0 ? store_take_array(b->memory, n->count, size) : NULL;
    if (n->count > 0 && !items)
        return bind_error_memory(n, b->error);
    char *at = items;
    for (const node *item = n->first; item; item = item->next, at += size)
        if (!bind_element(b, f, item, at))
            return false;
    memcpy(base + f->offset, &items, sizeof items);
    memcpy(base + f->count_offset, &n->count, sizeof n->count);
    return true;
}

bool value_bind(binder *b, const field *f, const node *n, void *base)
{
    static bool (*const binders[])(binder *, const field *, const node *, char *) = {
        [FIELD_NUMBER] = bind_number,    [FIELD_INTEGER] = bind_integer,
        [FIELD_BOOL] = bind_bool,        [FIELD_TEXT] = bind_text,
        [FIELD_PATH] = bind_path,        [FIELD_FILE] = bind_path,
        [FIELD_CHOICE] = bind_choice,    [FIELD_CHOICES] = bind_choices,
        [FIELD_VECTOR] = bind_vector,    [FIELD_COLOR] = bind_color_value,
        [FIELD_NUMBERS] = bind_elements, [FIELD_VECTORS] = bind_elements,
        [FIELD_TEXTS] = bind_elements,
    };
    return binders[f->kind](b, f, n, base);
}
