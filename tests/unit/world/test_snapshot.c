/* Snapshots in memory, events of steps, and loops that run on the host's own tasks. */
#include "support/counting_memory.h"
#include "support/mixed_world.h"
#include "support/worlds.h"

static weir_world *make_mixed(const mixed_options *options)
{
    weir_error error = {0};
    weir_world *world = mixed_world_create(options, &error);
    if (!world)
        fail_msg("%s", error.text);
    return world;
}

/* Back in the same world, and into another one: both continue as the first did. */
static void check_snapshot(mixed_options options)
{
    weir_error error = {0};
    weir_world *world = make_mixed(&options), *other = make_mixed(&options);
    step_many(world, 1.0 / 120, 4);
    weir_snapshot *saved = weir_world_take_snapshot(world, &error);
    assert_non_null(saved);
    assert_true(weir_snapshot_get_bytes(saved) > 1000);
    uint64_t start = weir_world_hash(world);
    step_many(world, 1.0 / 120, 6);
    uint64_t end = weir_world_hash(world);
    assert_true(start != end);
    weir_world *const both[] = {world, other};
    for (int k = 0; k < 2; k++) {
        if (!weir_world_restore_snapshot(both[k], saved, &error))
            fail_msg("%s", error.text);
        assert_true(weir_world_hash(both[k]) == start);
        step_many(both[k], 1.0 / 120, 6);
        if (weir_world_hash(both[k]) != end)
            fail_msg("%s, %dD, coupling %d: %s world goes another way",
                     weir_method_get_info(options.method)->name, options.dim, options.coupling,
                     k == 0 ? "the same" : "another");
    }
    weir_world_destroy(world);
    weir_world_destroy(other);
    weir_snapshot_destroy(saved);
}

static void test_snapshots(void **state)
{
    (void)state;
    for (int method = 0; method < WEIR_METHOD_COUNT; method++)
        for (int coupling = 0; coupling < 3; coupling++) {
            mixed_options options = mixed_options_default(2, (weir_method)method);
            options.coupling = (weir_coupling_mode)coupling;
            if (coupling == 0 || method != WEIR_METHOD_CONSTRAINT)
                check_snapshot(options);
        }
    check_snapshot(mixed_options_default(3, WEIR_METHOD_CONSTRAINT));
}

static void test_foreign_snapshots(void **state)
{
    (void)state;
    mixed_options options = mixed_options_default(2, WEIR_METHOD_PBF);
    weir_error error = {0};
    weir_world *world = make_mixed(&options);
    weir_snapshot *saved = weir_world_take_snapshot(world, &error);
    weir_probe_def gauge = weir_probe_def_default();
    assert_int_not_equal(weir_probe_create(world, &gauge, &error).slot, 0);
    assert_false(weir_world_restore_snapshot(world, saved, &error));
    assert_error(error, WEIR_INVALID, "another way");
    weir_snapshot_destroy(saved);
    weir_snapshot_destroy(NULL);
    weir_world_destroy(world);
}

/* A state that no world can have, as a file of another program may bring, is refused. */
static void test_impossible_states(void **state)
{
    (void)state;
    static const double impossible[] = {NAN, INFINITY, -1e300};
    mixed_options options = mixed_options_default(2, WEIR_METHOD_PBF);
    for (int k = 0; k < 6; k++) {
        weir_error error = {0};
        weir_section sections[WEIR_MAX_SECTIONS];
        weir_world *world = make_mixed(&options);
        step_world(world, 1.0 / 120);
        int count = weir_world_get_sections(world, sections);
        for (int n = 0; n < count; n++) {
            if (k < 3 && strcmp(sections[n].name, "world") == 0)
                ((double *)sections[n].data)[1] = impossible[k]; /* steps so far */
            if (k == 3 && strcmp(sections[n].name, "parameters") == 0)
                ((double *)sections[n].data)[0] = 1e300;
            if (k == 4 && strcmp(sections[n].name, "id") == 0)
                ((uint32_t *)sections[n].data)[0] = UINT32_MAX;
            if (k == 5 && strcmp(sections[n].name, "position/y") == 0)
                ((float *)sections[n].data)[0] = NAN;
        }
        assert_false(weir_world_restore_finish(world, &error));
        assert_int_equal(error.code, WEIR_FORMAT);
        weir_world_destroy(world);
    }
}

static void test_snapshots_without_memory(void **state)
{
    (void)state;
    counting_memory memory;
    mixed_options options = mixed_options_default(2, WEIR_METHOD_VISCOELASTIC);
    options.hooks = counting_hooks(&memory);
    weir_world *world = make_mixed(&options);
    step_many(world, 1.0 / 120, 2);
    for (size_t calls = 0;; calls++) {
        weir_error error = {0};
        size_t before = memory.live_blocks;
        memory.calls_left = calls;
        weir_snapshot *saved = weir_world_take_snapshot(world, &error);
        memory.calls_left = SIZE_MAX;
        bool done = saved != NULL;
        if (!done)
            assert_error(error, WEIR_OUT_OF_MEMORY, "snapshot");
        weir_snapshot_destroy(saved);
        assert_in_range(memory.live_blocks, before, before + 3); /* what saving keeps */
        if (done)
            break;
        assert_true(calls < 200);
    }
    weir_world_destroy(world);
    assert_int_equal(memory.live_blocks, 0);
}

