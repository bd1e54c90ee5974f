/* Position based fluids: sums over pairs against plain loops, what is derived and refused, the same
 * bits for every thread count and width, and iterations to a tolerance. */
#include "support/pbf_worlds.h"

/* --------------------------------------------------------------------- sums */

static weir_world *make_block(const weir_world_def *def, bool closed)
{
    weir_world *world = make_world(def);
    weir_fluid_id water = make_water(world);
    double s = def->spacing;
    if (closed)
        make_tank(world, v3(0, 0, 0), v3(8 * s, 20 * s, 8 * s));
    fill_box(world, water, def->dim, s, v3(0, 0, 0), v3(8 * s, 8 * s, 8 * s), 0.2, v3(0, 0, 0));
    return world;
}

/* Density, own gradient and squares of a row, by plain loops in double. */
static void check_row(const flow *f, const pbf_constants *k, size_t i)
{
    double ratio = 0, squares = 0, reach = 0;
    vec3 x = flow_position(f, i), slope = {0, 0, 0};
    double stretch =
        k->gradient.gradient / kernel_constants_make(k->gradient_kernel, f->dim, f->h).gradient;
    for (size_t j = 0; j < f->p.count; j++) {
        vec3 r = vec3_sub(x, flow_position(f, j));
        double length = vec3_length(r);
        ratio += k->volume * kernel_value(k->density_kernel, f->dim, length, f->h);
        if (j == i)
            continue;
        double w =
            stretch * k->volume * kernel_derivative(k->gradient_kernel, f->dim, length, f->h);
        slope = vec3_madd(slope, w / length, r);
        squares += w * w / f->fluids[0].mass;
        reach -= w;
    }
    double scale = k->volume / (f->h * f->volume);
    assert_near(f->p.field[PBF_DENSITY][i], ratio, 1e-5);
    assert_near(f->p.field[PBF_SQUARES][i] / squares, 1, 1e-4);
    assert_near(f->p.field[PBF_REACH][i] / reach, 1, 1e-4);
    assert_near(f->p.field[PBF_MOVE_X][i] / scale, slope.x / scale, 1e-4);
    assert_near(f->p.field[PBF_MOVE_Y][i] / scale, slope.y / scale, 1e-4);
}

static void test_sums_match_plain_loops(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kernel = WEIR_KERNEL_WENDLAND_C2; kernel <= WEIR_KERNEL_SPIKY; kernel++)
            for (int spiky = 0; spiky <= 1; spiky++) {
                weir_world_def def = pbf_def(dim, 0.02, 1);
                def.kernel = (weir_kernel)kernel;
                set_parameter(&def, "gradient_kernel", spiky);
                /* Small moves: lists are of the positions before them. */
                set_parameter(&def, "iterations", 1);
                set_parameter(&def, "relaxation", 1e-4);
                weir_world *world = make_block(&def, false);
                step_world(world, 1e-4);
                flow *f = &world->flow;
                const pbf_constants *constants = &pbf_of(world)->constants;
                float first = f->p.field[PBF_DENSITY][0];
                pbf_get_passes(f)->measure(f, constants, 0, f->near.cluster_count);
                /* What a step reports is the same sum. */
                assert_true(first == 1000 * f->p.field[PBF_DENSITY][0]);
                for (size_t i = 0; i < f->p.count; i += 11)
                    check_row(f, constants, i);
                weir_world_destroy(world);
            }
}

/* The gradient of a solid's volume moves particles, and the push on it is the opposite. */
static void test_solids_feel_the_weight(void **state)
{
    (void)state;
    weir_world_def def = pbf_def(2, 0.05, 4);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_water(world);
    weir_body_id tank = make_tank(world, v3(0, 0, 0), v3(1, 2, 1));
    fill_box(world, water, 2, 0.05, v3(0, 0, 0), v3(1, 0.5, 0), 0, v3(0, 0, 0));
    step_many(world, 1.0 / 60, 60);
    double mean = 0;
    for (int k = 0; k < 30; k++) {
        step_world(world, 1.0 / 60);
        weir_body_state felt;
        weir_body_get_state(world, tank, &felt);
        mean += felt.pressure_force.y / 30;
    }
    assert_near(mean / (-9.81 * 500), 1, 0.01);
    weir_world_destroy(world);
}

