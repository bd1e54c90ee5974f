/* Threads that wait for work: everything is done once, whoever comes; callers do not disturb each
 * other; loops within loops, and after a fork, still run. */
#include "par/parallel.h"
#include "par/pool.h"
#include "support/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 64 };

static void add_indices(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    _Atomic long *sum = context;
    for (size_t i = begin; i < end; i++)
        atomic_fetch_add(sum, (long)i + 1);
}

static long sum_by(int threads)
{
    _Atomic long sum = 0;
    parallel_for(threads, ITEMS, 1, add_indices, &sum);
    return atomic_load(&sum);
}

static const long RIGHT = ITEMS * (ITEMS + 1) / 2;

/* Many short loops, with pauses in which threads fall asleep. */
static void short_loops_lose_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 20000; k++) {
        assert_int_equal(sum_by(1 + k % 9), RIGHT);
        if (k % 500 == 0)
            usleep(1000);
    }
}

static void note_index(void *context, int index)
{
    _Atomic unsigned *indices = context;
    if (atomic_fetch_or(&indices[0], 1u << index) & 1u << index)
        atomic_store(&indices[1], 1); /* one that was there already */
    usleep(2000);
}

static void each_task_has_its_own_index(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        _Atomic unsigned indices[2] = {0, 0};
        pool_run(threads, note_index, indices);
        assert_true(atomic_load(&indices[0]) & 1u);
        assert_true(atomic_load(&indices[0]) < 1u << threads);
        assert_int_equal(atomic_load(&indices[1]), 0);
    }
}

static void sum_within(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    atomic_bool *wrong = context;
    for (size_t i = begin; i < end; i++)
        if (sum_by(4) != RIGHT)
            atomic_store(wrong, true);
}

static void loops_within_loops_run(void **state)
{
    (void)state;
    atomic_bool wrong = false;
    parallel_for(4, 200, 3, sum_within, &wrong);
    assert_false(atomic_load(&wrong));
}

static void *call_loops(void *context)
{
    atomic_bool *wrong = context;
    for (int k = 0; k < 200; k++)
        if (sum_by(3) != RIGHT)
            atomic_store(wrong, true);
    return NULL;
}

/* Their threads end with them. */
static void callers_are_independent(void **state)
{
    (void)state;
    enum { CALLERS = 4, ROUNDS = 10 };
    atomic_bool wrong = false;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t callers[CALLERS];
        for (int k = 0; k < CALLERS; k++)
            assert_int_equal(pthread_create(&callers[k], NULL, call_loops, &wrong), 0);
        for (int k = 0; k < CALLERS; k++)
            pthread_join(callers[k], NULL);
    }
    assert_false(atomic_load(&wrong));
}

/* A child has none of its parent's threads; it does the work alone. */
static void a_child_does_its_work(void **state)
{
    (void)state;
    assert_int_equal(sum_by(4), RIGHT);
    pid_t child = fork();
    if (child == 0)
        _exit(sum_by(4) == RIGHT ? 0 : 1);
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_loops_lose_nothing), cmocka_unit_test(each_task_has_its_own_index),
        cmocka_unit_test(loops_within_loops_run),   cmocka_unit_test(callers_are_independent),
        cmocka_unit_test(a_child_does_its_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
