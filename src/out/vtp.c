/* VTK XML PolyData with appended raw data, after "VTK XML Formats" (Kitware's wiki) and "VTK File
 * Formats" (VTK User's Guide). The XML part names each array and its offset; the data follow after
 * an underscore. An array is a UInt64 with its size in bytes and then the bytes, or, compressed,
 *   UInt64 blocks, bytes per block, bytes of the last block if it is shorter else 0,
 *   UInt64 compressed size of each block, then the blocks as zlib streams.
 * Sizes and offsets are known only after compression, so they are patched in afterwards: a frame
 * needs one block of memory, whatever its size. */
#include "out/vtp.h"

#include "out/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { TUPLES_PER_BLOCK = 16384, MAX_TUPLE = 32, OFFSET_WIDTH = 30 };

/* One array of the file; `fill` writes tuples into `out`, one after the other. */
typedef struct array {
    const char *name, *type;
    int components;
    size_t tuples, tuple_bytes;
    void (*fill)(const struct array *a, size_t first, size_t count, unsigned char *out);
    const void *source;
    size_t strings;  /* how many the bytes hold, where the type is String */
    uint64_t place;  /* in the file, of the blanks that wait for the offset */
    uint64_t offset; /* of the data behind the underscore */
} array;

/* The file under way, with one block of tuples before and after compression. */
typedef struct output {
    file_writer file;
    int compression;
    uint64_t data_start;
    unsigned char *block, *packed;
    size_t packed_capacity;
} output;

static void fill_field(const array *a, size_t first, size_t count, unsigned char *out)
{
    frame_field_pack(a->source, first, count, out, a->tuple_bytes);
}

/* Vertex i is point i: connectivity counts from 0 and the ends of the cells from 1. */
static void fill_connectivity(const array *a, size_t first, size_t count, unsigned char *out)
{
    for (size_t i = 0; i < count; i++, out += a->tuple_bytes) {
        int64_t wide = (int64_t)(first + i);
        int32_t narrow = (int32_t)wide;
        if (a->tuple_bytes == sizeof narrow)
            memcpy(out, &narrow, sizeof narrow);
        else
            memcpy(out, &wide, sizeof wide);
    }
}

static void fill_offsets(const array *a, size_t first, size_t count, unsigned char *out)
{
    fill_connectivity(a, first + 1, count, out);
}

/* One member of each body, made of doubles; the source points to that of the first. */
static void fill_body(const array *a, size_t first, size_t count, unsigned char *out)
{
    const char *source = a->source;
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * a->tuple_bytes, source + (first + i) * sizeof(frame_body), a->tuple_bytes);
}

static void fill_text(const array *a, size_t first, size_t count, unsigned char *out)
{
    memcpy(out, (const char *)a->source + first, count);
}

static array array_of_field(const frame_field *field, size_t count)
{
    static const char *const types[] = {[FRAME_F32] = "Float32",
                                        [FRAME_I32] = "Int32",
                                        [FRAME_U32] = "UInt32",
                                        [FRAME_U8] = "UInt8"};
    return (array){.name = field->name,
                   .type = types[field->type],
                   .components = field->components,
                   .tuples = count,
                   .tuple_bytes = (size_t)field->components * frame_type_size(field->type),
                   .fill = fill_field,
                   .source = field};
}

static void print_start(output *o, const frame *f, size_t points)
{
    char time[FILE_NUMBER_LENGTH];
    file_writer *w = &o->file;
    file_print(w,
               "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
               "byte_order=\"%s\" header_type=\"UInt64\"%s>\n  <PolyData>\n    <FieldData>\n",
               file_is_little_endian() ? "LittleEndian" : "BigEndian",
               o->compression ? " compressor=\"vtkZLibDataCompressor\"" : "");
    file_print(w,
               "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
               "format=\"ascii\">%s</DataArray>\n",
               file_format_number(time, f->time));
    file_print(w,
               "      <DataArray type=\"UInt64\" Name=\"step\" NumberOfTuples=\"1\" "
               "format=\"ascii\">%llu</DataArray>\n",
               (unsigned long long)f->step);
    file_print(w,
               "    </FieldData>\n    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" "
               "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
               points, points);
}

