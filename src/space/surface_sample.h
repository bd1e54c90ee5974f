/* Points on the surface of a bounded shape, for contacts and for pressure on bodies. */
#ifndef WEIR_SPACE_SURFACE_SAMPLE_H
#define WEIR_SPACE_SURFACE_SAMPLE_H

#include "space/shape.h"

typedef struct surface_point {
    vec3 position;
    vec3 normal; /* unit, out of the solid; at edges and corners the mean of the faces */
    double area; /* m²; in 2D a length times 1 m. Together the surface of the solid */
} surface_point;

typedef struct surface_samples {
    surface_point *points;
    size_t count, capacity;
} surface_samples;

/* Samples about `spacing` apart, in the frame in which the shape's pose places it, in an order that
 * depends on the shape and the spacing only. Boxes, cylinders and polygons, also within unions,
 * get their corners and edges. Fails for shapes without an end, for empty ones and for spacings
 * that would take more than 10 million points. `out` must be zeroed or hold samples of an earlier
 * call, which are replaced. */
bool surface_sample(memory *m, const shape *s, double spacing, surface_samples *out,
                    weir_error *error);
/* Takes from the area of samples at edges and corners what their faces do not have in common, so
 * that pressure times area times normal is what it does to the faces: half of an edge's area looks
 * either way, but its normal would give 0.7 of it to both. */
void surface_samples_face(const shape *s, double spacing, surface_samples *samples);
void surface_samples_free(memory *m, surface_samples *samples);

#endif
