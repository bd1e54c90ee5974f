/* After warm-up a step takes no memory: the allocator hook counts. */
#include "support/counting_memory.h"
#include "support/worlds.h"

/* A column of about 1e5 particles that starts to collapse beside a turning bar. */
static weir_world *make_dam(int dim, counting_memory *counter)
{
    weir_world_def def = small_world_def(dim, dim == 2 ? 1.0 / 320 : 1.0 / 46);
    def.threads = 2;
    def.hooks = counting_hooks(counter);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    make_tank(world, v3(0, 0, 0), v3(2, 2, 1));
    weir_body_def bar = weir_body_def_default();
    bar.kind = WEIR_BODY_ANIMATED;
    bar.shape.kind = WEIR_SHAPE_BOX;
    bar.shape.half_extents = v3(0.3, 0.05, 0.3);
    bar.pose.position = v3(1.5, 0.5, 0.5); /* clear of the fluid */
    bar.motion.spin = v3(0, 0, 2);
    make_body(world, &bar);
    weir_probe_def gauge = weir_probe_def_default();
    gauge.kind = WEIR_PROBE_FLOW;
    gauge.position = v3(1, 0.1, 0);
    assert_true(weir_probe_create(world, &gauge, NULL).slot > 0);
    size_t count =
        fill_box(world, water, dim, def.spacing, v3(0, 0, 0), v3(1, 1, 1), 0.05, v3(0, 0, 0));
    assert_in_range(count, 95000, 105000);
    return world;
}

static void check_steps(int dim, int warm_up, int steps)
{
    counting_memory counter;
    weir_world *world = make_dam(dim, &counter);
    double limit = weir_world_get_step_limit(world, NULL).seconds;
    step_many(world, 0.99 * limit, warm_up);
    size_t calls = counter.calls, bytes = counter.live_bytes;
    step_many(world, 0.99 * limit, steps);
    assert_int_equal(counter.calls, calls);
    assert_int_equal(counter.live_bytes, bytes);
    assert_int_equal(weir_world_get_counters(world).bytes, bytes);
    assert_int_equal(weir_world_get_counters(world).allocations, calls);
    weir_world_destroy(world);
    assert_int_equal(counter.live_blocks, 0);
    assert_int_equal(counter.live_bytes, 0);
}

static void steps_take_no_memory_in_2d(void **state)
{
    (void)state;
    check_steps(2, 5, 20);
}

static void steps_take_no_memory_in_3d(void **state)
{
    (void)state;
    check_steps(3, 3, 6);
}

/* A million particles must fit 1.5 GB, walls and lists included; these take a third of that. */
static void memory_per_particle_is_bounded(void **state)
{
    (void)state;
    counting_memory counter;
    weir_world *world = make_dam(3, &counter);
    step_many(world, 1e-4, 2);
    weir_counters counters = weir_world_get_counters(world);
    assert_between((double)counters.peak_bytes / 97336, 100, 600);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_take_no_memory_in_2d),
        cmocka_unit_test(steps_take_no_memory_in_3d),
        cmocka_unit_test(memory_per_particle_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
