#include "space/sort.h"

#include "par/parallel.h"

#include <string.h>

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    STRIDE = DIGITS + 16, /* of chunks' counts: one digit's lie in different sets of the cache */
    RANGES = 16,
    RANGE = DIGITS / RANGES, /* digits that a thread places at a time */
};

bool key_sort_reserve(key_sort *s, memory *m, size_t count, int threads)
{
    const memory_array arrays[] = {{(void **)&s->keys, sizeof *s->keys},
                                   {(void **)&s->keys_spare, sizeof *s->keys_spare},
                                   {(void **)&s->order, sizeof *s->order},
                                   {(void **)&s->order_spare, sizeof *s->order_spare}};
    return memory_grow_together(m, arrays, 4, &s->capacity, count) &&
           memory_grow(m, (void **)&s->histograms, &s->histogram_capacity, (size_t)threads * STRIDE,
                       0, sizeof *s->histograms);
}

void key_sort_free(key_sort *s, memory *m)
{
    memory_give(m, s->keys, s->capacity * sizeof *s->keys);
    memory_give(m, s->keys_spare, s->capacity * sizeof *s->keys_spare);
    memory_give(m, s->order, s->capacity * sizeof *s->order);
    memory_give(m, s->order_spare, s->capacity * sizeof *s->order_spare);
    memory_give(m, s->histograms, s->histogram_capacity * sizeof *s->histograms);
    *s = (key_sort){0};
}

typedef struct radix_pass {
    key_sort *sort;
    size_t grain, chunks;
    int shift;
    bool first;
    uint32_t totals[RANGES], most[RANGES]; /* keys of each range of digits */
} radix_pass;

static void count_digits(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const radix_pass *pass = context;
    uint32_t *histogram = pass->sort->histograms + begin / pass->grain * STRIDE;
    memset(histogram, 0, DIGITS * sizeof *histogram);
    for (size_t i = begin; i < end; i++)
        histogram[pass->sort->keys[i] >> pass->shift & (DIGITS - 1)]++;
}

/* Of a range of digits: how many keys have them, and how many the most frequent of them. */
static void sum_digits(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    radix_pass *pass = context;
    for (size_t range = begin; range < end; range++) {
        uint32_t total = 0, most = 0;
        for (size_t digit = range * RANGE; digit < (range + 1) * RANGE; digit++) {
            uint32_t here = 0;
            for (size_t chunk = 0; chunk < pass->chunks; chunk++)
                here += pass->sort->histograms[chunk * STRIDE + digit];
            total += here;
            most = here > most ? here : most;
        }
        pass->totals[range] = total;
        pass->most[range] = most;
    }
}

/* Turns the counts of a range of digits into the first place of each digit of each chunk. */
static void place_digits(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    radix_pass *pass = context;
    for (size_t range = begin; range < end; range++) {
        uint32_t place = pass->totals[range];
        for (size_t digit = range * RANGE; digit < (range + 1) * RANGE; digit++)
            for (size_t chunk = 0; chunk < pass->chunks; chunk++) {
                uint32_t *entry = &pass->sort->histograms[chunk * STRIDE + digit];
                uint32_t here = *entry;
                *entry = place;
                place += here;
            }
    }
}

/* Finds the place of each key. Returns false when all keys have the same digit, so that nothing has
 * to move. */
static bool place_keys(radix_pass *pass, size_t count, int threads)
{
    uint32_t place = 0;
    parallel_for(threads, RANGES, 1, sum_digits, pass);
    for (size_t range = 0; range < RANGES; range++) {
        uint32_t here = pass->totals[range];
        if (pass->most[range] == count)
            return false;
        pass->totals[range] = place;
        place += here;
    }
    parallel_for(threads, RANGES, 1, place_digits, pass);
    return true;
}

static void scatter(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const radix_pass *pass = context;
    key_sort *s = pass->sort;
    uint32_t *place = s->histograms + begin / pass->grain * STRIDE;
    for (size_t i = begin; i < end; i++) {
        uint32_t to = place[s->keys[i] >> pass->shift & (DIGITS - 1)]++;
        s->keys_spare[to] = s->keys[i];
        s->order_spare[to] = pass->first ? (uint32_t)i : s->order[i];
    }
}

int key_sort_digits(int bits)
{
    return (bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

void key_sort_run(key_sort *s, size_t count, int bits, int threads)
{
    if (count < 8192)
        threads = 1;
    size_t grain = (count + (size_t)threads - 1) / (size_t)threads;
    if (grain == 0)
        return;
    size_t chunks = (count + grain - 1) / grain;
    bool first = true;
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
        radix_pass pass = {
            .sort = s, .grain = grain, .chunks = chunks, .shift = shift, .first = first};
        parallel_for(threads, count, grain, count_digits, &pass);
        if (!place_keys(&pass, count, threads))
            continue;
        parallel_for(threads, count, grain, scatter, &pass);
        uint64_t *keys = s->keys;
        s->keys = s->keys_spare;
        s->keys_spare = keys;
        uint32_t *order = s->order;
        s->order = s->order_spare;
        s->order_spare = order;
        first = false;
    }
    for (size_t i = 0; first && i < count; i++)
        s->order[i] = (uint32_t)i;
}
