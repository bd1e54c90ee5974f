/* Volume, centroid and inertia of a bounded shape at density 1. */
#ifndef WEIR_SPACE_MASS_PROPERTIES_H
#define WEIR_SPACE_MASS_PROPERTIES_H

#include "space/shape.h"

typedef struct mass_properties {
    double volume;        /* m³; in 2D area times 1 m */
    vec3 centroid;        /* in the coordinates of the shape */
    double inertia[3][3]; /* about the centroid, axes of the shape's frame, per unit density; in 2D
                             only [2][2] is set */
} mass_properties;

/* Exact for single primitives without rounding and for polygons; otherwise by quadrature. Fails
 * for shapes without an end and for empty ones. */
bool mass_properties_of(const shape *s, mass_properties *out, weir_error *error);

#endif
