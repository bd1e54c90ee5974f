/* Reads what vtp.c writes: tags one to a line, arrays appended raw, with or without zlib. */
#include "out/read_frame.h"

#include "out/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { MAX_ARRAYS = 64, MAX_NAME = 64 };

typedef struct array {
    char name[MAX_NAME];
    char type[16];
    int components;
    uint64_t offset;
    unsigned char *data; /* in the frame's memory */
    size_t bytes;
} array;

typedef struct reader {
    read_frame *r;
    const unsigned char *data, *end; /* the appended data */
    bool compressed;
    size_t points;
    array arrays[MAX_ARRAYS];
    size_t count;
    weir_error *error;
} reader;

static bool refuse(const reader *in, const char *what)
{
    return fail(in->error, WEIR_FORMAT, "%s; it is damaged or not a frame of Weir", what);
}

/* Copies the value of an attribute of the tag at `tag`; false when it has none that fits. */
static bool get_attribute(const char *tag, const char *name, char *value, size_t size)
{
    char wanted[40];
    const char *tag_end = strchr(tag, '>');
    snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *at = strstr(tag, wanted);
    if (!tag_end || !at || at > tag_end)
        return false;
    at += strlen(wanted);
    size_t length = strcspn(at, "\"");
    if (at + length > tag_end || length >= size)
        return false;
    memcpy(value, at, length);
    value[length] = '\0';
    return true;
}

static bool get_number(const char *tag, const char *name, uint64_t most, uint64_t *value)
{
    char text[32], *end;
    if (!get_attribute(tag, name, text, sizeof text) || text[0] < '0' || text[0] > '9')
        return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0' && *value <= most;
}

/* The text of the field `name`, which is written between its tags. */
static const char *find_value(const char *text, const char *name)
{
    char wanted[60];
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char *at = strstr(text, wanted);
    at = at ? strchr(at, '>') : NULL;
    return at ? at + 1 : NULL;
}

static bool read_head(reader *in, const char *text)
{
    uint64_t points;
    const char *piece = strstr(text, "<Piece "), *file = strstr(text, "<VTKFile ");
    const char *time = find_value(text, "TimeValue"), *step = find_value(text, "step");
    char order[16], header[16], packing[40];
    if (!file || !piece || !get_attribute(file, "byte_order", order, sizeof order) ||
        !get_attribute(file, "header_type", header, sizeof header) ||
        strcmp(header, "UInt64") != 0 ||
        !get_number(piece, "NumberOfPoints", SIZE_MAX / 64, &points))
        return refuse(in, "its head is not complete");
    if (strcmp(order, file_is_little_endian() ? "LittleEndian" : "BigEndian") != 0)
        return refuse(in, "its byte order is that of another kind of machine");
    in->compressed = get_attribute(file, "compressor", packing, sizeof packing);
    in->points = (size_t)points;
    if (!time || !file_parse_number(time, &in->r->view.time))
        return refuse(in, "it has no time");
    in->r->view.step = step ? strtoull(step, NULL, 10) : 0;
    return true;
}

/* One vertex per point says nothing that the points do not. */
static bool is_topology(const char *name)
{
    return strcmp(name, "connectivity") == 0 || strcmp(name, "offsets") == 0;
}

/* Adds the arrays whose tags begin with `start`; those without an offset belong to the head. */
static bool list_arrays(reader *in, const char *text, const char *start)
{
    for (const char *tag = strstr(text, start); tag; tag = strstr(tag + 1, start)) {
        array a = {.components = 1};
        uint64_t components;
        if (!get_number(tag, "offset", SIZE_MAX, &a.offset))
            continue;
        if (in->count == MAX_ARRAYS)
            return refuse(in, "it has too many arrays");
        if (!get_attribute(tag, "Name", a.name, sizeof a.name) ||
            !get_attribute(tag, "type", a.type, sizeof a.type))
            return refuse(in, "an array has no name or type");
        if (get_number(tag, "NumberOfComponents", 4, &components) && components > 0)
            a.components = (int)components;
        if (!is_topology(a.name))
            in->arrays[in->count++] = a;
    }
    return true;
}

