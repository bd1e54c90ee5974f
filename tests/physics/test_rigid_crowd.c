/* Many bodies, which are solved in lanes with few sweeps: they stand, they bear, they conserve, and
 * give the same bits however they are computed. */
#include "support/counting_memory.h"
#include "support/rigid.h"

static const double GRAVITY = 10;

static weir_world *make_world_of(int dim, double gravity, int threads, const char *simd,
                                 weir_hooks hooks)
{
    weir_world_def def = small_world_def(dim, 0.1);
    def.gravity = v3(0, -gravity, 0);
    def.threads = threads;
    def.simd = simd;
    def.hooks = hooks;
    return make_world(&def);
}

/* Rows of boxes of a metre, each row one box shorter. Returns the topmost box. */
static weir_body_id add_pyramid(weir_world *world, int rows)
{
    weir_body_id apex = {0};
    make_floor(world, 0, 0.5, 0);
    for (int n = 0; n < rows; n++)
        for (int k = 0; k < rows - n; k++) {
            double x = 1.1 * (k - 0.5 * (rows - n - 1));
            weir_body_def def = box_def(v3(x, n + 0.5, 0), v3(0.5, 0.5, 0.5));
            apex = make_body(world, &def);
        }
    return apex;
}

static void test_pyramid_stands(void **state)
{
    (void)state;
    enum { ROWS = 20 };
    weir_world *world = make_world_of(2, GRAVITY, 1, NULL, (weir_hooks){0});
    weir_body_id apex = add_pyramid(world, ROWS);
    double lowest = ROWS;
    for (int k = 0; k < 180; k++) {
        step_world(world, 1.0 / 60);
        assert_true(k > 60 || world->crowd.active);
        lowest = fmin(lowest, centre_of(world, apex).y);
    }
    assert_between(lowest, ROWS - 0.5 - 0.02, ROWS - 0.5 + 1e-3);
    assert_between(largest_speed(world), 0, 0.02);
    /* The floor bears all of it: 1000 kg each. */
    double sum = 0, weight = 1000 * GRAVITY * (ROWS * (ROWS + 1) / 2) * world->last_substep;
    static weir_contact contacts[4096];
    size_t count = weir_world_get_contacts(world, contacts, COUNT_OF(contacts));
    for (size_t k = 0; k < count; k++)
        sum += contacts[k].a.slot == 1 || contacts[k].b.slot == 1 ? contacts[k].impulse : 0;
    assert_near(sum, weight, 0.02 * weight);
    weir_world_destroy(world);
}

/* Boxes and balls dropped into a room. */
static weir_world *make_heap(int threads, const char *simd, weir_hooks hooks, int layers)
{
    weir_world *world = make_world_of(3, GRAVITY, threads, simd, hooks);
    weir_body_def room = box_def(v3(2.5, 20, 2.5), v3(2.5, 20, 2.5));
    room.kind = WEIR_BODY_STATIC;
    room.shape.complement = true;
    make_body(world, &room);
    for (int n = 0; n < 16 * layers; n++) {
        uint64_t k = (uint64_t)n;
        vec3 at = {0.7 + 1.2 * (n % 4) + 0.1 * random_unit(1, k), 0.6 + 1.2 * (n / 16),
                   0.7 + 1.2 * (n / 4 % 4) + 0.1 * random_unit(2, k)};
        weir_body_def def = n % 5 ? box_def(at, v3(0.5, 0.4, 0.45)) : ball_def(at, 0.5);
        make_body(world, &def);
    }
    return world;
}

