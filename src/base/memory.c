#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { ALIGNMENT = 64 };

/* Lists and weights are streams of many megabytes: in large pages, where the system has some to
 * spare, they are read without a pause at each page of 4 KB. */
#ifdef MADV_HUGEPAGE
static void *allocate_large(size_t bytes)
{
    enum { LARGE_PAGE = 2 << 20 };
    void *block = NULL;
    if (bytes < LARGE_PAGE || posix_memalign(&block, LARGE_PAGE, bytes) != 0)
        return NULL;
    madvise(block, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    return block;
}
#else
static void *allocate_large(size_t bytes)
{
    (void)bytes;
    return NULL;
}
#endif

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    if (bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    void *large = allocate_large(bytes);
    return large ? large
                 : aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static void release(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

memory memory_with_hooks(const weir_hooks *hooks)
{
    memory m = {0};
    if (hooks)
        m.hooks = *hooks;
    if (!m.hooks.allocate || !m.hooks.release) {
        m.hooks.allocate = allocate;
        m.hooks.release = release;
    }
    return m;
}

void *memory_take(memory *m, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    void *block = m->hooks.allocate(m->hooks.user, bytes);
    if (!block)
        return NULL;
    memset(block, 0, bytes);
    m->allocations++;
    m->bytes += bytes;
    if (m->bytes > m->peak_bytes)
        m->peak_bytes = m->bytes;
    return block;
}

void memory_give(memory *m, void *block, size_t bytes)
{
    if (!block)
        return;
    m->bytes -= bytes;
    m->hooks.release(m->hooks.user, block, bytes);
}

/* What a capacity grows to, or 0 where so many elements have no size in bytes. */
static size_t grown_capacity(size_t capacity, size_t needed, size_t element)
{
    size_t wanted = capacity + capacity / 2;
    if (wanted < needed)
        wanted = needed;
    return wanted > SIZE_MAX / element ? 0 : wanted;
}

bool memory_grow(memory *m, void **block, size_t *capacity, size_t needed, size_t keep,
                 size_t element)
{
    if (needed <= *capacity)
        return true;
    size_t wanted = grown_capacity(*capacity, needed, element);
    void *grown = memory_take(m, wanted * element);
    if (!grown)
        return false;
    if (keep > 0)
        memcpy(grown, *block, keep * element);
    memory_give(m, *block, *capacity * element);
    *block = grown;
    *capacity = wanted;
    return true;
}

bool memory_grow_together(memory *m, const memory_array *arrays, int count, size_t *capacity,
                          size_t needed)
{
    void *grown[MEMORY_MAX_TOGETHER];
    size_t wanted = *capacity;
    if (needed <= *capacity)
        return true;
    for (int k = 0; k < count; k++) {
        wanted = grown_capacity(*capacity, needed, arrays[k].element);
        grown[k] = memory_take(m, wanted * arrays[k].element);
        if (grown[k])
            continue;
        while (k-- > 0)
            memory_give(m, grown[k], wanted * arrays[k].element);
        return false;
    }
    for (int k = 0; k < count; k++) {
        memory_give(m, *arrays[k].block, *capacity * arrays[k].element);
        *arrays[k].block = grown[k];
    }
    *capacity = wanted;
    return true;
}
