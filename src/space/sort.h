/* Stable radix sort of 64-bit keys with an index each, on several threads. Being stable it has one
 * result, whatever the number of threads. */
#ifndef WEIR_SPACE_SORT_H
#define WEIR_SPACE_SORT_H

#include "base/memory.h"

typedef struct key_sort {
    uint64_t *keys, *keys_spare;
    uint32_t *order, *order_spare; /* after sorting: which element came from where */
    size_t capacity;
    uint32_t *histograms;
    size_t histogram_capacity;
} key_sort;

bool key_sort_reserve(key_sort *s, memory *m, size_t count, int threads);
void key_sort_free(key_sort *s, memory *m);

/* Passes over keys of so many bits. */
int key_sort_digits(int bits);

/* Sorts keys[0..count) by their lowest `bits` and fills `order`. */
void key_sort_run(key_sort *s, size_t count, int bits, int threads);

#endif
