/* Pendulums: the period by amplitude and a double pendulum, against closed formulas and an
 * integration of the equations of motion. */
#include "support/rigid.h"

static const double GRAVITY = 9.81;

/* Period of the n-th swing of a ball on a hinge through the origin, released at rest. */
static double measure_period(int dim, weir_joint_kind kind, double amplitude, double step)
{
    weir_world *world = make_rigid_world(dim, GRAVITY);
    weir_body_def def = ball_def(v3(sin(amplitude), -cos(amplitude), 0), 0.1);
    weir_body_id ball = make_body(world, &def);
    weir_joint_def hold = joint_def(kind, ball, NOTHING, v3(0, 0, 0));
    make_joint(world, &hold);
    double first = 0, last = 0, before = centre_of(world, ball).x;
    for (int crossings = 0; crossings < 3;) {
        step_world(world, step);
        double x = centre_of(world, ball).x;
        if (before > 0 && x <= 0) {
            last = weir_world_get_time(world) + step * x / (before - x);
            first = crossings++ == 0 ? last : first;
        }
        before = x;
        assert_true(weir_world_get_time(world) < 20);
    }
    assert_between(largest_drift(world), 0, 1e-12);
    weir_world_destroy(world);
    return (last - first) / 2;
}

/* T/T0 = (2/π) K(sin(θ0/2)), T0 = 2π sqrt(I/(m g l)), in degrees. */
static const struct {
    double amplitude, ratio;
} periods[] = {{5, 1.000476172},   {30, 1.017408798},  {60, 1.073182007}, {90, 1.180340599},
               {120, 1.372880501}, {150, 1.762203730}, {170, 2.439362720}};

static void test_period_by_amplitude(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(periods); k++)
        for (int dim = 2; dim <= 3; dim++) {
            double radius2 = (dim == 2 ? 0.5 : 0.4) * 0.1 * 0.1;
            double small = 2 * PI * sqrt((1 + radius2) / GRAVITY);
            double angle = periods[k].amplitude * PI / 180;
            double period = measure_period(dim, WEIR_JOINT_HINGE, angle, 1.0 / 240);
            assert_near(period / small, periods[k].ratio, 2e-4 * periods[k].ratio);
        }
}

static void test_coarse_steps_keep_the_period(void **state)
{
    (void)state;
    double small = 2 * PI * sqrt((1 + 0.4 * 0.1 * 0.1) / GRAVITY);
    double period = measure_period(3, WEIR_JOINT_BALL, PI / 2, 1.0 / 30);
    assert_near(period / small, 1.180340599, 1e-3);
}

/* Energy of a long swing: no drift, only the oscillation of a leap-frog. */
static void test_energy_stays(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_def def = box_def(v3(1, 0, 0), v3(0.1, 0.2, 0.15));
    weir_body_id box = make_body(world, &def);
    weir_joint_def hold = joint_def(WEIR_JOINT_HINGE, box, NOTHING, v3(0, 0, 0));
    make_joint(world, &hold);
    double scale = body_at(world, box)->mass * GRAVITY;
    step_many(world, 1.0 / 240, 10);
    rigid_sums begin = sum_bodies(world);
    double lowest = INFINITY, highest = -INFINITY;
    for (int k = 0; k < 240 * 30; k++) {
        step_world(world, 1.0 / 240);
        rigid_sums now = sum_bodies(world);
        double off = (now.kinetic + now.potential - begin.kinetic - begin.potential) / scale;
        lowest = fmin(lowest, off);
        highest = fmax(highest, off);
    }
    assert_between(lowest, -0.02, 0);
    assert_between(highest, 0, 0.02);
    weir_world_destroy(world);
}

/* Point masses of 1 kg on rods of 1 m, both horizontal and at rest at first: angles from the
 * downward vertical. Integrated with the classical Runge–Kutta rule in steps of 50 µs; halving
 * them changed the angles by less than 1e-9 up to 3 s. */
static const struct {
    double time, first, second;
} references[] = {{0.5, 0.570472051, 1.203875111},   {1.0, -0.625087700, -1.034585086},
                  {1.5, -1.674797345, -1.344971968}, {2.0, -0.482971534, -1.324048712},
                  {2.5, 0.492077741, 1.241084035},   {3.0, 1.785795522, 1.118107461}};

static void check_double_pendulum(weir_joint_kind kind, double step, double tolerance)
{
    weir_world *world = make_rigid_world(2, GRAVITY);
    weir_body_id balls[2];
    for (int k = 0; k < 2; k++) {
        weir_body_def def = ball_def(v3(k + 1, 0, 0), 0.005);
        def.mass = 1;
        def.collides = 0;
        balls[k] = make_body(world, &def);
    }
    bool rod = kind == WEIR_JOINT_DISTANCE;
    for (int k = 0; k < 2; k++) {
        weir_joint_def hold =
            joint_def(kind, balls[k], k == 0 ? NOTHING : balls[0], v3(rod ? k + 1 : k, 0, 0));
        hold.anchor_b = v3(k, 0, 0);
        make_joint(world, &hold);
    }
    for (size_t n = 0; n < COUNT_OF(references); n++) {
        while (weir_world_get_time(world) < references[n].time - step / 2)
            step_world(world, step);
        vec3 first = centre_of(world, balls[0]);
        vec3 second = vec3_sub(centre_of(world, balls[1]), first);
        assert_near(atan2(first.x, -first.y), references[n].first, tolerance);
        assert_near(atan2(second.x, -second.y), references[n].second, tolerance);
    }
    assert_between(largest_drift(world), 0, 1e-12);
    weir_world_destroy(world);
}

static void test_double_pendulum(void **state)
{
    (void)state;
    check_double_pendulum(WEIR_JOINT_DISTANCE, 1.0 / 1000, 5e-5);
    check_double_pendulum(WEIR_JOINT_BALL, 1.0 / 1000, 5e-4); /* the balls turn along */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_period_by_amplitude),
        cmocka_unit_test(test_coarse_steps_keep_the_period),
        cmocka_unit_test(test_energy_stays),
        cmocka_unit_test(test_double_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