/* -------------------------------------------------------------------- events */

/* How many events of a kind the last step brought. */
static size_t count_events(const weir_world *world, weir_event_kind kind)
{
    weir_event events[64];
    size_t count = weir_world_get_events(world, events, 64), found = 0;
    assert_in_range(count, 0, 64);
    for (size_t k = 0; k < count; k++)
        found += events[k].kind == kind;
    return found;
}

static void test_events(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, 0.05);
    weir_world_def_use_method(&def, WEIR_METHOD_PBF);
    def.events = true;
    weir_world *world = make_world(&def);
    weir_error error = {0};
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    make_tank(world, v3(0, 0, 0), v3(1, 1, 1));
    fill_box(world, water, 2, 0.05, v3(0, 0, 0), v3(1, 0.15, 0), 0, v3(0, 0, 0));
    weir_body_def stone = weir_body_def_default();
    stone.kind = WEIR_BODY_DYNAMIC;
    stone.density = 3000;
    stone.shape.kind = WEIR_SHAPE_BOX;
    stone.shape.half_extents = v3(0.1, 0.1, 1);
    stone.pose.position = v3(0.5, 0.5, 0);
    stone.until = 2.5;
    weir_body_id id = make_body(world, &stone);
    weir_joint_def thread = weir_joint_def_default();
    thread.kind = WEIR_JOINT_DISTANCE;
    thread.a = id;
    thread.anchor = v3(0.5, 0.5, 0);
    thread.anchor_b = v3(0.5, 0.9, 0);
    thread.length = -1;
    thread.break_force = 10; /* the stone weighs more */
    assert_int_not_equal(weir_joint_create(world, &thread, &error).slot, 0);
    size_t seen[WEIR_EVENT_JOINT_BROKE + 1] = {0};
    for (int k = 0; k < 180; k++) {
        step_world(world, 1.0 / 60);
        for (int kind = 0; kind <= WEIR_EVENT_JOINT_BROKE; kind++)
            seen[kind] += count_events(world, (weir_event_kind)kind);
    }
    assert_int_equal(seen[WEIR_EVENT_JOINT_BROKE], 1);
    assert_int_equal(seen[WEIR_EVENT_BODY_VANISHED], 1);
    assert_true(seen[WEIR_EVENT_BODY_WET] >= 1);
    assert_true(seen[WEIR_EVENT_CONTACT_BEGIN] >= 1);
    assert_int_equal(seen[WEIR_EVENT_CONTACT_BEGIN], seen[WEIR_EVENT_CONTACT_END]);
    weir_world_destroy(world);
}

/* --------------------------------------------------------------------- tasks */

static size_t loops;

/* The worst order: backwards. */
static void run_backwards(void *user, void (*task)(void *data, int index), void *data, int count)
{
    (void)user;
    loops++;
    for (int k = count - 1; k >= 0; k--)
        task(data, k);
}

static void test_tasks_of_the_host(void **state)
{
    (void)state;
    for (int method = 0; method < WEIR_METHOD_COUNT; method++) {
        mixed_options options = mixed_options_default(2, (weir_method)method);
        options.spacing = 0.02;
        weir_world *plain = make_mixed(&options);
        options.threads = 4;
        options.hooks.run_tasks = run_backwards;
        weir_world *hosted = make_mixed(&options);
        loops = 0;
        step_many(plain, 1.0 / 120, 2);
        assert_int_equal(loops, 0);
        step_many(hosted, 1.0 / 120, 2);
        assert_true(loops > 0);
        assert_true(weir_world_hash(plain) == weir_world_hash(hosted));
        weir_world_destroy(plain);
        weir_world_destroy(hosted);
    }
}

/* A fluid that joins late makes the world derive its parameters anew; so does one that goes back to
 * that moment. */
static void a_state_before_a_late_fluid_is_used_is_kept(void **state)
{
    (void)state;
    weir_world_def def = weir_world_def_default();
    def.dim = 2;
    def.spacing = 0.1;
    def.threads = 1;
    weir_error error = {0};
    weir_world *world = weir_world_create(&def, &error);
    assert_non_null(world);
    assert_int_equal(weir_world_step(world, 0.01, &error), 0); /* without any fluid */
    weir_fluid_def water = weir_fluid_def_default();
    weir_fluid_id id = weir_fluid_create(world, &water, &error);
    weir_vec3 at[2] = {{0, 3, 0}, {0.1, 0, 0}};
    assert_true(weir_world_add_particles(world, id, at, 2, (weir_vec3){0, 0, 0}, &error));
    weir_snapshot *kept = weir_world_take_snapshot(world, &error);
    assert_non_null(kept);
    uint64_t before = weir_world_hash(world);
    assert_int_equal(weir_world_step(world, 0.01, &error), 0);
    uint64_t after = weir_world_hash(world);
    assert_true(weir_world_restore_snapshot(world, kept, &error));
    assert_true(weir_world_hash(world) == before);
    assert_int_equal(weir_world_step(world, 0.01, &error), 0);
    assert_true(weir_world_hash(world) == after);
    weir_snapshot_destroy(kept);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_foreign_snapshots),
        cmocka_unit_test(test_impossible_states),
        cmocka_unit_test(test_snapshots_without_memory),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_tasks_of_the_host),
        cmocka_unit_test(a_state_before_a_late_fluid_is_used_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
