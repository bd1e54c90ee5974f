/* Reads what ply.c writes: one element "vertex" with properties of fixed size, binary. */
#include "out/read_frame.h"

#include "out/file.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_PROPERTIES = 96, MAX_NAME = 64 };

typedef struct property {
    char name[MAX_NAME];
    frame_type type;
    size_t offset; /* in a row */
} property;

typedef struct reader {
    read_frame *r;
    const char *rows;
    property properties[MAX_PROPERTIES];
    size_t count, stride;
    weir_error *error;
} reader;

static bool refuse(const reader *in, const char *what)
{
    return fail(in->error, WEIR_FORMAT, "%s; it is damaged or not a frame of Weir", what);
}

static bool find_type(const char *name, frame_type *type)
{
    static const char *const names[] = {
        [FRAME_F32] = "float", [FRAME_I32] = "int", [FRAME_U32] = "uint", [FRAME_U8] = "uchar"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(names[k], name) == 0) {
            *type = (frame_type)k;
            return true;
        }
    return false;
}

static bool add_property(reader *in, const char *line)
{
    char type[16];
    property *p = &in->properties[in->count];
    if (in->count == MAX_PROPERTIES)
        return refuse(in, "it has too many properties");
    if (sscanf(line, "property %15s %63s", type, p->name) != 2 || !find_type(type, &p->type))
        return refuse(in, "a property is not understood");
    p->offset = in->stride;
    in->stride += frame_type_size(p->type);
    in->count++;
    return true;
}

static bool read_line(reader *in, const char *line)
{
    unsigned long long number;
    frame *f = &in->r->view;
    if (strncmp(line, "property ", 9) == 0)
        return add_property(in, line);
    if (strncmp(line, "element ", 8) == 0) {
        if (sscanf(line, "element vertex %llu", &number) != 1 || in->count > 0)
            return refuse(in, "it has other elements than vertices");
        f->count = (size_t)number;
    }
    static const char comment[] = "comment Weir, time ";
    if (strncmp(line, comment, sizeof comment - 1) == 0) {
        const char *rest = file_parse_number(line + sizeof comment - 1, &f->time);
        if (rest && sscanf(rest, " s, step %llu", &number) == 1)
            f->step = number;
    }
    const char *order = file_is_little_endian() ? "format binary_little_endian 1.0"
                                                : "format binary_big_endian 1.0";
    if (strncmp(line, "format ", 7) == 0 && strcmp(line, order) != 0)
        return refuse(in, "it is not binary in the byte order of this machine");
    return true;
}

static bool read_head(reader *in, size_t size)
{
    char *line = in->r->bytes;
    if (strncmp(line, "ply\n", 4) != 0)
        return refuse(in, "it is not a PLY file");
    for (;;) {
        char *end = strchr(line, '\n');
        if (!end)
            return refuse(in, "its head has no end");
        *end = '\0';
        bool is_last = strcmp(line, "end_header") == 0;
        if (!read_line(in, line))
            return false;
        line = end + 1;
        if (is_last)
            break;
    }
    in->rows = line;
    size_t left = size - (size_t)(line - in->r->bytes);
    if (in->stride == 0 || in->r->view.count > left / in->stride)
        return refuse(in, "the file is cut off");
    return true;
}

static const void *take(reader *in, const property *p)
{
    size_t bytes = frame_type_size(p->type), count = in->r->view.count;
    char *out = store_take(&in->r->kept, count * bytes + 1);
    for (size_t i = 0; out && i < count; i++)
        memcpy(out + i * bytes, in->rows + i * in->stride + p->offset, bytes);
    return out;
}

/* How many properties from `k` on are components of one field: name_x, name_y, name_z. */
static int count_components(const reader *in, size_t k)
{
    const char *name = in->properties[k].name;
    size_t length = strlen(name);
    if (length < 3 || strcmp(name + length - 2, "_x") != 0)
        return 1;
    int found = 1;
    for (; found < 3 && k + (size_t)found < in->count; found++) {
        const char *next = in->properties[k + (size_t)found].name;
        if (strlen(next) != length || strncmp(next, name, length - 1) != 0 ||
            next[length - 1] != "xyz"[found])
            break;
    }
    return found;
}

static bool take_fields(reader *in, frame_field *fields)
{
    frame *f = &in->r->view;
    for (size_t k = 3; k < in->count;) {
        frame_field *field = &fields[f->field_count++];
        const property *p = &in->properties[k];
        int components = count_components(in, k);
        size_t length = strlen(p->name) - (components > 1 ? 2 : 0);
        field->name = store_text(&in->r->kept, p->name, length);
        field->type = p->type;
        field->components = components;
        for (int c = 0; c < components; c++, k++) {
            field->data[c] = take(in, &in->properties[k]);
            if (!field->data[c] || in->properties[k].type != p->type)
                return refuse(in, "a field cannot be read");
        }
        if (!field->name)
            return fail(in->error, WEIR_OUT_OF_MEMORY, "memory ran out");
    }
    return true;
}

static bool parse(reader *in, size_t size)
{
    frame *f = &in->r->view;
    if (!read_head(in, size))
        return false;
    for (int c = 0; c < 3; c++) {
        const property *p = &in->properties[c];
        if ((size_t)c >= in->count || p->type != FRAME_F32 || p->name[0] != "xyz"[c] || p->name[1])
            return refuse(in, "it has no positions of particles");
        f->x[c] = take(in, p);
        if (!f->x[c])
            return fail(in->error, WEIR_OUT_OF_MEMORY, "memory ran out");
    }
    frame_field *fields = store_take_array(&in->r->kept, in->count, sizeof *fields);
    if (!fields)
        return fail(in->error, WEIR_OUT_OF_MEMORY, "memory ran out");
    f->fields = fields;
    return take_fields(in, fields);
}

bool read_frame_parse_ply(read_frame *r, size_t size, weir_error *error)
{
    reader *in = calloc(1, sizeof *in);
    if (!in)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    in->r = r;
    in->error = error;
    bool done = parse(in, size);
    free(in);
    return done;
}