static void test_heap_stays_in_its_room(void **state)
{
    (void)state;
    enum { LAYERS = 6 };
    weir_world *world = make_heap(1, NULL, (weir_hooks){0}, LAYERS);
    static weir_contact contacts[4096];
    rigid_sums before = sum_bodies(world);
    bool many = false;
    for (int k = 0; k < 120; k++) {
        step_world(world, 1.0 / 60);
        many = many || world->crowd.active;
        size_t count = weir_world_get_contacts(world, contacts, COUNT_OF(contacts));
        for (size_t n = 0; n < count; n++)
            assert_true(contacts[n].distance > -0.05);
    }
    rigid_sums after = sum_bodies(world);
    assert_true(many);
    assert_true(after.kinetic + after.potential < before.kinetic + before.potential);
    assert_between(largest_speed(world), 0, 3);
    for (size_t k = 1; k < world->flow.body_count; k++) {
        vec3 at = body_centre(&world->flow.bodies[k]);
        assert_between(at.y, 0.38, 1.2 * LAYERS);
        assert_between(at.x, 0.38, 4.62);
        assert_between(at.z, 0.38, 4.62);
    }
    weir_world_destroy(world);
}

/* Boxes that touch, thrown into one another in free space. The multipliers are floats, but both
 * bodies of a pair get the same impulse. */
static void test_momentum_stays_to_rounding(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_world_of(dim, 0, 1, NULL, (weir_hooks){0});
        int side = dim == 2 ? 12 : 5;
        for (int n = 0; n < (dim == 2 ? side * side : side * side * side); n++) {
            uint64_t k = (uint64_t)n;
            vec3 at = {n % side, n / side % side, dim == 3 ? n / (side * side) : 0};
            weir_body_def def = box_def(at, v3(0.5, 0.5, 0.5));
            def.velocity = v3(random_unit(1, k) - 0.5 - 0.1 * at.x,
                              random_unit(2, k) - 0.5 - 0.1 * at.y, dim == 3 ? -0.1 * at.z : 0);
            make_body(world, &def);
        }
        rigid_sums before = sum_bodies(world);
        for (int k = 0; k < 20; k++) {
            step_world(world, 1.0 / 120);
            assert_true(k > 0 || world->crowd.active);
            rigid_sums now = sum_bodies(world);
            double scale = 1000.0 * (double)world->flow.body_count;
            assert_near(vec3_length(vec3_sub(now.momentum, before.momentum)), 0, 1e-14 * scale);
            assert_true(now.kinetic <= before.kinetic * (1 + 1e-6));
            if (k == 0 && world->crowd.position_result.iterations == 0) /* nothing was mended */
                assert_near(vec3_length(vec3_sub(now.angular, before.angular)), 0, 1e-13 * scale);
        }
        weir_world_destroy(world);
    }
}

/* Discs, whose pairs touch in one point. */
static void add_discs(weir_world *world)
{
    make_floor(world, 0, 0.5, 0);
    for (int n = 0; n < 144; n++) {
        weir_body_def def = ball_def(v3(n % 12, n / 12 + 0.5, 0), 0.5);
        make_body(world, &def);
    }
}

static weir_world *make_many(int kind, int threads, const char *simd)
{
    if (kind == 2)
        return make_heap(threads, simd, (weir_hooks){0}, 4);
    weir_world *world = make_world_of(2, GRAVITY, threads, simd, (weir_hooks){0});
    if (kind == 0)
        add_pyramid(world, 16);
    else
        add_discs(world);
    return world;
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        uint64_t expected = 0;
        for (const char *const *simd = weir_simd_levels(); *simd; simd++)
            for (int threads = 1; threads <= 3; threads += 2) {
                weir_world *world = make_many(kind, threads, *simd);
                step_many(world, 1.0 / 60, kind < 2 ? 15 : 50);
                assert_true(world->crowd.active);
                uint64_t hash = weir_world_hash(world);
                expected = expected ? expected : hash;
                assert_int_equal(hash, expected);
                weir_world_destroy(world);
            }
    }
}

/* What is kept between steps only saves time: a world that goes on from a snapshot finds all of it
 * anew. */
