/* Bodies that another engine owns: what the fluid gives them, and what is refused. */
#include "support/worlds.h"

/* m: at 4 spacings a box of the viscoelastic method is an eighth too light. */
static const double SPACING = 0.05, FINE = 0.025;

typedef struct pool {
    weir_world *world;
    weir_body_id body;
    weir_pose at;
} pool;

/* A pool 1 m deep with a hosted box of 0.3 by 0.2 m in its middle; particles leave room for it. */
static pool make_pool(weir_method method, weir_body_kind kind, double spacing)
{
    weir_world_def def = small_world_def(2, spacing);
    weir_world_def_use_method(&def, method);
    pool p = {.world = make_world(&def)};
    weir_fluid_id water = make_fluid(p.world, 1000, 0.001);
    make_tank(p.world, v3(0, 0, 0), v3(1.2, 2, 1));
    weir_body_def box = weir_body_def_default();
    box.name = "box";
    box.kind = kind;
    box.hosted = true;
    box.shape.kind = WEIR_SHAPE_BOX;
    box.shape.half_extents = v3(0.15, 0.1, 1);
    box.mass = kind == WEIR_BODY_DYNAMIC ? 300 : 0;
    box.pose.position = v3(0.6, 0.5, 0);
    p.body = make_body(p.world, &box);
    p.at = box.pose;
    fill_box(p.world, water, 2, spacing, v3(0, 0, 0), v3(0.45, 1, 0), 0, v3(0, 0, 0));
    fill_box(p.world, water, 2, spacing, v3(0.75, 0, 0), v3(1.2, 1, 0), 0, v3(0, 0, 0));
    fill_box(p.world, water, 2, spacing, v3(0.45, 0, 0), v3(0.75, 0.4, 0), 0, v3(0, 0, 0));
    fill_box(p.world, water, 2, spacing, v3(0.45, 0.6, 0), v3(0.75, 1, 0), 0, v3(0, 0, 0));
    return p;
}

static weir_impulse step_held(const pool *p, double dt)
{
    weir_error error = {0};
    weir_impulse given = {0};
    if (!weir_body_set_motion(p->world, p->body, p->at, v3(0, 0, 0), v3(0, 0, 0), &error))
        fail_msg("%s", error.text);
    step_world(p->world, dt);
    if (!weir_body_get_impulse(p->world, p->body, &given, &error))
        fail_msg("%s", error.text);
    return given;
}

/* An engine that holds the box still feels Archimedes' force. The mean of a second scatters by 2 %
 * with how the water sways. */
static void check_buoyancy(weir_method method, double spacing)
{
    enum { COUNTED = 480 };
    pool p = make_pool(method, WEIR_BODY_DYNAMIC, spacing);
    double dt = 1.0 / 120, sum = 0, aside = 0;
    for (int k = 0; k < 120; k++)
        step_held(&p, dt);
    for (int k = 0; k < COUNTED; k++) {
        weir_impulse given = step_held(&p, dt);
        sum += given.linear.y;
        aside += given.linear.x;
    }
    double buoyancy = 1000 * 9.81 * 0.3 * 0.2;
    assert_near(sum / (COUNTED * dt), buoyancy, 0.05 * buoyancy);
    assert_near(aside / (COUNTED * dt), 0, 0.05 * buoyancy);
    weir_world_destroy(p.world);
}

static void test_buoyancy_of_a_held_box(void **state)
{
    (void)state;
    check_buoyancy(WEIR_METHOD_CONSTRAINT, SPACING);
    check_buoyancy(WEIR_METHOD_PBF, SPACING);
    check_buoyancy(WEIR_METHOD_SPH, SPACING);
    check_buoyancy(WEIR_METHOD_VISCOELASTIC, FINE);
}

