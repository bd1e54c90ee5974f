#include "surface/bins.h"

#include <stdlib.h>

/* The cells that have points, and where each begins. */
static bool mark_cells(bins *b, const uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        b->cell_count += i == 0 || keys[b->order[i]] != keys[b->order[i - 1]];
    b->keys = malloc((b->cell_count + 1) * sizeof *b->keys);
    b->start = malloc((b->cell_count + 1) * sizeof *b->start);
    if (!b->keys || !b->start)
        return false;
    size_t cell = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = keys[b->order[i]];
        if (cell > 0 && key == b->keys[cell - 1])
            continue;
        b->keys[cell] = key;
        b->start[cell++] = (uint32_t)i;
    }
    b->start[cell] = (uint32_t)count;
    return true;
}

static bool mark_rows(bins *b)
{
    size_t count = b->cell_count;
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    b->row_start = malloc((count + 1) * sizeof *b->row_start);
    bool done = keys && b->row_start;
    for (size_t i = 0; done && i < count; i++)
        keys[i] = keymap_key(0, keymap_coordinate(b->keys[i], 1), keymap_coordinate(b->keys[i], 2));
    done = done && keymap_build(&b->rows, keys, count);
    size_t row = 0;
    for (size_t i = 0; done && i < count; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            b->row_start[row++] = (uint32_t)i;
    if (done)
        b->row_start[row] = (uint32_t)count;
    free(keys);
    return done;
}

bool bins_build(bins *b, const uint64_t *keys, size_t count)
{
    *b = (bins){0};
    uint32_t *scratch = malloc((count + 1) * sizeof *scratch);
    b->order = malloc((count + 1) * sizeof *b->order);
    bool built = scratch && b->order;
    for (size_t i = 0; built && i < count; i++)
        b->order[i] = (uint32_t)i;
    if (built)
        keymap_sort(keys, b->order, scratch, count);
    free(scratch);
    built = built && mark_cells(b, keys, count) && mark_rows(b);
    if (!built)
        bins_free(b);
    return built;
}

void bins_free(bins *b)
{
    free(b->keys);
    keymap_free(&b->rows);
    free(b->row_start);
    free(b->start);
    free(b->order);
    *b = (bins){0};
}

/* The first of the cells [begin, end) of a row whose key is not below `key`. Keys of a row rise by
 * at least one from cell to cell: none lies farther from the first than its key, and in a row
 * without gaps it lies there. */
static uint32_t find_first(const bins *b, uint32_t begin, uint32_t end, uint64_t key)
{
    const uint64_t *keys = b->keys;
    if (key <= keys[begin])
        return begin;
    uint64_t farthest = key - keys[begin];
    if (farthest < end - begin)
        end = begin + (uint32_t)farthest;
    if (keys[end - 1] < key)
        return end;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (keys[middle] < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

size_t bins_find_run(const bins *b, int low, int high, int y, int z, uint32_t *first)
{
    uint32_t row = keymap_find(&b->rows, keymap_key(0, y, z));
    if (row == KEYMAP_NONE)
        return 0;
    uint32_t begin = b->row_start[row], end = b->row_start[row + 1];
    begin = find_first(b, begin, end, keymap_key(low, y, z));
    if (begin < end)
        end = find_first(b, begin, end, keymap_key(high, y, z) + 1);
    *first = b->start[begin];
    return b->start[end] - b->start[begin];
}
