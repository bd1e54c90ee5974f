/* Memory for lists that are rebuilt every step. Threads fill blocks of their own, drawn from one
 * pool; nothing is moved while it is filled. A reset returns the blocks to the pool, and the pool
 * grows by a quarter at least, so that a step takes no memory once the flow has been seen. */
#ifndef WEIR_PAR_ARENA_H
#define WEIR_PAR_ARENA_H

#include "base/memory.h"

typedef struct arena_block arena_block;

typedef struct arena_pool {
    memory *mem;
    arena_block *free_blocks;
    arena_block *slabs; /* what was taken from memory, each cut into blocks */
    size_t bytes;
} arena_pool;

typedef struct arena {
    arena_pool *pool;
    arena_block *blocks; /* the newest first; only that one has room */
    size_t used;         /* bytes of the newest block */
    bool exhausted;      /* memory ran out since the last reset */
} arena;

void arena_pool_init(arena_pool *pool, memory *m);
void arena_pool_free(arena_pool *pool);

void arena_init(arena *a, arena_pool *pool);
void arena_reset(arena *a);

/* Empties the arenas of all threads. Takes memory in advance where little was left: threads share
 * the work anew in each step, and lists grow and shrink a little. */
void arenas_reset(arena *arenas, int count);

/* Room for up to `bytes`, aligned to 64; NULL when memory ran out. Then `arena_commit` says how
 * much of it is kept; the rest is handed out again. */
void *arena_reserve(arena *a, size_t bytes);
void arena_commit(arena *a, size_t bytes);

#endif
