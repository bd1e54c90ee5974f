/* A dam break only ever loses mechanical energy: what the column has at first is spent by splashes
 * and friction, and none is made by pressure, walls or the time step. */
#include "support/worlds.h"

typedef struct dam_def {
    int dim;
    double spacing, viscosity;
    bool projected; /* walls by projection instead of boundary volume */
} dam_def;

/* The lattice keeps 0.6 spacings from the walls: at half a spacing the boundary volume would find
 * it some percent too dense, and what it gains when it relaxes is no mechanical energy. */
static weir_world *make_dam(const dam_def *d)
{
    weir_world_def def = small_world_def(d->dim, d->spacing);
    set_parameter(&def, "walls", d->projected);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, d->viscosity);
    double gap = 0.1 * d->spacing, deep = 5 * d->spacing;
    make_tank(world, v3(-gap, -gap, -gap), v3(2, 2, deep + gap));
    fill_box(world, water, d->dim, d->spacing, v3(0, 0, 0), v3(0.6, 1, deep), 0, v3(0, 0, 0));
    return world;
}

/* Returns the part of the energy that is left after two seconds. */
static double run_dam(const dam_def *d)
{
    weir_world *world = make_dam(d);
    double start = weir_world_get_statistics(world).potential_energy, now = start, moved = 0;
    for (int k = 1; k <= 100; k++) {
        step_world(world, 0.02);
        weir_statistics s = weir_world_get_statistics(world);
        double before = now;
        now = s.kinetic_energy + s.potential_energy;
        assert_between(now, 0, 1.01 * start);
        /* Compressed fluid gives back a little after each impact. */
        assert_between(now, 0, before + 0.005 * start);
        moved = fmax(moved, s.kinetic_energy);
    }
    assert_true(moved > 0.2 * start); /* it did break */
    weir_world_destroy(world);
    return now / start;
}

static void a_dam_break_loses_energy_in_2d(void **state)
{
    (void)state;
    assert_between(run_dam(&(dam_def){.dim = 2, .spacing = 0.04}), 0.3, 0.9);
}

static void friction_takes_more(void **state)
{
    (void)state;
    double thin = run_dam(&(dam_def){.dim = 2, .spacing = 0.04});
    double thick = run_dam(&(dam_def){.dim = 2, .spacing = 0.04, .viscosity = 20});
    assert_true(thick < thin - 0.05);
}

static void projected_walls_do_not_heat(void **state)
{
    (void)state;
    assert_between(run_dam(&(dam_def){.dim = 2, .spacing = 0.04, .projected = true}), 0.2, 0.9);
}

static void a_dam_break_loses_energy_in_3d(void **state)
{
    (void)state;
    assert_between(run_dam(&(dam_def){.dim = 3, .spacing = 0.1}), 0.2, 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dam_break_loses_energy_in_2d),
        cmocka_unit_test(friction_takes_more),
        cmocka_unit_test(projected_walls_do_not_heat),
        cmocka_unit_test(a_dam_break_loses_energy_in_3d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
