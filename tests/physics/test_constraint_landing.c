/* A block of water that comes down on a floor: in such steps rows bend with the move, and densities
 * are solved once more where the first solve has put the particles. With one solve single particles
 * at the walls have 0.8 % too much. */
#include "support/worlds.h"

#include <math.h>

static void a_block_lands_without_being_squeezed(void **state)
{
    (void)state;
    const int side = 20;
    const double d = 1.0 / side, above = 0.05;
    weir_world_def def = small_world_def(3, d);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0.01);
    make_tank(w, v3(0, 0, 0), v3(4, 3, 1.5));
    fill_box(w, water, 3, d, v3(above, above, 0.25), v3(1 + above, 1 + above, 1.25), 0,
             v3(0, 0, 0));
    double walls = 0, inside = 0;
    for (int k = 0; k < 15; k++) {
        step_world(w, 1.0 / 60);
        weir_statistics s = weir_world_get_statistics(w);
        walls = fmax(walls, s.wall_compression_max);
        inside = fmax(inside, s.interior_compression_max);
    }
    print_message("compressed by at most %.2f %% at walls, %.2f %% inside\n", 100 * walls,
                  100 * inside);
    assert_true(walls < 0.005);
    assert_true(inside < 0.003);
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_lands_without_being_squeezed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
