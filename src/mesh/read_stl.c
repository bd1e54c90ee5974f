/* STL, text and binary. A binary file is recognised by its size, because some of them start with
 * "solid" as text files do. Normals are ignored: the order of the corners says the same. */
#include "mesh/mesh_bytes.h"
#include "mesh/mesh_readers.h"
#include "mesh/mesh_text.h"

#include <string.h>
#include <strings.h>

enum { STL_HEADER = 84, STL_RECORD = 50 };

static bool expect(text_cursor *text, const char *expected, weir_error *error)
{
    char shown[TEXT_SHOWN];
    text_word word;
    if (!text_next(text, &word))
        return text_fail(text, error, "the file ends where \"%s\" is expected", expected);
    if (!text_is(word, expected))
        return text_fail(text, error, "\"%s\" stands where \"%s\" is expected",
                         text_show(word, shown), expected);
    return true;
}

static bool add_last_three(triangle_mesh *mesh, weir_error *error)
{
    uint32_t end = (uint32_t)mesh->point_count;
    return triangle_mesh_add_triangle(mesh, end - 3, end - 2, end - 1, error);
}

/* What follows the word "facet". */
static bool read_facet(text_cursor *text, triangle_mesh *mesh, weir_error *error)
{
    text_word ignored;
    if (!expect(text, "normal", error))
        return false;
    /* Exporters write "nan" here for slivers; the numbers are not used. */
    for (int axis = 0; axis < 3; axis++)
        if (!text_next(text, &ignored))
            return text_fail(text, error, "the file ends inside a normal");
    if (!expect(text, "outer", error) || !expect(text, "loop", error))
        return false;
    for (int c = 0; c < 3; c++) {
        double p[3];
        if (!expect(text, "vertex", error) || !text_point(text, false, p, error) ||
            !triangle_mesh_add_point(mesh, vec3_make(p[0], p[1], p[2]), error))
            return false;
    }
    return expect(text, "endloop", error) && expect(text, "endfacet", error) &&
           add_last_three(mesh, error);
}

static bool read_text(text_cursor *text, triangle_mesh *mesh, weir_error *error)
{
    char shown[TEXT_SHOWN];
    text_word word;
    bool inside = false;
    while (text_next(text, &word)) {
        if (!inside && text_is(word, "solid")) {
            inside = true;
            text_skip_line(text);
        } else if (inside && text_is(word, "endsolid")) {
            inside = false;
            text_skip_line(text);
        } else if (inside && text_is(word, "facet")) {
            if (!read_facet(text, mesh, error))
                return false;
        } else {
            return text_fail(text, error, "\"%s\" stands where \"%s\" is expected",
                             text_show(word, shown), inside ? "facet\" or \"endsolid" : "solid");
        }
    }
    if (inside)
        return text_fail(text, error, "the file ends before \"endsolid\"");
    return true;
}

static bool read_binary(triangle_mesh *mesh, const char *name, const char *bytes, size_t count,
                        weir_error *error)
{
    for (size_t t = 0; t < count; t++) {
        const char *record = bytes + STL_HEADER + t * STL_RECORD;
        for (int c = 0; c < 3; c++) {
            double p[3];
            for (int axis = 0; axis < 3; axis++) {
                size_t offset = 12 + 12 * (size_t)c + 4 * (size_t)axis;
                p[axis] = bytes_float(record + offset, false);
                if (!(fabs(p[axis]) <= MESH_MAX_COORDINATE))
                    return fail(error, WEIR_FORMAT,
                                "%s, byte %zu: triangle %zu has a coordinate that is not a finite "
                                "number within %g",
                                name, (size_t)(record - bytes) + offset, t, MESH_MAX_COORDINATE);
            }
            if (!triangle_mesh_add_point(mesh, vec3_make(p[0], p[1], p[2]), error))
                return false;
        }
        if (!add_last_three(mesh, error))
            return false;
    }
    return true;
}

bool mesh_read_stl(triangle_mesh *mesh, const char *name, const char *bytes, size_t size,
                   weir_error *error)
{
    size_t count = size >= STL_HEADER ? bytes_uint32(bytes + 80, false) : 0;
    size_t expected = STL_HEADER + count * STL_RECORD;
    bool starts_as_text = size >= 5 && strncasecmp(bytes, "solid", 5) == 0;
    if (size >= STL_HEADER && (size == expected || (!starts_as_text && size > expected)))
        return read_binary(mesh, name, bytes, count, error);
    if (!starts_as_text) {
        if (size < STL_HEADER)
            return fail(error, WEIR_FORMAT, "%s: %zu bytes are too few for an STL file", name,
                        size);
        return fail(error, WEIR_FORMAT,
                    "%s: the STL file announces %zu triangles, which take %zu bytes, and has %zu "
                    "bytes",
                    name, count, expected, size);
    }
    text_cursor text;
    if (!text_open(&text, name, bytes, size, error))
        return false;
    bool ok = read_text(&text, mesh, error);
    text_close(&text);
    return ok;
}
