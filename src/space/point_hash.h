/* A growing set of points that is asked for those near a place. Chains of a hashed grid. */
#ifndef WEIR_SPACE_POINT_HASH_H
#define WEIR_SPACE_POINT_HASH_H

#include "base/memory.h"
#include "base/vec.h"

typedef struct point_hash {
    double cell;
    uint32_t *heads;   /* index + 1 of the first point of a chain; 0: none */
    size_t head_count; /* a power of 2 */
    size_t head_capacity;
    uint32_t *next; /* per point, likewise */
    size_t next_capacity;
    size_t count;
} point_hash;

/* `expected` sizes the table; more points may come. False when memory runs out. */
bool point_hash_create(point_hash *h, memory *m, double cell, size_t expected);
/* Forgets all points, but keeps the memory. A table that is zeroed may be cleared, too. */
bool point_hash_clear(point_hash *h, memory *m, double cell, size_t expected);
void point_hash_destroy(point_hash *h, memory *m);

/* Points are numbered 0, 1, 2 ... in the order in which they are added. */
bool point_hash_add(point_hash *h, memory *m, vec3 point);

/* Calls `found` for every point in the cell of `place` and the cells `reach` around it, and for
 * some others that share their chains. */
void point_hash_near(const point_hash *h, vec3 place, int reach, int dim,
                     void (*found)(void *user, size_t index), void *user);

#endif