/* Leaves blanks for the offset, as VTK's own writer does. */
static void print_array(output *o, array *a)
{
    file_writer *w = &o->file;
    if (a->strings)
        file_print(w, "        <Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%zu\"", a->name,
                   a->strings);
    else
        file_print(w, "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"",
                   a->type, a->name, a->components);
    file_print(w, " format=\"appended\" ");
    a->place = w->length;
    file_print(w, "%*s/>\n", OFFSET_WIDTH, "");
}

/* The arrays in their order in the file: points, connectivity, offsets, point data. */
static void print_arrays(output *o, array *arrays, size_t count)
{
    file_print(&o->file, "      <Points>\n");
    print_array(o, &arrays[0]);
    file_print(&o->file, "      </Points>\n      <Verts>\n");
    print_array(o, &arrays[1]);
    print_array(o, &arrays[2]);
    file_print(&o->file, "      </Verts>\n      <PointData>\n");
    for (size_t i = 3; i < count; i++)
        print_array(o, &arrays[i]);
    file_print(&o->file, "      </PointData>\n    </Piece>\n  </PolyData>\n"
                         "  <AppendedData encoding=\"raw\">\n   _");
    o->data_start = o->file.length;
}

/* Writes one block of tuples and returns its size in the file. */
static uint64_t write_block(output *o, const array *a, size_t first, size_t count)
{
    a->fill(a, first, count, o->block);
    size_t size = count * a->tuple_bytes;
    if (!o->compression) {
        file_write(&o->file, o->block, size);
        return size;
    }
    uLongf packed = o->packed_capacity;
    if (compress2(o->packed, &packed, o->block, size, o->compression) != Z_OK)
        file_fail(&o->file, WEIR_OUT_OF_MEMORY, "cannot write %s: zlib ran out of memory",
                  o->file.path);
    file_write(&o->file, o->packed, packed);
    return packed;
}

