/* Viscoelastic fluids: kernels in lanes, particles at rest, materials, what is derived and refused,
 * and the parallel form against the paper's order. */
#define WEIR_LANES 1
#include "kernel/half_space.h"
#include "method/viscoelastic_pair.h"
#include "support/viscoelastic_worlds.h"

/* ------------------------------------------------------------------ kernels */

static void test_lanes_follow_the_formulas(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++)
        for (double q = 0; q < 1.2; q += 0.037) {
            float far, near;
            visco_lane_density((visco_kernels)k, (float)q, &far, &near);
            assert_near(far, visco_far((visco_kernels)k, q), 1e-6);
            assert_near(near, visco_near((visco_kernels)k, q), 1e-6);
            double push = 3 * visco_far_slope((visco_kernels)k, q) +
                          5 * visco_near_slope((visco_kernels)k, q);
            assert_near(visco_lane_displacement((visco_kernels)k, (float)q, 3, 5), push, 1e-5);
        }
    assert_near(visco_lane_drag(0.25f, 2, 3, 4), 0.75 * (3 * 2 + 4 * 4), 1e-5);
    assert_near(visco_lane_drag(0.25f, -2, 3, 4), 0, 0);
}

/* The displacements are gradients of the densities, but for the hybrid kernels. */
static void test_slopes_are_derivatives(void **state)
{
    (void)state;
    const visco_kernels sets[] = {VISCO_KERNELS_PAPER, VISCO_KERNELS_SQUARED};
    const double step = 1e-5;
    for (size_t k = 0; k < COUNT_OF(sets); k++)
        for (double q = 0.05; q < 0.95; q += 0.1) {
            double far = (visco_far(sets[k], q + step) - visco_far(sets[k], q - step)) / (2 * step);
            double near =
                (visco_near(sets[k], q + step) - visco_near(sets[k], q - step)) / (2 * step);
            assert_near(visco_far_slope(sets[k], q), -far / 2, 1e-6);
            assert_near(visco_near_slope(sets[k], q), -near / 3, 1e-6);
        }
}

/* --------------------------------------------------------------------- rest */

static weir_world *make_block(const weir_world_def *def)
{
    weir_world *world = make_world(def);
    weir_fluid_id liquid = make_plain_fluid(world, 0);
    double s = def->spacing;
    fill_box(world, liquid, def->dim, s, v3(0, 0, 0), v3(8 * s, 8 * s, 8 * s), 0, v3(0, 0, 0));
    weir_error error = {0};
    if (weir_world_get_step_limit(world, &error).seconds == 0)
        fail_msg("%s", error.text);
    return world;
}

/* What a flat wall hides of ρ, added to what is left, is the whole. */
static void test_solids_complete_the_density(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world_def def = visco_def(dim, 0.1);
        weir_world *world = make_block(&def);
        const visco_data *data = world->flow.method_data;
        double slope;
        assert_near(visco_share(data->shares.far, 0, NULL), 0, 0);
        assert_near(visco_share(data->shares.far, 0.5, NULL), 0.5, 1e-3);
        assert_near(visco_share(data->shares.near, 0.5, NULL), 0.5, 1e-3);
        assert_near(visco_share(data->shares.far, 1, NULL), 1, 0);
        for (double volume = 0.01; volume < 1; volume += 0.05) {
            visco_share(data->shares.near, volume, &slope);
            assert_true(slope >= 0);
        }
        /* Half a lattice above a wall half a spacing away. */
        double h = world->flow.h, s = 0.1, sum = 0;
        for (int c = dim == 3 ? -3 : 0; c <= (dim == 3 ? 3 : 0); c++)
            for (int b = 0; b <= 3; b++)
                for (int a = -3; a <= 3; a++)
                    sum += visco_far(VISCO_KERNELS_PAPER,
                                     fmin(1, sqrt(a * a + b * b + c * c) * s / h));
        half_space_table table;
        half_space_table_fill(&table, world->flow.kernel, dim);
        double hidden =
            visco_share(data->shares.far, half_space_volume(&table, s / 2 / h, NULL), NULL);
        double whole = 1 + data->rest.density;
        assert_near((sum + hidden * whole) / whole, 1, 0.03);
        weir_world_destroy(world);
    }
}

/* A block at rest stays as it is: pressures vanish there whatever the cohesion. */
static void test_rest_is_balanced(void **state)
{
    (void)state;
    for (int kernels = 0; kernels < 3; kernels++)
        for (double cohesion = 0.01; cohesion <= 1; cohesion += 0.99) {
            weir_world_def def = visco_def(2, 0.1);
            set_parameter(&def, "kernels", kernels);
            set_parameter(&def, "cohesion", cohesion);
            weir_world *world = make_block(&def);
            const visco_data *data = world->flow.method_data;
            const visco_law *law = &data->pressure[0];
            double far = law->bias * data->rest.far_virial;
            double near = law->near * data->rest.near * data->rest.near_virial;
            assert_near(far + near, 0, 1e-9 * (fabs(far) + fabs(near)));
            weir_world_destroy(world);
        }
}

