/* Newton's laws: momentum, angular momentum and energy of bodies in free space. */
#include "support/rigid.h"

static void check_sums(rigid_sums begin, rigid_sums end, double momentum, double angular)
{
    assert_near(vec3_length(vec3_sub(end.momentum, begin.momentum)), 0, momentum);
    assert_near(vec3_length(vec3_sub(end.angular, begin.angular)), 0, angular);
}

static void test_free_fall(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    weir_body_def def = box_def(v3(0, 0, 0), v3(0.1, 0.2, 0.3));
    def.velocity = v3(1, 2, 3);
    weir_body_id box = make_body(world, &def);
    step_many(world, 1.0 / 60, 60);
    /* Leap-frog is exact for a constant force; velocities belong to the middle of a substep. */
    vec3 at = centre_of(world, box);
    assert_near(at.x, 1, 1e-12);
    assert_near(at.y, 2 - 9.81 / 2, 1e-12);
    assert_near(at.z, 3, 1e-12);
    weir_world_destroy(world);
}

/* A tumbling box: the angular momentum stays, the energy does not drift, though it turns over
 * again and again (Dzhanibekov's wing nut: spin about the middle axis). */
static void test_tumbling_box(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 0);
    weir_body_def def = box_def(v3(0, 0, 0), v3(0.05, 0.1, 0.2));
    def.spin = v3(0.01, 5, 0.01);
    weir_body_id box = make_body(world, &def);
    rigid_sums begin = sum_bodies(world);
    double lowest = INFINITY, highest = 0, least = 1;
    for (int k = 0; k < 60 * 60; k++) {
        step_world(world, 1.0 / 60);
        rigid_sums now = sum_bodies(world);
        lowest = fmin(lowest, now.kinetic / begin.kinetic);
        highest = fmax(highest, now.kinetic / begin.kinetic);
        vec3 axis = quat_rotate(body_at(world, box)->pose.rotation, v3(0, 1, 0));
        least = fmin(least, axis.y);
    }
    check_sums(begin, sum_bodies(world), 1e-15, 1e-11 * vec3_length(begin.angular));
    assert_between(lowest, 0.995, 1.0001);
    assert_between(highest, 0.9999, 1.005);
    assert_between(least, -1, -0.95); /* it did turn over */
    weir_world_destroy(world);
}

/* A symmetric top precesses about its angular momentum with |L|/I1; seen from the body the spin
 * goes round with (I3 − I1) ω3/I1. */
static void test_symmetric_top(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 0);
    weir_body_def def = box_def(v3(0, 0, 0), v3(0.1, 0.02, 0.1));
    def.spin = v3(1, 10, 0);
    weir_body_id top = make_body(world, &def);
    const body *b = body_at(world, top);
    double rate = (b->inertia[1][1] - b->inertia[0][0]) * 10 / b->inertia[0][0], time = 1;
    step_many(world, 1.0 / 240, 240);
    vec3 spin = quat_unrotate(b->pose.rotation, b->spin);
    assert_near(spin.y, 10, 1e-9);
    assert_near(spin.x, cos(rate * time), 5e-3);
    assert_near(fabs(spin.z), fabs(sin(rate * time)), 5e-3);
    weir_world_destroy(world);
}

/* Bodies that collide, rub and are jointed, all in free space. */
static void test_momentum_with_contacts_and_joints(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, 0);
        weir_body_id last = NOTHING;
        double z = dim == 3 ? 1 : 0;
        for (int k = 0; k < 8; k++) {
            weir_vec3 at = v3(0.22 * k, 0.05 * (k % 2), 0.02 * k * z);
            weir_body_def def = k % 2 ? ball_def(at, 0.1) : box_def(at, v3(0.1, 0.08, 0.09));
            def.velocity = v3(k < 4 ? 0.6 : -0.5, 0.1 * k, 0.05 * k * z);
            def.spin = v3(0.3 * k * z, -0.2 * z, 2 - 0.5 * k);
            def.restitution = 0.3;
            weir_body_id next = make_body(world, &def);
            if (k == 2 || k == 3 || k == 6) {
                weir_joint_def hold = joint_def(k == 6 ? WEIR_JOINT_HINGE : WEIR_JOINT_BALL, last,
                                                next, v3(0.22 * k - 0.11, 0, 0.02 * k * z));
                make_joint(world, &hold);
            }
            last = next;
        }
        rigid_sums begin = sum_bodies(world);
        double turned = 0;
        int touches = 0;
        for (int k = 0; k < 240; k++) {
            step_world(world, 1.0 / 120);
            rigid_sums now = sum_bodies(world);
            turned = fmax(turned, vec3_length(vec3_sub(now.angular, begin.angular)));
            assert_near(vec3_length(vec3_sub(now.momentum, begin.momentum)), 0, 1e-12);
            assert_between(now.kinetic, 0, begin.kinetic * (1 + 1e-3));
            for (size_t b = 0; b < world->flow.body_count; b++)
                touches += vec3_length(world->flow.bodies[b].contact_force) > 0;
        }
        assert_true(touches > 10);
        assert_between(turned, 0, 1e-10);
        assert_between(largest_drift(world), 0, 1e-8);
        weir_world_destroy(world);
    }
}

/* Springs and motors between bodies push both alike. */
static void test_momentum_with_springs_and_motors(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 0);
    weir_body_id box[3];
    for (int k = 0; k < 3; k++) {
        weir_body_def def = box_def(v3(0.5 * k, 0.1 * k, 0), v3(0.1, 0.08, 0.06));
        def.velocity = v3(0, 0.2 * k, -0.1);
        def.collides = 0;
        box[k] = make_body(world, &def);
    }
    weir_joint_def spring = joint_def(WEIR_JOINT_SPRING, box[0], box[1], v3(0.1, 0, 0));
    spring.anchor_b = v3(0.4, 0.1, 0.05);
    spring.stiffness = 500;
    spring.damping = 2;
    spring.length = 0.15;
    make_joint(world, &spring);
    weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, box[1], box[2], v3(0.75, 0.15, 0));
    hinge.motor = WEIR_MOTOR_SPEED;
    hinge.target = 3;
    hinge.max_effort = 100;
    make_joint(world, &hinge);
    rigid_sums begin = sum_bodies(world);
    step_many(world, 1.0 / 240, 480);
    check_sums(begin, sum_bodies(world), 1e-12, 1e-10);
    assert_near(weir_world_joint_state(world, 1).speed, 3, 0.05);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_tumbling_box),
        cmocka_unit_test(test_symmetric_top),
        cmocka_unit_test(test_momentum_with_contacts_and_joints),
        cmocka_unit_test(test_momentum_with_springs_and_motors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
