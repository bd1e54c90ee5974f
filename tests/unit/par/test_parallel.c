/* Loops over threads visit everything once, and sums have the same bits for any number of them. */
#include "par/parallel.h"
#include "support/unit.h"

#include <stdatomic.h>

enum { MOST = 40000 };
static const int thread_counts[] = {1, 2, 3, 7};

typedef struct visit {
    unsigned char *seen;
    size_t grain, count;
    int threads;
    atomic_bool wrong;
} visit;

static void note_visit(void *context, size_t begin, size_t end, int thread)
{
    visit *v = context;
    size_t expected_end = begin + v->grain < v->count ? begin + v->grain : v->count;
    if (begin % v->grain != 0 || end != expected_end || thread < 0 || thread >= v->threads)
        atomic_store(&v->wrong, true);
    for (size_t i = begin; i < end; i++)
        v->seen[i]++;
}

static void every_item_is_visited_once(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 63, 64, 65, 1000, MOST};
    static const size_t grains[] = {1, 64, 4096, MOST + 1};
    unsigned char *seen = malloc(MOST);
    for (size_t t = 0; t < COUNT_OF(thread_counts); t++)
        for (size_t c = 0; c < COUNT_OF(counts); c++)
            for (size_t g = 0; g < COUNT_OF(grains); g++) {
                visit v = {seen, grains[g], counts[c], thread_counts[t], false};
                memset(seen, 0, MOST);
                parallel_for(v.threads, v.count, v.grain, note_visit, &v);
                assert_false(atomic_load(&v.wrong));
                for (size_t i = 0; i < MOST; i++)
                    assert_int_equal(seen[i], i < v.count ? 1 : 0);
            }
    free(seen);
}

/* Numbers of very different size: their sum shows any change of the order. */
static double awkward(size_t i)
{
    return sin((double)i) * pow(10, (double)(i % 17));
}

static void add_awkward(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)context;
    for (size_t i = begin; i < end; i++) {
        sums[0] += awkward(i);
        sums[1] += 1;
        maxima[0] = awkward(i) > maxima[0] ? awkward(i) : maxima[0];
    }
}

static void sums_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    double first[2] = {0, 0}, plain = 0, largest = -INFINITY;
    for (size_t i = 0; i < MOST; i++) {
        plain += awkward(i);
        largest = fmax(largest, awkward(i));
    }
    for (size_t t = 0; t < COUNT_OF(thread_counts); t++) {
        double sums[2] = {0, 0}, maxima[1] = {-INFINITY};
        parallel_reduce(thread_counts[t], MOST, add_awkward, NULL, sums, 2, maxima, 1);
        if (t == 0)
            memcpy(first, sums, sizeof first);
        assert_memory_equal(first, sums, sizeof first);
        assert_near(sums[0], plain, 1e-9 * fabs(plain));
        assert_true(sums[1] == MOST);
        assert_true(maxima[0] == largest);
    }
}

static void reductions_start_from_what_is_given(void **state)
{
    (void)state;
    double sums[2] = {5, 10}, maxima[1] = {1e300};
    parallel_reduce(2, 100, add_awkward, NULL, sums, 2, maxima, 1);
    assert_true(sums[1] == 110);
    assert_true(maxima[0] == 1e300);
    parallel_reduce(2, 0, add_awkward, NULL, sums, 2, maxima, 1);
    assert_true(sums[1] == 110);
}

static void count_under_the_lock(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    long *total = context;
    for (size_t i = begin; i < end; i++) {
        parallel_lock();
        *total += 1;
        parallel_unlock();
    }
}

static void the_lock_lets_one_thread_in_at_a_time(void **state)
{
    (void)state;
    long total = 0;
    parallel_for(3, 20000, 10, count_under_the_lock, &total);
    assert_int_equal(total, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once),
        cmocka_unit_test(sums_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(reductions_start_from_what_is_given),
        cmocka_unit_test(the_lock_lets_one_thread_in_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
