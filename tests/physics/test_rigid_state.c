/* Worlds of bodies: same bits for every number of threads and after a restore, no memory taken in a
 * settled step, forces in balance. */
#include "support/counting_memory.h"
#include "support/rigid.h"

/* A bit of everything: a stack, a chain with a motor, a slider with a spring, a heap. */
static weir_world *make_fair(int threads, weir_hooks hooks)
{
    weir_world_def world_def = small_world_def(3, 0.02);
    world_def.threads = threads;
    world_def.hooks = hooks;
    weir_world *world = make_world(&world_def);
    make_floor(world, 0, 0.5, 0.2);
    for (int k = 0; k < 4; k++) {
        weir_body_def def = box_def(v3(0, 0.05 + 0.1 * k, 0), v3(0.05, 0.05, 0.05));
        make_body(world, &def);
    }
    weir_body_id last = NOTHING;
    for (int k = 0; k < 5; k++) {
        weir_body_def def = box_def(v3(0.5 + 0.2 * k, 0.6, 0), v3(0.08, 0.02, 0.02));
        weir_body_id next = make_body(world, &def);
        weir_joint_def hold = joint_def(k == 0 ? WEIR_JOINT_HINGE : WEIR_JOINT_BALL, next, last,
                                        v3(0.4 + 0.2 * k, 0.6, 0));
        if (k == 0) {
            hold.motor = WEIR_MOTOR_SPEED;
            hold.target = 2;
            hold.max_effort = 5;
        }
        make_joint(world, &hold);
        last = next;
    }
    weir_body_def sliding = box_def(v3(-0.5, 0.5, 0), v3(0.05, 0.05, 0.05));
    weir_body_id load = make_body(world, &sliding);
    weir_joint_def slider = joint_def(WEIR_JOINT_SLIDER, load, NOTHING, v3(-0.5, 0.5, 0));
    slider.axis = v3(0, 1, 0);
    slider.limited = true;
    slider.lo = -0.3;
    slider.hi = 0.3;
    make_joint(world, &slider);
    weir_joint_def spring = joint_def(WEIR_JOINT_SPRING, load, NOTHING, v3(-0.5, 0.5, 0));
    spring.anchor_b = v3(-0.5, 1, 0);
    spring.stiffness = 100;
    spring.damping = 1;
    make_joint(world, &spring);
    for (int k = 0; k < 6; k++) {
        weir_body_def def = ball_def(v3(-0.1 + 0.05 * k, 0.6 + 0.12 * k, 0.02 * k), 0.05);
        def.restitution = 0.4;
        make_body(world, &def);
    }
    return world;
}

static void test_threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t hashes[3];
    const int threads[3] = {1, 2, 3};
    for (int k = 0; k < 3; k++) {
        weir_world *world = make_fair(threads[k], (weir_hooks){0});
        step_many(world, 1.0 / 60, 90);
        hashes[k] = weir_world_hash(world);
        weir_world_destroy(world);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], hashes[2]);
}

/* Copies the sections of one world into another. */
static void copy_state(weir_world *from, weir_world *to)
{
    static const size_t bytes[] = {4, 8, 1, 4, 8};
    weir_section saved[WEIR_MAX_SECTIONS], fresh[WEIR_MAX_SECTIONS];
    int count = weir_world_get_sections(from, saved);
    size_t ids = 0, contacts = 0;
    for (int k = 0; k < count; k++) {
        if (strcmp(saved[k].name, "id") == 0)
            ids = saved[k].count;
        if (strcmp(saved[k].name, "contacts") == 0)
            contacts = saved[k].count;
    }
    weir_error error = {0};
    if (!weir_world_restore_begin(to, ids, contacts, &error))
        fail_msg("%s", error.text);
    assert_int_equal(weir_world_get_sections(to, fresh), count);
    for (int k = 0; k < count; k++) {
        assert_string_equal(saved[k].name, fresh[k].name);
        assert_int_equal(saved[k].count, fresh[k].count);
        if (saved[k].count > 0)
            memcpy(fresh[k].data, saved[k].data, saved[k].count * bytes[saved[k].type]);
    }
    if (!weir_world_restore_finish(to, &error))
        fail_msg("%s", error.text);
}

static void test_restore_continues_bit_for_bit(void **state)
{
    (void)state;
    const int moments[] = {7, 40, 75};
    for (size_t n = 0; n < COUNT_OF(moments); n++) {
        weir_world *world = make_fair(1, (weir_hooks){0}), *copy = make_fair(1, (weir_hooks){0});
        assert_int_equal(weir_world_fingerprint(world), weir_world_fingerprint(copy));
        step_many(world, 1.0 / 60, moments[n]);
        copy_state(world, copy);
        assert_int_equal(weir_world_hash(world), weir_world_hash(copy));
        step_many(world, 1.0 / 60, 60);
        step_many(copy, 1.0 / 60, 60);
        assert_int_equal(weir_world_hash(world), weir_world_hash(copy));
        weir_joint_state a = weir_world_joint_state(world, 0), b = weir_world_joint_state(copy, 0);
        assert_memory_equal(&a.force, &b.force, sizeof a.force);
        weir_world_destroy(world);
        weir_world_destroy(copy);
    }
}

