/* Memory that is freed all at once: nodes, texts and lists of one scene file. */
#ifndef WEIR_SCENE_STORE_H
#define WEIR_SCENE_STORE_H

#include <stddef.h>

typedef struct store {
    struct store_block *blocks; /* newest first */
    size_t used;                /* bytes handed out */
    size_t limit;               /* most bytes that may be handed out; 0 = no limit */
} store;

/* Zeroed memory, aligned for any type; NULL when memory or the limit is exhausted. */
void *store_take(store *a, size_t bytes);

/* The same for `count` elements; also NULL where the product overflows. */
void *store_take_array(store *a, size_t count, size_t element);

/* A copy of `length` bytes with a NUL behind them. */
char *store_text(store *a, const char *text, size_t length);

void store_free(store *a);

#endif
