/* Which contacts are solved as a crowd: all of those that neither joints nor fluid act on, whatever
 * else is in the world; and that it makes no difference beyond what few sweeps leave. */
#include "support/rigid.h"

static const double GRAVITY = 10;

static weir_world *make_world_with(int dim, int threads, const char *simd)
{
    weir_world_def def = small_world_def(dim, 0.25);
    def.gravity = v3(0, -GRAVITY, 0);
    def.threads = threads;
    def.simd = simd;
    return make_world(&def);
}

/* A wall of boxes of a metre, in bond. Returns the last one of the top. */
static weir_body_id add_wall(weir_world *world, int dim, int layers)
{
    weir_body_id last = {0};
    weir_body_def ground = box_def(v3(0, -1, 0), v3(40, 1, 40));
    ground.kind = WEIR_BODY_STATIC;
    make_body(world, &ground);
    for (int n = 0; n < layers; n++)
        for (int k = 0; k < 12; k++) {
            weir_body_def def =
                box_def(v3(1.1 * k + 0.5 * (n % 2), n + 0.5, 0), v3(0.5, 0.5, dim == 2 ? 0.5 : 1));
            last = make_body(world, &def);
        }
    return last;
}

/* A basin of water beside the wall. */
static void add_pool(weir_world *world, int dim)
{
    const double at[2] = {-7, -4};
    for (int n = 0; n < 2; n++) {
        weir_body_def side = box_def(v3(at[n], 1, 0), v3(0.25, 1, 3));
        side.kind = WEIR_BODY_STATIC;
        make_body(world, &side);
        weir_body_def end = box_def(v3(-5.5, 1, n ? 1.25 : -1.25), v3(2, 1, 0.25));
        end.kind = WEIR_BODY_STATIC;
        if (dim == 3)
            make_body(world, &end);
    }
    weir_fluid_id water = make_fluid(world, 1000, 0.01);
    fill_box(world, water, dim, 0.25, v3(-6.75, 0, -1), v3(-4.25, 0.75, dim == 2 ? 0 : 1), 0,
             v3(0, 0, 0));
}

/* A bar that hangs from a hinge, far from the wall. */
static weir_body_id add_pendulum(weir_world *world)
{
    weir_body_def bar = box_def(v3(-10.5, 5, 0), v3(0.5, 0.1, 0.1));
    weir_body_id id = make_body(world, &bar);
    weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, id, NOTHING, v3(-10, 5, 0));
    make_joint(world, &hinge);
    return id;
}

static void test_empty_fluid_changes_nothing(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *alone = make_world_with(dim, 1, NULL), *other = make_world_with(dim, 1, NULL);
        make_fluid(other, 1000, 0.01);
        add_wall(alone, dim, 10);
        add_wall(other, dim, 10);
        for (int k = 0; k < 20; k++) {
            step_world(alone, 1.0 / 60);
            step_world(other, 1.0 / 60);
            assert_true(alone->crowd.active && other->crowd.active);
        }
        for (size_t k = 0; k < alone->flow.body_count; k++)
            assert_memory_equal(&alone->flow.bodies[k].pose, &other->flow.bodies[k].pose,
                                sizeof(pose));
        weir_world_destroy(alone);
        weir_world_destroy(other);
    }
}

/* Water elsewhere and a joint elsewhere have rows; the wall has none of them and stands. */
static void test_islands_apart_are_a_crowd(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_world_with(dim, 1, NULL);
        weir_body_id top = add_wall(world, dim, 10);
        weir_body_id bar = add_pendulum(world);
        add_pool(world, dim);
        for (int k = 0; k < 15; k++) {
            step_world(world, 1.0 / 60);
            assert_true(world->crowd.active);
            assert_int_equal(world->crowd.contact_count, world->contacts.list.count);
        }
        assert_true(world->mechanism.row_count > 0);
        /* A bar of 1 m that falls about its end for 0.25 s. */
        double angle = 0.5 * 0.25 * 0.25 * GRAVITY * 0.5 / (1.04 / 12 + 0.25);
        assert_near(centre_of(world, bar).y, 5 - 0.5 * sin(angle), 0.02);
        assert_near(centre_of(world, top).y, 9.5, 0.02);
        assert_between(largest_speed(world), 0, 5);
        weir_world_destroy(world);
    }
}

/* A joint to a box of the wall takes all that touches, and the wall still stands. */
static void test_tied_islands_have_rows(void **state)
{
    (void)state;
    weir_world *world = make_world_with(2, 1, NULL);
    weir_body_id apex = add_wall(world, 2, 10);
    weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, apex, NOTHING, centre_of(world, apex));
    make_joint(world, &hinge);
    step_many(world, 1.0 / 60, 5);
    assert_false(world->crowd.active);
    assert_int_equal(world->system.row_count, 2 * world->contacts.list.count);
    assert_near(centre_of(world, apex).y, 9.5, 0.02);
    weir_world_destroy(world);
}

