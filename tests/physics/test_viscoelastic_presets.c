/* Materials mean the same at every spacing and time step: blocks of them sink alike on a floor that
 * they stick to. The preset "paper" is left out: its numbers are pure and go with the spacing. */
#include "support/viscoelastic_worlds.h"

static const double SIZE = 0.2;
static const char *const names[] = {"custom", "water", "honey", "paint",
                                    "mud",    "clay",  "gel",   "jelly"};

typedef struct sinking {
    double early, late; /* height over that of the start after 0.15 and 0.3 s */
} sinking;

static sinking sink_block(int material, int dim, double spacing, double courant)
{
    weir_world_def def = visco_def(dim, spacing);
    set_parameter(&def, "material", material);
    set_parameter(&def, "courant", courant);
    set_parameter(&def, "sound_speed", 15);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_plain_fluid(world, 0.001);
    weir_body_def floor = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_NO_SLIP);
    make_body(world, &floor);
    fill_box(world, liquid, dim, spacing, v3(-SIZE / 2, 0, -SIZE / 2), v3(SIZE / 2, SIZE, SIZE / 2),
             0, v3(0, 0, 0));
    double before = mean_spread(world, 1);
    step_many(world, 1.0 / 60, 9);
    sinking found = {.early = mean_spread(world, 1) / before};
    if (dim == 2) {
        step_many(world, 1.0 / 60, 9);
        found.late = mean_spread(world, 1) / before;
    }
    weir_world_destroy(world);
    return found;
}

static void check_alike(int dim, double coarse_spacing, double fine_spacing)
{
    double first = 2, last = 0;
    for (int m = WATER; m <= JELLY; m++) {
        sinking coarse = sink_block(m, dim, coarse_spacing, 1),
                fine = sink_block(m, dim, fine_spacing, 1);
        sinking half = sink_block(m, dim, coarse_spacing, 0.5);
        print_message("%dD %s: height %.3f (coarse), %.3f (fine), %.3f (half the step)\n", dim,
                      names[m], coarse.early, fine.early, half.early);
        assert_near(fine.early / coarse.early, 1, 0.04);
        assert_near(half.early / coarse.early, 1, 0.02);
        /* What stands is still the same later; what flows is a puddle of few layers by then. */
        if (dim == 2 && (m == MUD || m == CLAY || m == JELLY)) {
            assert_near(fine.late / coarse.late, 1, 0.04);
            assert_near(half.late / coarse.late, 1, 0.02);
        }
        first = fmin(first, coarse.early);
        last = fmax(last, coarse.early);
    }
    /* They differ from each other by much more. */
    assert_true(last > 1.5 * first);
}

static void test_in_a_plane(void **state)
{
    (void)state;
    check_alike(2, 0.02, 0.0125);
}

static void test_in_space(void **state)
{
    (void)state;
    check_alike(3, 0.025, 1.0 / 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_a_plane),
        cmocka_unit_test(test_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
