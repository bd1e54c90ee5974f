#include "matter/particles.h"

#include "par/parallel.h"

#include <string.h>

/* All arrays of 4-byte elements, in one list, so that growing and sorting treat them alike. */
typedef struct word_arrays {
    void **array[6 + 1 + PARTICLE_MAX_FIELDS];
    bool kept[6 + 1 + PARTICLE_MAX_FIELDS];
    int count;
} word_arrays;

static void list_array(word_arrays *list, void **array, bool kept)
{
    list->array[list->count] = array;
    list->kept[list->count++] = kept;
}

static word_arrays list_words(particles *p)
{
    word_arrays list = {.count = 0};
    for (int axis = 0; axis < p->dim; axis++) {
        list_array(&list, (void **)&p->x[axis], true);
        list_array(&list, (void **)&p->v[axis], true);
    }
    list_array(&list, (void **)&p->id, true);
    for (int k = 0; k < p->field_count; k++)
        list_array(&list, (void **)&p->field[k], (p->kept_fields >> k & 1) != 0);
    return list;
}

void particles_init(particles *p, int dim, int field_count, uint32_t kept_fields)
{
    *p = (particles){.dim = dim, .field_count = field_count, .kept_fields = kept_fields};
}

void particles_free(particles *p, memory *m)
{
    if (p->capacity > 0) {
        size_t words = p->capacity + PARTICLE_PADDING;
        word_arrays list = list_words(p);
        for (int k = 0; k < list.count; k++)
            memory_give(m, *list.array[k], words * 4);
        memory_give(m, p->spare, words * 4);
        memory_give(m, p->fluid, words);
        memory_give(m, p->spare_bytes, words);
    }
    particles_init(p, p->dim, p->field_count, p->kept_fields);
}

/* Takes all arrays of a larger store; on failure gives back what it had got. */
static bool take_arrays(particles *p, memory *m, size_t words)
{
    word_arrays list = list_words(p);
    bool complete = true;
    for (int k = 0; k < list.count; k++) {
        *list.array[k] = memory_take(m, words * 4);
        complete = complete && *list.array[k];
    }
    p->spare = memory_take(m, words * 4);
    p->fluid = memory_take(m, words);
    p->spare_bytes = memory_take(m, words);
    return complete && p->spare && p->fluid && p->spare_bytes;
}

bool particles_reserve(particles *p, memory *m, size_t count)
{
    if (count <= p->capacity)
        return true;
    size_t capacity = p->capacity + p->capacity / 2;
    if (capacity < count)
        capacity = count;
    if (capacity > UINT32_MAX - PARTICLE_PADDING)
        return false;
    particles grown = *p;
    grown.capacity = capacity;
    if (!take_arrays(&grown, m, capacity + PARTICLE_PADDING)) {
        particles_free(&grown, m);
        return false;
    }
    word_arrays from = list_words(p), to = list_words(&grown);
    for (int k = 0; k < from.count && p->count > 0; k++)
        memcpy(*to.array[k], *from.array[k], p->count * 4);
    if (p->count > 0)
        memcpy(grown.fluid, p->fluid, p->count);
    particles_free(p, m);
    *p = grown;
    return true;
}

size_t particles_append(particles *p, size_t count)
{
    size_t first = p->count;
    if (count == 0)
        return first; /* there may be no arrays yet */
    word_arrays list = list_words(p);
    for (int k = 0; k < list.count; k++)
        memset((char *)*list.array[k] + first * 4, 0, count * 4);
    memset(p->fluid + first, 0, count);
    for (size_t i = 0; i < count; i++)
        p->id[first + i] = p->next_id++;
    p->count += count;
    return first;
}

typedef struct permutation {
    const uint32_t *order;
    const uint32_t *from;
    uint32_t *to;
    const uint8_t *from_bytes;
    uint8_t *to_bytes;
} permutation;

static void permute_words(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const permutation *job = context;
    for (size_t i = begin; i < end; i++)
        job->to[i] = job->from[job->order[i]];
}

static void permute_bytes(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const permutation *job = context;
    for (size_t i = begin; i < end; i++)
        job->to_bytes[i] = job->from_bytes[job->order[i]];
}

void particles_permute(particles *p, const uint32_t *order, int threads)
{
    enum { GRAIN = 16384 };
    word_arrays list = list_words(p);
    for (int k = 0; k < list.count; k++) {
        if (!list.kept[k])
            continue;
        /* Words are moved, whatever they mean. */
        /* cppcheck-suppress invalidPointerCast */
        permutation job = {.order = order, .from = *list.array[k], .to = (uint32_t *)p->spare};
        parallel_for(threads, p->count, GRAIN, permute_words, &job);
        void *sorted = p->spare;
        p->spare = *list.array[k];
        *list.array[k] = sorted;
    }
    permutation job = {.order = order, .from_bytes = p->fluid, .to_bytes = p->spare_bytes};
    parallel_for(threads, p->count, GRAIN, permute_bytes, &job);
    uint8_t *sorted = p->spare_bytes;
    p->spare_bytes = p->fluid;
    p->fluid = sorted;
}

void particles_compact(particles *p, const uint8_t *remove)
{
    word_arrays list = list_words(p);
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (remove[i])
            continue;
        for (int k = 0; k < list.count && kept < i; k++)
            ((uint32_t *)*list.array[k])[kept] = ((uint32_t *)*list.array[k])[i];
        p->fluid[kept++] = p->fluid[i];
    }
    p->count = kept;
}
