/* What joints hold, drive and bear. */
#include "support/rigid.h"

static const double GRAVITY = 9.81;

/* A chain of 20 links with a load of 100 links' mass at its end, dropped from the horizontal. */
static void check_chain(int dim, double step)
{
    enum { LINKS = 20 };
    weir_world *world = make_rigid_world(dim, GRAVITY);
    weir_body_id last = NOTHING;
    for (int k = 0; k <= LINKS; k++) {
        bool load = k == LINKS;
        weir_body_def def = load ? ball_def(v3(0.1 * k + 0.05, 0, 0), 0.05)
                                 : box_def(v3(0.1 * k + 0.05, 0, 0), v3(0.04, 0.01, 0.01));
        def.mass = load ? 10 : 0.1;
        weir_body_id next = make_body(world, &def);
        weir_joint_def hold = joint_def(WEIR_JOINT_BALL, next, last, v3(0.1 * k, 0, 0));
        make_joint(world, &hold);
        last = next;
    }
    double drift = 0, lowest = 0;
    while (weir_world_get_time(world) < 3) {
        step_world(world, step);
        drift = fmax(drift, largest_drift(world));
        lowest = fmin(lowest, centre_of(world, last).y);
    }
    assert_between(drift, 0, 1e-6);
    assert_near(lowest, -2.05, 0.02);
    weir_world_destroy(world);
}

static void test_chain_with_heavy_load(void **state)
{
    (void)state;
    check_chain(2, 1.0 / 60);
    check_chain(3, 1.0 / 60);
}

static void test_hanging_chain_bears_its_load(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_id last = NOTHING;
    double below = 0;
    for (int k = 0; k < 5; k++) {
        weir_body_def def = box_def(v3(0, -0.1 * k - 0.05, 0), v3(0.01, 0.05, 0.01));
        def.mass = 1 + k;
        below += def.mass;
        weir_body_id next = make_body(world, &def);
        weir_joint_def hold = joint_def(WEIR_JOINT_BALL, next, last, v3(0, -0.1 * k, 0));
        make_joint(world, &hold);
        last = next;
    }
    step_many(world, 1.0 / 60, 10);
    for (int k = 0; k < 5; k++) {
        assert_near(weir_world_joint_state(world, k).force.y, below * GRAVITY, 1e-6);
        below -= 1 + k;
    }
    weir_world_destroy(world);
}

/* A body on an axle through its middle, so that gravity does not turn it. */
static weir_joint_id make_wheel(weir_world *world, weir_joint_def *hinge, weir_body_id *wheel)
{
    weir_body_def def = ball_def(v3(0, 0, 0), 0.1);
    *wheel = make_body(world, &def);
    weir_joint_def made = joint_def(WEIR_JOINT_HINGE, *wheel, NOTHING, v3(0, 0, 0));
    made.motor = hinge->motor;
    made.target = hinge->target;
    made.max_effort = hinge->max_effort;
    made.limited = hinge->limited;
    made.lo = hinge->lo;
    made.hi = hinge->hi;
    return make_joint(world, &made);
}

static void test_speed_motor(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, GRAVITY);
        weir_joint_def hinge = weir_joint_def_default();
        weir_body_id wheel;
        hinge.motor = WEIR_MOTOR_SPEED;
        hinge.target = 12;
        hinge.max_effort = 0.1;
        make_wheel(world, &hinge, &wheel);
        const body *b = body_at(world, wheel);
        double inertia = b->inertia[2][2], time = 0.25;
        step_many(world, 1.0 / 240, 60);
        /* Torque is at its limit at first: it starts with M/I. */
        assert_near(b->spin.z, 0.1 / inertia * time, 0.02 * 0.1 / inertia * time);
        assert_near(weir_world_joint_state(world, 0).effort, 0.1, 1e-6);
        step_many(world, 1.0 / 60, 60 * (int)ceil(12 * inertia / 0.1));
        assert_near(b->spin.z, 12, 1e-3);
        assert_near(weir_world_joint_state(world, 0).speed, 12, 1e-3);
        assert_near(weir_world_joint_state(world, 0).effort, 0, 1e-4);
        /* Whole turns count. */
        assert_true(weir_world_joint_state(world, 0).position > 7);
        weir_world_destroy(world);
    }
}

