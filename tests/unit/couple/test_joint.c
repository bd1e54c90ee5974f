/* Rows of joints: how many, that they are the derivatives of what they measure, positions. */
#include "support/rigid.h"

/* Two boxes, turned and apart, moving; joined somewhere between. */
static weir_world *make_pair(int dim, weir_joint_kind kind, weir_body_id ids[2])
{
    weir_world *world = make_rigid_world(dim, 0);
    for (int k = 0; k < 2; k++) {
        weir_vec3 at = v3(0.4 * k, 0.1 * k, dim == 3 ? -0.2 * k : 0);
        weir_body_def def = box_def(at, v3(0.1, 0.06, 0.08));
        def.collides = 0;
        vec3 axis = dim == 3 ? vec3_unit(v3(1, 2, 3), v3(0, 0, 1)) : v3(0, 0, 1);
        def.pose.rotation = turn_about(axis, 0.5 - k);
        def.velocity = v3(0.3, -0.2 * k, dim == 3 ? 0.1 : 0);
        def.spin = dim == 3 ? v3(1, -2, 0.5 * k) : v3(0, 0, 1 - 3 * k);
        ids[k] = make_body(world, &def);
    }
    weir_joint_def def = joint_def(kind, ids[0], ids[1], v3(0.15, 0.1, 0));
    def.anchor_b = v3(0.3, 0.1, 0);
    def.axis = dim == 3 ? v3(1, 1, -1) : v3(1, 1, 0);
    def.stiffness = 10;
    make_joint(world, &def);
    return world;
}

static void test_row_counts(void **state)
{
    (void)state;
    /* ball, hinge, slider, lock, distance, spring, in 2D and in 3D */
    const size_t expected[2][6] = {{2, 2, 2, 3, 1, 1}, {3, 5, 5, 6, 1, 1}};
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < 6; kind++) {
            weir_body_id ids[2];
            weir_world *world = make_pair(dim, (weir_joint_kind)kind, ids);
            step_world(world, 1e-3);
            assert_int_equal(weir_world_get_solve_info(world).joint_rows, expected[dim - 2][kind]);
            weir_world_destroy(world);
        }
}

/* J v is the rate of the value that a row measures: central difference over the bodies' motion. */
static void test_rows_are_derivatives(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind <= WEIR_JOINT_DISTANCE; kind++) {
            weir_body_id ids[2];
            weir_world *world = make_pair(dim, (weir_joint_kind)kind, ids);
            flow *f = &world->flow;
            mechanism_clear(&world->mechanism, f->bodies, f->body_count, 0, 0.01);
            row_system_clear(&world->system);
            f->gravity_time = 0.01;
            assert_true(
                joints_add_rows(world->joints, 1, &world->mechanism, &world->system, f, NULL));
            assert_true(world->mechanism.row_count > 0);
            for (size_t r = 0; r < world->mechanism.row_count; r++) {
                const joint_row *kept = &world->mechanism.rows[r];
                double speed = 0, step = 1e-5, ends[2];
                const double *on[2] = {kept->on_a, kept->on_b};
                for (int k = 0; k < 2; k++) {
                    const body *b = body_at(world, ids[k]);
                    speed += on[k][0] * b->velocity.x + on[k][1] * b->velocity.y +
                             on[k][2] * b->velocity.z + on[k][3] * b->spin.x +
                             on[k][4] * b->spin.y + on[k][5] * b->spin.z;
                }
                for (int k = 0; k < 2; k++) {
                    double dt = k == 0 ? -step : step;
                    ends[k] = kept->measure(kept, body_predict(body_at(world, ids[0]), 0, dt),
                                            body_predict(body_at(world, ids[1]), 0, dt));
                }
                assert_near(speed, (ends[1] - ends[0]) / (2 * step), 1e-6);
                assert_near(kept->value, 0, 1e-12);
            }
            weir_world_destroy(world);
        }
}

/* A hinge counts whole turns, both ways. */
static void test_hinge_counts_turns(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        weir_world *world = make_rigid_world(3, 0);
        weir_body_def def = ball_def(v3(0, 0, 0), 0.1);
        def.spin = v3(0, 0, way * 4);
        weir_body_id ball = make_body(world, &def);
        weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, ball, NOTHING, v3(0, 0, 0));
        make_joint(world, &hinge);
        step_many(world, 1.0 / 60, 300);
        assert_near(weir_world_joint_state(world, 0).position, way * 20, 1e-6);
        assert_near(weir_world_joint_state(world, 0).speed, way * 4, 1e-9);
        weir_world_destroy(world);
    }
}

