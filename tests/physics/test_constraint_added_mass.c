/* A light body that is let go under water starts as if it were heavier by the water that must make
 * room: by its own volume of it for a circle, by half of that for a sphere (Lamb, Hydrodynamics,
 * §§ 68, 92). */
#include "support/worlds.h"

static const double GRAVITY = 9.81, SPACING = 0.02;

/* Fixed, outside of the tank; a joint goes with it. */
static weir_body_id make_holder(weir_world *w, weir_vec3 at)
{
    weir_body_def holder = weir_body_def_default();
    holder.shape.kind = WEIR_SHAPE_SPHERE;
    holder.shape.radius = SPACING;
    holder.pose.position = at;
    return make_body(w, &holder);
}

/* Its acceleration over g in the first hundredths of a second; it has moved by a spacing then. */
static double measure_start(int dim, double ratio, double radius, double width, double step)
{
    double d = SPACING, depth = width;
    weir_world_def def = small_world_def(dim, d);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.gravity = v3(0, -GRAVITY, 0);
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0.001);
    make_tank(w, v3(0, 0, 0), v3(width, 2 * depth, width));
    weir_body_def ball = weir_body_def_default();
    ball.kind = WEIR_BODY_DYNAMIC;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = radius;
    ball.density = 1000 * ratio;
    ball.pose.position = v3(width / 2, depth / 2, dim == 3 ? width / 2 : 0);
    weir_body_id id = make_body(w, &ball);
    weir_joint_def hold = weir_joint_def_default();
    hold.kind = WEIR_JOINT_LOCK;
    hold.a = id;
    hold.b = make_holder(w, v3(width / 2, 3 * depth, 0));
    assert_true(weir_joint_create(w, &hold, NULL).slot > 0);
    int count[3] = {(int)(width / d + 0.5), (int)(depth / d + 0.5),
                    dim == 3 ? (int)(width / d + 0.5) : 1};
    for (int k = 0; k < count[0] * count[1] * count[2]; k++) {
        int i = k % count[0], j = k / count[0] % count[1], n = k / count[0] / count[1];
        weir_vec3 x = v3((i + 0.5) * d, (j + 0.5) * d, dim == 3 ? (n + 0.5) * d : 0);
        if (weir_world_distance(w, x, NULL) > 0.4 * d)
            assert_true(weir_world_add_particles(w, water, &x, 1, v3(0, 0, 0), NULL));
    }
    /* The lattice does not fit the ball: it comes to rest first. */
    step_many(w, step, dim == 3 ? 60 : 140);
    assert_true(weir_body_destroy(w, hold.b, NULL));
    weir_body_state early, late;
    step_many(w, step, 2);
    weir_body_get_state(w, id, &early);
    step_many(w, step, 8);
    weir_body_get_state(w, id, &late);
    weir_world_destroy(w);
    return (late.velocity.y - early.velocity.y) / (GRAVITY * 8 * step);
}

/* A particle more or less at the ball changes it by a few hundredths: the mean over three runs. */
static double mean_start(int dim, double ratio, double radius, double width)
{
    static const double steps[] = {0.0032, 0.0035, 0.0038};
    double sum = 0;
    for (size_t k = 0; k < COUNT_OF(steps); k++)
        sum += measure_start(dim, ratio, radius, width, steps[k]);
    return sum / COUNT_OF(steps);
}

static void circle_starts_with_its_volume(void **state)
{
    (void)state;
    static const double ratios[] = {0.2, 0.5};
    for (size_t k = 0; k < COUNT_OF(ratios); k++) {
        double found = mean_start(2, ratios[k], 0.1, 1.2);
        double expected = (1 - ratios[k]) / (ratios[k] + 1);
        print_message("circle of %g: %.3f g, expected %.3f g\n", ratios[k], found, expected);
        assert_true(fabs(found / expected - 1) < 0.15);
    }
}

static void sphere_starts_with_half_its_volume(void **state)
{
    (void)state;
    double found = mean_start(3, 0.5, 0.08, 0.64);
    double expected = (1 - 0.5) / (0.5 + 0.5);
    print_message("sphere of 0.5: %.3f g, expected %.3f g\n", found, expected);
    assert_true(fabs(found / expected - 1) < 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(circle_starts_with_its_volume),
                                       cmocka_unit_test(sphere_starts_with_half_its_volume)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
