/* Arenas: lists of all threads side by side, and no new memory once the sizes have been seen. */
#include "par/arena.h"
#include "par/parallel.h"
#include "support/counting_memory.h"
#include "support/unit.h"

typedef struct setup {
    counting_memory counter;
    memory mem;
    arena_pool pool;
} setup;

static void begin(setup *s)
{
    weir_hooks hooks = counting_hooks(&s->counter);
    s->mem = memory_with_hooks(&hooks);
    arena_pool_init(&s->pool, &s->mem);
}

static void end(setup *s)
{
    arena_pool_free(&s->pool);
    assert_int_equal(s->counter.live_blocks, 0);
    assert_int_equal(s->mem.bytes, 0);
}

static void room_is_aligned_and_kept(void **state)
{
    (void)state;
    setup s;
    begin(&s);
    arena a;
    arena_init(&a, &s.pool);
    enum { LISTS = 500 };
    unsigned char *lists[LISTS];
    for (size_t k = 0; k < LISTS; k++) {
        lists[k] = arena_reserve(&a, 3000);
        assert_non_null(lists[k]);
        assert_int_equal((uintptr_t)lists[k] % 64, 0);
        memset(lists[k], (int)(k % 251), 3000);
        arena_commit(&a, k % 1000); /* the rest is handed out again */
    }
    for (size_t k = 0; k < LISTS; k++)
        for (size_t i = 0; i < k % 1000; i++)
            assert_int_equal(lists[k][i], k % 251);
    arena_reset(&a);
    end(&s);
}

static void what_is_not_committed_is_handed_out_again(void **state)
{
    (void)state;
    setup s;
    begin(&s);
    arena a;
    arena_init(&a, &s.pool);
    void *first = arena_reserve(&a, 100);
    arena_commit(&a, 0);
    assert_ptr_equal(arena_reserve(&a, 100), first);
    arena_commit(&a, 1);
    assert_ptr_equal(arena_reserve(&a, 100), (char *)first + 64);
    arena_reset(&a);
    end(&s);
}

static void fill_rounds(arena *a, size_t lists, size_t bytes)
{
    for (size_t k = 0; k < lists; k++) {
        unsigned char *list = arena_reserve(a, bytes);
        assert_non_null(list);
        memset(list, 1, bytes);
        arena_commit(a, bytes);
    }
}

static void a_reset_makes_the_memory_free_for_all(void **state)
{
    (void)state;
    setup s;
    begin(&s);
    arena a, b;
    arena_init(&a, &s.pool);
    arena_init(&b, &s.pool);
    fill_rounds(&a, 2000, 900);
    size_t calls = s.counter.calls;
    for (int round = 0; round < 5; round++) {
        arena_reset(&a);
        arena_reset(&b);
        /* The same total, spread otherwise over the two. */
        fill_rounds(&b, 1000, 900);
        fill_rounds(&a, 900, 900);
        assert_int_equal(s.counter.calls, calls);
    }
    arena_reset(&a);
    arena_reset(&b);
    end(&s);
}

/* Who fills how much is chance: the reserve lets the sharing change from round to round. */
static void threads_may_share_otherwise_in_every_round(void **state)
{
    (void)state;
    setup s;
    begin(&s);
    arena arenas[3];
    for (int k = 0; k < 3; k++)
        arena_init(&arenas[k], &s.pool);
    static const size_t shares[][3] = {
        {3000, 0, 0}, {1000, 1000, 1000}, {1, 2998, 1}, {1500, 0, 1500}};
    fill_rounds(&arenas[0], 3000, 900);
    arenas_reset(arenas, 3);
    size_t calls = s.counter.calls;
    for (size_t round = 0; round < COUNT_OF(shares); round++) {
        for (int k = 0; k < 3; k++)
            fill_rounds(&arenas[k], shares[round][k], 900);
        arenas_reset(arenas, 3);
    }
    assert_int_equal(s.counter.calls, calls);
    end(&s);
}

static void lists_larger_than_a_block_fit(void **state)
{
    (void)state;
    setup s;
    begin(&s);
    arena a;
    arena_init(&a, &s.pool);
    fill_rounds(&a, 1, 10);
    fill_rounds(&a, 2, 5000000);
    fill_rounds(&a, 1, 10);
    arena_reset(&a);
    end(&s);
}

static void no_memory_is_said_and_survived(void **state)
{
    (void)state;
    setup s;
    begin(&s);
    arena a;
    arena_init(&a, &s.pool);
    fill_rounds(&a, 1, 1000);
    s.counter.calls_left = 0;
    assert_null(arena_reserve(&a, 10000000));
    assert_true(a.exhausted);
    assert_non_null(arena_reserve(&a, 1000));
    arena_reset(&a);
    assert_false(a.exhausted);
    end(&s);
}

typedef struct thread_lists {
    arena arenas[7];
    uint32_t *lists[4000];
} thread_lists;

static void fill_list(void *context, size_t begin_at, size_t end_at, int thread)
{
    thread_lists *t = context;
    for (size_t k = begin_at; k < end_at; k++) {
        size_t length = 1 + k % 200;
        t->lists[k] = arena_reserve(&t->arenas[thread], 200 * sizeof(uint32_t));
        for (size_t i = 0; t->lists[k] && i < length; i++)
            t->lists[k][i] = (uint32_t)k;
        arena_commit(&t->arenas[thread], length * sizeof(uint32_t));
    }
}

static void threads_fill_lists_side_by_side(void **state)
{
    (void)state;
    setup s;
    begin(&s);
    thread_lists *t = calloc(1, sizeof *t);
    for (int k = 0; k < 7; k++)
        arena_init(&t->arenas[k], &s.pool);
    parallel_for(7, COUNT_OF(t->lists), 10, fill_list, t);
    for (size_t k = 0; k < COUNT_OF(t->lists); k++)
        for (size_t i = 0; i < 1 + k % 200; i++)
            assert_int_equal(t->lists[k][i], k);
    free(t);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_aligned_and_kept),
        cmocka_unit_test(what_is_not_committed_is_handed_out_again),
        cmocka_unit_test(a_reset_makes_the_memory_free_for_all),
        cmocka_unit_test(threads_may_share_otherwise_in_every_round),
        cmocka_unit_test(lists_larger_than_a_block_fit),
        cmocka_unit_test(no_memory_is_said_and_survived),
        cmocka_unit_test(threads_fill_lists_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