/* The impulse is the fluid's alone: a body in a dry world gets none, though it falls. */
static void test_weight_is_the_hosts(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, SPACING);
    weir_world *world = make_world(&def);
    weir_body_def ball = weir_body_def_default();
    ball.kind = WEIR_BODY_DYNAMIC;
    ball.hosted = true;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.1;
    ball.pose.position = v3(0, 1, 0);
    weir_body_id id = make_body(world, &ball);
    weir_error error = {0};
    weir_impulse given = {{1, 1, 1}, {1, 1, 1}};
    weir_body_state now;
    assert_true(weir_body_set_motion(world, id, ball.pose, v3(2, 0, 0), v3(0, 0, 3), &error));
    step_world(world, 0.01);
    assert_true(weir_body_get_impulse(world, id, &given, &error));
    assert_true(weir_body_get_state(world, id, &now));
    assert_near(given.linear.x, 0, 1e-12);
    assert_near(given.linear.y, 0, 1e-12);
    assert_near(given.angular.z, 0, 1e-12);
    assert_near(now.pose.position.x, 0.02, 1e-12);
    weir_world_destroy(world);
}

/* An animated one moves as it was told, whatever the fluid does, and carries the fluid along. */
static void test_animated(void **state)
{
    (void)state;
    pool p = make_pool(WEIR_METHOD_PBF, WEIR_BODY_ANIMATED, SPACING);
    weir_error error = {0};
    weir_body_state now;
    assert_true(weir_body_set_motion(p.world, p.body, p.at, v3(0.5, 0, 0), v3(0, 0, 1), &error));
    for (int k = 0; k < 10; k++)
        step_world(p.world, 0.01);
    assert_true(weir_body_get_state(p.world, p.body, &now));
    assert_near(now.pose.position.x, 0.65, 1e-9);
    assert_near(2 * atan2(now.pose.rotation.z, now.pose.rotation.w), 0.1, 1e-9);
    assert_near(now.velocity.x, 0.5, 0);
    assert_near(now.spin.z, 1, 0);
    assert_true(weir_world_get_statistics(p.world).kinetic_energy > 1);
    weir_world_destroy(p.world);
}

static void test_refusals(void **state)
{
    (void)state;
    pool p = make_pool(WEIR_METHOD_PBF, WEIR_BODY_DYNAMIC, SPACING);
    weir_error error = {0};
    weir_impulse given = {{1, 0, 0}, {0, 0, 0}};
    const weir_vec3 zero = v3(0, 0, 0);
    weir_pose bad = p.at;
    bad.position.x = NAN;
    assert_false(weir_body_set_motion(p.world, p.body, bad, zero, zero, &error));
    assert_error(error, WEIR_INVALID, "finite");
    assert_false(weir_body_set_motion(p.world, p.body, p.at, v3(0, INFINITY, 0), zero, &error));
    assert_error(error, WEIR_INVALID, "finite");
    bad = p.at;
    bad.rotation = (weir_quat){0, 0, 0, 0};
    assert_false(weir_body_set_motion(p.world, p.body, bad, zero, zero, &error));
    assert_error(error, WEIR_INVALID, "rotation");
    assert_false(weir_body_set_motion(p.world, p.body, p.at, v3(0, 0, 1), zero, &error));
    assert_error(error, WEIR_INVALID, "2D");
    weir_body_id tank = weir_world_body_at(p.world, 0);
    assert_false(weir_body_set_motion(p.world, tank, p.at, zero, zero, &error));
    assert_error(error, WEIR_INVALID, "hosted");
    assert_false(weir_body_get_impulse(p.world, tank, &given, &error));
    assert_near(given.linear.x, 0, 0);
    assert_true(weir_body_destroy(p.world, p.body, &error));
    assert_false(weir_body_set_motion(p.world, p.body, p.at, zero, zero, &error));
    assert_error(error, WEIR_STALE_ID, "");
    assert_false(weir_body_get_impulse(p.world, p.body, &given, NULL));
    weir_body_def fixed = weir_body_def_default();
    fixed.hosted = true;
    assert_int_equal(weir_body_create(p.world, &fixed, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "static");
    weir_world_destroy(p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buoyancy_of_a_held_box),
        cmocka_unit_test(test_weight_is_the_hosts),
        cmocka_unit_test(test_animated),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
