/* Points sorted by cell, for neighbour queries in unbounded space. */
#ifndef WEIR_SURFACE_BINS_H
#define WEIR_SURFACE_BINS_H

#include "surface/keymap.h"

typedef struct bins {
    size_t cell_count;
    uint64_t *keys;      /* of the cells that have points, ascending */
    uint32_t *start;     /* per cell, and one more: its first point in `order` */
    uint32_t *order;     /* points by cell; within a cell by index */
    keymap rows;         /* of cells along x, as cells (0, y, z) */
    uint32_t *row_start; /* per row, and one more: its first cell */
} bins;

/* `keys` holds the cell of each point. False when memory runs out. */
bool bins_build(bins *b, const uint64_t *keys, size_t count);
void bins_free(bins *b);

/* The points of the cells (low to high, y, z) are order[first] to order[first + count − 1]; returns
 * the count. */
size_t bins_find_run(const bins *b, int low, int high, int y, int z, uint32_t *first);

#endif