static void test_restored_crowd_goes_on(void **state)
{
    (void)state;
    weir_error error = {0};
    weir_world *world = make_heap(1, NULL, (weir_hooks){0}, 4);
    weir_world *copy = make_heap(1, NULL, (weir_hooks){0}, 4);
    step_many(world, 1.0 / 60, 45);
    assert_true(world->crowd.active);
    weir_snapshot *saved = weir_world_take_snapshot(world, &error);
    assert_non_null(saved);
    assert_true(weir_world_restore_snapshot(copy, saved, &error));
    step_many(world, 1.0 / 60, 20);
    step_many(copy, 1.0 / 60, 20);
    assert_int_equal(weir_world_hash(world), weir_world_hash(copy));
    weir_snapshot_destroy(saved);
    weir_world_destroy(world);
    weir_world_destroy(copy);
}

/* A body that joins far off leaves all as it was. */
static void test_newcomer_changes_nothing(void **state)
{
    (void)state;
    weir_world *worlds[2];
    vec3 ends[2];
    for (int n = 0; n < 2; n++) {
        worlds[n] = make_world_of(3, 0, 1, NULL, (weir_hooks){0});
        for (int k = 0; k < 125; k++) {
            weir_body_def def = box_def(v3(k % 5, k / 5 % 5, k / 25), v3(0.5, 0.5, 0.5));
            def.velocity = vec3_scale(def.pose.position, -0.02);
            make_body(worlds[n], &def);
        }
        for (int k = 0; k < 12; k++) {
            weir_body_def far = ball_def(v3(100 + 5 * k, 0, 0), 0.5);
            if (n == 1 && k % 3 == 0)
                make_body(worlds[n], &far);
            step_world(worlds[n], 1.0 / 120);
            assert_true(worlds[n]->crowd.active);
        }
        ends[n] = worlds[n]->flow.bodies[124].pose.position;
    }
    assert_memory_equal(&ends[0], &ends[1], sizeof ends[0]);
    weir_world_destroy(worlds[0]);
    weir_world_destroy(worlds[1]);
}

static void test_settled_crowd_takes_no_memory(void **state)
{
    (void)state;
    counting_memory counted;
    weir_world *world = make_world_of(2, GRAVITY, 1, NULL, counting_hooks(&counted));
    add_pyramid(world, 16);
    size_t calls = counted.calls;
    step_world(world, 1.0 / 60);
    assert_in_range(counted.calls - calls, 0, 4); /* most has been taken with the bodies */
    step_many(world, 1.0 / 60, 9);
    calls = counted.calls;
    step_many(world, 1.0 / 60, 10);
    assert_true(world->crowd.active);
    assert_int_equal(counted.calls, calls);
    weir_world_destroy(world);
    assert_int_equal(counted.live_blocks, 0);
}

/* Few enough that room for contacts is not taken before they touch, or more. */
static void add_few_or_many(weir_world *world, bool many)
{
    add_pyramid(world, many ? 12 : 10);
    for (int k = 0; !many && k < 5; k++) {
        weir_body_def def = box_def(v3(10 + 1.1 * k, 0.5, 0), v3(0.5, 0.5, 0.5));
        make_body(world, &def);
    }
}

/* Whether there was enough memory for a step with this number of allocations. */
static bool step_with(size_t allowed, bool many)
{
    counting_memory counted;
    weir_error error = {0};
    weir_world *world = make_world_of(2, GRAVITY, 1, NULL, counting_hooks(&counted));
    add_few_or_many(world, many);
    counted.calls_left = allowed;
    bool done = !(weir_world_step(world, 1.0 / 60, &error) & WEIR_STEP_FAILED);
    if (!done)
        assert_int_equal(error.code, WEIR_OUT_OF_MEMORY);
    counted.calls_left = SIZE_MAX;
    step_many(world, 1.0 / 60, 3);
    assert_true(world->crowd.active);
    weir_world_destroy(world);
    assert_int_equal(counted.live_blocks, 0);
    return done;
}

