#include "scene/store.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024 };

typedef struct store_block {
    struct store_block *older;
    size_t used, capacity;
    alignas(max_align_t) unsigned char bytes[];
} store_block;

static store_block *add_block(store *a, size_t bytes)
{
    size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (capacity > SIZE_MAX - sizeof(store_block))
        return NULL;
    store_block *block = calloc(1, sizeof *block + capacity);
    if (!block)
        return NULL;
    block->capacity = capacity;
    block->older = a->blocks;
    a->blocks = block;
    return block;
}

void *store_take(store *a, size_t bytes)
{
    size_t unit = alignof(max_align_t);
    if (bytes > SIZE_MAX - unit)
        return NULL;
    bytes = (bytes + unit - 1) / unit * unit;
    if (a->limit > 0 && (bytes > a->limit || a->used > a->limit - bytes))
        return NULL;
    store_block *block = a->blocks;
    if (!block || bytes > block->capacity - block->used)
        block = add_block(a, bytes);
    if (!block)
        return NULL;
    void *taken = block->bytes + block->used;
    block->used += bytes;
    a->used += bytes;
    return taken;
}

void *store_take_array(store *a, size_t count, size_t element)
{
    if (element > 0 && count > SIZE_MAX / element)
        return NULL;
    return store_take(a, count * element);
}

char *store_text(store *a, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? store_take(a, length + 1) : NULL;
    if (copy && length > 0)
        memcpy(copy, text, length);
    return copy;
}

void store_free(store *a)
{
    while (a->blocks) {
        store_block *block = a->blocks;
        a->blocks = block->older;
        free(block);
    }
    a->used = 0;
}
