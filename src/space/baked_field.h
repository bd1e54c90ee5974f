/* A scalar field between 0 and 1 that varies near a surface only: coefficients of a cubic B-spline
 * in sparse blocks. Written by boundary_bake.c. */
#ifndef WEIR_SPACE_BAKED_FIELD_H
#define WEIR_SPACE_BAKED_FIELD_H

#include "base/memory.h"
#include "base/vec.h"

enum {
    BLOCK = 6,   /* nodes per axis and block */
    GROUP = 8,   /* blocks per axis and group */
    OUTSIDE = 0, /* states of blocks and groups: the field is 0 everywhere, */
    INSIDE = 1,  /* it is 1 everywhere, */
    STORED = 2   /* or this plus an index */
};

/* Block states are kept in two levels, so that large empty spaces cost little: a dense grid of
 * groups, and a table of GROUP^dim blocks for each group that the surface comes near. */
typedef struct block_index {
    vec3 origin; /* of node (0, 0, 0) */
    int dim;
    int groups[3];
    uint32_t *group_states; /* STORED + number of the group's table */
    size_t group_count;
    uint32_t *states; /* STORED + number of the block */
    size_t table_count;
    uint32_t far; /* state outside of the grid */
} block_index;

typedef struct baked_field {
    block_index index;
    double step; /* between nodes */
    float *coefficients;
    size_t block_count;
} baked_field;

static inline size_t power(size_t base, int dim)
{
    return dim == 3 ? base * base * base : base * base;
}

/* State of block (i, j, k) in tables laid out like x->states. k is 0 in 2D. */
static inline uint32_t block_state(const block_index *x, const uint32_t *states, int i, int j,
                                   int k)
{
    if (i < 0 || j < 0 || k < 0)
        return x->far;
    int gi = i / GROUP, gj = j / GROUP, gk = k / GROUP;
    if (gi >= x->groups[0] || gj >= x->groups[1] || gk >= x->groups[2])
        return x->far;
    size_t row = (size_t)x->groups[0], plane = row * (size_t)x->groups[1];
    uint32_t group = x->group_states[(size_t)gi + row * (size_t)gj + plane * (size_t)gk];
    if (group < STORED)
        return group;
    size_t at = (size_t)(i % GROUP) + GROUP * ((size_t)(j % GROUP) + GROUP * (size_t)(k % GROUP));
    return states[(group - STORED) * power(GROUP, x->dim) + at];
}

void baked_field_destroy(memory *m, baked_field *f);
size_t baked_field_bytes(const baked_field *f);

/* The value, kept within [0, 1], and its exact derivative. */
double baked_field_value(const baked_field *f, vec3 point, vec3 *gradient);

#endif