static bool take_number(const reader *in, const unsigned char **at, uint64_t *value)
{
    if ((size_t)(in->end - *at) < sizeof *value)
        return false;
    memcpy(value, *at, sizeof *value);
    *at += sizeof *value;
    return true;
}

/* The blocks of a compressed array, one after the other; `sizes` are those in the file. */
static bool unpack(const reader *in, array *a, const unsigned char *sizes, uint64_t blocks,
                   uint64_t block_bytes)
{
    const unsigned char *from = sizes + 8 * blocks;
    size_t done = 0;
    for (uint64_t k = 0; k < blocks; k++) {
        uint64_t packed;
        if (!take_number(in, &sizes, &packed))
            return refuse(in, "the file is cut off");
        uLongf size = (uLongf)(a->bytes - done < block_bytes ? a->bytes - done : block_bytes);
        uLongf wanted = size;
        if (packed > (size_t)(in->end - from) ||
            uncompress(a->data + done, &size, from, (uLong)packed) != Z_OK || size != wanted)
            return refuse(in, "an array cannot be unpacked");
        from += packed;
        done += size;
    }
    return true;
}

/* The size of an array and where its data begin; those must be all there. zlib packs no better
 * than 1:1032, which bounds what a damaged size can ask for. */
static bool read_array(reader *in, array *a)
{
    if (a->offset > (size_t)(in->end - in->data))
        return refuse(in, "the file is cut off");
    const unsigned char *at = in->data + a->offset;
    uint64_t blocks, block_bytes = 0, last = 0;
    if (!take_number(in, &at, &blocks) ||
        (in->compressed && (!take_number(in, &at, &block_bytes) || !take_number(in, &at, &last))))
        return refuse(in, "the file is cut off");
    uint64_t left = (uint64_t)(in->end - at);
    if (in->compressed && (blocks > left / 8 || block_bytes > (uint64_t)1 << 32 ||
                           last > block_bytes || (blocks > 0 && block_bytes == 0)))
        return refuse(in, "an array has impossible sizes");
    uint64_t bytes = blocks;
    if (in->compressed)
        bytes = blocks == 0 ? 0 : (last ? blocks - 1 : blocks) * block_bytes + last;
    if (bytes > (in->compressed ? left * 1100 : left))
        return refuse(in, "the file is cut off");
    a->bytes = (size_t)bytes;
    a->data = store_take(&in->r->kept, a->bytes + 1);
    if (!a->data)
        return fail(in->error, WEIR_OUT_OF_MEMORY, "memory ran out");
    if (in->compressed)
        return unpack(in, a, at, blocks, block_bytes);
    memcpy(a->data, at, a->bytes);
    return true;
}

/* The array of this name if it has `element` bytes for each point and component. */
static array *find_array(reader *in, const char *name, int components, size_t element)
{
    for (size_t k = 0; k < in->count; k++) {
        array *a = &in->arrays[k];
        if (strcmp(a->name, name) == 0)
            return a->components == components &&
                           a->bytes == in->points * (size_t)components * element
                       ? a
                       : NULL;
    }
    return NULL;
}

static const struct {
    const char *name;
    frame_type type;
} types[] = {
    {"Float32", FRAME_F32}, {"Int32", FRAME_I32}, {"UInt32", FRAME_U32}, {"UInt8", FRAME_U8}};

static bool find_type(const char *name, frame_type *type)
{
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (strcmp(types[k].name, name) == 0) {
            *type = types[k].type;
            return true;
        }
    return false;
}

/* Tuples to one array per component. */
static bool split(reader *in, const array *a, size_t element, const void *out[3])
{
    for (int c = 0; c < a->components; c++) {
        unsigned char *part = store_take(&in->r->kept, in->points * element + 1);
        if (!part)
            return fail(in->error, WEIR_OUT_OF_MEMORY, "memory ran out");
        const unsigned char *from = a->data + (size_t)c * element;
        for (size_t i = 0; i < in->points; i++, from += (size_t)a->components * element)
            memcpy(part + i * element, from, element);
        out[c] = part;
    }
    return true;
}

