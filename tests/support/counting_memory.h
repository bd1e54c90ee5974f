/* An allocator for tests: counts its calls and fails on demand. */
#ifndef WEIR_TESTS_COUNTING_MEMORY_H
#define WEIR_TESTS_COUNTING_MEMORY_H

#include "weir/types.h"

#include <stdlib.h>

typedef struct counting_memory {
    size_t calls, live_blocks, live_bytes;
    size_t calls_left; /* the allocator fails when they are used up */
} counting_memory;

static inline void *counting_allocate(void *user, size_t bytes)
{
    counting_memory *m = user;
    if (m->calls_left == 0)
        return NULL;
    m->calls_left--;
    m->calls++;
    m->live_blocks++;
    m->live_bytes += bytes;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static inline void counting_release(void *user, void *block, size_t bytes)
{
    counting_memory *m = user;
    m->live_blocks--;
    m->live_bytes -= bytes;
    free(block);
}

static inline weir_hooks counting_hooks(counting_memory *m)
{
    *m = (counting_memory){.calls_left = SIZE_MAX};
    return (weir_hooks){.allocate = counting_allocate, .release = counting_release, .user = m};
}

#endif
