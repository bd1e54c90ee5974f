#include "out/frame.h"

/* XML, PLY and bgeo all take such a name as it is. */
static bool is_plain_name(const char *name)
{
    if (!name || name[0] == '\0' || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (const char *c = name; *c; c++) {
        bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!is_letter && !(*c >= '0' && *c <= '9') && *c != '_')
            return false;
    }
    return true;
}

/* Names that the formats give to the positions. */
static bool is_taken_name(const char *name)
{
    static const char *const taken[] = {"x", "y", "z", "position", "Points"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return false;
}

static bool check_field(const frame *f, size_t index, weir_error *error)
{
    const frame_field *field = &f->fields[index];
    if (!is_plain_name(field->name))
        return fail(error, WEIR_INVALID,
                    "the result field \"%s\" needs a name of letters, digits and _",
                    field->name ? field->name : "");
    if (is_taken_name(field->name))
        return fail(error, WEIR_INVALID,
                    "the result field \"%s\" has the name of the positions, which every frame has",
                    field->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(f->fields[i].name, field->name) == 0)
            return fail(error, WEIR_INVALID, "the result field \"%s\" is listed twice",
                        field->name);
    if (field->components < 1 || field->components > 3)
        return fail(error, WEIR_INVALID,
                    "the result field \"%s\" has %d components; 1 to 3 are possible", field->name,
                    field->components);
    if (f->count > 0 && !field->data[0])
        return fail(error, WEIR_INVALID, "the result field \"%s\" has no values", field->name);
    return true;
}

bool frame_check(const frame *f, weir_error *error)
{
    if (f->dim != 2 && f->dim != 3)
        return fail(error, WEIR_INVALID, "a frame has 2 or 3 dimensions, not %d", f->dim);
    for (int axis = 0; axis < f->dim; axis++)
        if (f->count > 0 && !f->x[axis])
            return fail(error, WEIR_INVALID, "a frame in %dD has no %c positions", f->dim,
                        "xyz"[axis]);
    for (size_t i = 0; i < f->field_count; i++)
        if (!check_field(f, i, error))
            return false;
    return true;
}

frame_field frame_positions(const frame *f)
{
    return (frame_field){"Points", FRAME_F32, 3, {f->x[0], f->x[1], f->x[2]}};
}

void frame_field_pack(const frame_field *field, size_t first, size_t count, unsigned char *rows,
                      size_t stride)
{
    for (int component = 0; component < field->components; component++) {
        unsigned char *out = rows + (size_t)component * frame_type_size(field->type);
        for (size_t i = 0; i < count; i++, out += stride) {
            uint32_t bits = frame_field_bits(field, component, first + i);
            if (field->type == FRAME_U8)
                *out = (unsigned char)bits;
            else
                memcpy(out, &bits, sizeof bits);
        }
    }
}
