/* Points sorted by cell, for neighbour queries in unbounded space. */
#ifndef WEIR_SURFACE_BINS_H
#define WEIR_SURFACE_BINS_H

#include "surface/keymap.h"

typedef struct bins {
    keymap cells;
    uint32_t *start; /* per cell, and one more: its first point in `order` */
    uint32_t *order; /* points by cell; within a cell by index */
} bins;

/* `keys` holds the cell of each point. False when memory runs out. */
bool bins_build(bins *b, const uint64_t *keys, size_t count);
void bins_free(bins *b);

/* The points of cell (x, y, z) are order[first] to order[first + count − 1]. */
size_t bins_find(const bins *b, int x, int y, int z, uint32_t *first);

#endif