/* A slider lifts a load at constant speed if it is strong enough, and else does not hold it. */
static double lift(double max_effort, double *effort)
{
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_def def = box_def(v3(0, 0, 0), v3(0.05, 0.05, 0.05));
    def.mass = 2;
    weir_body_id load = make_body(world, &def);
    weir_joint_def slider = joint_def(WEIR_JOINT_SLIDER, load, NOTHING, v3(0, 0, 0));
    slider.axis = v3(0, 1, 0);
    slider.motor = WEIR_MOTOR_SPEED;
    slider.target = 0.5;
    slider.max_effort = max_effort;
    make_joint(world, &slider);
    step_many(world, 1.0 / 240, 240);
    *effort = weir_world_joint_state(world, 0).effort;
    double rise = weir_world_joint_state(world, 0).position;
    weir_world_destroy(world);
    return rise;
}

static void test_motor_stalls_at_its_limit(void **state)
{
    (void)state;
    double effort, weight = 2 * GRAVITY;
    assert_near(lift(10 * weight, &effort), 0.5, 0.01);
    assert_near(effort, weight, 1e-3 * weight);
    assert_near(lift(INFINITY, &effort), 0.5, 0.01);
    assert_near(effort, weight, 1e-3 * weight);
    assert_near(lift(weight, &effort), 0, 0.01); /* just holds */
    assert_near(lift(0.5 * weight, &effort), -0.25 * GRAVITY, 0.02);
    assert_near(effort, 0.5 * weight, 1e-6 * weight);
}

static void test_position_motor(void **state)
{
    (void)state;
    const double efforts[] = {0.2, 5, INFINITY};
    for (size_t k = 0; k < COUNT_OF(efforts); k++) {
        weir_world *world = make_rigid_world(3, GRAVITY);
        weir_joint_def hinge = weir_joint_def_default();
        weir_body_id wheel;
        hinge.motor = WEIR_MOTOR_POSITION;
        hinge.target = 2;
        hinge.max_effort = efforts[k];
        weir_joint_id id = make_wheel(world, &hinge, &wheel);
        double farthest = 0;
        for (int n = 0; n < 360; n++) {
            step_world(world, 1.0 / 120);
            farthest = fmax(farthest, weir_world_joint_state(world, 0).position);
        }
        assert_near(weir_world_joint_state(world, 0).position, 2, 1e-3);
        assert_between(farthest, 0, 2.02); /* it brakes in time */
        weir_error error = {0};
        assert_true(weir_joint_set_motor(world, id, WEIR_MOTOR_POSITION, -8, efforts[k], &error));
        step_many(world, 1.0 / 60, 400);
        assert_near(weir_world_joint_state(world, 0).position, -8, 1e-2);
        weir_world_destroy(world);
    }
}

/* A pendulum between stops. */
static void test_hinge_limits_hold(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, GRAVITY);
        weir_body_def def = box_def(v3(0.2, 0, 0), v3(0.2, 0.02, 0.02));
        weir_body_id arm = make_body(world, &def);
        weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, arm, NOTHING, v3(0, 0, 0));
        hinge.limited = true;
        hinge.lo = -0.6;
        hinge.hi = 0.1;
        make_joint(world, &hinge);
        double lowest = 0;
        for (int k = 0; k < 180; k++) {
            step_world(world, 1.0 / 60);
            lowest = fmin(lowest, weir_world_joint_state(world, 0).position);
        }
        assert_near(lowest, -0.6, 2e-3);
        assert_near(weir_world_joint_state(world, 0).position, -0.6, 2e-3);
        assert_near(body_at(world, arm)->spin.z, 0, 1e-4);
        weir_world_destroy(world);
    }
}

