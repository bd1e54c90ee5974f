#include "surface/keymap.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, DIGIT_COUNT = 6 };

static void insert(keymap *map, uint32_t index)
{
    uint64_t slot = keymap_hash(map->keys[index]) & map->mask;
    while (map->slots[slot] != KEYMAP_NONE)
        slot = (slot + 1) & map->mask;
    map->slots[slot] = index;
}

bool keymap_build(keymap *map, const uint64_t *sorted, size_t count)
{
    *map = (keymap){0};
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    map->keys = calloc(count ? count : 1, sizeof *map->keys);
    map->slots = malloc(slots * sizeof *map->slots);
    if (!map->keys || !map->slots) {
        keymap_free(map);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            map->keys[map->count++] = sorted[i];
    memset(map->slots, 0xff, slots * sizeof *map->slots);
    map->mask = slots - 1;
    for (size_t i = 0; i < map->count; i++)
        insert(map, (uint32_t)i);
    return true;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool keymap_build_unsorted(keymap *map, uint64_t *keys, size_t count)
{
    if (count > 0)
        qsort(keys, count, sizeof *keys, compare);
    return keymap_build(map, keys, count);
}

void keymap_free(keymap *map)
{
    free(map->keys);
    free(map->slots);
    *map = (keymap){0};
}

uint32_t keymap_find(const keymap *map, uint64_t key)
{
    uint64_t slot = keymap_hash(key) & map->mask;
    while (map->slots[slot] != KEYMAP_NONE && map->keys[map->slots[slot]] != key)
        slot = (slot + 1) & map->mask;
    return map->slots[slot];
}

/* How many keys have each value of each digit. */
typedef size_t digit_counts[DIGIT_COUNT][DIGITS];

static void count_digits(const uint64_t *keys, const uint32_t *order, size_t count,
                         digit_counts counts)
{
    memset(counts, 0, sizeof(digit_counts));
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < DIGIT_COUNT; d++)
            counts[d][keys[order[i]] >> (d * DIGIT_BITS) & (DIGITS - 1)]++;
}

void keymap_sort(const uint64_t *keys, uint32_t *order, uint32_t *scratch, size_t count)
{
    uint32_t *from = order, *to = scratch;
    digit_counts counts;
    count_digits(keys, order, count, counts);
    for (int d = 0; d < DIGIT_COUNT; d++) {
        int shift = d * DIGIT_BITS;
        size_t *start = counts[d], first = 0;
        /* Most keys share their upper digits: a pass that would move nothing is skipped. */
        if (count == 0 || start[keys[order[0]] >> shift & (DIGITS - 1)] == count)
            continue;
        for (int digit = 0; digit < DIGITS; digit++) {
            size_t here = start[digit];
            start[digit] = first;
            first += here;
        }
        for (size_t i = 0; i < count; i++)
            to[start[keys[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, count * sizeof *order);
}