/* Parameters mean the same at every spacing: viscosity and modulus by their definition. */
static void test_units(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (double spacing = 0.01; spacing < 0.1; spacing *= 3) {
            weir_world_def def = visco_def(dim, spacing);
            set_parameter(&def, "shear_modulus", 700);
            set_parameter(&def, "viscosity", 3);
            weir_world *world = make_block(&def);
            const visco_data *data = world->flow.method_data;
            /* Σ ½ k (1 − q) r² <r̂x² r̂y²> ρ/2 over particles at rest, here by hand in 2D. */
            double sum = 0, h = world->flow.h;
            for (int b = -3; b <= 3 && dim == 2; b++)
                for (int a = -3; a <= 3; a++) {
                    double r = hypot(a, b) * spacing;
                    if (r > 0 && r < h)
                        sum += 0.25 * (1 - r / h) * r * r / 8;
                }
            if (dim == 2)
                assert_near(1000 * data->law.stiffness * sum / 700, 1, 0.05);
            assert_near(data->law.stiffness * spacing * spacing,
                        700 / (2000 * data->rest.shear) * spacing * spacing, 1e-9);
            weir_world_destroy(world);
        }
}

/* ------------------------------------------------------- materials and errors */

static void test_materials_fill_what_is_open(void **state)
{
    (void)state;
    weir_world_def def = visco_def(2, 0.1);
    set_parameter(&def, "material", CLAY);
    set_parameter(&def, "stretch_yield", 0.3);
    weir_world *world = make_block(&def);
    assert_near(weir_world_get_parameter(world, "stretch_yield"), 0.3, 0);
    assert_near(weir_world_get_parameter(world, "compress_yield"), 0.05, 0);
    assert_near(weir_world_get_parameter(world, "shear_modulus"), 5000, 1e-6);
    assert_true(weir_world_get_parameter(world, "spring_growth") == VISCO_GROWTH_ON);
    weir_world_destroy(world);
    /* The paper's numbers, in units of 1/30 s. */
    weir_world_def_use_method(&def, WEIR_METHOD_VISCOELASTIC);
    def.dim = 3;
    set_parameter(&def, "material", PAPER);
    world = make_block(&def);
    const visco_data *data = world->flow.method_data;
    double unit = world->flow.h * 900;
    assert_near(data->pressure[0].compress / unit, 0.004, 1e-9);
    assert_near(data->pressure[0].near / unit, 0.01, 1e-9);
    assert_near(data->law.stiffness / 900, 0.3, 1e-9);
    assert_near(data->law.stretch_rate / 30, 0.3, 1e-9);
    assert_between(data->rest_density, 6, 10); /* the paper's 10 is meant for h = 2.6 spacings */
    weir_world_destroy(world);
}

static void check_refused(const char *name, double value, const char *other, double other_value,
                          const char *part)
{
    weir_world_def def = visco_def(2, 0.1);
    set_parameter(&def, name, value);
    set_parameter(&def, other, other_value);
    weir_world *world = make_world(&def);
    make_plain_fluid(world, 0);
    weir_error error = {0};
    assert_true(weir_world_get_step_limit(world, &error).seconds == 0);
    assert_error(error, WEIR_INVALID, part);
    weir_world_destroy(world);
}

static void test_contradictions_are_refused(void **state)
{
    (void)state;
    check_refused("sound_speed", 10, "stiffness", 5, "sound_speed 10");
    check_refused("shear_modulus", 1000, "spring_stiffness", 1, "shear_modulus 1000");
    check_refused("sound_speed", 1, "surface_tension", 1000, "at most");
}

static void test_stickiness_is_checked(void **state)
{
    (void)state;
    weir_world_def def = visco_def(2, 0.1);
    weir_world *world = make_world(&def);
    weir_body_def ball = weir_body_def_default();
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.1;
    ball.wet_friction = 1.5;
    weir_error error = {0};
    assert_true(weir_body_create(world, &ball, &error).slot == 0);
    assert_error(error, WEIR_INVALID, "wet_friction 1.5");
    ball.wet_friction = 0;
    ball.stickiness = -1;
    assert_true(weir_body_create(world, &ball, &error).slot == 0);
    assert_error(error, WEIR_INVALID, "stickiness -1");
    weir_world_destroy(world);
}

/* ---------------------------------------------------------- order of particles */

/* A column that falls over: height of its centre of mass after half a second. */
static double fallen_height(double order)
{
    weir_world_def def = visco_def(2, 0.04);
    set_parameter(&def, "order", order);
    set_parameter(&def, "sound_speed", 20);
    set_parameter(&def, "courant", 0.3);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_plain_fluid(world, 5);
    make_tank(world, v3(0, 0, -1), v3(1.6, 2, 1));
    fill_box(world, liquid, 2, 0.04, v3(0, 0, 0), v3(0.4, 0.8, 0), 0, v3(0, 0, 0));
    step_many(world, 1.0 / 60, 30);
    weir_statistics s = weir_world_get_statistics(world);
    weir_world_destroy(world);
    return s.potential_energy / (9.81 * s.mass);
}

static void test_both_orders_agree(void **state)
{
    (void)state;
    double parallel = fallen_height(VISCO_ORDER_PARALLEL);
    double sequential = fallen_height(VISCO_ORDER_SEQUENTIAL);
    print_message("height after 0.5 s: parallel %.4f m, sequential %.4f m\n", parallel, sequential);
    assert_true(parallel < 0.3);
    assert_near(parallel, sequential, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_follow_the_formulas),
        cmocka_unit_test(test_slopes_are_derivatives),
        cmocka_unit_test(test_solids_complete_the_density),
        cmocka_unit_test(test_rest_is_balanced),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_materials_fill_what_is_open),
        cmocka_unit_test(test_contradictions_are_refused),
        cmocka_unit_test(test_stickiness_is_checked),
        cmocka_unit_test(test_both_orders_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
