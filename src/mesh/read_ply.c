/* PLY, text and binary in both byte orders: the elements "vertex" (x, y, z) and "face"
 * (vertex_indices); other elements and properties are read over. */
#include "mesh/mesh_bytes.h"
#include "mesh/mesh_readers.h"
#include "mesh/mesh_text.h"

#include <stdio.h>

enum { PLY_MAX_ELEMENTS = 32, PLY_MAX_PROPERTIES = 256 };

typedef enum ply_type {
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT,
    PLY_DOUBLE,
    PLY_TYPE_COUNT,
} ply_type;

static const int type_bytes[PLY_TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum ply_role { PLY_UNUSED, PLY_X, PLY_Y, PLY_Z, PLY_INDICES } ply_role;

typedef struct ply_property {
    ply_role role;
    ply_type type;
    bool is_list;
    ply_type count_type; /* of a list */
} ply_property;

typedef enum ply_kind { PLY_VERTEX, PLY_FACE, PLY_OTHER } ply_kind;

typedef struct ply_element {
    ply_kind kind;
    int64_t count;
    int first_property, property_count;
} ply_element;

typedef struct ply_reader {
    text_cursor text; /* in binary files `at` walks over the data */
    const char *begin;
    triangle_mesh *mesh;
    bool is_text, big_endian;
    int64_t point_count; /* as the header says */
    ply_element elements[PLY_MAX_ELEMENTS];
    int element_count;
    ply_property properties[PLY_MAX_PROPERTIES]; /* of all elements */
    int property_count;
} ply_reader;

static bool fail_here(const ply_reader *r, weir_error *error, const char *sentence)
{
    if (r->is_text)
        return text_fail(&r->text, error, "%s", sentence);
    return fail(error, WEIR_FORMAT, "%s, byte %zu: %s", r->text.name,
                (size_t)(r->text.at - r->begin), sentence);
}

static bool read_type(ply_reader *r, ply_type *type, weir_error *error)
{
    static const char *const names[][PLY_TYPE_COUNT] = {
        {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
    char shown[TEXT_SHOWN];
    text_word word = {"", 0};
    text_next_in_line(&r->text, &word);
    for (int i = 0; i < 2 * PLY_TYPE_COUNT; i++)
        if (text_is(word, names[i / PLY_TYPE_COUNT][i % PLY_TYPE_COUNT])) {
            *type = (ply_type)(i % PLY_TYPE_COUNT);
            return true;
        }
    return text_fail(&r->text, error, "\"%s\" is no type of a property", text_show(word, shown));
}

static ply_role find_role(ply_kind kind, text_word name, bool is_list)
{
    if (kind == PLY_VERTEX && !is_list)
        return text_is(name, "x")   ? PLY_X
               : text_is(name, "y") ? PLY_Y
               : text_is(name, "z") ? PLY_Z
                                    : PLY_UNUSED;
    if (kind == PLY_FACE && is_list &&
        (text_is(name, "vertex_indices") || text_is(name, "vertex_index")))
        return PLY_INDICES;
    return PLY_UNUSED;
}

static bool read_property(ply_reader *r, weir_error *error)
{
    if (r->element_count == 0)
        return text_fail(&r->text, error, "a property stands before the first element");
    if (r->property_count == PLY_MAX_PROPERTIES)
        return text_fail(&r->text, error, "there are more than %d properties", PLY_MAX_PROPERTIES);
    ply_element *element = &r->elements[r->element_count - 1];
    ply_property p = {0};
    text_cursor before = r->text;
    text_word word;
    p.is_list = text_next_in_line(&r->text, &word) && text_is(word, "list");
    if (!p.is_list)
        r->text = before;
    if (p.is_list && !read_type(r, &p.count_type, error))
        return false;
    if (!read_type(r, &p.type, error))
        return false;
    if (!text_next_in_line(&r->text, &word))
        return text_fail(&r->text, error, "a property has no name");
    if (p.is_list && p.count_type >= PLY_FLOAT)
        return text_fail(&r->text, error, "the count of a list must be of a whole-number type");
    p.role = find_role(element->kind, word, p.is_list);
    r->properties[r->property_count++] = p;
    element->property_count++;
    return true;
}

static bool read_element(ply_reader *r, weir_error *error)
{
    if (r->element_count == PLY_MAX_ELEMENTS)
        return text_fail(&r->text, error, "there are more than %d elements", PLY_MAX_ELEMENTS);
    text_word name;
    text_word count = {"", 0};
    if (!text_next_in_line(&r->text, &name))
        return text_fail(&r->text, error, "an element has no name");
    text_next_in_line(&r->text, &count);
    ply_element e = {PLY_OTHER, 0, r->property_count, 0};
    if (!text_integer(&r->text, count, &e.count, error))
        return false;
    if (e.count < 0)
        return text_fail(&r->text, error, "an element has the count %lld", (long long)e.count);
    if (text_is(name, "vertex")) {
        e.kind = PLY_VERTEX;
        r->point_count += e.count;
    } else if (text_is(name, "face")) {
        e.kind = PLY_FACE;
    } else if (text_is(name, "tristrips")) {
        return text_fail(&r->text, error,
                         "triangle strips are not read; save the mesh with \"face\" elements");
    }
    r->elements[r->element_count++] = e;
    return true;
}

static bool read_format(ply_reader *r, weir_error *error)
{
    char shown[TEXT_SHOWN];
    text_word word = {"", 0};
    text_next_in_line(&r->text, &word);
    r->is_text = text_is(word, "ascii");
    r->big_endian = text_is(word, "binary_big_endian");
    if (!r->is_text && !r->big_endian && !text_is(word, "binary_little_endian"))
        return text_fail(&r->text, error,
                         "the format \"%s\" is not ascii, binary_little_endian or "
                         "binary_big_endian",
                         text_show(word, shown));
    return true;
}

static bool check_header(const ply_reader *r, weir_error *error)
{
    unsigned roles = 0;
    for (int i = 0; i < r->property_count; i++) {
        unsigned role = 1U << r->properties[i].role;
        if (r->properties[i].role != PLY_UNUSED && (roles & role))
            return text_fail(&r->text, error, "a property appears twice");
        roles |= role;
    }
    unsigned place = 1U << PLY_X | 1U << PLY_Y | 1U << PLY_Z;
    if ((roles & place) != place)
        return text_fail(&r->text, error,
                         "the header has no element \"vertex\" with the properties x, y and z");
    if (!(roles & 1U << PLY_INDICES))
        return text_fail(&r->text, error,
                         "the header has no element \"face\" with a list \"vertex_indices\"; a "
                         "cloud of points has no inside");
    return true;
}

static bool read_header(ply_reader *r, weir_error *error)
{
    char shown[TEXT_SHOWN];
    text_word word;
    bool has_format = false;
    if (!text_next_in_line(&r->text, &word) || !text_is(word, "ply"))
        return text_fail(&r->text, error, "a PLY file starts with a line \"ply\"");
    for (;;) {
        text_skip_line(&r->text);
        if (r->text.at == r->text.end)
            return text_fail(&r->text, error, "the file ends before \"end_header\"");
        if (!text_next_in_line(&r->text, &word) || text_is(word, "comment") ||
            text_is(word, "obj_info"))
            continue;
        bool ok = true;
        if (text_is(word, "end_header"))
            break;
        if (text_is(word, "format"))
            ok = has_format = read_format(r, error);
        else if (text_is(word, "element"))
            ok = read_element(r, error);
        else if (text_is(word, "property"))
            ok = read_property(r, error);
        else
            ok = text_fail(&r->text, error, "\"%s\" is no keyword of a PLY header",
                           text_show(word, shown));
        if (!ok)
            return false;
    }
    if (!has_format)
        return text_fail(&r->text, error, "the header has no line \"format\"");
    text_skip_line(&r->text);
    return check_header(r, error);
}

static double decode(const char *at, ply_type type, bool big_endian)
{
    if (type == PLY_FLOAT)
        return bytes_float(at, big_endian);
    if (type == PLY_DOUBLE)
        return bytes_double(at, big_endian);
    int size = type_bytes[type];
    double value = (double)bytes_unsigned(at, size, big_endian);
    bool is_signed = type == PLY_INT8 || type == PLY_INT16 || type == PLY_INT32;
    double range = (double)(UINT64_C(1) << (8 * size));
    return is_signed && value >= range / 2 ? value - range : value;
}

static bool read_value(ply_reader *r, ply_type type, double *value, weir_error *error)
{
    if (r->is_text) {
        text_word word;
        if (!text_next(&r->text, &word))
            return text_fail(&r->text, error, "the file ends inside its data");
        return text_number(&r->text, word, value, error);
    }
    if (r->text.end - r->text.at < type_bytes[type])
        return fail_here(r, error, "the file ends inside its data");
    *value = decode(r->text.at, type, r->big_endian);
    r->text.at += type_bytes[type];
    return true;
}

static bool read_count(ply_reader *r, ply_type type, double *count, weir_error *error)
{
    if (!read_value(r, type, count, error))
        return false;
    /* Every entry takes a byte at least. */
    if (!(*count >= 0) || *count != floor(*count) || *count > (double)(r->text.end - r->text.at)) {
        char sentence[100];
        snprintf(sentence, sizeof sentence,
                 "a list has the length %g, more than the file holds or no whole number", *count);
        return fail_here(r, error, sentence);
    }
    return true;
}

static bool read_polygon(ply_reader *r, const ply_property *p, weir_error *error)
{
    double count;
    if (!read_count(r, p->count_type, &count, error))
        return false;
    uint32_t first = 0;
    uint32_t previous = 0;
    for (double i = 0; i < count; i++) {
        double index = 0;
        if (!read_value(r, p->type, &index, error))
            return false;
        if (!(index >= 0) || index != floor(index) || index >= (double)r->point_count) {
            char sentence[100];
            snprintf(sentence, sizeof sentence, "a face names point %g of %lld", index,
                     (long long)r->point_count);
            return fail_here(r, error, sentence);
        }
        uint32_t corner = (uint32_t)index;
        if (i == 0)
            first = corner;
        if (i >= 2 && !triangle_mesh_add_triangle(r->mesh, first, previous, corner, error))
            return false;
        previous = corner;
    }
    return true;
}

static bool read_over_list(ply_reader *r, const ply_property *p, weir_error *error)
{
    double count;
    double ignored;
    if (!read_count(r, p->count_type, &count, error))
        return false;
    for (double i = 0; i < count; i++)
        if (!read_value(r, p->type, &ignored, error))
            return false;
    return true;
}

static bool read_row(ply_reader *r, const ply_element *e, weir_error *error)
{
    double place[3] = {0, 0, 0};
    for (int i = 0; i < e->property_count; i++) {
        const ply_property *p = &r->properties[e->first_property + i];
        double value = 0;
        bool ok = p->role == PLY_INDICES ? read_polygon(r, p, error)
                  : p->is_list           ? read_over_list(r, p, error)
                                         : read_value(r, p->type, &value, error);
        if (!ok)
            return false;
        if (p->role >= PLY_X && p->role <= PLY_Z) {
            if (!(fabs(value) <= MESH_MAX_COORDINATE))
                return fail_here(r, error,
                                 "a coordinate is not a finite number, or beyond the limit of "
                                 "1e12");
            place[p->role - PLY_X] = value;
        }
    }
    if (e->kind == PLY_VERTEX)
        return triangle_mesh_add_point(r->mesh, vec3_make(place[0], place[1], place[2]), error);
    return true;
}

static bool read_data(ply_reader *r, weir_error *error)
{
    for (int i = 0; i < r->element_count; i++) {
        const ply_element *e = &r->elements[i];
        if (e->property_count == 0)
            continue;
        /* Every row takes a byte at least: a wrong count is found before time is lost on it. */
        if (e->count > r->text.end - r->text.at)
            return fail_here(r, error, "the header announces more data than the file has");
        for (int64_t row = 0; row < e->count; row++)
            if (!read_row(r, e, error))
                return false;
    }
    return true;
}

bool mesh_read_ply(triangle_mesh *mesh, const char *name, const char *bytes, size_t size,
                   weir_error *error)
{
    ply_reader r = {.begin = bytes, .mesh = mesh, .is_text = true};
    if (!text_open(&r.text, name, bytes, size, error))
        return false;
    bool ok = read_header(&r, error) && read_data(&r, error);
    text_close(&r.text);
    return ok;
}
