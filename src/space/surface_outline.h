/* Sampling of single primitives: structured points with exact areas. */
#ifndef WEIR_SPACE_SURFACE_OUTLINE_H
#define WEIR_SPACE_SURFACE_OUTLINE_H

#include "space/shape_node.h"
#include "space/surface_sample.h"

typedef struct sampler {
    memory *m;
    double spacing;
    surface_samples *out;
    bool failed; /* memory ran out */
} sampler;

void sampler_add(sampler *to, vec3 position, vec3 normal, double area);

/* Adds the samples of the core of `s` (own frame, normals out of the core). False, and nothing
 * added, where the kind has no structured form: grids, unions, half-spaces, most rounded shapes. */
bool sample_primitive(sampler *to, const shape *s);

#endif
