/* Worlds of which part sleeps: the same bits for any number of threads and after a restore, no
 * memory taken while it sleeps, what the definition may say. */
#include "support/counting_memory.h"
#include "support/sleep_worlds.h"

/* A tank with a box that floats, which sleeps, and another with a paddle, which does not; then a
 * drop falls into the first. */
static weir_world *make_two(weir_method method, int threads, weir_hooks hooks, weir_fluid_id *water)
{
    sleep_tank t = sleep_tank_default(method, 2);
    t.def.threads = threads;
    t.def.hooks = hooks;
    weir_world *world = make_world(&t.def);
    *water = make_fluid(world, 1000, 0.001);
    make_tank(world, v3(0, 0, 0), v3(1.06, 1, 1));
    weir_body_def def = weir_body_def_default();
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = v3(0.05, 0.6, 1);
    def.pose.position = v3(0.53, 0.5, 0);
    make_body(world, &def);
    def.kind = WEIR_BODY_ANIMATED;
    def.shape.half_extents = v3(0.01, 0.1, 1);
    def.pose.position = v3(0.82, 0.3, 0);
    def.motion.oscillation = v3(0.05, 0, 0);
    def.motion.frequency = 0.5;
    make_body(world, &def);
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape.half_extents = v3(0.08, 0.04, 1);
    def.pose.position = v3(0.24, 0.25, 0);
    make_body(world, &def);
    fill_box(world, *water, 2, SLEEP_SPACING, v3(0, 0, 0), v3(0.48, 0.2, 0), 0, v3(0, 0, 0));
    fill_box(world, *water, 2, SLEEP_SPACING, v3(0.58, 0, 0), v3(1.06, 0.2, 0), 0, v3(0, 0, 0));
    return world;
}

static void drop(weir_world *world, weir_fluid_id water)
{
    weir_vec3 at = v3(0.1, 0.4, 0);
    assert_true(weir_world_add_particles(world, water, &at, 1, v3(0, 0, 0), NULL));
}

enum { STEPS_DROP = 1100, STEPS_END = 1200 };

static uint64_t run(weir_method method, int threads)
{
    weir_fluid_id water;
    weir_world *world = make_two(method, threads, (weir_hooks){0}, &water);
    size_t half = weir_world_get_particles(world).count / 2;
    step_many(world, SLEEP_STEP, STEPS_DROP);
    assert_int_equal(count_asleep(world), half);
    drop(world, water);
    step_many(world, SLEEP_STEP, STEPS_END - STEPS_DROP);
    assert_int_equal(count_asleep(world), 0);
    uint64_t hash = weir_world_hash(world);
    weir_world_destroy(world);
    return hash;
}

static void test_threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t one = run(WEIR_METHOD_CONSTRAINT, 1);
    assert_true(run(WEIR_METHOD_CONSTRAINT, 2) == one);
    assert_true(run(WEIR_METHOD_CONSTRAINT, 3) == one);
}

/* Saved while half of it sleeps; the copy wakes as the first does, and sleeps again. */
static void check_restore(weir_method method)
{
    weir_error error = {0};
    weir_fluid_id water, same;
    weir_world *world = make_two(method, 1, (weir_hooks){0}, &water);
    weir_world *other = make_two(method, 2, (weir_hooks){0}, &same);
    size_t half = weir_world_get_particles(world).count / 2;
    step_until_asleep(world, half, 20);
    step_many(world, SLEEP_STEP, 7);
    weir_snapshot *saved = weir_world_take_snapshot(world, &error);
    assert_non_null(saved);
    if (!weir_world_restore_snapshot(other, saved, &error))
        fail_msg("%s", error.text);
    assert_int_equal(count_asleep(other), half);
    weir_world *const both[] = {world, other};
    uint64_t hashes[2][3];
    for (int k = 0; k < 2; k++) {
        hashes[k][0] = weir_world_hash(both[k]);
        step_many(both[k], SLEEP_STEP, 30);
        drop(both[k], water);
        step_many(both[k], SLEEP_STEP, 60);
        assert_int_equal(count_asleep(both[k]), 0);
        hashes[k][1] = weir_world_hash(both[k]);
        step_until_asleep(both[k], half + 1, 30);
        weir_body_state box;
        assert_true(weir_body_get_state(both[k], weir_world_body_at(both[k], 3), &box));
        assert_true(box.asleep);
        hashes[k][2] = weir_world_hash(both[k]);
    }
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    weir_snapshot_destroy(saved);
    weir_world_destroy(world);
    weir_world_destroy(other);
}

