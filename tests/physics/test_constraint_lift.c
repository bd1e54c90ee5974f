/* Fluid at rest lifts a solid by the weight of what it displaces, however the solid's faces lie to
 * the lattice of the fill. The solids are held, so that neither heave nor waves hide the force:
 * this is what the growth of solids (solid_growth in method/constraint.c) has to get right, and of
 * which the mean over ways to lie says most.
 *
 * Where the surface of the fluid meets a solid there is an error that growth cannot mend: particles
 * of the topmost layers lie low and close together, which presses sideways on what cuts the
 * surface. It is as large as |M| ρ g dA/dy, with the area A of the waterline and M ≈ −0.34 d² in 2D
 * (docs/theory/constraint.md). The test holds it to that size. */
#include "support/worlds.h"

#include <math.h>

static const double SPACING = 0.02, GRAVITY = 9.81, DENSITY = 1000;

typedef struct held {
    weir_shape_kind kind;
    double half;  /* spacings: half a side, or a radius */
    double turn;  /* rad */
    double above; /* spacings, of the centre over the level of the fill */
} held;

typedef struct tank {
    int dim;
    double width, level, seconds; /* spacings, spacings, s */
} tank;

static weir_body_id hold(weir_world *world, const tank *t, const held *h)
{
    double half = h->half * SPACING, middle = t->width / 2 * SPACING;
    weir_body_def solid = weir_body_def_default();
    solid.name = "held";
    solid.shape.kind = h->kind;
    solid.shape.radius = half;
    solid.shape.half_extents = v3(half, half, t->dim == 3 ? half : 1);
    solid.pose.position = v3(middle, (t->level + h->above) * SPACING, t->dim == 3 ? middle : 0);
    solid.pose.rotation.z = sin(h->turn / 2);
    solid.pose.rotation.w = cos(h->turn / 2);
    return make_body(world, &solid);
}

/* Returns the volume of the fluid in units of particles. */
static double fill(weir_world *world, const tank *t)
{
    weir_fluid_id water = make_fluid(world, DENSITY, 0);
    int across = (int)t->width, deep = t->dim == 3 ? across : 1;
    double count = 0;
    for (int k = 0; k < deep; k++)
        for (int j = 0; j < (int)t->level; j++)
            for (int i = 0; i < across; i++) {
                weir_vec3 x = v3((i + 0.5) * SPACING, (j + 0.5) * SPACING,
                                 t->dim == 3 ? (k + 0.5) * SPACING : 0);
                if (weir_world_distance(world, x, NULL) < 0.4 * SPACING)
                    continue;
                assert_true(weir_world_add_particles(world, water, &x, 1, v3(0, 0, 0), NULL));
                count++;
            }
    return count;
}

/* The lift over the weight of a particle, as a mean over the second half of the time. */
static double measure_lift(const tank *t, const held *h, double *fluid)
{
    weir_world_def def = small_world_def(t->dim, SPACING);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.gravity = v3(0, -GRAVITY, 0);
    weir_world *world = make_world(&def);
    double side = t->width * SPACING;
    make_tank(world, v3(0, 0, t->dim == 3 ? 0 : -1),
              v3(side, 3 * t->level * SPACING, t->dim == 3 ? side : 1));
    weir_body_id solid = hold(world, t, h);
    *fluid = fill(world, t);
    double lift = 0;
    int steps = (int)(t->seconds * 60), counted = steps / 2;
    step_many(world, 1.0 / 60, steps - counted);
    for (int k = 0; k < counted; k++) {
        weir_body_state s;
        step_world(world, 1.0 / 60);
        weir_body_get_state(world, solid, &s);
        lift += s.pressure_force.y / counted;
    }
    weir_world_destroy(world);
    return lift / (DENSITY * GRAVITY * pow(SPACING, t->dim));
}

static void solids_under_water(void **state)
{
    (void)state;
    static const tank flat = {2, 40, 32, 4}, deep = {3, 18, 18, 1.5};
    static const double PI = 3.14159265358979;
    const struct {
        const tank *in;
        held solid;
        double volume, allowed;
    } cases[] = {
        {&flat, {WEIR_SHAPE_BOX, 7, 0, -17}, 196, 0.01},
        {&flat, {WEIR_SHAPE_BOX, 7, PI / 12, -17}, 196, 0.01},
        {&flat, {WEIR_SHAPE_BOX, 7, PI / 4, -17}, 196, 0.01},
        {&flat, {WEIR_SHAPE_SPHERE, 7, 0, -17}, PI * 49, 0.01},
        {&deep, {WEIR_SHAPE_SPHERE, 4, 0, -9.5}, PI * 256 / 3, 0.02},
    };
    double mean_2d = 0;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        /* Single runs scatter by 0.5 % with how the particles come to lie: the mean of three depths
         * counts. */
        double mean = 0;
        for (int side = -1; side <= 1; side++) {
            held solid = cases[k].solid;
            solid.above += 0.25 * side;
            double fluid, lift = measure_lift(cases[k].in, &solid, &fluid);
            double error = lift / cases[k].volume - 1;
            print_message("case %zu: lift %.2f for a volume of %.2f, %+.2f %%\n", k, lift,
                          cases[k].volume, 100 * error);
            mean += error / 3;
        }
        assert_true(fabs(mean) < cases[k].allowed);
        mean_2d += cases[k].in->dim == 2 ? mean / 4 : 0;
    }
    /* Without growth the mean is −0.4 %, with three times as much above 1 %. */
    print_message("mean in 2D: %+.2f %%\n", 100 * mean_2d);
    assert_true(fabs(mean_2d) < 0.003);
}

/* A square on its corner that reaches `depth` below the level displaces depth². */
static void solids_across_the_surface(void **state)
{
    (void)state;
    static const tank t = {2, 56, 22, 4};
    static const double PI = 3.14159265358979;
    double fluid, side = 7, above = 0.4;
    held upright = {WEIR_SHAPE_BOX, side, 0, above};
    double lift = measure_lift(&t, &upright, &fluid);
    /* level · width = fluid + displaced, displaced = 2 side (level − bottom) */
    double level = (fluid - 2 * side * (t.level + above - side)) / (t.width - 2 * side);
    double displaced = 2 * side * (level - t.level - above + side);
    print_message("upright: lift %.2f for %.2f, %+.3f\n", lift, displaced, lift - displaced);
    assert_true(fabs(lift - displaced) < 0.6);

    held on_corner = {WEIR_SHAPE_BOX, 8, PI / 4, 4.6};
    double corner = t.level + 4.6 - 8 * sqrt(2), depth = 0;
    lift = measure_lift(&t, &on_corner, &fluid);
    for (int n = 0; n < 40; n++)
        depth = (fluid + depth * depth) / t.width - corner;
    print_message("on its corner: lift %.2f for %.2f, %+.3f\n", lift, depth * depth,
                  lift - depth * depth);
    assert_true(fabs(lift - depth * depth) < 1.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solids_under_water),
                                       cmocka_unit_test(solids_across_the_surface)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