/* Towers of bodies, each some metres from the next. */
static weir_world *make_towers(int count, int height, double drop, double friction,
                               double restitution)
{
    weir_world *world = make_world_with(2, 1, NULL);
    weir_body_def ground = box_def(v3(0, -1, 0), v3(1000, 1, 1));
    ground.kind = WEIR_BODY_STATIC;
    ground.friction = friction;
    ground.restitution = restitution;
    make_body(world, &ground);
    for (int k = 0; k < count; k++)
        for (int n = 0; n < height; n++) {
            weir_body_def def = box_def(v3(3 * k, n + 0.5 + drop, 0), v3(0.5, 0.5, 0.5));
            def.friction = friction;
            def.restitution = restitution;
            def.velocity = v3(height == 1 ? 1 : 0, 0, 0);
            make_body(world, &def);
        }
    return world;
}

/* One tower is solved by rows, many are a crowd: they stand alike. */
static void test_both_solvers_agree(void **state)
{
    (void)state;
    enum { HEIGHT = 6, COUNT = 40 };
    weir_world *few = make_towers(1, HEIGHT, 0, 0.5, 0),
               *many = make_towers(COUNT, HEIGHT, 0, 0.5, 0);
    for (int k = 0; k < 25; k++) {
        step_world(few, 1.0 / 60);
        step_world(many, 1.0 / 60);
        assert_false(few->crowd.active);
        assert_true(many->crowd.active);
    }
    for (int n = 1; n <= HEIGHT; n++)
        for (int k = 0; k < COUNT; k++) {
            const body *a = &few->flow.bodies[n], *b = &many->flow.bodies[n + HEIGHT * k];
            assert_near(b->pose.position.y, a->pose.position.y, 2e-3);
            assert_near(b->pose.position.x - 3 * k, a->pose.position.x, 2e-3);
            assert_near(b->contact_force.y, a->contact_force.y, 0.01 * 1000 * GRAVITY);
        }
    weir_world_destroy(few);
    weir_world_destroy(many);
}

/* Boxes that fall flat and move aside: without friction they bounce as high either way, without
 * bounces they slide as far. */
static void test_both_solvers_bounce_alike(void **state)
{
    (void)state;
    enum { COUNT = 150 };
    const struct {
        double friction, restitution;
    } cases[] = {{0.5, 0}, {0, 0.3}, {0, 0.8}, {0, 1}};
    for (size_t s = 0; s < COUNT_OF(cases); s++) {
        double share = cases[s].restitution;
        weir_world *few = make_towers(1, 1, 0.5, cases[s].friction, share);
        weir_world *many = make_towers(COUNT, 1, 0.5, cases[s].friction, share);
        bool crowded = false;
        double highest[2] = {0, 0}, fall = sqrt(2 * 0.5 / GRAVITY);
        for (int k = 0; k < 38; k++) {
            step_world(few, 1.0 / 60);
            step_world(many, 1.0 / 60);
            assert_false(few->crowd.active);
            crowded = crowded || many->crowd.active;
            for (int n = 0; many->time > fall + 0.03 && n < 2; n++)
                highest[n] = fmax(highest[n], (n ? many : few)->flow.bodies[1].pose.position.y);
        }
        assert_true(crowded);
        for (int k = 0; k < COUNT; k++) {
            const body *a = &few->flow.bodies[1], *b = &many->flow.bodies[1 + k];
            assert_near(b->pose.position.y, a->pose.position.y, 2e-3);
            assert_near(b->pose.position.x - 3 * k, a->pose.position.x, 2e-3);
        }
        assert_near(highest[1], highest[0], 2e-3);
        /* Blows fall up to a step early, above the ground; all of the height comes back or less. */
        assert_between(highest[1], 0.5 + 0.5 * share * share - 0.01,
                       0.5 + 0.5 * share * share + (1 - share * share) * 0.06 + 0.01);
        weir_world_destroy(few);
        weir_world_destroy(many);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (const char *const *simd = weir_simd_levels(); *simd; simd++)
        for (int threads = 1; threads <= 3; threads += 2) {
            weir_world *world = make_world_with(2, threads, *simd);
            add_wall(world, 2, 8);
            add_pendulum(world);
            add_pool(world, 2);
            step_many(world, 1.0 / 60, 8);
            assert_true(world->crowd.active);
            uint64_t hash = weir_world_hash(world);
            expected = expected ? expected : hash;
            assert_int_equal(hash, expected);
            weir_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_fluid_changes_nothing),
        cmocka_unit_test(test_islands_apart_are_a_crowd),
        cmocka_unit_test(test_tied_islands_have_rows),
        cmocka_unit_test(test_both_solvers_agree),
        cmocka_unit_test(test_both_solvers_bounce_alike),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