static void test_restored_worlds_sleep_on(void **state)
{
    (void)state;
    check_restore(WEIR_METHOD_CONSTRAINT);
    check_restore(WEIR_METHOD_PBF);
}

/* Files may hold anything: a pool that is not at the end, or a number that no pool has. */
static void test_bad_states_are_refused(void **state)
{
    (void)state;
    weir_error error = {0};
    sleep_tank t = sleep_tank_default(WEIR_METHOD_PBF, 2);
    weir_world *world = make_sleep_tank(&t, NULL);
    step_until_all_asleep(world, 20);
    for (int bad = 0; bad < 2; bad++) {
        weir_section sections[WEIR_MAX_SECTIONS];
        int count = weir_world_get_sections(world, sections);
        uint32_t *pool = NULL;
        for (int k = 0; k < count; k++)
            if (strcmp(sections[k].name, "sleep/pool") == 0)
                pool = sections[k].data;
        assert_non_null(pool);
        uint32_t kept = pool[5];
        pool[5] = bad == 0 ? 0 : UINT32_MAX;
        assert_false(weir_world_restore_finish(world, &error));
        assert_error(error, WEIR_FORMAT, "sleeps in pool");
        pool[5] = kept;
        assert_true(weir_world_restore_finish(world, &error));
    }
    weir_world_destroy(world);
}

static void test_sleep_takes_no_memory(void **state)
{
    (void)state;
    counting_memory counter;
    weir_fluid_id water;
    weir_world *world = make_two(WEIR_METHOD_CONSTRAINT, 1, counting_hooks(&counter), &water);
    step_until_asleep(world, weir_world_get_particles(world).count / 2, 20);
    step_many(world, SLEEP_STEP, 200);
    size_t calls = counter.calls;
    step_many(world, SLEEP_STEP, 200);
    assert_int_equal(counter.calls, calls);
    weir_world_destroy(world);
    assert_int_equal(counter.live_blocks, 0);
}

static void test_definitions_are_checked(void **state)
{
    (void)state;
    const double wrong[] = {-1, 0.1, NAN, INFINITY, 1e7};
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        weir_error error = {0};
        weir_world_def def = small_world_def(2, 0.02);
        def.sleep_time = wrong[k];
        assert_null(weir_world_create(&def, &error));
        assert_error(error, WEIR_INVALID, "sleep_time");
    }
    weir_error error = {0};
    weir_world_def def = small_world_def(2, 0.02);
    def.sleep_time = 2;
    def.coupling.mode = WEIR_COUPLING_CONTACT_LCP;
    assert_null(weir_world_create(&def, &error));
    assert_error(error, WEIR_UNSUPPORTED, "boundary-volume");
    assert_true(weir_world_def_default().sleep_time == 0);
}

/* A world that may sleep, but does not yet, goes as one that never does. */
static void test_nothing_changes_before_it_sleeps(void **state)
{
    (void)state;
    weir_statistics s[2];
    for (int k = 0; k < 2; k++) {
        sleep_tank t = sleep_tank_default(WEIR_METHOD_CONSTRAINT, 2);
        t.def.sleep_time = k == 0 ? 0 : 100;
        weir_world *world = make_sleep_tank(&t, NULL);
        step_many(world, SLEEP_STEP, 60);
        s[k] = weir_world_get_statistics(world);
        weir_world_destroy(world);
    }
    assert_memory_equal(&s[0], &s[1], sizeof s[0]);
}

/* Springs are kept from step to step: what has some does not sleep. */
static void test_springs_stay_awake(void **state)
{
    (void)state;
    sleep_tank t = sleep_tank_default(WEIR_METHOD_VISCOELASTIC, 2);
    set_parameter(&t.def, "spring_stiffness", 100);
    weir_world *world = make_sleep_tank(&t, NULL);
    step_many(world, SLEEP_STEP, 300);
    assert_int_equal(count_asleep(world), 0);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_restored_worlds_sleep_on),
        cmocka_unit_test(test_bad_states_are_refused),
        cmocka_unit_test(test_sleep_takes_no_memory),
        cmocka_unit_test(test_definitions_are_checked),
        cmocka_unit_test(test_nothing_changes_before_it_sleeps),
        cmocka_unit_test(test_springs_stay_awake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
