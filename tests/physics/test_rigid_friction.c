/* Dry friction: sliding that turns into rolling, blocks on slopes. */
#include "support/rigid.h"

static const double GRAVITY = 9.81;

/* A ball thrown flat over a rough floor slides, is turned by friction, and rolls. */
typedef struct throw_result {
    double speed, spin;  /* at the end */
    double rolling_time; /* when sliding ended */
} throw_result;

static throw_result throw_ball(int dim, weir_vec3 velocity, double friction, double step)
{
    double radius = 0.1, start = vec3_length(velocity);
    weir_world *world = make_rigid_world(dim, GRAVITY);
    make_floor(world, 0, friction, 0);
    weir_body_def def = ball_def(v3(0, radius, 0), radius);
    def.velocity = velocity;
    def.friction = friction;
    weir_body_id ball = make_body(world, &def);
    throw_result result = {0};
    double end = 4 * start / (7 * friction * GRAVITY);
    while (weir_world_get_time(world) < end) {
        step_world(world, step);
        const body *b = body_at(world, ball);
        vec3 slip = body_velocity_at(b, v3(centre_of(world, ball).x, 0, centre_of(world, ball).z));
        if (vec3_length(slip) > 1e-3 * start)
            result.rolling_time = weir_world_get_time(world);
        result.speed = vec3_length(b->velocity);
        result.spin = vec3_length(b->spin) * radius;
        assert_near(centre_of(world, ball).y, radius, 1e-4 * radius);
    }
    weir_world_destroy(world);
    return result;
}

/* Sphere: 5/7 v0 after 2 v0/(7 μ g). */
static void test_sphere_rolls_at_five_sevenths(void **state)
{
    (void)state;
    double mu = 0.3, v0 = 2, time = 2 * v0 / (7 * mu * GRAVITY);
    for (int k = 0; k < 5; k++) {
        double angle = 0.37 * k; /* of the throw: friction has no favourite direction */
        throw_result r = throw_ball(3, v3(v0 * cos(angle), 0, v0 * sin(angle)), mu, 1.0 / 240);
        assert_near(r.speed, 5 * v0 / 7, 2e-3 * v0);
        assert_near(r.spin, r.speed, 1e-3 * v0);
        assert_near(r.rolling_time, time, 0.01);
    }
}

/* Disc: 2/3 v0 after v0/(3 μ g). */
static void test_disc_rolls_at_two_thirds(void **state)
{
    (void)state;
    double mu = 0.3, v0 = 2;
    throw_result r = throw_ball(2, v3(v0, 0, 0), mu, 1.0 / 240);
    assert_near(r.speed, 2 * v0 / 3, 2e-3 * v0);
    assert_near(r.spin, r.speed, 1e-3 * v0);
    assert_near(r.rolling_time, v0 / (3 * mu * GRAVITY), 0.01);
}

static void test_smooth_floor_leaves_the_spin(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0, 0);
    weir_body_def def = ball_def(v3(0, 0.1, 0), 0.1);
    def.velocity = v3(1, 0, 0);
    def.friction = 0;
    weir_body_id ball = make_body(world, &def);
    step_many(world, 1.0 / 60, 60);
    assert_near(body_at(world, ball)->velocity.x, 1, 1e-9);
    assert_near(vec3_length(body_at(world, ball)->spin), 0, 1e-12);
    weir_world_destroy(world);
}

/* A block on a slope: where it is after `time`, along the slope. */
static double slide_block(int dim, double slope, double mu, double time)
{
    weir_world *world = make_rigid_world(dim, GRAVITY);
    make_floor(world, slope, mu, 0);
    weir_vec3 half = v3(0.1, 0.04, 0.08), normal = v3(sin(slope), cos(slope), 0);
    weir_body_def def = box_def(vec3_scale(normal, half.y), half);
    def.pose.rotation = turn_about(v3(0, 0, 1), -slope);
    def.friction = mu;
    weir_body_id block = make_body(world, &def);
    vec3 down = {cos(slope), -sin(slope), 0};
    double begin = vec3_dot(centre_of(world, block), down);
    while (weir_world_get_time(world) < time - 1e-9)
        step_world(world, 1.0 / 120);
    double way = vec3_dot(centre_of(world, block), down) - begin;
    assert_near(vec3_dot(centre_of(world, block), normal), half.y, 1e-3 * half.y);
    assert_near(centre_of(world, block).z, 0, 1e-3 * fabs(way) + 1e-6);
    weir_world_destroy(world);
    return way;
}

static void test_block_on_slope(void **state)
{
    (void)state;
    double slope = 25 * PI / 180, limit = tan(slope);
    for (int dim = 2; dim <= 3; dim++) {
        /* Below the friction angle it stays. */
        assert_near(slide_block(dim, slope, 1.02 * limit, 5), 0, 2e-5);
        /* Above, a = g (sin − μ cos). */
        for (int k = 0; k < 4; k++) {
            double mu = 0.25 * k * limit, time = 0.5;
            double a = GRAVITY * (sin(slope) - mu * cos(slope));
            assert_near(slide_block(dim, slope, mu, time), a * time * time / 2,
                        0.01 * a * time * time / 2);
        }
    }
}

/* A ball rolls down without slipping if μ >= (2/7) tan, with 5/7 of g sin. */
static void test_ball_rolls_down_a_slope(void **state)
{
    (void)state;
    double slope = 20 * PI / 180, time = 1;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, slope, 0.5, 0);
    weir_body_def def = ball_def(v3(0.1 * sin(slope), 0.1 * cos(slope), 0), 0.1);
    weir_body_id ball = make_body(world, &def);
    step_many(world, 1.0 / 120, 120);
    double way = vec3_length(vec3_sub(centre_of(world, ball), def.pose.position));
    double expected = 5.0 / 7 * GRAVITY * sin(slope) * time * time / 2;
    assert_near(way, expected, 0.01 * expected);
    weir_world_destroy(world);
}

/* A pushed block drags another on top of it no faster than friction allows. */
static void test_friction_between_moving_bodies(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0, 0);
    weir_body_def low = box_def(v3(0, 0.05, 0), v3(1, 0.05, 0.2));
    weir_body_def top = box_def(v3(0, 0.15, 0), v3(0.05, 0.05, 0.05));
    low.friction = 0.4; /* with the floor 0.2, with the top 0.3 */
    top.friction = 0.2;
    low.velocity = v3(3, 0, 0);
    weir_body_id below = make_body(world, &low), above = make_body(world, &top);
    double mass_low = body_at(world, below)->mass, mass_top = body_at(world, above)->mass;
    double time = 0.2;
    step_many(world, 1.0 / 240, 48);
    assert_near(body_at(world, above)->velocity.x, 0.3 * GRAVITY * time, 0.02);
    double brake = 0.2 * (mass_low + mass_top) + 0.3 * mass_top;
    assert_near(body_at(world, below)->velocity.x, 3 - brake * GRAVITY * time / mass_low, 0.02);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_rolls_at_five_sevenths),
        cmocka_unit_test(test_disc_rolls_at_two_thirds),
        cmocka_unit_test(test_smooth_floor_leaves_the_spin),
        cmocka_unit_test(test_block_on_slope),
        cmocka_unit_test(test_ball_rolls_down_a_slope),
        cmocka_unit_test(test_friction_between_moving_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
