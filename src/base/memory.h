/* Memory of one world, through the host's hooks, counted.
 * Everything is aligned to 64 bytes, so that every array may be read by whole SIMD registers. */
#ifndef WEIR_BASE_MEMORY_H
#define WEIR_BASE_MEMORY_H

#include "weir/types.h"

typedef struct memory {
    weir_hooks hooks;
    size_t bytes;         /* held now */
    size_t peak_bytes;    /* most ever held */
    uint64_t allocations; /* calls of the allocator since creation */
} memory;

memory memory_with_hooks(const weir_hooks *hooks);

/* Returns NULL when memory runs out or `bytes` is 0. The content is zero. */
void *memory_take(memory *m, size_t bytes);
void memory_give(memory *m, void *block, size_t bytes);

/* Makes room for `needed` elements in `*block`, which holds `*capacity`; grows by half at least,
 * so that a slowly growing array settles. Keeps the first `keep` elements; new space is zero.
 * On failure nothing changes. */
bool memory_grow(memory *m, void **block, size_t *capacity, size_t needed, size_t keep,
                 size_t element);

/* The same for arrays that share a capacity, without keeping what they hold: all grow, or none. */
enum { MEMORY_MAX_TOGETHER = 8 };
typedef struct memory_array {
    void **block;
    size_t element; /* bytes */
} memory_array;
bool memory_grow_together(memory *m, const memory_array *arrays, int count, size_t *capacity,
                          size_t needed);

#endif
