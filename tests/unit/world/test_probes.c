/* Probes in states where the right reading is known. */
#include "support/worlds.h"

static const double SPACING = 0.05;

static int add_probe(weir_world *world, weir_probe_kind kind, weir_vec3 position, double radius)
{
    weir_probe_def def = weir_probe_def_default();
    def.kind = kind;
    def.position = position;
    def.radius = radius;
    weir_error error = {0};
    if (weir_probe_create(world, &def, &error).slot == 0)
        fail_msg("%s", error.text);
    return weir_world_probe_count(world) - 1;
}

static double read_one(const weir_world *world, int index)
{
    weir_probe_reading reading = weir_world_read_probe(world, index);
    assert_int_equal(reading.components, 1);
    return reading.value[0];
}

/* A block of fluid on the lattice, one metre wide and `height` high. */
static weir_world *make_block(int dim, double height, weir_vec3 gravity, weir_vec3 velocity)
{
    weir_world_def def = small_world_def(dim, SPACING);
    def.gravity = gravity;
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    fill_box(world, water, dim, SPACING, v3(0, 0, 0), v3(1, height, 1), 0, velocity);
    return world;
}

/* By volume: half a spacing above the topmost particle. */
static void height_is_measured_by_volume(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_block(dim, 0.6, v3(0, -9.81, 0), v3(0, 0, 0));
        int floor_probe = add_probe(world, WEIR_PROBE_HEIGHT, v3(0.5, 0, 0.5), 0.3);
        int above = add_probe(world, WEIR_PROBE_HEIGHT, v3(0.5, 0.4, 0.5), 0.3);
        int beside = add_probe(world, WEIR_PROBE_HEIGHT, v3(3, 0, 0.5), 0.3);
        /* In 3D a disc of radius 6 spacings does not cut the lattice into whole columns. */
        double tolerance = dim == 2 ? 1e-6 : 0.03;
        assert_near(read_one(world, floor_probe), 0.6, tolerance);
        assert_near(read_one(world, above), 0.2, tolerance);
        assert_true(read_one(world, beside) == 0);
        weir_world_destroy(world);
    }
}

/* Height is along gravity, wherever that points. */
static void height_follows_gravity(void **state)
{
    (void)state;
    weir_world *world = make_block(2, 1, v3(3, 0, 0), v3(0, 0, 0)); /* falls to the right */
    int index = add_probe(world, WEIR_PROBE_HEIGHT, v3(0.7, 0.5, 0), 0.2);
    assert_near(read_one(world, index), 0.7, 1e-6);
    weir_world_destroy(world);
}

static void velocity_is_the_mean_around_the_point(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_block(dim, 1, v3(0, 0, 0), v3(1, -2, dim == 3 ? 3 : 0));
        int inside = add_probe(world, WEIR_PROBE_VELOCITY, v3(0.51, 0.47, 0.5), 0);
        int outside = add_probe(world, WEIR_PROBE_VELOCITY, v3(5, 5, 5), 0);
        weir_probe_reading reading = weir_world_read_probe(world, inside);
        assert_int_equal(reading.components, 3);
        assert_near(reading.value[0], 1, 1e-6);
        assert_near(reading.value[1], -2, 1e-6);
        assert_near(reading.value[2], dim == 3 ? 3 : 0, 1e-6);
        reading = weir_world_read_probe(world, outside);
        assert_true(reading.value[0] == 0 && reading.value[1] == 0 && reading.value[2] == 0);
        weir_world_destroy(world);
    }
}

/* A lattice squeezed by 2 % in y: linear pressure c² ρ0 times the density above 1. */
static void pressure_is_that_of_the_fluid_around_the_point(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, SPACING);
    def.gravity = v3(0, 0, 0);
    for (int a = 0; a < 2; a++)
        def.period[a] = (weir_axis_period){true, 0, a == 0 ? 1 : 0.98};
    set_parameter(&def, "sound_speed", 10);
    set_parameter(&def, "equation_of_state", 0);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    for (int j = 0; j < 20; j++)
        for (int i = 0; i < 20; i++) {
            weir_vec3 x = v3((i + 0.5) * SPACING, (j + 0.5) * 0.98 * SPACING, 0);
            assert_true(weir_world_add_particles(world, water, &x, 1, v3(0, 0, 0), NULL));
        }
    int index = add_probe(world, WEIR_PROBE_PRESSURE, v3(0.43, 0.52, 0), 0);
    step_world(world, 1e-5);
    double ratio = weir_world_get_field(world, "density")[0] / 1000.0;
    assert_near(ratio, 1 / 0.98, 0.01); /* the square lattice is near, not at, rest density */
    assert_near(read_one(world, index), 1e5 * (ratio - 1), 1e-3 * 1e5 * (ratio - 1));
    weir_world_destroy(world);
}

