/* Sets of bodies that belong together, as trees: each body has a parent, roots are their own. */
#ifndef WEIR_COUPLE_ISLAND_TREE_H
#define WEIR_COUPLE_ISLAND_TREE_H

#include <stdint.h>

static inline uint32_t island_root(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

/* The smaller number becomes the root: the same for every order. */
static inline void island_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t x = island_root(parent, a), y = island_root(parent, b);
    if (x < y)
        parent[y] = x;
    else
        parent[x] = y;
}

#endif
