/* Things that lie on each other: they stay, they bear their loads, they sleep and wake. */
#include "support/rigid.h"

static const double GRAVITY = 9.81;

enum { BOXES = 10 };

static weir_world *make_stack(int dim, double half, double offset, weir_body_id boxes[BOXES])
{
    weir_world *world = make_rigid_world(dim, GRAVITY);
    make_floor(world, 0, 0.5, 0);
    for (int k = 0; k < BOXES; k++) {
        weir_vec3 at = v3(offset * sin(7.0 * k), half + 2 * half * k, 0);
        if (dim == 3)
            at.z = offset * cos(13.0 * k);
        weir_body_def def = box_def(at, v3(half, half, half));
        boxes[k] = make_body(world, &def);
    }
    return world;
}

static double largest_shift(const weir_world *world)
{
    double shift = 0;
    for (size_t k = 0; k < world->flow.body_count; k++) {
        const body *b = &world->flow.bodies[k];
        shift = fmax(shift, vec3_length(vec3_sub(b->pose.position, b->initial.position)));
    }
    return shift;
}

/* Contact k from the top carries k m g. The force on a box is what comes from below less what
 * lies on it: its own weight. */
static void check_loads(const weir_world *world, const weir_body_id boxes[BOXES])
{
    for (int k = 0; k < BOXES; k++) {
        weir_body_state s;
        assert_true(weir_body_get_state(world, boxes[k], &s));
        assert_near(s.contact_force.y, s.mass * GRAVITY, 1e-3 * s.mass * GRAVITY);
    }
}

static void test_stack_stays_for_a_minute(void **state)
{
    (void)state;
    const double offsets[] = {0, 0.002};
    for (int dim = 2; dim <= 3; dim++)
        for (size_t n = 0; n < COUNT_OF(offsets); n++) {
            weir_body_id boxes[BOXES];
            weir_world *world = make_stack(dim, 0.05, offsets[n], boxes);
            step_many(world, 1.0 / 60, 3600);
            assert_between(largest_shift(world), 0, 1e-3);
            assert_between(largest_speed(world), 0, 1e-4);
            check_loads(world, boxes);
            weir_world_destroy(world);
        }
}

/* The same without sleep. */
static void test_stack_stays_awake(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_body_id boxes[BOXES];
        weir_world *world = make_stack(dim, 0.05, 0.002, boxes);
        for (int n = 0; n < 600; n++) {
            step_world(world, 1.0 / 60);
            for (int k = 0; k < BOXES; k++)
                body_at(world, boxes[k])->still_time = 0;
        }
        assert_false(body_at(world, boxes[0])->asleep);
        assert_between(largest_shift(world), 0, 1e-3);
        assert_between(largest_speed(world), 0, 1e-3);
        check_loads(world, boxes);
        weir_world_destroy(world);
    }
}

/* Thirty boxes, three metres high. */
static void test_tower_stands(void **state)
{
    (void)state;
    enum { TOWER = 30 };
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, GRAVITY);
        make_floor(world, 0, 0.5, 0);
        for (int k = 0; k < TOWER; k++) {
            weir_vec3 at = v3(0.002 * sin(7.0 * k), 0.05 + 0.1 * k, 0);
            weir_body_def def = box_def(at, v3(0.05, 0.05, 0.05));
            make_body(world, &def);
        }
        step_many(world, 1.0 / 60, 300);
        assert_between(largest_shift(world), 0, 0.01);
        assert_between(largest_speed(world), 0, 0.01);
        weir_world_destroy(world);
    }
}

/* Light below heavy: mass ratios of 1:100 in a stack. */
static void test_heavy_box_on_light_ones(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0.5, 0);
    weir_body_id boxes[3];
    for (int k = 0; k < 3; k++) {
        weir_body_def def = box_def(v3(0, 0.05 + 0.1 * k, 0), v3(0.05, 0.05, 0.05));
        def.mass = k == 2 ? 100 : 1;
        boxes[k] = make_body(world, &def);
    }
    step_many(world, 1.0 / 60, 600);
    assert_between(largest_shift(world), 0, 1e-3);
    weir_body_state s;
    assert_true(weir_body_get_state(world, boxes[2], &s));
    assert_near(s.contact_force.y, 100 * GRAVITY, 1);
    weir_world_destroy(world);
}

/* A heap that falls down comes to rest inside of its box. */
static void test_heap_comes_to_rest(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_tank(world, v3(-0.4, 0, -0.4), v3(0.4, 2, 0.4));
    for (int k = 0; k < 24; k++) {
        weir_vec3 at = v3(0.15 * (k % 3 - 1) + 0.01 * k, 0.1 + 0.13 * (k / 3), 0.12 * (k % 2));
        weir_body_def def = k % 3 ? box_def(at, v3(0.06, 0.04, 0.05)) : ball_def(at, 0.05);
        def.pose.rotation = turn_about(v3(0.6, 0, 0.8), 0.4 * k);
        make_body(world, &def);
    }
    rigid_sums begin = sum_bodies(world);
    double fastest = 0;
    for (int k = 0; k < 60 * 8; k++) {
        step_world(world, 1.0 / 60);
        fastest = fmax(fastest, largest_speed(world));
    }
    assert_between(fastest, 0, sqrt(2 * GRAVITY * 1.3)); /* no faster than it could fall */
    assert_true(sum_bodies(world).potential < begin.potential);
    for (size_t k = 1; k < world->flow.body_count; k++) {
        vec3 at = body_centre(&world->flow.bodies[k]);
        /* Balls may still roll: nothing brakes that. */
        if (strcmp(world->flow.bodies[k].name, "box") == 0)
            assert_between(vec3_length(world->flow.bodies[k].velocity), 0, 1e-3);
        assert_between(at.y, 0.035, 2);
        assert_between(fabs(at.x), 0, 0.37);
        assert_between(fabs(at.z), 0, 0.37);
    }
    weir_world_destroy(world);
}