/* ------------------------------------------------------------------ derived */

/* Against sums over wave vectors computed apart. */
static void test_spectrum_of_the_lattice(void **state)
{
    (void)state;
    const struct {
        int dim, kernel, spiky;
        double support, expected;
    } cases[] = {
        {2, WEIR_KERNEL_WENDLAND_C2, 0, 2, 1.98},   {2, WEIR_KERNEL_WENDLAND_C2, 0, 3, 3.30},
        {3, WEIR_KERNEL_WENDLAND_C2, 0, 2.5, 3.73}, {2, WEIR_KERNEL_POLY6, 0, 2.5, 3.65},
        {3, WEIR_KERNEL_POLY6, 1, 2.5, 3.61},       {3, WEIR_KERNEL_CUBIC, 0, 2, 2.80}};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        weir_world_def def = pbf_def(cases[k].dim, 0.02, 1);
        def.kernel = (weir_kernel)cases[k].kernel;
        def.support = cases[k].support;
        set_parameter(&def, "gradient_kernel", cases[k].spiky);
        weir_world *world = make_block(&def, false);
        step_world(world, 1e-3);
        assert_near(pbf_of(world)->spectrum, cases[k].expected, 0.02);
        weir_world_destroy(world);
    }
}

static void test_contradictions_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *name[2];
        double value[2];
        const char *says;
    } cases[] = {{{"artificial_pressure", "cohesion"}, {0.1, 0}, "swell"},
                 {{"solver", "cohesion"}, {PBF_SOLVER_CHEBYSHEV, 1}, "not stable with cohesion"},
                 {{"artificial_exponent", "cohesion"}, {2.5, 0}, "whole number"}};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        weir_world_def def = pbf_def(2, 0.02, 1);
        for (int n = 0; n < 2; n++)
            set_parameter(&def, cases[k].name[n], cases[k].value[n]);
        weir_world *world = make_block(&def, false);
        weir_error error = {0};
        assert_true(weir_world_step(world, 1e-3, &error) & WEIR_STEP_FAILED);
        assert_error(error, WEIR_INVALID, cases[k].says);
        weir_world_destroy(world);
    }
}

/* Without a limit a step of any length is one substep; with it Weir cuts it. */
static void test_step_limit(void **state)
{
    (void)state;
    for (int limited = 0; limited <= 1; limited++) {
        weir_world_def def = pbf_def(2, 0.02, 0);
        set_parameter(&def, "courant", limited);
        weir_world *world = make_block(&def, true);
        step_world(world, 0.016);
        if (limited)
            assert_true(world->substeps > 1);
        else
            assert_int_equal(world->substeps, 1);
        weir_world_destroy(world);
    }
}

/* --------------------------------------------------------------- iterations */

static void test_tolerance_ends_the_iterations(void **state)
{
    (void)state;
    weir_world_def def = pbf_def(2, 0.02, 4);
    set_parameter(&def, "iterations", 200);
    set_parameter(&def, "density_tolerance", 1e-3);
    weir_world *world = make_block(&def, true);
    for (int k = 0; k < 30; k++) {
        step_world(world, 1.0 / 60);
        const pbf_data *data = pbf_of(world);
        assert_between(data->iterations, 2, 199);
        assert_true(data->residual[data->iterations] <= 1e-3 || data->iterations >= PBF_HISTORY);
    }
    weir_world_destroy(world);
}

/* -------------------------------------------------------------- determinism */

