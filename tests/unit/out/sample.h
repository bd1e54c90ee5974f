/* A frame with fields of every type and number of components, for the tests of the formats. */
#ifndef WEIR_TESTS_OUT_SAMPLE_H
#define WEIR_TESTS_OUT_SAMPLE_H

#include "out/frame.h"

#include <stdlib.h>

enum { SAMPLE_FIELDS = 6 };

typedef struct sample {
    float *numbers; /* 8 arrays */
    uint32_t *id;
    int32_t *state;
    uint8_t *fluid;
    frame_field fields[SAMPLE_FIELDS];
    frame_body bodies[2];
    frame frame;
} sample;

/* Values of every sign and size, the same in every run. */
static inline float sample_number(size_t i, size_t column)
{
    return (float)((double)((i * 2654435761u + column * 40503u) % 100003u) / 7.0 - 5000);
}

static inline void sample_make(sample *s, int dim, size_t count)
{
    size_t room = count + 1;
    s->numbers = malloc(8 * room * sizeof *s->numbers);
    s->id = malloc(room * sizeof *s->id);
    s->state = malloc(room * sizeof *s->state);
    s->fluid = malloc(room * sizeof *s->fluid);
    float *column[8];
    for (size_t c = 0; c < 8; c++) {
        column[c] = s->numbers + c * room;
        for (size_t i = 0; i < count; i++)
            column[c][i] = sample_number(i, c);
    }
    for (size_t i = 0; i < count; i++) {
        s->id[i] = (uint32_t)(4000000000u - 3 * i);
        s->state[i] = (int32_t)i - 5;
        s->fluid[i] = (uint8_t)(250 + i);
    }
    bool is_3d = dim == 3;
    s->fields[0] =
        (frame_field){"velocity", FRAME_F32, 3, {column[3], column[4], is_3d ? column[5] : NULL}};
    s->fields[1] = (frame_field){"density", FRAME_F32, 1, {column[6]}};
    s->fields[2] = (frame_field){"id", FRAME_U32, 1, {s->id}};
    s->fields[3] = (frame_field){"state", FRAME_I32, 1, {s->state}};
    s->fields[4] = (frame_field){"fluid", FRAME_U8, 1, {s->fluid}};
    s->fields[5] = (frame_field){"strain", FRAME_F32, 2, {column[7], column[6]}};
    s->bodies[0] =
        (frame_body){"box", {{1, 2.5, -3}, {0.5, -0.5, 0.5, 0.5}}, {4, 5, 6}, {0.1, 0.2, 0.3}};
    s->bodies[1] = (frame_body){
        "<M\xc3\xbcller's \"ball\">", {{7, 8, 9}, {0, 0, 0, 1}}, {-1, 0, 1e-300}, {0, 0, -2}};
    s->frame = (frame){.dim = dim,
                       .step = 5000000001u,
                       .time = 0.1 + 0.2,
                       .count = count,
                       .x = {column[0], column[1], is_3d ? column[2] : NULL},
                       .field_count = SAMPLE_FIELDS,
                       .fields = s->fields,
                       .body_count = 2,
                       .bodies = s->bodies};
}

static inline void sample_free(sample *s)
{
    free(s->numbers);
    free(s->id);
    free(s->state);
    free(s->fluid);
}

#endif
