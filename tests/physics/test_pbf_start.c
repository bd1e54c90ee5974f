/* A fill flush with walls starts with no more energy than falling gives it, though a lattice half a
 * spacing from walls is too dense there. */
#include "support/worlds.h"

static void check_start(int dim)
{
    double d = 0.02, time = 0.01;
    weir_world_def def = small_world_def(dim, d);
    weir_world_def_use_method(&def, WEIR_METHOD_PBF);
    def.gravity = v3(0, -9.81, 0);
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0.001);
    make_tank(w, v3(0, 0, 0), v3(0.6, 0.6, 0.2));
    fill_box(w, water, dim, d, v3(0, 0, 0), v3(0.2, 0.3, 0.2), 0, v3(0, 0, 0));
    double before = weir_world_get_statistics(w).potential_energy;
    for (int k = 0; k < 10; k++)
        step_world(w, time / 10);
    weir_statistics s = weir_world_get_statistics(w);
    double fallen = 0.5 * s.mass * (9.81 * time) * (9.81 * time);
    print_message("%dD: %g J, falling freely %g J\n", dim, s.kinetic_energy, fallen);
    assert_true(s.kinetic_energy < fallen);
    assert_between(s.kinetic_energy + s.potential_energy, 0.99 * before, 1.01 * before);
    weir_world_destroy(w);
}

static void fill_starts_calm_in_2d(void **state)
{
    (void)state;
    check_start(2);
}

static void fill_starts_calm_in_3d(void **state)
{
    (void)state;
    check_start(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_starts_calm_in_2d),
        cmocka_unit_test(fill_starts_calm_in_3d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
