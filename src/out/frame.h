/* What one frame of results shows: a view of the arrays that the caller holds. Writers read it and
 * keep nothing. */
#ifndef WEIR_OUT_FRAME_H
#define WEIR_OUT_FRAME_H

#include "base/error.h"
#include "base/vec.h"

#include <string.h>

typedef enum frame_type { FRAME_F32, FRAME_I32, FRAME_U32, FRAME_U8 } frame_type;

/* One value per particle, with one array per component; an array that is NULL is written as 0, as
 * the z of a 2D world. */
typedef struct frame_field {
    const char *name; /* letters, digits and _, not beginning with a digit */
    frame_type type;
    int components; /* 1 to 3 */
    const void *data[3];
} frame_field;

typedef struct frame_body {
    const char *name;
    pose pose;
    vec3 velocity;         /* of the centre of mass, m/s */
    vec3 angular_velocity; /* rad/s */
} frame_body;

typedef struct frame {
    int dim;           /* 2 or 3 */
    uint64_t step;     /* steps since the start */
    double time;       /* s */
    size_t count;      /* particles */
    const float *x[3]; /* positions; x[2] is NULL in 2D */
    size_t field_count;
    const frame_field *fields;
    size_t body_count;
    const frame_body *bodies;
} frame;

/* Refuses a frame that the formats could not hold: bad or repeated names, missing arrays. */
bool frame_check(const frame *f, weir_error *error);

/* The positions as a field of three components. */
frame_field frame_positions(const frame *f);

static inline size_t frame_type_size(frame_type type)
{
    return type == FRAME_U8 ? 1 : 4;
}

/* The bits of one value; 8-bit ones are widened. */
static inline uint32_t frame_field_bits(const frame_field *one, int component, size_t particle)
{
    const void *data = one->data[component];
    if (!data)
        return 0;
    if (one->type == FRAME_U8)
        return ((const uint8_t *)data)[particle];
    uint32_t bits;
    memcpy(&bits, (const char *)data + particle * sizeof bits, sizeof bits);
    return bits;
}

/* Writes the values of `count` particles from `first` on into rows that are `stride` bytes apart,
 * the components of a particle side by side. */
void frame_field_pack(const frame_field *one, size_t first, size_t count, unsigned char *rows,
                      size_t stride);

#endif
