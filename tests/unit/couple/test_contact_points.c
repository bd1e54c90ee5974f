/* Contacts as users see them: where bodies touch, how hard, and which. */
#include "support/rigid.h"

enum { MOST = 64 };

static size_t run(weir_world *world, double seconds, weir_contact contacts[MOST])
{
    weir_error error = {0};
    double end = weir_world_get_time(world) + seconds;
    while (weir_world_get_time(world) < end - 1e-9)
        if (weir_world_step(world, 0.005, &error) & WEIR_STEP_FAILED)
            fail_msg("%s", error.text);
    size_t count = weir_world_get_contacts(world, contacts, MOST);
    assert_true(count <= MOST);
    return count;
}

static double sum_impulses(const weir_contact *contacts, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += contacts[k].impulse;
    return sum;
}

static bool is_same(weir_body_id a, weir_body_id b)
{
    return a.slot == b.slot && a.generation == b.generation;
}

/* A box of 8 kg: the impulses of its corners bear its weight over a substep. */
static void a_box_stands_on_its_corners(void **state)
{
    (void)state;
    weir_contact contacts[MOST];
    weir_world *world = make_rigid_world(3, 10);
    weir_body_id ground = make_floor(world, 0, 0.5, 0);
    weir_body_def def = box_def(v3(0.3, 0.1, 0), v3(0.1, 0.1, 0.1));
    weir_body_id box = make_body(world, &def);
    assert_int_equal(weir_world_get_contacts(world, NULL, 0), 0);
    size_t count = run(world, 0.1, contacts);
    assert_int_equal(count, 4);
    assert_int_equal(weir_world_get_contacts(world, NULL, 0), 4);
    for (size_t k = 0; k < count; k++) {
        const weir_contact *c = &contacts[k];
        bool above = is_same(c->a, box) && is_same(c->b, ground);
        assert_true(above || (is_same(c->a, ground) && is_same(c->b, box)));
        assert_near(c->normal.y, above ? 1 : -1, 1e-6);
        assert_near(c->position.y, 0, 2e-3);
        assert_near(fabs(c->position.x - 0.3), 0.1, 2.5e-3);
        assert_near(fabs(c->position.z), 0.1, 2.5e-3);
        assert_near(c->distance, 0, 2e-4);
    }
    assert_near(sum_impulses(contacts, count), 8 * 10 * world->last_substep,
                0.01 * 8 * 10 * world->last_substep);
    weir_world_destroy(world);
}

static void few_are_filled_and_all_are_counted(void **state)
{
    (void)state;
    weir_contact contacts[MOST] = {{.impulse = -1}, {.impulse = -1}, {.impulse = -1}};
    weir_world *world = make_rigid_world(3, 10);
    make_floor(world, 0, 0.5, 0);
    weir_body_def def = box_def(v3(0, 0.1, 0), v3(0.1, 0.1, 0.1));
    make_body(world, &def);
    weir_error error = {0};
    assert_int_equal(weir_world_step(world, 0.005, &error), 0);
    assert_int_equal(weir_world_get_contacts(world, contacts, 2), 4);
    assert_true(contacts[1].impulse > 0);
    assert_true(contacts[2].impulse == -1);
    weir_world_destroy(world);
}

/* A stack of two falls asleep: its contacts stay, with the load they bore; they end with the body
 * that stood on top. */
static void sleepers_keep_their_contacts(void **state)
{
    (void)state;
    weir_contact contacts[MOST];
    weir_error error = {0};
    weir_world *world = make_rigid_world(2, 10);
    make_floor(world, 0, 0.5, 0);
    weir_body_def def = box_def(v3(0, 0.1, 0), v3(0.1, 0.1, 0.1));
    weir_body_id low = make_body(world, &def);
    def.pose.position.y = 0.3;
    weir_body_id high = make_body(world, &def);
    size_t count = run(world, 3, contacts);
    assert_true(body_at(world, low)->asleep && body_at(world, high)->asleep);
    assert_int_equal(count, 4);
    double weight = 1000 * 0.04 * 10 * world->last_substep;
    assert_near(sum_impulses(contacts, count), 3 * weight, 0.02 * weight);
    assert_true(weir_body_destroy(world, high, &error));
    assert_int_equal(weir_world_get_contacts(world, contacts, MOST), 2);
    assert_int_equal(run(world, 0.1, contacts), 2);
    weir_world_destroy(world);
}

static void what_flies_touches_nothing(void **state)
{
    (void)state;
    weir_contact contacts[MOST];
    weir_world *world = make_rigid_world(3, 10);
    make_floor(world, 0, 0.5, 0);
    weir_body_def def = ball_def(v3(0, 1, 0), 0.1);
    make_body(world, &def);
    assert_int_equal(run(world, 0.2, contacts), 0);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_stands_on_its_corners),
        cmocka_unit_test(few_are_filled_and_all_are_counted),
        cmocka_unit_test(sleepers_keep_their_contacts),
        cmocka_unit_test(what_flies_touches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