static void write_array(output *o, array *a)
{
    a->offset = o->file.length - o->data_start;
    size_t blocks = (a->tuples + TUPLES_PER_BLOCK - 1) / TUPLES_PER_BLOCK;
    size_t head_count = o->compression ? 3 + blocks : 1;
    uint64_t *head = calloc(head_count, sizeof *head);
    if (!head) {
        file_fail(&o->file, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", o->file.path);
        return;
    }
    head[0] = a->tuples * a->tuple_bytes;
    if (o->compression) {
        head[0] = blocks;
        head[1] = TUPLES_PER_BLOCK * a->tuple_bytes;
        head[2] = a->tuples % TUPLES_PER_BLOCK * a->tuple_bytes;
    }
    uint64_t start = o->file.length;
    file_write(&o->file, head, head_count * sizeof *head);
    for (size_t i = 0; i < blocks && !o->file.failed; i++) {
        size_t first = i * TUPLES_PER_BLOCK;
        size_t left = a->tuples - first;
        uint64_t size = write_block(o, a, first, left < TUPLES_PER_BLOCK ? left : TUPLES_PER_BLOCK);
        if (o->compression)
            head[3 + i] = size;
    }
    if (o->compression)
        file_patch(&o->file, start, head, head_count * sizeof *head);
    free(head);
}

/* Writes a whole file: the XML part around the arrays, their data, then their offsets. */
static bool write_file(const char *path, const frame *f, size_t points, array *arrays, size_t count,
                       int compression, weir_error *error)
{
    output o = {.compression = compression};
    o.packed_capacity = compressBound(TUPLES_PER_BLOCK * MAX_TUPLE);
    o.block = malloc(TUPLES_PER_BLOCK * MAX_TUPLE);
    o.packed = malloc(o.packed_capacity);
    file_begin(&o.file, path);
    if (!o.block || !o.packed)
        file_fail(&o.file, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
    print_start(&o, f, points);
    print_arrays(&o, arrays, count);
    for (size_t i = 0; i < count && !o.file.failed; i++)
        write_array(&o, &arrays[i]);
    file_print(&o.file, "\n  </AppendedData>\n</VTKFile>\n");
    for (size_t i = 0; i < count; i++) {
        char text[OFFSET_WIDTH + 1];
        int length =
            snprintf(text, sizeof text, "offset=\"%llu\"", (unsigned long long)arrays[i].offset);
        file_patch(&o.file, arrays[i].place, text, (size_t)length);
    }
    free(o.block);
    free(o.packed);
    return file_commit(&o.file, error);
}

/* One vertex per point, so that every filter of ParaView finds cells. */
static void set_topology(array *arrays, size_t points)
{
    bool is_narrow = points <= INT32_MAX;
    arrays[1] = (array){.name = "connectivity",
                        .type = is_narrow ? "Int32" : "Int64",
                        .components = 1,
                        .tuples = points,
                        .tuple_bytes = is_narrow ? sizeof(int32_t) : sizeof(int64_t),
                        .fill = fill_connectivity};
    arrays[2] = arrays[1];
    arrays[2].name = "offsets";
    arrays[2].fill = fill_offsets;
}

bool vtp_write(const char *path, const frame *f, int compression, weir_error *error)
{
    if (!frame_check(f, error))
        return fail_in(error, "cannot write %s", path);
    if (compression < 0 || compression > 9)
        return fail(error, WEIR_INVALID, "cannot write %s: compression is 0 to 9, not %d", path,
                    compression);
    size_t count = 3 + f->field_count;
    array *arrays = calloc(count, sizeof *arrays);
    if (!arrays)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
    const frame_field positions = frame_positions(f);
    arrays[0] = array_of_field(&positions, f->count);
    set_topology(arrays, f->count);
    for (size_t i = 0; i < f->field_count; i++)
        arrays[3 + i] = array_of_field(&f->fields[i], f->count);
    bool done = write_file(path, f, f->count, arrays, count, compression, error);
    free(arrays);
    return done;
}

/* All names, each with the zero that ends it. */
static char *join_names(const frame *f, size_t *length)
{
    *length = 0;
    for (size_t i = 0; i < f->body_count; i++)
        *length += strlen(f->bodies[i].name) + 1;
    char *text = malloc(*length + 1);
    char *end = text;
    for (size_t i = 0; text && i < f->body_count; i++)
        end = stpcpy(end, f->bodies[i].name) + 1;
    return text;
}

static array array_of_body(const char *name, const void *first, int components, size_t count)
{
    return (array){.name = name,
                   .type = "Float64",
                   .components = components,
                   .tuples = count,
                   .tuple_bytes = (size_t)components * sizeof(double),
                   .fill = fill_body,
                   .source = first};
}

bool vtp_write_bodies(const char *path, const frame *f, weir_error *error)
{
    size_t count = f->body_count, text_length;
    char *text = join_names(f, &text_length);
    if (!text)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
    static const frame_body none;
    const frame_body *first = count > 0 ? f->bodies : &none;
    array arrays[7];
    arrays[0] = array_of_body("Points", &first->pose.position, 3, count);
    set_topology(arrays, count);
    arrays[3] = array_of_body("rotation", &first->pose.rotation, 4, count);
    arrays[4] = array_of_body("velocity", &first->velocity, 3, count);
    arrays[5] = array_of_body("angular_velocity", &first->angular_velocity, 3, count);
    arrays[6] = (array){.name = "name",
                        .tuples = text_length,
                        .tuple_bytes = 1,
                        .fill = fill_text,
                        .source = text,
                        .strings = count};
    /* Without bodies the list of names is left out: a String array of no strings is not read. */
    bool done = write_file(path, f, count, arrays, count > 0 ? 7 : 6, 0, error);
    free(text);
    return done;
}
