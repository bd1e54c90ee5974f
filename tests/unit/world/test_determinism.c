/* The same bits for every number of threads and every instruction set. */
#include "support/busy_world.h"

/* Enough particles for several chunks of every parallel loop (the 2D world also for those of the
 * sort), and a few substeps of them. */
static uint64_t run_and_hash(int dim, int threads, const char *simd)
{
    weir_world *world = make_busy_world(dim, dim == 2 ? 0.005 : 0.028, threads, simd);
    assert_true(weir_world_get_particles(world).count > (dim == 2 ? 8192 : 4096));
    double limit = weir_world_get_step_limit(world, NULL).seconds;
    step_many(world, 4 * limit, 3);
    assert_true(weir_world_emitter_state(world, 0).particles > 0);
    assert_true(weir_world_sink_state(world, 0).particles > 0);
    uint64_t hash = weir_world_hash(world);
    weir_world_destroy(world);
    return hash;
}

static void check_bits(int dim)
{
    static const int threads[] = {2, 3, 7};
    uint64_t expected = run_and_hash(dim, 1, NULL);
    for (size_t t = 0; t < COUNT_OF(threads); t++)
        assert_true(run_and_hash(dim, threads[t], NULL) == expected);
    for (int level = 0; weir_simd_levels()[level]; level++)
        assert_true(run_and_hash(dim, 2, weir_simd_levels()[level]) == expected);
}

static void threads_and_instructions_do_not_change_the_bits_in_2d(void **state)
{
    (void)state;
    check_bits(2);
}

static void threads_and_instructions_do_not_change_the_bits_in_3d(void **state)
{
    (void)state;
    check_bits(3);
}

/* Readings and statistics only look. */
static void looking_does_not_change_the_bits(void **state)
{
    (void)state;
    weir_world *seen = make_busy_world(2, 0.02, 1, NULL),
               *unseen = make_busy_world(2, 0.02, 1, NULL);
    for (int k = 0; k < 5; k++) {
        step_world(seen, 0.01);
        step_world(unseen, 0.01);
        weir_world_get_statistics(seen);
        weir_world_hash(seen);
        weir_world_get_step_limit(seen, NULL);
        for (int p = 0; p < weir_world_probe_count(seen); p++)
            weir_world_read_probe(seen, p);
    }
    assert_true(weir_world_hash(seen) == weir_world_hash(unseen));
    weir_world_destroy(seen);
    weir_world_destroy(unseen);
}

static void the_hash_sees_every_change(void **state)
{
    (void)state;
    weir_world *a = make_busy_world(2, 0.02, 1, NULL), *b = make_busy_world(2, 0.02, 1, NULL);
    assert_true(weir_world_hash(a) == weir_world_hash(b));
    step_world(a, 0.001);
    assert_true(weir_world_hash(a) != weir_world_hash(b));
    step_world(b, 0.0011);
    assert_true(weir_world_hash(a) != weir_world_hash(b));
    weir_world_destroy(a);
    weir_world_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_instructions_do_not_change_the_bits_in_2d),
        cmocka_unit_test(threads_and_instructions_do_not_change_the_bits_in_3d),
        cmocka_unit_test(looking_does_not_change_the_bits),
        cmocka_unit_test(the_hash_sees_every_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