static uint64_t hash_of_run(int dim, int threads, const char *simd, int variant)
{
    weir_world_def def = pbf_def(dim, 0.04, 2);
    def.threads = threads;
    def.simd = simd;
    set_parameter(&def, "vorticity", 2);
    set_parameter(&def, "wall_friction", 0.2);
    set_parameter(&def, "warm_start", variant == 0 ? 0.5 : 0);
    set_parameter(&def, "cohesion", variant);
    set_parameter(&def, "artificial_pressure", 0.1 * variant);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0.1);
    weir_fluid_id oil = make_fluid(world, 800, 0.2);
    make_tank(world, v3(0, 0, 0), v3(1, 1, 0.3));
    weir_body_def box = weir_body_def_default();
    box.kind = WEIR_BODY_DYNAMIC;
    box.shape.kind = WEIR_SHAPE_SPHERE;
    box.shape.radius = 0.08;
    box.density = 400;
    box.pose.position = v3(0.5, 0.55, dim == 3 ? 0.15 : 0);
    make_body(world, &box);
    fill_box(world, water, dim, 0.04, v3(0, 0, 0), v3(1, 0.28, 0.28), 0.1, v3(0, 0, 0));
    fill_box(world, oil, dim, 0.04, v3(0, 0.28, 0), v3(0.4, 0.6, 0.28), 0.1, v3(1, 0, 0));
    step_many(world, 1.0 / 60, 6);
    uint64_t hash = weir_world_hash(world);
    weir_world_destroy(world);
    return hash;
}

static void test_same_bits(void **state)
{
    (void)state;
    const int threads[] = {2, 3, 7};
    for (int dim = 2; dim <= 3; dim++)
        for (int variant = 0; variant <= 1; variant++) {
            uint64_t expected = hash_of_run(dim, 1, NULL, variant);
            for (size_t k = 0; k < COUNT_OF(threads); k++)
                assert_true(hash_of_run(dim, threads[k], NULL, variant) == expected);
            for (const char *const *level = weir_simd_levels(); *level; level++)
                assert_true(hash_of_run(dim, 1, *level, variant) == expected);
        }
}

/* A restart from the saved arrays goes on with the same bits. */
static void test_restart(void **state)
{
    (void)state;
    weir_world_def def = pbf_def(2, 0.04, 2);
    set_parameter(&def, "warm_start", 0.5);
    weir_world *first = make_block(&def, true), *second = make_block(&def, true);
    step_many(first, 1.0 / 60, 5);
    weir_section from[WEIR_MAX_SECTIONS], to[WEIR_MAX_SECTIONS];
    int count = weir_world_get_sections(first, from);
    weir_error error = {0};
    assert_true(weir_world_restore_begin(second, first->flow.p.count, 0, &error));
    assert_int_equal(weir_world_get_sections(second, to), count);
    static const size_t bytes[] = {4, 8, 1, 4, 8};
    for (int k = 0; k < count; k++)
        if (from[k].count > 0)
            memcpy(to[k].data, from[k].data, from[k].count * bytes[from[k].type]);
    assert_true(weir_world_restore_finish(second, &error));
    step_many(first, 1.0 / 60, 5);
    step_many(second, 1.0 / 60, 5);
    assert_true(weir_world_hash(first) == weir_world_hash(second));
    weir_world_destroy(first);
    weir_world_destroy(second);
}

static void test_no_allocation_in_a_step(void **state)
{
    (void)state;
    weir_world_def def = pbf_def(2, 0.04, 2);
    weir_world *world = make_block(&def, true);
    step_many(world, 1.0 / 60,
              120); /* until it lies still: lists grow while it falls and spreads */
    uint64_t before = weir_world_get_counters(world).allocations;
    step_many(world, 1.0 / 60, 20);
    assert_int_equal(weir_world_get_counters(world).allocations, before);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_match_plain_loops),
        cmocka_unit_test(test_solids_feel_the_weight),
        cmocka_unit_test(test_spectrum_of_the_lattice),
        cmocka_unit_test(test_contradictions_are_refused),
        cmocka_unit_test(test_step_limit),
        cmocka_unit_test(test_tolerance_ends_the_iterations),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_no_allocation_in_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
