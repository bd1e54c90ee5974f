/* Discs that come down as a tall column: many meet at once, and none may end up in another. */
#include "support/rigid.h"

enum { ACROSS = 15, LAYERS = 24 };
static const double RADIUS = 0.25;

static weir_world *make_column(double restitution)
{
    weir_world_def def = small_world_def(2, 0.1);
    def.gravity = v3(0, -9.81, 0);
    weir_world *world = make_world(&def);
    weir_body_def room = box_def(v3(0, 50, 0), v3(5, 50, 1));
    room.kind = WEIR_BODY_STATIC;
    room.shape.complement = true;
    make_body(world, &room);
    for (int n = 0; n < ACROSS * LAYERS; n++) {
        int layer = n / ACROSS;
        weir_body_def disc = ball_def(
            v3(-4.5 + 0.62 * (n % ACROSS) + 0.1 * (layer % 3), 1 + 0.62 * layer, 0), RADIUS);
        disc.restitution = restitution;
        make_body(world, &disc);
    }
    return world;
}

/* Of any two discs, over their diameter. */
static double find_overlap(const weir_world *world)
{
    double nearest = INFINITY;
    for (size_t a = 2; a < world->flow.body_count; a++)
        for (size_t b = 1; b < a; b++) {
            vec3 apart =
                vec3_sub(body_centre(&world->flow.bodies[a]), body_centre(&world->flow.bodies[b]));
            nearest = fmin(nearest, vec3_length(apart));
        }
    return 1 - nearest / (2 * RADIUS);
}

/* With steps of 1/60 s they get into each other by 0.40 of their size, and by 0.81 where they
 * bounce; with short steps that do not know of bounces by 0.59. */
static void expect_apart(double restitution)
{
    weir_world *world = make_column(restitution);
    double worst = 0;
    for (int k = 0; k < 240; k++) {
        step_world(world, 1.0 / 60);
        worst = fmax(worst, find_overlap(world));
    }
    print_message("restitution %g: overlap at worst %.3f, at the end %.4f of the size\n",
                  restitution, worst, find_overlap(world));
    assert_between(worst, 0, 0.15);
    assert_between(find_overlap(world), -1, 0.01);
    weir_world_destroy(world);
}

static void test_discs_stay_apart(void **state)
{
    (void)state;
    expect_apart(0);
}

static void test_discs_that_bounce_stay_apart(void **state)
{
    (void)state;
    expect_apart(0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_discs_stay_apart),
                                       cmocka_unit_test(test_discs_that_bounce_stay_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
