/* In free space nothing changes linear and angular momentum: not springs, not viscosity, not the
 * relaxation of densities. */
#include "support/viscoelastic_worlds.h"

/* A turning, shearing block with random velocities on top. */
static weir_world *make_tumbling_block(int dim, int material, double order)
{
    weir_world_def def = visco_def(dim, 0.02);
    def.gravity = v3(0, 0, 0);
    set_parameter(&def, "material", material);
    set_parameter(&def, "sound_speed", 10);
    set_parameter(&def, "order", order);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_plain_fluid(world, 1);
    double side = dim == 2 ? 0.4 : 0.16;
    fill_box(world, liquid, dim, 0.02, v3(0.1, 0, 0), v3(0.1 + side, side, side), 0.2, v3(0, 0, 0));
    particles *p = &world->flow.p;
    for (size_t i = 0; i < p->count; i++) {
        p->v[0][i] = (float)(0.5 - 3 * p->x[1][i] + 0.3 * (random_unit(7, i) - 0.5));
        p->v[1][i] = (float)(0.2 + 3 * p->x[0][i] + 0.3 * (random_unit(8, i) - 0.5));
    }
    return world;
}

/* Largest change of momentum, over the mass times the mean speed; of angular momentum likewise. */
static void check_momentum(weir_world *world, double linear, double angular)
{
    weir_statistics before = weir_world_get_statistics(world);
    step_many(world, 1.0 / 120, 24);
    weir_statistics after = weir_world_get_statistics(world);
    double scale = sqrt(2 * before.kinetic_energy * before.mass);
    assert_near((after.momentum.x - before.momentum.x) / scale, 0, linear);
    assert_near((after.momentum.y - before.momentum.y) / scale, 0, linear);
    assert_near((after.momentum.z - before.momentum.z) / scale, 0, linear);
    double arm = 0.3;
    assert_near((after.angular_momentum.x - before.angular_momentum.x) / (scale * arm), 0, angular);
    assert_near((after.angular_momentum.y - before.angular_momentum.y) / (scale * arm), 0, angular);
    assert_near((after.angular_momentum.z - before.angular_momentum.z) / (scale * arm), 0, angular);
    weir_world_destroy(world);
}

static void test_round_off(void **state)
{
    (void)state;
    const int materials[] = {HONEY, CLAY, JELLY};
    for (int dim = 2; dim <= 3; dim++)
        for (size_t k = 0; k < COUNT_OF(materials); k++)
            check_momentum(make_tumbling_block(dim, materials[k], VISCO_ORDER_PARALLEL), 2e-6,
                           2e-6);
}

/* The paper's form keeps linear momentum only: displacements act at predicted positions. Velocities
 * are differences of positions in single precision, which is what remains. */
static void test_sequential_order(void **state)
{
    (void)state;
    check_momentum(make_tumbling_block(2, CLAY, VISCO_ORDER_SEQUENTIAL), 2e-4, 0.1);
}

/* Two fluids of different mass. */
static void test_mixed_masses(void **state)
{
    (void)state;
    weir_world_def def = visco_def(2, 0.02);
    def.gravity = v3(0, 0, 0);
    set_parameter(&def, "shear_modulus", 500);
    set_parameter(&def, "sound_speed", 10);
    weir_world *world = make_world(&def);
    weir_error error = {0};
    weir_fluid_def heavy = weir_fluid_def_default();
    heavy.density = 3000;
    heavy.surface_tension = 0;
    weir_fluid_id a = make_plain_fluid(world, 1), b = weir_fluid_create(world, &heavy, &error);
    fill_box(world, a, 2, 0.02, v3(0, 0, 0), v3(0.2, 0.2, 0), 0.2, v3(1, 0, 0));
    fill_box(world, b, 2, 0.02, v3(0.22, 0, 0), v3(0.4, 0.2, 0), 0.2, v3(-0.5, 0.5, 0));
    check_momentum(world, 2e-6, 2e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_off),
        cmocka_unit_test(test_sequential_order),
        cmocka_unit_test(test_mixed_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
