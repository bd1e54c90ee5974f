#include "out/read_frame.h"

#include "out/file.h"

#include <stdlib.h>
#include <strings.h>

static bool has_ending(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

static bool load(read_frame *out, const char *path, bool bodies, weir_error *error)
{
    size_t size = 0;
    bool is_ply = has_ending(path, ".ply");
    read_frame_free(out);
    if (!has_ending(path, ".vtp") && (bodies || !is_ply))
        return fail(error, WEIR_INVALID, "cannot read %s: frames end in .vtp or .ply", path);
    out->bytes = file_read(path, &size, error);
    if (!out->bytes)
        return false;
    bool done = is_ply ? read_frame_parse_ply(out, size, error)
                       : read_frame_parse_vtp(out, size, bodies, error);
    free(out->bytes);
    out->bytes = NULL;
    if (done)
        return true;
    read_frame_free(out);
    return fail_in(error, "cannot read %s", path);
}

bool read_frame_load(read_frame *out, const char *path, int dim, weir_error *error)
{
    if (!load(out, path, false, error))
        return false;
    out->view.dim = dim;
    if (dim == 2)
        out->view.x[2] = NULL;
    return true;
}

bool read_frame_load_bodies(read_frame *out, const char *path, weir_error *error)
{
    return load(out, path, true, error);
}

void read_frame_free(read_frame *r)
{
    free(r->bytes);
    store_free(&r->kept);
    *r = (read_frame){0};
}

const frame_field *read_frame_find(const read_frame *r, const char *name)
{
    for (size_t k = 0; k < r->view.field_count; k++)
        if (strcmp(r->view.fields[k].name, name) == 0)
            return &r->view.fields[k];
    return NULL;
}
