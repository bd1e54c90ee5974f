/* Wavefront OBJ: points (v) and faces (f); everything else that the format knows is skipped.
 * Indices count from 1; negative ones count back from the last point. A face may name points that
 * come later, so the upper end is checked when the file is read. */
#include "mesh/mesh_readers.h"
#include "mesh/mesh_text.h"

#include <string.h>

typedef struct obj_reader {
    text_cursor text;
    triangle_mesh *mesh;
    int64_t largest_index; /* of any face, and the line it stands on */
    size_t largest_line;
} obj_reader;

static bool is_skipped(text_word keyword)
{
    static const char *const skipped[] = {
        "vt",        "vn",     "vp",     "g",     "o",     "s",        "mg",       "usemtl",
        "mtllib",    "l",      "p",      "lod",   "bevel", "c_interp", "d_interp", "shadow_obj",
        "trace_obj", "maplib", "usemap", "call",  "csh",   "cstype",   "deg",      "bmat",
        "step",      "curv",   "curv2",  "surf",  "parm",  "trim",     "hole",     "scrv",
        "sp",        "end",    "con",    "ctech", "stech"};
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (text_is(keyword, skipped[i]))
            return true;
    return keyword.at[0] == '#';
}

static bool read_point(obj_reader *r, weir_error *error)
{
    double p[3];
    return text_point(&r->text, true, p, error) &&
           triangle_mesh_add_point(r->mesh, vec3_make(p[0], p[1], p[2]), error);
}

/* The point of a corner "7", "7/1", "7//2" or "7/1/2", from 0. */
static bool read_corner(obj_reader *r, text_word corner, uint32_t *index, weir_error *error)
{
    char shown[TEXT_SHOWN];
    const char *slash = memchr(corner.at, '/', corner.length);
    text_word number = {corner.at, slash ? (size_t)(slash - corner.at) : corner.length};
    int64_t value = 0;
    if (!text_integer(&r->text, number, &value, error))
        return false;
    int64_t count = (int64_t)r->mesh->point_count;
    if (value < 0)
        value += count + 1;
    if (value < 1 || value > (int64_t)MESH_MAX_COUNT)
        return text_fail(&r->text, error,
                         "the face names point \"%s\", and there are %lld points before it",
                         text_show(number, shown), (long long)count);
    if (value > r->largest_index) {
        r->largest_index = value;
        r->largest_line = r->text.line;
    }
    *index = (uint32_t)(value - 1);
    return true;
}

static bool read_face(obj_reader *r, weir_error *error)
{
    uint32_t first = 0;
    uint32_t previous = 0;
    size_t count = 0;
    text_word word;
    for (; text_next_in_line(&r->text, &word) && word.at[0] != '#'; count++) {
        uint32_t index = 0;
        if (!read_corner(r, word, &index, error))
            return false;
        if (count == 0)
            first = index;
        if (count >= 2 && !triangle_mesh_add_triangle(r->mesh, first, previous, index, error))
            return false;
        previous = index;
    }
    if (count < 3)
        return text_fail(&r->text, error, "a face has %zu corners and needs 3 at least", count);
    return true;
}

static bool read_lines(obj_reader *r, weir_error *error)
{
    char shown[TEXT_SHOWN];
    for (; r->text.at < r->text.end; text_skip_line(&r->text)) {
        text_word keyword;
        if (!text_next_in_line(&r->text, &keyword))
            continue;
        if (text_is(keyword, "v")) {
            if (!read_point(r, error))
                return false;
        } else if (text_is(keyword, "f") || text_is(keyword, "fo")) {
            if (!read_face(r, error))
                return false;
        } else if (!is_skipped(keyword)) {
            return text_fail(&r->text, error, "\"%s\" is no keyword of an OBJ file",
                             text_show(keyword, shown));
        }
    }
    if (r->largest_index > (int64_t)r->mesh->point_count) {
        r->text.line = r->largest_line;
        return text_fail(&r->text, error, "the face names point %lld, and the file has %zu points",
                         (long long)r->largest_index, r->mesh->point_count);
    }
    return true;
}

bool mesh_read_obj(triangle_mesh *mesh, const char *name, const char *bytes, size_t size,
                   weir_error *error)
{
    obj_reader r = {.mesh = mesh};
    if (!text_open(&r.text, name, bytes, size, error))
        return false;
    bool ok = read_lines(&r, error);
    text_close(&r.text);
    return ok;
}
