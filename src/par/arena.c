#include "par/arena.h"

#include "par/parallel.h"

enum { BLOCK_BYTES = 1 << 17, ALIGNMENT = 64 };

/* Header of a block, and of the slab that blocks are cut from. */
struct arena_block {
    arena_block *next;
    size_t bytes; /* header included */
};

void arena_pool_init(arena_pool *pool, memory *m)
{
    *pool = (arena_pool){.mem = m};
}

void arena_pool_free(arena_pool *pool)
{
    for (arena_block *slab = pool->slabs; slab;) {
        arena_block *next = slab->next;
        memory_give(pool->mem, slab, slab->bytes);
        slab = next;
    }
    *pool = (arena_pool){.mem = pool->mem};
}

/* Takes a slab for blocks of at least `block_bytes` and puts them on the free list, in their order:
 * lists that follow each other are read as one stream. */
static bool grow(arena_pool *pool, size_t block_bytes)
{
    size_t size = block_bytes > BLOCK_BYTES ? block_bytes : BLOCK_BYTES;
    size_t count = pool->bytes / 4 / size + 1;
    arena_block *slab = memory_take(pool->mem, ALIGNMENT + count * size);
    if (!slab)
        return false;
    slab->bytes = ALIGNMENT + count * size;
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->bytes += slab->bytes;
    for (size_t i = count; i-- > 0;) {
        arena_block *block = (arena_block *)(void *)((char *)slab + ALIGNMENT + i * size);
        block->bytes = size;
        block->next = pool->free_blocks;
        pool->free_blocks = block;
    }
    return true;
}

static arena_block *take_fitting(arena_pool *pool, size_t bytes)
{
    for (arena_block **link = &pool->free_blocks; *link; link = &(*link)->next) {
        arena_block *block = *link;
        if (block->bytes >= bytes) {
            *link = block->next;
            return block;
        }
    }
    return NULL;
}

static arena_block *take_block(arena_pool *pool, size_t bytes)
{
    parallel_lock();
    arena_block *block = take_fitting(pool, bytes);
    if (!block && grow(pool, bytes))
        block = take_fitting(pool, bytes);
    parallel_unlock();
    return block;
}

void arena_init(arena *a, arena_pool *pool)
{
    *a = (arena){.pool = pool};
}

void arena_reset(arena *a)
{
    while (a->blocks) {
        arena_block *block = a->blocks;
        a->blocks = block->next;
        block->next = a->pool->free_blocks;
        a->pool->free_blocks = block;
    }
    a->used = 0;
    a->exhausted = false;
}

void arenas_reset(arena *arenas, int count)
{
    arena_pool *pool = arenas[0].pool;
    size_t used = 0;
    for (int k = 0; k < count; k++) {
        for (const arena_block *block = arenas[k].blocks; block; block = block->next)
            used += block == arenas[k].blocks ? arenas[k].used : block->bytes;
        arena_reset(&arenas[k]);
    }
    /* Each thread may leave most of its last block unused. */
    size_t threads = (size_t)count * BLOCK_BYTES;
    if (used == 0 || pool->bytes >= used + used / 8 + threads)
        return;
    size_t wanted = used + used / 4 + 2 * threads;
    while (pool->bytes < wanted && grow(pool, BLOCK_BYTES)) {
    }
}

void *arena_reserve(arena *a, size_t bytes)
{
    if (!a->blocks || a->used + bytes > a->blocks->bytes) {
        arena_block *block = take_block(a->pool, bytes + ALIGNMENT);
        if (!block) {
            a->exhausted = true;
            return NULL;
        }
        block->next = a->blocks;
        a->blocks = block;
        a->used = ALIGNMENT;
    }
    return (char *)a->blocks + a->used;
}

void arena_commit(arena *a, size_t bytes)
{
    a->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}
