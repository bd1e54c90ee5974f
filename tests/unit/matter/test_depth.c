/* The depth of the fluid: of pools that hang together, not of all that is in the air. */
#include "matter/depth.h"
#include "support/worlds.h"
#include "world/state.h"

static const double D = 0.02;

static weir_world *make_empty(int dim, weir_vec3 gravity, weir_fluid_id *water)
{
    weir_world_def def = small_world_def(dim, D);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.gravity = gravity;
    weir_world *w = make_world(&def);
    *water = make_fluid(w, 1000, 0.001);
    return w;
}

/* In spacings: wide, high, and in 3D twelve across. */
static void add_block(weir_world *w, weir_fluid_id water, double x, double y, double wide,
                      double high)
{
    int dim = w->flow.dim;
    fill_box(w, water, dim, D, v3(x * D, y * D, 0), v3((x + wide) * D, (y + high) * D, 12 * D), 0,
             v3(0, 0, 0));
}

/* Layers, from what was `before`. */
static double measure(weir_world *w, double before)
{
    flow *f = &w->flow;
    assert_true(neighbours_build(&f->near, &f->p, NULL));
    f->fluid_depth = before * D;
    assert_true(depth_update(&w->depth, f));
    return f->fluid_depth / D;
}

static void check_pools(int dim)
{
    weir_fluid_id water;
    weir_world *w = make_empty(dim, v3(0, -9.81, 0), &water);
    add_block(w, water, 0, 0, 20, 10);
    assert_near(measure(w, 0), 10, 1e-3);
    add_block(w, water, 0, 30, 20, 14); /* well above it */
    assert_near(measure(w, 0), 14, 1e-3);
    for (int k = 0; k < 10; k++) { /* spray */
        weir_vec3 at = v3(2 * k * D, (50 + 6 * k) * D, 6 * D);
        assert_true(weir_world_add_particles(w, water, &at, 1, v3(0, 0, 0), NULL));
    }
    assert_near(measure(w, 0), 14, 1e-3);
    add_block(w, water, 8, 10, 6, 20); /* joins both */
    assert_near(measure(w, 0), 44, 1e-3);
    weir_world_destroy(w);
}

static void pools_count_by_themselves(void **state)
{
    (void)state;
    check_pools(2);
    check_pools(3);
}

/* As in a slanting pipe: no upright column in it is more than a fraction as deep. */
static void a_slanting_band_is_as_deep_as_it_reaches(void **state)
{
    (void)state;
    weir_fluid_id water;
    weir_world *w = make_empty(2, v3(0, -9.81, 0), &water);
    for (int step = 0; step < 40; step++)
        add_block(w, water, step, step, 8, 1);
    assert_near(measure(w, 0), 40, 1e-3);
    weir_world_destroy(w);
}

static void depth_follows_the_force(void **state)
{
    (void)state;
    weir_fluid_id water;
    weir_world *w = make_empty(2, v3(3, 0, 0), &water);
    add_block(w, water, 0, 0, 25, 10);
    assert_between(measure(w, 0), 23.9, 25.1); /* the few at an edge may count as spray */
    weir_world_destroy(w);
    w = make_empty(2, v3(0, 0, 0), &water); /* nothing presses */
    add_block(w, water, 0, 0, 25, 10);
    assert_near(measure(w, 3), 3, 1e-3);
    weir_world_destroy(w);
}

static void depth_falls_little_by_little(void **state)
{
    (void)state;
    weir_fluid_id water;
    weir_world *w = make_empty(2, v3(0, -9.81, 0), &water);
    add_block(w, water, 0, 0, 20, 10);
    assert_near(measure(w, 20), 18, 1e-3);
    assert_near(measure(w, 10.5), 10, 1e-3);
    weir_world_destroy(w);
}

/* Pools of many heights, joined below in pairs: threads join clusters of one pool at once. */
static double measure_pools(int threads)
{
    weir_fluid_id water;
    weir_world *w = make_empty(2, v3(0, -9.81, 0), &water);
    for (int k = 0; k < 40; k++)
        add_block(w, water, 20 * k, k % 2 == 0 ? 10 : 0, 12, 20 + 7 * (k % 5));
    for (int k = 0; k < 40; k += 4)
        add_block(w, water, 20 * k + 12, 12, 8, 5);
    w->flow.threads = threads; /* of the depth alone */
    double depth = measure(w, 0);
    weir_world_destroy(w);
    return depth;
}

static void depth_does_not_depend_on_threads(void **state)
{
    (void)state;
    double depth = measure_pools(1);
    assert_between(depth, 50, 70);
    for (int threads = 2; threads <= 6; threads++)
        for (int k = 0; k < 5; k++)
            assert_true(measure_pools(threads) == depth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_count_by_themselves),
        cmocka_unit_test(a_slanting_band_is_as_deep_as_it_reaches),
        cmocka_unit_test(depth_follows_the_force),
        cmocka_unit_test(depth_falls_little_by_little),
        cmocka_unit_test(depth_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