static void test_positions_begin_at_zero(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        weir_body_id ids[2];
        weir_world *world = make_pair(3, (weir_joint_kind)kind, ids);
        weir_joint_state s = weir_world_joint_state(world, 0);
        double expected = kind == WEIR_JOINT_DISTANCE || kind == WEIR_JOINT_SPRING ? 0.15 : 0;
        assert_near(s.position, expected, 1e-12);
        assert_near(s.drift, 0, 1e-12);
        assert_near(s.speed, 0, 0);
        weir_world_destroy(world);
    }
}

/* A joint to an animated body follows it. */
static void test_joint_to_a_moving_support(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    weir_body_def support = box_def(v3(0, 0, 0), v3(0.05, 0.05, 0.05));
    support.kind = WEIR_BODY_ANIMATED;
    support.motion.oscillation = v3(0.2, 0, 0);
    support.motion.frequency = 1;
    support.motion.spin = v3(0, 3, 0);
    weir_body_def load = box_def(v3(0.1, -0.3, 0), v3(0.05, 0.05, 0.05));
    weir_body_id top = make_body(world, &support), bottom = make_body(world, &load);
    weir_joint_def ball = joint_def(WEIR_JOINT_BALL, bottom, top, v3(0.1, 0, 0));
    make_joint(world, &ball);
    double drift = 0;
    for (int k = 0; k < 240; k++) {
        step_world(world, 1.0 / 120);
        drift = fmax(drift, largest_drift(world));
    }
    assert_between(drift, 0, 1e-9);
    weir_world_destroy(world);
}

/* Joints whose body was destroyed hold nothing and say nothing. */
static void test_joint_of_a_destroyed_body(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    weir_body_def def = ball_def(v3(0, 0, 0), 0.1);
    weir_body_id a = make_body(world, &def);
    def.pose.position = v3(0, -0.5, 0);
    weir_body_id b = make_body(world, &def);
    weir_joint_def top = joint_def(WEIR_JOINT_BALL, a, NOTHING, v3(0, 0, 0));
    weir_joint_def rod = joint_def(WEIR_JOINT_BALL, b, a, v3(0, -0.25, 0));
    make_joint(world, &top);
    make_joint(world, &rod);
    step_many(world, 1.0 / 60, 10);
    assert_near(centre_of(world, b).y, -0.5, 1e-9);
    weir_error error = {0};
    assert_true(weir_body_destroy(world, a, &error));
    step_many(world, 1.0 / 60, 60);
    assert_true(centre_of(world, b).y < -4);
    weir_joint_def stale = joint_def(WEIR_JOINT_BALL, b, a, v3(0, 0, 0));
    assert_int_equal(weir_joint_create(world, &stale, &error).slot, 0);
    assert_error(error, WEIR_STALE_ID, "does not exist");
    weir_world_destroy(world);
}

static void test_set_motor_is_checked(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    weir_body_def def = ball_def(v3(0, 0, 0), 0.1);
    weir_body_id a = make_body(world, &def);
    weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, a, NOTHING, v3(0, 0, 0));
    weir_joint_def ball = joint_def(WEIR_JOINT_BALL, a, NOTHING, v3(0, 0, 0));
    weir_joint_id first = make_joint(world, &hinge), second = make_joint(world, &ball);
    weir_error error = {0};
    assert_false(weir_joint_set_motor(world, first, WEIR_MOTOR_SPEED, NAN, 1, &error));
    assert_error(error, WEIR_INVALID, "finite target");
    assert_false(weir_joint_set_motor(world, second, WEIR_MOTOR_SPEED, 1, 1, &error));
    assert_error(error, WEIR_INVALID, "only hinges and sliders");
    assert_false(
        weir_joint_set_motor(world, (weir_joint_id){7, 1}, WEIR_MOTOR_SPEED, 1, 1, &error));
    assert_int_equal(error.code, WEIR_STALE_ID);
    assert_true(weir_joint_set_motor(world, first, WEIR_MOTOR_SPEED, 1, INFINITY, &error));
    assert_true(weir_joint_set_motor(world, first, WEIR_MOTOR_NONE, 0, 0, &error));
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_counts),
        cmocka_unit_test(test_rows_are_derivatives),
        cmocka_unit_test(test_hinge_counts_turns),
        cmocka_unit_test(test_positions_begin_at_zero),
        cmocka_unit_test(test_joint_to_a_moving_support),
        cmocka_unit_test(test_joint_of_a_destroyed_body),
        cmocka_unit_test(test_set_motor_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
