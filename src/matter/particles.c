#include "matter/particles.h"

#include "par/parallel.h"

#include <string.h>

enum { MAX_WORDS = 6 + 1 + 6 + PARTICLE_MAX_FIELDS };

/* All arrays of 4-byte elements, in one list, so that growing and sorting treat them alike. */
typedef struct word_arrays {
    void **array[MAX_WORDS];
    bool kept[MAX_WORDS];
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
    for (int axis = 0; p->may_sleep && axis < p->dim; axis++)
        list_array(&list, (void **)&p->still[axis], true);
    if (p->may_sleep) {
        list_array(&list, (void **)&p->still_time, true);
        list_array(&list, (void **)&p->pool, false); /* all that is sorted is awake */
        list_array(&list, (void **)&p->sight, false);
    }
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
    bool may_sleep = p->may_sleep;
    particles_init(p, p->dim, p->field_count, p->kept_fields);
    p->may_sleep = may_sleep;
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
    for (int k = 0; k < from.count && p->total > 0; k++)
        memcpy(*to.array[k], *from.array[k], p->total * 4);
    if (p->total > 0)
        memcpy(grown.fluid, p->fluid, p->total);
    particles_free(p, m);
    *p = grown;
    return true;
}

/* Copies all that there is of some particles to places that are free. */
static void move_range(particles *p, size_t from, size_t to, size_t count)
{
    if (count == 0 || from == to)
        return;
    word_arrays list = list_words(p);
    for (int k = 0; k < list.count; k++)
        memmove((char *)*list.array[k] + to * 4, (char *)*list.array[k] + from * 4, count * 4);
    memmove(p->fluid + to, p->fluid + from, count);
}

size_t particles_append(particles *p, size_t count)
{
    size_t first = p->count, asleep = p->total - p->count;
    if (count == 0)
        return first; /* there may be no arrays yet */
    word_arrays list = list_words(p);
    /* As many of those that sleep as are in the way go to the end, not all of them on by some. */
    size_t moved = count < asleep ? count : asleep;
    move_range(p, first, count < asleep ? p->total : first + count, moved);
    for (int k = 0; k < list.count; k++)
        memset((char *)*list.array[k] + first * 4, 0, count * 4);
    memset(p->fluid + first, 0, count);
    for (size_t i = 0; i < count; i++)
        p->id[first + i] = p->next_id++;
    p->count += count;
    p->total += count;
    return first;
}

typedef struct permutation {
    const uint32_t *order;
    const uint32_t *from;
    uint32_t *to;
    const uint8_t *from_bytes;
    uint8_t *to_bytes;
} permutation;

/* Some at once: a turn of the loop takes as long as one of them. */
static void permute_words(void *context, size_t begin, size_t end, int thread)
{
    enum { AT_ONCE = 8 };
    (void)thread;
    const permutation *job = context;
    const uint32_t *restrict order = job->order, *restrict from = job->from;
    uint32_t *restrict to = job->to;
    size_t i = begin;
    for (; i + AT_ONCE <= end; i += AT_ONCE)
        for (size_t k = 0; k < AT_ONCE; k++)
            to[i + k] = from[order[i + k]];
    for (; i < end; i++)
        to[i] = from[order[i]];
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
    enum { GRAIN = 2048 };
    word_arrays list = list_words(p);
    bool shared = p->total > p->count; /* others sleep in the same arrays: these stay */
    for (int k = 0; k < list.count; k++) {
        if (!list.kept[k])
            continue;
        /* Words are moved, whatever they mean. */
        /* cppcheck-suppress invalidPointerCast */
        permutation job = {.order = order, .from = *list.array[k], .to = (uint32_t *)p->spare};
        parallel_for(threads, p->count, GRAIN, permute_words, &job);
        if (shared) {
            memcpy(*list.array[k], p->spare, p->count * 4);
            continue;
        }
        void *sorted = p->spare;
        p->spare = *list.array[k];
        *list.array[k] = sorted;
    }
    permutation job = {.order = order, .from_bytes = p->fluid, .to_bytes = p->spare_bytes};
    parallel_for(threads, p->count, GRAIN, permute_bytes, &job);
    if (shared) {
        memcpy(p->fluid, p->spare_bytes, p->count);
        return;
    }
    uint8_t *sorted = p->spare_bytes;
    p->spare_bytes = p->fluid;
    p->fluid = sorted;
}

void particles_rearrange(particles *p, size_t begin, size_t end, const uint32_t *order)
{
    size_t count = end - begin;
    if (count == 0)
        return;
    word_arrays list = list_words(p);
    for (int k = 0; k < list.count; k++) {
        const uint32_t *from = *list.array[k];
        uint32_t *to = (uint32_t *)(void *)p->spare;
        for (size_t i = 0; i < count; i++)
            to[i] = from[order[i]];
        memcpy((char *)*list.array[k] + begin * 4, to, count * 4);
    }
    for (size_t i = 0; i < count; i++)
        p->spare_bytes[i] = p->fluid[order[i]];
    memcpy(p->fluid + begin, p->spare_bytes, count);
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
    size_t asleep = p->total - p->count, gap = p->count - kept;
    size_t moved = gap < asleep ? gap : asleep;
    move_range(p, p->total - moved, kept, moved);
    p->count = kept;
    p->total -= gap;
}
