/* Distances sampled on a regular grid. The solid ends where the grid does. */
#ifndef WEIR_SPACE_SHAPE_GRID_H
#define WEIR_SPACE_SHAPE_GRID_H

#include "base/memory.h"
#include "base/vec.h"
#include "weir/shape.h"

typedef struct grid_field {
    vec3 origin, end; /* of the first and of the last sample */
    double step;
    int count[3];
    float *distances; /* x fastest */
    vec3 lo, hi;      /* box around the solid, at most a step too large */
} grid_field;

grid_field *grid_field_create(memory *m, const weir_grid_def *def, int dim, weir_error *error);
void grid_field_destroy(memory *m, grid_field *g);
size_t grid_field_bytes(const grid_field *g);

double grid_field_distance(const grid_field *g, vec3 point, vec3 *gradient);

#endif