/* A sphere in the corner of a tank touches floor and walls at once. */
static void test_ball_in_a_corner(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_tank(world, v3(0, 0, 0), v3(1, 1, 1));
    weir_body_def def = ball_def(v3(0.15, 0.15, 0.15), 0.1);
    def.velocity = v3(-1, 0, -1);
    def.friction = 0;
    weir_body_id ball = make_body(world, &def);
    for (int k = 0; k < 120; k++) {
        step_world(world, 1.0 / 60);
        vec3 at = centre_of(world, ball);
        assert_between(fmin(at.x, fmin(at.y, at.z)), 0.0995, 0.15);
    }
    assert_near(centre_of(world, ball).y, 0.1, 1e-4);
    weir_world_destroy(world);
}

static void test_sleepers_wake_when_struck(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0.5, 0);
    weir_body_def low = box_def(v3(0, 0.05, 0), v3(0.05, 0.05, 0.05));
    weir_body_def high = box_def(v3(0, 0.15, 0), v3(0.05, 0.05, 0.05));
    weir_body_def other = box_def(v3(2, 0.05, 0), v3(0.05, 0.05, 0.05));
    weir_body_id a = make_body(world, &low), b = make_body(world, &high);
    weir_body_id far = make_body(world, &other);
    step_many(world, 1.0 / 60, 60);
    assert_true(body_at(world, a)->asleep && body_at(world, b)->asleep);
    /* A ball thrown against the upper one wakes both, but not the one far off. */
    weir_body_def thrown = ball_def(v3(-0.5, 0.15, 0), 0.04);
    thrown.velocity = v3(5, 0.5, 0);
    make_body(world, &thrown);
    for (int k = 0; k < 12; k++)
        step_world(world, 1.0 / 60);
    assert_false(body_at(world, a)->asleep || body_at(world, b)->asleep);
    assert_true(body_at(world, far)->asleep);
    assert_true(body_at(world, b)->velocity.x > 0.5);
    weir_world_destroy(world);
}

/* Everything that happens to sleepers is what happens to bodies that never slept. */
static void test_sleep_changes_nothing(void **state)
{
    (void)state;
    double ends[2];
    for (int awake = 0; awake < 2; awake++) {
        weir_world *world = make_rigid_world(2, GRAVITY);
        make_floor(world, 0, 0.3, 0);
        weir_body_def def = box_def(v3(0, 0.05, 0), v3(0.05, 0.05, 0.05));
        weir_body_id box = make_body(world, &def);
        for (int k = 0; k < 120; k++) {
            step_world(world, 1.0 / 120);
            if (awake)
                body_at(world, box)->still_time = 0;
        }
        assert_int_equal(body_at(world, box)->asleep, !awake);
        weir_body_def ball = ball_def(v3(-0.6, 0.05, 0), 0.05);
        ball.velocity = v3(3, 0, 0);
        ball.friction = 0;
        make_body(world, &ball);
        step_many(world, 1.0 / 120, 120);
        ends[awake] = centre_of(world, box).x;
        weir_world_destroy(world);
    }
    assert_true(ends[0] > 0.05);
    assert_near(ends[0], ends[1], 1e-4);
}

static void test_sleepers_fall_when_their_support_goes(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_def table = box_def(v3(0, 0, 0), v3(0.5, 0.05, 0.5));
    table.kind = WEIR_BODY_STATIC;
    weir_body_def def = box_def(v3(0, 0.1, 0), v3(0.05, 0.05, 0.05));
    weir_body_id support = make_body(world, &table), box = make_body(world, &def);
    step_many(world, 1.0 / 60, 60);
    assert_true(body_at(world, box)->asleep);
    weir_error error = {0};
    assert_true(weir_body_destroy(world, support, &error));
    step_many(world, 1.0 / 60, 30);
    assert_true(centre_of(world, box).y < -0.5);
    weir_world_destroy(world);
}

/* A platform that begins to move takes along what sleeps on it. */
static void test_platform_carries_sleepers(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_def lift = box_def(v3(0, 0, 0), v3(0.5, 0.05, 0.5));
    lift.kind = WEIR_BODY_ANIMATED;
    lift.motion.velocity = v3(0.2, 0.3, 0);
    lift.motion.start = 1;
    weir_body_def def = box_def(v3(0, 0.1, 0), v3(0.05, 0.05, 0.05));
    weir_body_id support = make_body(world, &lift), box = make_body(world, &def);
    step_many(world, 1.0 / 60, 59);
    assert_true(body_at(world, box)->asleep);
    step_many(world, 1.0 / 60, 61);
    vec3 above = vec3_sub(centre_of(world, box), centre_of(world, support));
    assert_near(above.y, 0.1, 1e-3);
    assert_near(above.x, 0, 0.02);
    assert_near(centre_of(world, support).y, 0.3, 1e-6);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack_stays_for_a_minute),
        cmocka_unit_test(test_stack_stays_awake),
        cmocka_unit_test(test_tower_stands),
        cmocka_unit_test(test_heavy_box_on_light_ones),
        cmocka_unit_test(test_heap_comes_to_rest),
        cmocka_unit_test(test_ball_in_a_corner),
        cmocka_unit_test(test_sleepers_wake_when_struck),
        cmocka_unit_test(test_sleep_changes_nothing),
        cmocka_unit_test(test_sleepers_fall_when_their_support_goes),
        cmocka_unit_test(test_platform_carries_sleepers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
