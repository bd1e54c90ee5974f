/* Bounces: restitution, the exchange of momentum, Newton's cradle. */
#include "support/rigid.h"

static const double GRAVITY = 9.81;

/* Heights and times of the tops of a ball that falls from `height` above the floor. */
static void bounce(int dim, double restitution, double height, double step, int count,
                   double heights[], double times[])
{
    double radius = 0.05;
    weir_world *world = make_rigid_world(dim, GRAVITY);
    make_floor(world, 0, 0.5, restitution);
    weir_body_def def = ball_def(v3(0, radius + height, 0), radius);
    def.restitution = restitution;
    weir_body_id ball = make_body(world, &def);
    double before = 0;
    for (int found = 0; found < count;) {
        step_world(world, step);
        double speed = body_at(world, ball)->velocity.y;
        if (before > 0 && speed <= 0) {
            heights[found] = centre_of(world, ball).y - radius;
            times[found++] = weir_world_get_time(world);
        }
        before = speed;
        assert_true(weir_world_get_time(world) < 20);
    }
    weir_world_destroy(world);
}

static void test_bounce_heights(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double heights[4], times[4], e = 0.7, fall = sqrt(2 * 1.0 / GRAVITY);
        bounce(dim, e, 1, 1.0 / 1000, 4, heights, times);
        double expected = 1, time = fall;
        for (int k = 0; k < 4; k++) {
            expected *= e * e;
            double rise = fall * pow(e, k + 1);
            time += k == 0 ? rise : fall * pow(e, k) + rise;
            assert_near(heights[k], expected, 0.01);
            assert_near(times[k], time, 0.01);
        }
    }
}

/* Restitution 1 neither gives nor takes energy, however long the step. */
static void test_elastic_bounces_last(void **state)
{
    (void)state;
    double heights[20], times[20];
    bounce(3, 1, 1, 1.0 / 120, 20, heights, times);
    for (int k = 0; k < 20; k++)
        assert_near(heights[k], 1, 0.03);
    bounce(2, 1, 1, 1.0 / 1000, 20, heights, times);
    for (int k = 0; k < 20; k++)
        assert_near(heights[k], 1, 3e-3);
}

/* v1' = (m1 − e m2) v1/(m1 + m2), v2' = (1 + e) m1 v1/(m1 + m2). */
static void test_two_masses(void **state)
{
    (void)state;
    const double ratios[] = {0.01, 0.5, 1, 3, 100}, restitutions[] = {0, 0.5, 1};
    for (size_t r = 0; r < COUNT_OF(ratios); r++)
        for (size_t n = 0; n < COUNT_OF(restitutions); n++) {
            double m1 = 1, m2 = ratios[r], e = restitutions[n], v = 2;
            weir_world *world = make_rigid_world(3, 0);
            weir_body_def a = ball_def(v3(-0.2, 0, 0), 0.05), b = ball_def(v3(0.2, 0, 0), 0.05);
            a.mass = m1;
            b.mass = m2;
            a.restitution = b.restitution = e;
            a.velocity = v3(v, 0, 0);
            weir_body_id first = make_body(world, &a), second = make_body(world, &b);
            step_many(world, 1.0 / 100, 40);
            assert_near(body_at(world, first)->velocity.x, (m1 - e * m2) * v / (m1 + m2), 1e-5);
            assert_near(body_at(world, second)->velocity.x, (1 + e) * m1 * v / (m1 + m2), 1e-5);
            weir_world_destroy(world);
        }
}

/* As many balls leave as came, whether the others touch or nearly do. */
static void check_cradle(int count, int thrown, double gap)
{
    double radius = 0.05, v = 1;
    weir_world *world = make_rigid_world(3, 0);
    weir_body_id balls[8];
    for (int k = 0; k < count; k++) {
        double away = k < thrown ? -0.05 : 0;
        weir_body_def def = ball_def(v3((2 * radius + gap) * k + away, 0, 0), radius);
        def.restitution = 1;
        def.velocity = v3(k < thrown ? v : 0, 0, 0);
        balls[k] = make_body(world, &def);
    }
    step_many(world, 1.0 / 100, 30);
    for (int k = 0; k < count; k++)
        assert_near(body_at(world, balls[k])->velocity.x, k < count - thrown ? 0 : v, 1e-5);
    weir_world_destroy(world);
}

static void test_newtons_cradle(void **state)
{
    (void)state;
    for (int thrown = 1; thrown <= 3; thrown++) {
        check_cradle(5, thrown, 0);
        check_cradle(5, thrown, 1e-3);
    }
}

/* The same on strings, and back again. */
static void test_hanging_cradle(void **state)
{
    (void)state;
    double radius = 0.05, length = 0.5, lift = 0.5;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_id balls[5];
    for (int k = 0; k < 5; k++) {
        weir_vec3 top = v3(2 * radius * k, length, 0);
        weir_vec3 at = k == 0 ? v3(top.x - length * sin(lift), length - length * cos(lift), 0)
                              : v3(top.x, 0, 0);
        weir_body_def def = ball_def(at, radius);
        def.restitution = 1;
        def.friction = 0;
        balls[k] = make_body(world, &def);
        weir_joint_def hold = joint_def(WEIR_JOINT_HINGE, balls[k], NOTHING, top);
        make_joint(world, &hold);
    }
    double first = 0, last = 0, middle = 0;
    for (int k = 0; k < 600; k++) {
        step_world(world, 1.0 / 240);
        first = fmax(first, -centre_of(world, balls[0]).x);
        last = fmax(last, centre_of(world, balls[4]).x - 8 * radius);
        middle = fmax(middle, fabs(centre_of(world, balls[2]).x - 4 * radius));
    }
    assert_near(last, length * sin(lift), 0.02 * length);
    assert_near(first, length * sin(lift), 0.02 * length);
    assert_between(middle, 0, 0.02 * length);
    weir_world_destroy(world);
}

/* A box that falls flat bounces flat. */
static void test_flat_bounce_does_not_turn(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, GRAVITY);
        make_floor(world, 0, 0.5, 0.5);
        weir_body_def def = box_def(v3(0, 0.55, 0), v3(0.1, 0.05, 0.15));
        def.restitution = 0.5;
        weir_body_id box = make_body(world, &def);
        double top = 0;
        for (int k = 0; k < 240; k++) {
            step_world(world, 1.0 / 480);
            if (body_at(world, box)->velocity.y > 0)
                top = fmax(top, centre_of(world, box).y - 0.05);
        }
        assert_near(top, 0.5 * 0.25, 0.01);
        assert_near(vec3_length(body_at(world, box)->spin), 0, 1e-6);
        weir_world_destroy(world);
    }
}

static void test_restitution_zero_stays_down(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0.5, 0);
    weir_body_def def = ball_def(v3(0, 1, 0), 0.05);
    weir_body_id ball = make_body(world, &def);
    double up = 0;
    for (int k = 0; k < 120; k++) {
        step_world(world, 1.0 / 60);
        up = fmax(up, body_at(world, ball)->velocity.y);
    }
    assert_between(up, 0, 1e-4);
    assert_near(centre_of(world, ball).y, 0.05, 1e-4);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounce_heights),
        cmocka_unit_test(test_elastic_bounces_last),
        cmocka_unit_test(test_two_masses),
        cmocka_unit_test(test_newtons_cradle),
        cmocka_unit_test(test_hanging_cradle),
        cmocka_unit_test(test_flat_bounce_does_not_turn),
        cmocka_unit_test(test_restitution_zero_stays_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
