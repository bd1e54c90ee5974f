/* Sums over contacts: of those that give something, in the order of the particles, going on from
 * what the sums held. */
#include "matter/contact_sums.h"
#include "support/worlds.h"
#include "world/state.h"

/* Water in a corner of two planes: some particles touch one of them, some both. */
static weir_world *make_corner(int threads)
{
    weir_world_def def = small_world_def(2, 0.01);
    def.threads = threads;
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    weir_body_def ground = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_NO_SLIP);
    weir_body_def side = plane_def(v3(0, 0, 0), v3(1, 0, 0), WEIR_WALL_NO_SLIP);
    make_body(world, &ground);
    make_body(world, &side);
    fill_box(world, water, 2, 0.01, v3(0, 0, 0), v3(20, 0.2, 0), 0, v3(0, 0, 0));
    step_world(world, 1e-6);
    return world;
}

static bool find(const void *context, size_t n, size_t i, uint32_t w, double *terms)
{
    const flow *f = context;
    assert_int_equal(f->walls.touching[n], i);
    terms[0] = 1;
    terms[1] = 0.1 / (double)(1 + i + w);
    return i % 3 != 0;
}

static void check_sums(int threads)
{
    weir_world *world = make_corner(threads);
    flow *f = &world->flow;
    double expected[2][2] = {{0, 0}, {5, 0}};
    assert_true(contact_sums_begin(f, 2));
    f->sums.sums[1] = 5; /* the first component of the second body */
    assert_true(contact_sums_add(f, 2, find, f));
    for (size_t i = 0; i < f->p.count; i++)
        for (uint32_t w = 0; w < f->walls.spans[i].count; w++)
            if (i % 3 != 0) {
                double *sums = expected[f->walls.spans[i].contacts[w].body];
                sums[0] += 1;
                sums[1] += 0.1 / (double)(1 + i + w);
            }
    for (size_t k = 0; k < 2; k++) {
        assert_true(expected[k][0] > 5);
        assert_true(f->sums.sums[k] == expected[k][0]);
        assert_true(f->sums.sums[f->sums.stride + k] == expected[k][1]);
    }
    weir_world_destroy(world);
}

static void contacts_are_summed_in_order(void **state)
{
    (void)state;
    check_sums(1);
    check_sums(3);
}

static void vectors_lie_in_three_sums(void **state)
{
    (void)state;
    double sums[24] = {0}, terms[6] = {0};
    contact_sums s = {.sums = sums, .stride = 4};
    contact_sums_put(&s, 3, 2, (vec3){1, 2, 3});
    assert_true(sums[14] == 1 && sums[18] == 2 && sums[22] == 3);
    assert_true(contact_sums_get(&s, 3, 2).y == 2);
    contact_terms_put(terms, 2, (vec3){4, 5, 6});
    assert_true(terms[2] == 4 && terms[3] == 5 && terms[4] == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_are_summed_in_order),
                                       cmocka_unit_test(vectors_lie_in_three_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