static void test_slider_limits_stop_a_strong_motor(void **state)
{
    (void)state;
    const double efforts[] = {50, INFINITY};
    for (size_t k = 0; k < COUNT_OF(efforts); k++) {
        weir_world *world = make_rigid_world(3, 0);
        weir_body_def def = box_def(v3(0, 0, 0), v3(0.05, 0.05, 0.05));
        make_body(world, &def);
        weir_joint_def slider =
            joint_def(WEIR_JOINT_SLIDER, weir_world_body_at(world, 0), NOTHING, v3(0, 0, 0));
        slider.axis = v3(1, 1, 0);
        slider.limited = true;
        slider.lo = -0.1;
        slider.hi = 0.3;
        slider.motor = WEIR_MOTOR_SPEED;
        slider.target = 2;
        slider.max_effort = efforts[k];
        make_joint(world, &slider);
        double farthest = 0;
        for (int n = 0; n < 120; n++) {
            step_world(world, 1.0 / 60);
            farthest = fmax(farthest, weir_world_joint_state(world, 0).position);
        }
        assert_near(farthest, 0.3, 1e-3);
        assert_near(weir_world_joint_state(world, 0).position, 0.3, 1e-3);
        assert_near(vec3_length(body_at(world, weir_world_body_at(world, 0))->velocity), 0, 1e-3);
        weir_world_destroy(world);
    }
}

/* A mass on a spring from rest at `stretch`: mean frequency over some swings, and the amplitude at
 * the end over that at the beginning. */
static void swing(double stiffness, double damping, double step, double *frequency, double *share)
{
    double stretch = 0.1, length = 0.5;
    weir_world *world = make_rigid_world(3, 0);
    weir_body_def def = ball_def(v3(0, -length - stretch, 0), 0.05);
    def.mass = 1;
    weir_body_id ball = make_body(world, &def);
    weir_joint_def spring = joint_def(WEIR_JOINT_SPRING, ball, NOTHING, def.pose.position);
    spring.anchor_b = v3(0, 0, 0);
    spring.length = length;
    spring.stiffness = stiffness;
    spring.damping = damping;
    make_joint(world, &spring);
    double before = -stretch, first = 0, last = 0, top = 0;
    int crossings = 0;
    for (int k = 0; crossings < 11 && k < 100000; k++) {
        step_world(world, step);
        double x = centre_of(world, ball).y + length;
        top = crossings >= 9 ? fmax(top, fabs(x)) : 0;
        if ((before < 0) != (x < 0)) {
            last = weir_world_get_time(world) - step * x / (x - before);
            first = crossings++ == 0 ? last : first;
        }
        before = x;
    }
    *frequency = PI * 10 / (last - first); /* rad/s */
    *share = top / stretch;
    weir_world_destroy(world);
}

static void test_spring_frequency(void **state)
{
    (void)state;
    double frequency, share;
    swing(400, 0, 1.0 / 240, &frequency, &share);
    assert_near(frequency, 20, 0.02);
    assert_near(share, 1, 0.005);
    /* Damped: exp(−c t/2m), over nine half swings. */
    swing(400, 0.5, 1.0 / 480, &frequency, &share);
    assert_near(frequency, sqrt(400 - 0.0625), 0.02);
    assert_near(share, exp(-0.25 * 9 * PI / 20), 0.005);
}

static void test_stiff_springs_are_stable(void **state)
{
    (void)state;
    const double stiffness[] = {1e4, 1e6, 1e9, 1e14};
    for (size_t n = 0; n < COUNT_OF(stiffness); n++) {
        weir_world *world = make_rigid_world(3, GRAVITY);
        weir_body_id last = NOTHING;
        for (int k = 0; k < 4; k++) {
            weir_body_def def = ball_def(v3(0.3 * k + 0.3, 0, 0), 0.05);
            weir_body_id next = make_body(world, &def);
            weir_joint_def spring = joint_def(WEIR_JOINT_SPRING, next, last, def.pose.position);
            spring.anchor_b = v3(0.3 * k, 0, 0);
            spring.stiffness = stiffness[n];
            make_joint(world, &spring);
            last = next;
        }
        double speed = 0;
        for (int k = 0; k < 300; k++) {
            step_world(world, 1.0 / 60);
            speed = fmax(speed, largest_speed(world));
        }
        /* Falling from 1.2 m and cracking like a whip at most. */
        assert_between(speed, 2, 12);
        for (int k = 0; k < 4; k++)
            assert_near(weir_world_joint_state(world, k).position, 0.3, 0.03);
        weir_world_destroy(world);
    }
}