/* Whatever allocation fails, there is an error, nothing leaks, and the world can go on. */
static void test_memory_may_run_out(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        size_t allowed = 0;
        while (allowed < 80 && !step_with(allowed, many))
            allowed++;
        assert_in_range(allowed, 1, 79);
    }
}

/* The same for the body with which room for many is taken. */
static void test_memory_may_run_out_for_a_body(void **state)
{
    (void)state;
    bool done = false;
    for (size_t allowed = 0; !done; allowed++) {
        counting_memory counted;
        weir_error error = {0};
        weir_world *world = make_world_of(2, GRAVITY, 1, NULL, counting_hooks(&counted));
        add_few_or_many(world, false);
        while (world->flow.body_count < world->body_capacity) {
            weir_body_def def = ball_def(v3(50 + (double)world->flow.body_count, 0.5, 0), 0.4);
            make_body(world, &def);
        }
        weir_body_def def = ball_def(v3(40, 0.5, 0), 0.4);
        counted.calls_left = allowed;
        done = weir_body_create(world, &def, &error).slot > 0;
        if (!done)
            assert_int_equal(error.code, WEIR_OUT_OF_MEMORY);
        counted.calls_left = SIZE_MAX;
        make_body(world, &def);
        step_many(world, 1.0 / 60, 2);
        assert_true(world->crowd.active);
        weir_world_destroy(world);
        assert_int_equal(counted.live_blocks, 0);
    }
}

/* A pyramid at rest falls asleep as a whole, and wakes when it is struck. */
static void test_crowds_sleep_and_wake(void **state)
{
    (void)state;
    weir_world *world = make_world_of(2, GRAVITY, 1, NULL, (weir_hooks){0});
    weir_body_id apex = add_pyramid(world, 15);
    int frames = 0;
    while (!body_at(world, apex)->asleep && frames++ < 900)
        step_world(world, 1.0 / 60);
    for (size_t k = 1; k < world->flow.body_count; k++)
        assert_true(world->flow.bodies[k].asleep);
    weir_body_def ball = ball_def(v3(-14, 8, 0), 0.5);
    ball.velocity = v3(20, 0, 0);
    make_body(world, &ball);
    step_many(world, 1.0 / 60, 45);
    assert_false(body_at(world, apex)->asleep);
    weir_world_destroy(world);
}

/* Of a body that starts inside of another one both move, gently. */
static void test_bad_start_is_mended(void **state)
{
    (void)state;
    weir_world *world = make_world_of(3, GRAVITY, 1, NULL, (weir_hooks){0});
    make_floor(world, 0, 0.5, 0);
    for (int n = 0; n < 64; n++) {
        vec3 at = {0.95 * (n % 8), 0.48, 0.95 * (n / 8)}; /* 5 % of a box overlap on all sides */
        weir_body_def def = box_def(at, v3(0.5, 0.5, 0.5));
        make_body(world, &def);
    }
    double fastest = 0;
    for (int k = 0; k < 90; k++) {
        step_world(world, 1.0 / 60);
        assert_true(k > 0 || world->crowd.active);
        fastest = fmax(fastest, largest_speed(world));
    }
    assert_between(fastest, 0, 0.5);
    static weir_contact contacts[4096];
    size_t count = weir_world_get_contacts(world, contacts, COUNT_OF(contacts));
    for (size_t n = 0; n < count; n++)
        assert_true(contacts[n].distance > -0.01);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pyramid_stands),
        cmocka_unit_test(test_heap_stays_in_its_room),
        cmocka_unit_test(test_momentum_stays_to_rounding),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_restored_crowd_goes_on),
        cmocka_unit_test(test_newcomer_changes_nothing),
        cmocka_unit_test(test_settled_crowd_takes_no_memory),
        cmocka_unit_test(test_memory_may_run_out),
        cmocka_unit_test(test_memory_may_run_out_for_a_body),
        cmocka_unit_test(test_crowds_sleep_and_wake),
        cmocka_unit_test(test_bad_start_is_mended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
