#include "surface/bins.h"

#include <stdlib.h>

static bool sort(bins *b, const uint64_t *keys, uint64_t *sorted, uint32_t *scratch, size_t count)
{
    for (size_t i = 0; i < count; i++)
        b->order[i] = (uint32_t)i;
    keymap_sort(keys, b->order, scratch, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = keys[b->order[i]];
    return keymap_build(&b->cells, sorted, count);
}

static bool mark_starts(bins *b, const uint64_t *sorted, size_t count)
{
    b->start = malloc((b->cells.count + 1) * sizeof *b->start);
    if (!b->start)
        return false;
    size_t cell = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            b->start[cell++] = (uint32_t)i;
    b->start[cell] = (uint32_t)count;
    return true;
}

bool bins_build(bins *b, const uint64_t *keys, size_t count)
{
    *b = (bins){0};
    size_t room = count ? count : 1;
    uint64_t *sorted = malloc(room * sizeof *sorted);
    uint32_t *scratch = malloc(room * sizeof *scratch);
    b->order = malloc(room * sizeof *b->order);
    bool built = sorted && scratch && b->order && sort(b, keys, sorted, scratch, count) &&
                 mark_starts(b, sorted, count);
    free(sorted);
    free(scratch);
    if (!built)
        bins_free(b);
    return built;
}

void bins_free(bins *b)
{
    keymap_free(&b->cells);
    free(b->start);
    free(b->order);
    *b = (bins){0};
}

size_t bins_find(const bins *b, int x, int y, int z, uint32_t *first)
{
    uint32_t cell = keymap_find(&b->cells, keymap_key(x, y, z));
    if (cell == KEYMAP_NONE)
        return 0;
    *first = b->start[cell];
    return b->start[cell + 1] - b->start[cell];
}
