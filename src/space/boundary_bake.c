/* Bakes B(x) = int_solid W(|x - y|, h) dy on a sparse grid and interpolates it.
 *
 * Nodes lie h/6 apart, in blocks of 6 per axis, so that a block is h wide and a kernel reaches
 * into the neighbouring blocks only. (At h/4 the gradient at a flat wall is 2 % low, at h/6 0.6 %.)
 * Stages, in boundary_bake_blocks.c (1), _values.c (2, 3) and _spline.c (4):
 *   1. find the blocks that the surface cuts, coarse to fine, by the distance at their centres
 *   2. sample there the coverage of a lattice of one cell per node (3 per axis in 2D)
 *   3. sum coverage times kernel for every node of the cut blocks and their neighbours
 *   4. turn node values into coefficients of a cubic B-spline
 * The spline (C2) is preferred to Catmull-Rom (C1): for the same 4^dim values its gradient, which
 * is the force on particles, is an order more accurate. Every sum has a fixed order, so the result
 * does not depend on threads. Other blocks are wholly inside (1) or outside (0). */
#include "space/boundary_bake.h"

#include "base/error.h"
#include "space/boundary_bake_work.h"

static void release(baker *b)
{
    memory *m = b->m;
    size_t slots = b->x->table_count * power(GROUP, b->dim);
    memory_give(m, b->group_origins, b->x->table_count * sizeof *b->group_origins);
    memory_give(m, b->cut, b->cut_count * sizeof *b->cut);
    memory_give(m, b->coverage,
                b->cut_count * power((size_t)(BLOCK * b->cells), b->dim) * sizeof *b->coverage);
    memory_give(m, b->node_blocks, b->node_count * sizeof *b->node_blocks);
    memory_give(m, b->node_states, slots * sizeof *b->node_states);
    memory_give(m, b->values, b->node_count * power(BLOCK, b->dim) * sizeof *b->values);
}

static bool bake(baker *b, baked_field *f, weir_error *error)
{
    if (!bake_find_cut_blocks(b, error) || !bake_sample_coverage(b, error) ||
        !bake_find_node_blocks(b, error) || !bake_sum_values(b, error) ||
        !bake_filter_values(b, f, error))
        return false;
    /* The states of coverage have served; the field keeps those of the nodes. */
    uint32_t *served = f->index.states;
    f->index.states = b->node_states;
    b->node_states = served;
    return true;
}

baked_field *boundary_bake(memory *m, const shape *s, weir_kernel kernel,
                           const half_space_table *flat, double h, boundary_growth growth,
                           int threads, weir_error *error)
{
    baked_field *f = memory_take(m, sizeof *f);
    if (!f) {
        fail(error, WEIR_OUT_OF_MEMORY, "boundary volume: no memory for it");
        return NULL;
    }
    int cells = s->dim == 3 ? 1 : 3;
    baker b = {.m = m,
               .s = s,
               .kernel = kernel,
               .flat = flat,
               .h = h,
               .grow = growth.faces,
               .edges = growth.edges,
               .cell = h / (BLOCK * cells),
               .dim = s->dim,
               .cells = cells,
               .threads = threads > 1 ? threads : 1,
               .x = &f->index};
    f->step = h / BLOCK;
    bool done = bake(&b, f, error);
    release(&b);
    if (done)
        return f;
    baked_field_destroy(m, f);
    return NULL;
}