static bool take_particles(reader *in)
{
    frame *f = &in->r->view;
    array *points = find_array(in, "Points", 3, sizeof(float));
    frame_field *fields = store_take_array(&in->r->kept, in->count + 1, sizeof *fields);
    const void *x[3];
    if (!points || strcmp(points->type, "Float32") != 0)
        return refuse(in, "it has no positions of particles");
    if (!fields)
        return fail(in->error, WEIR_OUT_OF_MEMORY, "memory ran out");
    if (!split(in, points, sizeof(float), x))
        return false;
    for (int c = 0; c < 3; c++)
        f->x[c] = x[c];
    f->count = in->points;
    f->fields = fields;
    for (size_t k = 0; k < in->count; k++) {
        array *a = &in->arrays[k];
        frame_field *field = &fields[f->field_count];
        if (a == points || a->components > 3 || !find_type(a->type, &field->type))
            continue;
        size_t element = frame_type_size(field->type);
        if (a->bytes != in->points * (size_t)a->components * element)
            return refuse(in, "an array has another number of values than there are particles");
        field->name = store_text(&in->r->kept, a->name, strlen(a->name));
        field->components = a->components;
        if (!field->name || !split(in, a, element, field->data))
            return fail(in->error, WEIR_OUT_OF_MEMORY, "memory ran out");
        f->field_count++;
    }
    return true;
}

/* Names as the file has them, each ended by a zero. */
static bool take_names(reader *in, frame_body *bodies)
{
    const array *names = NULL;
    for (size_t k = 0; k < in->count; k++)
        if (strcmp(in->arrays[k].name, "name") == 0)
            names = &in->arrays[k];
    size_t used = 0;
    for (size_t i = 0; i < in->points; i++) {
        if (!names || used >= names->bytes)
            return refuse(in, "a body has no name");
        bodies[i].name = (const char *)names->data + used;
        used += strlen(bodies[i].name) + 1; /* a zero stands behind the array */
    }
    return true;
}

static bool take_bodies(reader *in)
{
    const array *place = find_array(in, "Points", 3, sizeof(double));
    const array *turn = find_array(in, "rotation", 4, sizeof(double));
    const array *velocity = find_array(in, "velocity", 3, sizeof(double));
    const array *spin = find_array(in, "angular_velocity", 3, sizeof(double));
    if (!place || !turn || !velocity || !spin)
        return refuse(in, "it has no poses of bodies");
    frame_body *bodies = store_take_array(&in->r->kept, in->points + 1, sizeof *bodies);
    if (!bodies)
        return fail(in->error, WEIR_OUT_OF_MEMORY, "memory ran out");
    for (size_t i = 0; i < in->points; i++) {
        memcpy(&bodies[i].pose.position, place->data + i * sizeof(vec3), sizeof(vec3));
        memcpy(&bodies[i].pose.rotation, turn->data + i * sizeof(quat), sizeof(quat));
        memcpy(&bodies[i].velocity, velocity->data + i * sizeof(vec3), sizeof(vec3));
        memcpy(&bodies[i].angular_velocity, spin->data + i * sizeof(vec3), sizeof(vec3));
    }
    in->r->view.bodies = bodies;
    in->r->view.body_count = in->points;
    return in->points == 0 || take_names(in, bodies);
}

bool read_frame_parse_vtp(read_frame *r, size_t size, bool bodies, weir_error *error)
{
    static const char mark[] = "<AppendedData encoding=\"raw\">";
    reader *in = calloc(1, sizeof *in);
    if (!in)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    in->r = r;
    in->error = error;
    char *data = strstr(r->bytes, mark);
    char *start = data ? strchr(data, '_') : NULL;
    bool done = start || refuse(in, "it has no data");
    if (done) {
        in->data = (const unsigned char *)start + 1;
        in->end = (const unsigned char *)r->bytes + size;
        *data = '\0'; /* tags are searched before it only */
        done = read_head(in, r->bytes) && list_arrays(in, r->bytes, "<DataArray ") &&
               list_arrays(in, r->bytes, "<Array ");
    }
    for (size_t k = 0; done && k < in->count; k++)
        done = read_array(in, &in->arrays[k]);
    done = done && (bodies ? take_bodies(in) : take_particles(in));
    free(in);
    return done;
}
