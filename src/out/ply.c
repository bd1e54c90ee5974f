#include "out/ply.h"

#include "out/file.h"

#include <stdlib.h>

enum { ROWS_AT_ONCE = 4096 };

static size_t field_bytes(const frame_field *field)
{
    return (size_t)field->components * frame_type_size(field->type);
}

static void print_field(file_writer *w, const frame_field *field)
{
    static const char *const types[] = {
        [FRAME_F32] = "float", [FRAME_I32] = "int", [FRAME_U32] = "uint", [FRAME_U8] = "uchar"};
    for (int c = 0; c < field->components; c++) {
        if (field->components == 1)
            file_print(w, "property %s %s\n", types[field->type], field->name);
        else
            file_print(w, "property %s %s_%c\n", types[field->type], field->name, "xyz"[c]);
    }
}

static void print_header(file_writer *w, const frame *f)
{
    char time[FILE_NUMBER_LENGTH];
    file_print(w, "ply\nformat %s 1.0\n",
               file_is_little_endian() ? "binary_little_endian" : "binary_big_endian");
    file_print(w, "comment Weir, time %s s, step %llu, %dD\n", file_format_number(time, f->time),
               (unsigned long long)f->step, f->dim);
    file_print(w, "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n",
               f->count);
    for (size_t i = 0; i < f->field_count; i++)
        print_field(w, &f->fields[i]);
    file_print(w, "end_header\n");
}

static void write_rows(file_writer *w, const frame *f, unsigned char *rows, size_t stride)
{
    const frame_field positions = frame_positions(f);
    for (size_t first = 0; first < f->count && !w->failed; first += ROWS_AT_ONCE) {
        size_t count = f->count - first < ROWS_AT_ONCE ? f->count - first : ROWS_AT_ONCE;
        frame_field_pack(&positions, first, count, rows, stride);
        size_t offset = field_bytes(&positions);
        for (size_t i = 0; i < f->field_count; i++) {
            frame_field_pack(&f->fields[i], first, count, rows + offset, stride);
            offset += field_bytes(&f->fields[i]);
        }
        file_write(w, rows, count * stride);
    }
}

bool ply_write(const char *path, const frame *f, weir_error *error)
{
    if (!frame_check(f, error))
        return fail_in(error, "cannot write %s", path);
    size_t stride = 3 * sizeof(float);
    for (size_t i = 0; i < f->field_count; i++)
        stride += field_bytes(&f->fields[i]);
    unsigned char *rows = malloc(stride * ROWS_AT_ONCE);
    if (!rows)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
    file_writer w;
    file_begin(&w, path);
    print_header(&w, f);
    write_rows(&w, f, rows, stride);
    free(rows);
    return file_commit(&w, error);
}
