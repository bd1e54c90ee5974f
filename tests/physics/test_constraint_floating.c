/* A light body that is pointed below floats where Archimedes says. Without what makes up for the
 * energy of surfaces (method/constraint_surface.h) it lies 2 % too high: rows that only push leave
 * the topmost layers close together, which presses sideways on what cuts the surface. */
#include "support/worlds.h"

#include <math.h>

static const double SPACING = 0.02, GRAVITY = 9.81;
static const double WIDTH = 60, LEVEL = 24; /* of the tank, in spacings */
/* Half a diagonal across and half of the other upright, in spacings. What reaches `depth` below
 * the level displaces depth² ACROSS/UP, up to UP. */
static const double ACROSS = 13, UP = 9;

static weir_body_id make_diamond(weir_world *w, double ratio)
{
    const weir_vec3 corners[4] = {v3(-ACROSS * SPACING, 0, 0), v3(0, -UP * SPACING, 0),
                                  v3(ACROSS * SPACING, 0, 0), v3(0, UP * SPACING, 0)};
    double draught = UP * sqrt(2 * ratio);
    weir_body_def diamond = weir_body_def_default();
    diamond.name = "diamond";
    diamond.kind = WEIR_BODY_DYNAMIC;
    diamond.density = 1000 * ratio;
    diamond.shape.kind = WEIR_SHAPE_POLYGON;
    diamond.shape.points = corners;
    diamond.shape.point_count = 4;
    diamond.pose.position = v3(WIDTH / 2 * SPACING, (LEVEL - draught + UP) * SPACING, 0);
    return make_body(w, &diamond);
}

static double fill_around(weir_world *w)
{
    weir_fluid_id water = make_fluid(w, 1000, 0.001);
    double count = 0;
    for (int j = 0; j < (int)LEVEL; j++)
        for (int i = 0; i < (int)WIDTH; i++) {
            weir_vec3 x = v3((i + 0.5) * SPACING, (j + 0.5) * SPACING, 0);
            if (weir_world_distance(w, x, NULL) < 0.4 * SPACING)
                continue;
            assert_true(weir_world_add_particles(w, water, &x, 1, v3(0, 0, 0), NULL));
            count++;
        }
    return count;
}

/* How much is under water, over what should be, as a mean over the second half of 5 s. */
static double floating_share(double ratio, double balance)
{
    weir_world_def def = small_world_def(2, SPACING);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    set_parameter(&def, "surface_balance", balance);
    def.gravity = v3(0, -GRAVITY, 0);
    weir_world *w = make_world(&def);
    make_tank(w, v3(0, 0, -1), v3(WIDTH * SPACING, 3 * LEVEL * SPACING, 1));
    weir_body_id diamond = make_diamond(w, ratio);
    double fluid = fill_around(w), share = 0;
    int counted = 150;
    step_many(w, 1.0 / 60, counted);
    for (int k = 0; k < counted; k++) {
        weir_body_state s;
        step_world(w, 1.0 / 60);
        weir_body_get_state(w, diamond, &s);
        double water = fluid / (1 + weir_world_get_statistics(w).compression_mean), depth = 0;
        double lowest = s.pose.position.y / SPACING - UP;
        for (int n = 0; n < 40; n++)
            depth = (water + depth * depth * ACROSS / UP) / WIDTH - lowest;
        share += depth * depth / (2 * UP * UP * ratio) / counted;
    }
    weir_world_destroy(w);
    return share;
}

static void pointed_bodies_float_right(void **state)
{
    (void)state;
    static const double ratios[] = {0.2, 0.25, 0.3};
    double with = 0, without = 0;
    for (int k = 0; k < 3; k++) {
        with += (floating_share(ratios[k], 1) - 1) / 3;
        without += (floating_share(ratios[k], 0) - 1) / 3;
    }
    print_message("off by %+.2f %%, without the balance %+.2f %%\n", 100 * with, 100 * without);
    assert_true(fabs(with) < 0.01);
    assert_true(without < with - 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pointed_bodies_float_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
