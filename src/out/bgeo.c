/* Layout after "Documentation on the Public Domain Geometry Library (GPD) - Version 5" (Side
 * Effects Software). Everything is big endian:
 *   header      "Bgeo", 'V', int32 version, then int32 numbers of points, primitives, point groups,
 *               primitive groups, and attributes of points, vertices, primitives and detail
 *   dictionary  per point attribute: name, uint16 components, int32 type, default values
 *   points      x, y, z, w, then the attributes, each component 4 bytes
 *   detail      its dictionary, then its values
 *   end         0x00 0xff: no extra information
 * A string is a uint16 length and its characters. */
#include "out/bgeo.h"

#include "out/file.h"

#include <stdlib.h>

enum { ROWS_AT_ONCE = 4096, TYPE_FLOAT = 0, TYPE_INT = 1, TYPE_VECTOR = 5 };

static void store(unsigned char *out, uint32_t value)
{
    out[0] = (unsigned char)(value >> 24);
    out[1] = (unsigned char)(value >> 16);
    out[2] = (unsigned char)(value >> 8);
    out[3] = (unsigned char)value;
}

static void put(file_writer *w, uint32_t value)
{
    unsigned char bytes[4];
    store(bytes, value);
    file_write(w, bytes, sizeof bytes);
}

static void put_short(file_writer *w, uint32_t value)
{
    unsigned char bytes[4];
    store(bytes, value);
    file_write(w, bytes + 2, 2);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_attribute(file_writer *w, const char *name, uint32_t components, uint32_t type)
{
    size_t length = strlen(name);
    put_short(w, (uint32_t)length);
    file_write(w, name, length);
    put_short(w, components);
    put(w, type);
    for (uint32_t i = 0; i < components; i++)
        put(w, 0);
}

static void put_header(file_writer *w, const frame *f)
{
    enum { VERSION = 5, DETAIL_ATTRIBUTES = 2 };
    file_write(w, "BgeoV", 5);
    const uint32_t numbers[] = {VERSION, (uint32_t)f->count, 0, 0, 0, (uint32_t)f->field_count, 0,
                                0,       DETAIL_ATTRIBUTES};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        put(w, numbers[i]);
    for (size_t i = 0; i < f->field_count; i++) {
        const frame_field *field = &f->fields[i];
        uint32_t type = field->type != FRAME_F32 ? TYPE_INT
                        : field->components == 3 ? TYPE_VECTOR
                                                 : TYPE_FLOAT;
        put_attribute(w, field->name, (uint32_t)field->components, type);
    }
}

static unsigned char *pack(const frame_field *field, size_t particle, unsigned char *out)
{
    for (int c = 0; c < field->components; c++, out += 4)
        store(out, frame_field_bits(field, c, particle));
    return out;
}

static void put_points(file_writer *w, const frame *f, unsigned char *rows)
{
    const frame_field positions = frame_positions(f);
    for (size_t first = 0; first < f->count && !w->failed; first += ROWS_AT_ONCE) {
        size_t end = f->count - first < ROWS_AT_ONCE ? f->count : first + ROWS_AT_ONCE;
        unsigned char *out = rows;
        for (size_t particle = first; particle < end; particle++) {
            out = pack(&positions, particle, out);
            store(out, float_bits(1)); /* w, the homogeneous coordinate */
            out += 4;
            for (size_t i = 0; i < f->field_count; i++)
                out = pack(&f->fields[i], particle, out);
        }
        file_write(w, rows, (size_t)(out - rows));
    }
}

static void put_detail(file_writer *w, const frame *f)
{
    put_attribute(w, "time", 1, TYPE_FLOAT);
    put_attribute(w, "step", 1, TYPE_INT);
    put(w, float_bits((float)f->time));
    put(w, (uint32_t)f->step);
    file_write(w, "\x00\xff", 2);
}

static bool check(const frame *f, weir_error *error)
{
    if (!frame_check(f, error))
        return false;
    if (f->count > INT32_MAX)
        return fail(error, WEIR_UNSUPPORTED,
                    "bgeo holds at most %d points and there are %zu particles; use vtp", INT32_MAX,
                    f->count);
    for (size_t i = 0; i < f->field_count; i++)
        if (strlen(f->fields[i].name) > INT16_MAX)
            return fail(error, WEIR_UNSUPPORTED, "the name of result field %zu is too long", i);
    return true;
}

bool bgeo_write(const char *path, const frame *f, weir_error *error)
{
    if (!check(f, error))
        return fail_in(error, "cannot write %s", path);
    size_t words = 4;
    for (size_t i = 0; i < f->field_count; i++)
        words += (size_t)f->fields[i].components;
    unsigned char *rows = malloc(words * 4 * ROWS_AT_ONCE);
    if (!rows)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
    file_writer w;
    file_begin(&w, path);
    put_header(&w, f);
    put_points(&w, f, rows);
    put_detail(&w, f);
    free(rows);
    return file_commit(&w, error);
}