/* Sleep is state, too. */
static void test_restore_keeps_sleepers(void **state)
{
    (void)state;
    weir_world *worlds[2];
    for (int k = 0; k < 2; k++) {
        worlds[k] = make_rigid_world(2, 9.81);
        make_floor(worlds[k], 0, 0.5, 0);
        weir_body_def def = box_def(v3(0, 0.05, 0), v3(0.05, 0.05, 0));
        make_body(worlds[k], &def);
        weir_body_def ball = ball_def(v3(-4.05, 0.05, 0), 0.05);
        ball.velocity = v3(3, 0, 0);
        ball.friction = 0;
        make_body(worlds[k], &ball);
    }
    step_many(worlds[0], 1.0 / 60, 55);
    assert_true(worlds[0]->flow.bodies[1].asleep);
    copy_state(worlds[0], worlds[1]);
    assert_true(worlds[1]->flow.bodies[1].asleep);
    for (int k = 0; k < 2; k++)
        step_many(worlds[k], 1.0 / 60, 60);
    assert_false(worlds[0]->flow.bodies[1].asleep);
    assert_int_equal(weir_world_hash(worlds[0]), weir_world_hash(worlds[1]));
    for (int k = 0; k < 2; k++)
        weir_world_destroy(worlds[k]);
}

static void test_settled_steps_take_no_memory(void **state)
{
    (void)state;
    counting_memory counted;
    weir_world *world = make_fair(1, counting_hooks(&counted));
    step_many(world, 1.0 / 60, 300);
    size_t calls = counted.calls;
    step_many(world, 1.0 / 60, 120);
    assert_int_equal(counted.calls, calls);
    weir_world_destroy(world);
    assert_int_equal(counted.live_blocks, 0);
}

/* Whatever allocation fails, there is an error and nothing leaks. */
static void test_memory_may_run_out(void **state)
{
    (void)state;
    counting_memory counted;
    weir_world_def def = small_world_def(2, 0.02);
    def.hooks = counting_hooks(&counted);
    for (size_t allowed = 1; allowed < 400; allowed++) {
        counted.calls_left = allowed;
        weir_error error = {0};
        weir_world *world = weir_world_create(&def, &error);
        weir_body_def floor = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
        weir_body_def box = box_def(v3(0, 0.05, 0), v3(0.05, 0.05, 0));
        weir_body_def ball = ball_def(v3(0, 0.2, 0), 0.05);
        bool done = false;
        if (world && weir_body_create(world, &floor, &error).slot > 0 &&
            weir_body_create(world, &box, &error).slot > 0) {
            weir_body_id b = weir_body_create(world, &ball, &error);
            weir_joint_def hold = joint_def(WEIR_JOINT_HINGE, b, NOTHING, v3(0.1, 0.2, 0));
            done = b.slot > 0 && weir_joint_create(world, &hold, &error).slot > 0;
            for (int k = 0; k < 5 && done; k++)
                done = !(weir_world_step(world, 1.0 / 60, &error) & WEIR_STEP_FAILED);
        }
        if (!done)
            assert_int_equal(error.code, WEIR_OUT_OF_MEMORY);
        weir_world_destroy(world);
        assert_int_equal(counted.live_blocks, 0);
        if (done)
            return;
    }
    fail_msg("the world never got enough memory");
}

/* Mean forces over a step: contact and joint forces change the momentum as gravity leaves it. */
static void test_reported_forces_balance(void **state)
{
    (void)state;
    weir_world *world = make_fair(1, (weir_hooks){0});
    step_many(world, 1.0 / 60, 20);
    for (int n = 0; n < 60; n++) {
        vec3 before[32];
        for (size_t k = 0; k < world->flow.body_count; k++)
            before[k] = world->flow.bodies[k].velocity;
        double gravity_time = -weir_world_get_time(world) + world->last_substep / 2;
        step_world(world, 1.0 / 60);
        gravity_time += weir_world_get_time(world) - world->last_substep / 2;
        for (size_t k = 0; k < world->flow.body_count; k++) {
            const body *b = &world->flow.bodies[k];
            if (!body_is_moved(b))
                continue;
            vec3 gained = vec3_scale(vec3_sub(b->velocity, before[k]), b->mass);
            vec3 given = vec3_scale(vec3_add(b->contact_force, b->joint_force), 1.0 / 60);
            given = vec3_madd(given, b->mass * gravity_time, world->flow.force);
            assert_near(vec3_length(vec3_sub(gained, given)), 0, 1e-5 * b->mass);
        }
    }
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_restore_continues_bit_for_bit),
        cmocka_unit_test(test_restore_keeps_sleepers),
        cmocka_unit_test(test_settled_steps_take_no_memory),
        cmocka_unit_test(test_memory_may_run_out),
        cmocka_unit_test(test_reported_forces_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
