/* Points of a bounded shape that may touch others: few, but enough that nothing can rest on the
 * shape or the shape on anything without one of them, or of the other's, being where they meet. */
#ifndef WEIR_SPACE_CONTACT_SAMPLES_H
#define WEIR_SPACE_CONTACT_SAMPLES_H

#include "space/shape.h"

/* A ball that touches the surface from inside: a sphere is one sample of its own radius, a box has
 * small ones along its edges. Flat faces need none: what touches a face has samples of its own. */
typedef struct contact_sample {
    vec3 point; /* in the frame in which the shape's pose places it */
    double radius;
} contact_sample;

typedef struct contact_samples {
    contact_sample *points;
    size_t count, capacity;
} contact_samples;

/* Samples about `spacing` apart, in an order that depends on the shape and the spacing only. `out`
 * must be zeroed. */
bool contact_samples_find(memory *m, const shape *s, double spacing, contact_samples *out,
                          weir_error *error);
void contact_samples_free(memory *m, contact_samples *samples);

#endif
