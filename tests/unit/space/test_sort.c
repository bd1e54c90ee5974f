/* The radix sort against a plain stable sort. */
#include "base/random.h"
#include "space/sort.h"
#include "support/unit.h"

enum { MOST = 30000 };

typedef struct item {
    uint64_t key;
    uint32_t from;
} item;

static int compare(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->from < y->from ? -1 : 1;
}

static void check_sort(const uint64_t *keys, size_t count, int bits, int threads)
{
    memory mem = memory_with_hooks(NULL);
    key_sort sort = {0};
    assert_true(key_sort_reserve(&sort, &mem, count, threads));
    item *expected = malloc((count + 1) * sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        sort.keys[i] = keys[i];
        expected[i] = (item){keys[i], (uint32_t)i};
    }
    qsort(expected, count, sizeof *expected, compare);
    key_sort_run(&sort, count, bits, threads);
    for (size_t i = 0; i < count; i++) {
        assert_true(sort.keys[i] == expected[i].key);
        assert_int_equal(sort.order[i], expected[i].from);
    }
    free(expected);
    key_sort_free(&sort, &mem);
    assert_int_equal(mem.bytes, 0);
}

static void check_bits(int bits)
{
    static const int threads[] = {1, 2, 3, 7};
    static const size_t counts[] = {1, 2, 1000, 8192, MOST};
    uint64_t *keys = malloc(MOST * sizeof *keys);
    for (size_t i = 0; i < MOST; i++)
        keys[i] = random_bits(1, i) >> (64 - bits);
    for (size_t c = 0; c < COUNT_OF(counts); c++)
        for (size_t t = 0; t < COUNT_OF(threads); t++)
            check_sort(keys, counts[c], bits, threads[t]);
    free(keys);
}

static void sorts_short_keys_with_many_equals(void **state)
{
    (void)state;
    check_bits(3);
}

static void sorts_keys_of_every_length(void **state)
{
    (void)state;
    check_bits(11);
    check_bits(12);
    check_bits(40);
    check_bits(64);
}

static void sorts_keys_that_differ_in_one_digit_only(void **state)
{
    (void)state;
    uint64_t *keys = malloc(MOST * sizeof *keys);
    for (size_t i = 0; i < MOST; i++)
        keys[i] = UINT64_C(0xABC000000000F123) | (random_bits(2, i) % 7) << 30;
    check_sort(keys, MOST, 64, 3);
    free(keys);
}

static void equal_keys_stay_in_place(void **state)
{
    (void)state;
    uint64_t *keys = calloc(MOST, sizeof *keys);
    check_sort(keys, MOST, 30, 2);
    check_sort(keys, MOST, 0, 2);
    check_sort(keys, 0, 30, 2);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_short_keys_with_many_equals),
        cmocka_unit_test(sorts_keys_of_every_length),
        cmocka_unit_test(sorts_keys_that_differ_in_one_digit_only),
        cmocka_unit_test(equal_keys_stay_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
