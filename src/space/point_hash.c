#include "space/point_hash.h"

#include <string.h>

bool point_hash_create(point_hash *h, memory *m, double cell, size_t expected)
{
    *h = (point_hash){0};
    return point_hash_clear(h, m, cell, expected);
}

bool point_hash_clear(point_hash *h, memory *m, double cell, size_t expected)
{
    h->cell = cell;
    h->count = 0;
    h->head_count = 64;
    while (h->head_count < expected && h->head_count < ((size_t)1 << 24))
        h->head_count *= 2;
    if (!memory_grow(m, (void **)&h->heads, &h->head_capacity, h->head_count, 0, sizeof *h->heads))
        return false;
    memset(h->heads, 0, h->head_count * sizeof *h->heads);
    return true;
}

void point_hash_destroy(point_hash *h, memory *m)
{
    memory_give(m, h->heads, h->head_capacity * sizeof *h->heads);
    memory_give(m, h->next, h->next_capacity * sizeof *h->next);
    *h = (point_hash){0};
}

static size_t chain_of(const point_hash *h, int64_t i, int64_t j, int64_t k)
{
    uint64_t mixed = (uint64_t)i * 0x9e3779b97f4a7c15u ^ (uint64_t)j * 0xc2b2ae3d27d4eb4fu ^
                     (uint64_t)k * 0x165667b19e3779f9u;
    mixed ^= mixed >> 29;
    mixed *= 0xbf58476d1ce4e5b9u;
    return (size_t)(mixed >> 32) & (h->head_count - 1);
}

static int64_t cell_of(const point_hash *h, double x)
{
    return (int64_t)floor(x / h->cell);
}

bool point_hash_add(point_hash *h, memory *m, vec3 p)
{
    if (h->count >= UINT32_MAX - 1 || !memory_grow(m, (void **)&h->next, &h->next_capacity,
                                                   h->count + 1, h->count, sizeof *h->next))
        return false;
    size_t chain = chain_of(h, cell_of(h, p.x), cell_of(h, p.y), cell_of(h, p.z));
    h->next[h->count] = h->heads[chain];
    h->heads[chain] = (uint32_t)++h->count;
    return true;
}

void point_hash_near(const point_hash *h, vec3 place, int reach, int dim,
                     void (*found)(void *user, size_t index), void *user)
{
    int64_t x = cell_of(h, place.x), y = cell_of(h, place.y), z = cell_of(h, place.z);
    int reach_z = dim == 3 ? reach : 0;
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                size_t chain = chain_of(h, x + i, y + j, z + k);
                for (uint32_t at = h->heads[chain]; at > 0; at = h->next[at - 1])
                    found(user, at - 1);
            }
}
