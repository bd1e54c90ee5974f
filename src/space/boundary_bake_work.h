/* What the stages of a bake share; for boundary_bake*.c only. */
#ifndef WEIR_SPACE_BOUNDARY_BAKE_WORK_H
#define WEIR_SPACE_BOUNDARY_BAKE_WORK_H

#include "kernel/half_space.h"
#include "par/parallel.h"
#include "space/baked_field.h"
#include "space/shape_node.h"

enum { PADDED = 3 * BLOCK }; /* nodes per axis of a block with its neighbours */

typedef struct block_place {
    int i, j, k;
    size_t slot; /* in the tables of states */
} block_place;

typedef struct baker {
    memory *m;
    const shape *s;
    weir_kernel kernel;
    const half_space_table *flat;
    double h, grow, edges, cell;
    int dim, cells; /* lattice cells per node and axis */
    int threads;
    block_index *x;
    vec3 *group_origins; /* of the groups with a table, in blocks */
    block_place *cut;    /* blocks that the surface may cut */
    size_t cut_count;
    float *coverage; /* per cut block */
    block_place *node_blocks;
    size_t node_count;
    uint32_t *node_states; /* as states, but STORED + index into node_blocks */
    float *values;         /* B at the nodes */
} baker;

/* The stages in their order. False: memory ran out, or too much would be needed. */
bool bake_find_cut_blocks(baker *b, weir_error *error);
bool bake_sample_coverage(baker *b, weir_error *error);
bool bake_find_node_blocks(baker *b, weir_error *error);
bool bake_sum_values(baker *b, weir_error *error);
bool bake_filter_values(const baker *b, baked_field *f, weir_error *error);

/* Copies what is `stored` for a block and its neighbours, `cells` per node and axis, to `padded`.
 * There the x axis is split by phase: cell c is at [c mod cells][c / cells], so that the nodes of
 * a row read neighbours. */
void bake_gather(const baker *b, block_place p, const uint32_t *states, const float *stored,
                 int cells, float *padded);

/* Says that memory ran out; returns false. */
bool bake_no_memory(const baker *b, weir_error *error);

#endif