static void test_breaking_load(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_id loads[2];
    for (int k = 0; k < 2; k++) {
        weir_body_def def = box_def(v3(k, -0.5, 0), v3(0.05, 0.05, 0.05));
        def.mass = 1;
        loads[k] = make_body(world, &def);
        weir_joint_def hold = joint_def(WEIR_JOINT_BALL, loads[k], NOTHING, v3(k, 0, 0));
        hold.break_force = k == 0 ? 0.95 * GRAVITY : 1.05 * GRAVITY;
        make_joint(world, &hold);
    }
    step_many(world, 1.0 / 60, 60);
    assert_true(weir_world_joint_state(world, 0).broken);
    assert_false(weir_world_joint_state(world, 1).broken);
    assert_true(centre_of(world, loads[0]).y < -4);
    assert_near(centre_of(world, loads[1]).y, -0.5, 1e-6);
    weir_world_destroy(world);
}

/* Locks, sliders and hinges between bodies under load keep their directions. */
static void test_directions_hold(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_def first = box_def(v3(0.2, 0, 0), v3(0.2, 0.03, 0.05));
    weir_body_def second = box_def(v3(0.6, 0, 0.05), v3(0.2, 0.03, 0.05));
    weir_body_def third = box_def(v3(0.6, 0.1, 0.05), v3(0.05, 0.05, 0.05));
    first.collides = second.collides = third.collides = 0;
    weir_body_id a = make_body(world, &first), b = make_body(world, &second);
    weir_body_id c = make_body(world, &third);
    weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, a, NOTHING, v3(0, 0, 0));
    hinge.axis = v3(0, 0, 1);
    make_joint(world, &hinge);
    weir_joint_def lock = joint_def(WEIR_JOINT_LOCK, b, a, v3(0.4, 0, 0));
    make_joint(world, &lock);
    weir_joint_def slider = joint_def(WEIR_JOINT_SLIDER, c, b, v3(0.6, 0.1, 0.05));
    slider.axis = v3(1, 0, 0);
    slider.limited = true;
    slider.lo = -0.15;
    slider.hi = 0.15;
    make_joint(world, &slider);
    double drift = 0, turn = 0, out = 0;
    for (int k = 0; k < 600; k++) {
        step_world(world, 1.0 / 120);
        drift = fmax(drift, largest_drift(world));
        quat qa = body_at(world, a)->pose.rotation, qb = body_at(world, b)->pose.rotation;
        quat qc = body_at(world, c)->pose.rotation;
        turn = fmax(turn, 2 * vec3_length(joint_rotation_error(&world->joints[1], qb, qa)));
        turn = fmax(turn, 2 * vec3_length(joint_rotation_error(&world->joints[2], qc, qb)));
        out =
            fmax(out, fabs(quat_rotate(qa, v3(0, 0, 1)).x) + fabs(quat_rotate(qa, v3(0, 0, 1)).y));
    }
    assert_between(drift, 0, 1e-6);
    assert_between(turn, 0, 1e-6);
    assert_between(out, 0, 1e-9);
    assert_between(fabs(weir_world_joint_state(world, 2).position), 0, 0.151);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_with_heavy_load),
        cmocka_unit_test(test_hanging_chain_bears_its_load),
        cmocka_unit_test(test_speed_motor),
        cmocka_unit_test(test_motor_stalls_at_its_limit),
        cmocka_unit_test(test_position_motor),
        cmocka_unit_test(test_hinge_limits_hold),
        cmocka_unit_test(test_slider_limits_stop_a_strong_motor),
        cmocka_unit_test(test_spring_frequency),
        cmocka_unit_test(test_stiff_springs_are_stable),
        cmocka_unit_test(test_breaking_load),
        cmocka_unit_test(test_directions_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
