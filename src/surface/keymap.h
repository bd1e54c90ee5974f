/* A set of integer cells in space: sorted unique keys with a hash from cell to index. */
#ifndef WEIR_SURFACE_KEYMAP_H
#define WEIR_SURFACE_KEYMAP_H

#include "weir/types.h"

/* Cells are signed 21-bit coordinates packed z, y, x: keys sort with x fastest. */
enum { KEYMAP_LIMIT = 1 << 20 };

#define KEYMAP_NONE UINT32_MAX

static inline uint64_t keymap_key(int x, int y, int z)
{
    return (uint64_t)(z + KEYMAP_LIMIT) << 42 | (uint64_t)(y + KEYMAP_LIMIT) << 21 |
           (uint64_t)(x + KEYMAP_LIMIT);
}

static inline int keymap_coordinate(uint64_t key, int axis)
{
    return (int)(key >> (21 * axis) & 0x1fffff) - KEYMAP_LIMIT;
}

static inline uint64_t keymap_hash(uint64_t key)
{
    key ^= key >> 31;
    key *= 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

typedef struct keymap {
    size_t count;
    uint64_t *keys;  /* ascending, unique */
    uint32_t *slots; /* index into keys, or KEYMAP_NONE */
    uint64_t mask;   /* slot count − 1 */
} keymap;

/* Takes the unique keys of an ascending list. False when memory runs out. */
bool keymap_build(keymap *map, const uint64_t *sorted, size_t count);
/* The same from keys in any order, which it sorts. */
bool keymap_build_unsorted(keymap *map, uint64_t *keys, size_t count);
void keymap_free(keymap *map);
uint32_t keymap_find(const keymap *map, uint64_t key);

/* Sorts `order` (any permutation or selection of indices into keys) by key; equal keys keep their
 * order. `scratch` has room for `count`. */
void keymap_sort(const uint64_t *keys, uint32_t *order, uint32_t *scratch, size_t count);

#endif
