/* A block between a floor and a press that goes down by 30 % of its height, waits and leaves: jelly
 * gets up again, clay keeps the imprint, and below the yield ratio nothing stays. */
#include "support/viscoelastic_worlds.h"

static const double SPACING = 0.0125, HEIGHT = 0.2;

typedef struct pressing {
    double before, pressed, after; /* m, extent of the block along y */
} pressing;

static void add_press(weir_world *world, double depth)
{
    const double high = HEIGHT + 0.05 + 2 * SPACING, low = HEIGHT * (1 - depth) + 0.05;
    const double times[] = {0, 0.5, 0.9, 1.2, 1.5, 100},
                 heights[] = {high, high, low, low, high + 0.1, high + 0.1};
    weir_keyframe frames[COUNT_OF(times)];
    for (size_t k = 0; k < COUNT_OF(times); k++)
        frames[k] = (weir_keyframe){times[k], {v3(0, heights[k], 0), {0, 0, 0, 1}}};
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_ANIMATED;
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = v3(0.4, 0.05, 1);
    def.motion.keyframes = frames;
    def.motion.keyframe_count = COUNT_OF(times);
    make_body(world, &def);
}

/* Gravity is off: what remains is the press's doing, and the block may jump. */
static pressing press_block(const char *const *names, const double *values, size_t count,
                            double depth)
{
    weir_world_def def = visco_def(2, SPACING);
    def.gravity = v3(0, 0, 0);
    set_parameter(&def, "sound_speed", 15);
    for (size_t k = 0; k < count; k++)
        set_parameter(&def, names[k], values[k]);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_plain_fluid(world, 0);
    weir_body_def floor = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
    make_body(world, &floor);
    add_press(world, depth);
    fill_box(world, liquid, 2, SPACING, v3(-HEIGHT / 2, 0, 0), v3(HEIGHT / 2, HEIGHT, 0), 0,
             v3(0, 0, 0));
    pressing result;
    step_many(world, 1.0 / 30, 15);
    result.before = mean_spread(world, 1);
    step_many(world, 1.0 / 30, 20);
    result.pressed = mean_spread(world, 1);
    step_many(world, 1.0 / 30, 55);
    result.after = mean_spread(world, 1);
    weir_world_destroy(world);
    return result;
}

static void test_elastic(void **state)
{
    (void)state;
    pressing p =
        press_block((const char *[]){"material", "viscosity"}, (double[]){JELLY, 10}, 2, 0.3);
    assert_true(p.pressed < 0.8 * p.before);
    print_message("elastic: pressed to %.3f, recovered to %.4f of the height\n",
                  p.pressed / p.before, p.after / p.before);
    assert_near(p.after / p.before, 1, 0.05);
}

static void test_plastic(void **state)
{
    (void)state;
    pressing p = press_block((const char *[]){"material"}, (double[]){CLAY}, 1, 0.3);
    double kept = (p.before - p.after) / (p.before - p.pressed);
    print_message("plastic: %.1f %% of the imprint stays\n", 100 * kept);
    assert_true(p.pressed < 0.8 * p.before);
    assert_between(kept, 0.7, 1.05);
}

/* The same rates, but the press stays below what the springs bear: 20 % of compression means
 * stretches of up to 25 % sideways. */
static void test_below_yield(void **state)
{
    (void)state;
    const char *const names[] = {"shear_modulus", "viscosity",      "stretch_rate", "compress_rate",
                                 "stretch_yield", "compress_yield", "spring_growth"};
    const double values[] = {3000, 10, 30, 30, 0.35, 0.35, VISCO_GROWTH_OFF};
    pressing p = press_block(names, values, COUNT_OF(names), 0.2);
    print_message("below yield: pressed to %.3f, recovered to %.4f of the height\n",
                  p.pressed / p.before, p.after / p.before);
    assert_true(p.pressed < 0.87 * p.before);
    assert_near(p.after / p.before, 1, 0.02);
}

/* How far a block of jelly sinks under its own weight, as a share of its height. */
static double sag(double spacing, double courant)
{
    weir_world_def def = visco_def(2, spacing);
    set_parameter(&def, "material", JELLY);
    set_parameter(&def, "viscosity", 20);
    set_parameter(&def, "sound_speed", 15);
    set_parameter(&def, "courant", courant);
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_plain_fluid(world, 0);
    weir_body_def floor = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
    make_body(world, &floor);
    fill_box(world, liquid, 2, spacing, v3(-HEIGHT / 2, 0, 0), v3(HEIGHT / 2, HEIGHT, 0), 0,
             v3(0, 0, 0));
    double before = mean_spread(world, 1);
    step_many(world, 1.0 / 30, 45);
    double after = mean_spread(world, 1);
    weir_world_destroy(world);
    return 1 - after / before;
}

/* The modulus means the same at every spacing and step: ρ g H/(2 E) with E = 4 G in a plane. */
static void test_sag(void **state)
{
    (void)state;
    double expected = 1000 * 9.81 * HEIGHT / (2 * 4 * 3000);
    double coarse = sag(0.02, 1), fine = sag(0.0125, 1), small = sag(0.02, 0.5);
    print_message("sag %.4f (coarse), %.4f (fine), %.4f (half the step), expected %.4f\n", coarse,
                  fine, small, expected);
    assert_near(coarse, expected, 0.3 * expected);
    assert_near(fine, expected, 0.3 * expected);
    assert_near(small, coarse, 0.1 * expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic),
        cmocka_unit_test(test_plastic),
        cmocka_unit_test(test_below_yield),
        cmocka_unit_test(test_sag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
