/* Points on the surface of a bounded shape, for contacts and pressure on bodies. */
#ifndef WEIR_SPACE_SURFACE_SAMPLE_H
#define WEIR_SPACE_SURFACE_SAMPLE_H

#include "space/shape.h"

typedef struct surface_samples {
    vec3 *points;
    vec3 *normals; /* unit, out of the solid; at edges and corners the mean of the faces */
    double *areas; /* m²; in 2D length times 1 m. They sum to the surface */
    size_t count, capacity;
} surface_samples;

/* Samples about `spacing` apart, in the coordinates of the shape, in an order that depends on the
 * shape and the spacing only. Boxes, cylinders and polygons get their corners and edges.
 * Fails for shapes without an end. `out` must be zeroed or hold samples of an earlier call. */
bool surface_sample(memory *m, const shape *s, double spacing, surface_samples *out,
                    weir_error *error);
void surface_samples_free(memory *m, surface_samples *samples);

#endif