/* A block 1 m high that moves at 2 m/s carries 2 m²/s, or less through a smaller gate. */
static void flow_counts_what_passes(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_block(dim, 1, v3(0, 0, 0), v3(2, 0, 0));
        int whole = add_probe(world, WEIR_PROBE_FLOW, v3(1.21, 0.5, 0.5), 0);
        int gate = add_probe(world, WEIR_PROBE_FLOW, v3(1.21, 0.5, 0.5), 0.2);
        weir_probe_def back_def = weir_probe_def_default();
        back_def.kind = WEIR_PROBE_FLOW;
        back_def.position = v3(1.21, 0.5, 0.5);
        back_def.normal = v3(-5, 0, 0);
        assert_true(weir_probe_create(world, &back_def, NULL).slot > 0);
        step_world(world, 0.1); /* the front is at 1.2 */
        assert_true(read_one(world, whole) == 0);
        step_world(world, 0.2); /* 0.4 m of the block pass */
        assert_near(read_one(world, whole), 2, 0.26);
        assert_near(read_one(world, 2), -read_one(world, whole), 1e-9);
        double open = dim == 2 ? 0.4 : 3.14159265 * 0.04;
        assert_near(read_one(world, gate), 2 * open, 0.15 * 2 * open);
        double passed = 0.2 * read_one(world, whole);
        for (int k = 0; k < 4; k++) {
            step_world(world, 0.1);
            passed += 0.1 * read_one(world, whole);
        }
        assert_near(passed, 1, 1e-9); /* all of it, once */
        weir_world_destroy(world);
    }
}

/* In a periodic channel the flow is the same everywhere, at the ends of the period, too. */
static void flow_is_the_same_at_every_place_of_a_period(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, SPACING);
    def.gravity = v3(0, 0, 0);
    def.period[0] = (weir_axis_period){true, 0, 1};
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    fill_box(world, water, 2, SPACING, v3(0, 0, 0), v3(1, 0.5, 0), 0, v3(1, 0, 0));
    int middle = add_probe(world, WEIR_PROBE_FLOW, v3(0.5, 0, 0), 0);
    int near_end = add_probe(world, WEIR_PROBE_FLOW, v3(0.9999, 0, 0), 0);
    int at_end = add_probe(world, WEIR_PROBE_FLOW, v3(1, 0, 0), 0);
    step_world(world, 0.5); /* ten columns of ten particles */
    assert_near(read_one(world, middle), 0.5, 1e-6);
    assert_near(read_one(world, near_end), 0.5, 1e-6);
    assert_near(read_one(world, at_end), 0.5, 1e-6);
    weir_world_destroy(world);
}

static void readings_carry_their_name_and_kind(void **state)
{
    (void)state;
    weir_world *world = make_block(2, 0.5, v3(0, -9.81, 0), v3(0, 0, 0));
    weir_probe_def def = weir_probe_def_default();
    def.name = "gauge 7";
    def.kind = WEIR_PROBE_PRESSURE;
    assert_true(weir_probe_create(world, &def, NULL).slot > 0);
    weir_probe_reading reading = weir_world_read_probe(world, 0);
    assert_string_equal(reading.name, "gauge 7");
    assert_int_equal(reading.kind, WEIR_PROBE_PRESSURE);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(height_is_measured_by_volume),
        cmocka_unit_test(height_follows_gravity),
        cmocka_unit_test(velocity_is_the_mean_around_the_point),
        cmocka_unit_test(pressure_is_that_of_the_fluid_around_the_point),
        cmocka_unit_test(flow_counts_what_passes),
        cmocka_unit_test(flow_is_the_same_at_every_place_of_a_period),
        cmocka_unit_test(readings_carry_their_name_and_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
