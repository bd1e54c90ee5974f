/* Mass properties against closed forms and against each other. */
#include "solids.h"

#include "space/mass_properties.h"

#include <string.h>

static mass_properties mass_of(weir_shape_def def, int dim)
{
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    mass_properties mass;
    shape *s = create(&m, def, dim);
    if (!mass_properties_of(s, &mass, &error))
        fail_msg("%s", error.text);
    shape_destroy(&m, s);
    assert_int_equal(m.bytes, 0);
    return mass;
}

static void expect(mass_properties mass, double volume, vec3 centroid, vec3 inertia, double part)
{
    double largest = fmax(inertia.x, fmax(inertia.y, inertia.z)), size = cbrt(volume);
    assert_near(mass.volume, volume, part * volume);
    assert_near(mass.centroid.x, centroid.x, part * size);
    assert_near(mass.centroid.y, centroid.y, part * size);
    assert_near(mass.centroid.z, centroid.z, part * size);
    assert_near(mass.inertia[0][0], inertia.x, part * largest);
    assert_near(mass.inertia[1][1], inertia.y, part * largest);
    assert_near(mass.inertia[2][2], inertia.z, part * largest);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (i != k)
                assert_near(mass.inertia[i][k], 0, part * largest);
}

static const vec3 O = {0, 0, 0};

static void primitives_are_exact(void **state)
{
    (void)state;
    double v = 8 * 0.3 * 0.2 * 0.25;
    expect(mass_of(solid_box(0.3, 0.2, 0.25), 3), v, O,
           (vec3){v * (0.04 + 0.0625) / 3, v * (0.09 + 0.0625) / 3, v * (0.09 + 0.04) / 3}, 1e-12);
    v = 4 * 0.3 * 0.2;
    expect(mass_of(solid_box(0.3, 0.2, 9), 2), v, O, (vec3){0, 0, v * 0.13 / 3}, 1e-12);
    v = 4 * M_PI / 3 * 0.027;
    double i = 0.4 * v * 0.09;
    expect(mass_of(solid_round(WEIR_SHAPE_SPHERE, 0.3, 0), 3), v, O, (vec3){i, i, i}, 1e-12);
    v = M_PI * 0.09;
    expect(mass_of(solid_round(WEIR_SHAPE_SPHERE, 0.3, 0), 2), v, O, (vec3){0, 0, v * 0.045},
           1e-12);
    v = M_PI * 0.09 * 0.4;
    expect(mass_of(solid_round(WEIR_SHAPE_CYLINDER, 0.3, 0.2), 3), v, O,
           (vec3){v * (0.0225 + 0.04 / 3), v * 0.045, v * (0.0225 + 0.04 / 3)}, 1e-12);
}

/* The triangle (0,0), (3,0), (0,3): area 4.5, centroid (1,1), Izz = A (a² + b²)/18 about it. */
static void polygons_are_exact(void **state)
{
    (void)state;
    weir_vec3 triangle[] = {{0, 3, 0}, {3, 0, 0}, {0, 0, 0}};
    expect(mass_of(solid_polygon(triangle, 3), 2), 4.5, (vec3){1, 1, 0}, (vec3){0, 0, 4.5}, 1e-12);
    weir_vec3 square[] = {{-0.3, -0.2, 0}, {0.3, -0.2, 0}, {0.3, 0.2, 0}, {-0.3, 0.2, 0}};
    vec3 at = {5, -7, 0}, turn = {0, 0, 1};
    mass_properties a = mass_of(placed(solid_polygon(square, 4), at, turn), 2);
    expect(a, 0.24, at, (vec3){0, 0, 0.24 * 0.13 / 3}, 1e-12);
}

/* A capsule as the union of a cylinder (2D: a box) and two balls. */
static void capsule_agrees_with_quadrature(void **state)
{
    (void)state;
    weir_shape_def parts[3] = {
        solid_round(WEIR_SHAPE_CYLINDER, 0.2, 0.3),
        placed(solid_round(WEIR_SHAPE_SPHERE, 0.2, 0), (vec3){0, 0.3, 0}, O),
        placed(solid_round(WEIR_SHAPE_SPHERE, 0.2, 0), (vec3){0, -0.3, 0}, O),
    };
    for (int dim = 2; dim <= 3; dim++) {
        mass_properties exact = mass_of(solid_round(WEIR_SHAPE_CAPSULE, 0.2, 0.3), dim);
        expect(mass_of(solid_union(parts, 3), dim), exact.volume, O,
               (vec3){exact.inertia[0][0], exact.inertia[1][1], exact.inertia[2][2]}, 1e-3);
    }
}

static void quadrature_is_close(void **state)
{
    (void)state;
    static sampled_ball ball;
    for (int dim = 2; dim <= 3; dim++) {
        double v = dim == 3 ? 4 * M_PI / 3 * 0.027 : M_PI * 0.09;
        double i = dim == 3 ? 0.4 * v * 0.09 : 0, spin = dim == 3 ? i : 0.5 * v * 0.09;
        vec3 centre = {BALL_CENTRE.x, BALL_CENTRE.y, dim == 3 ? BALL_CENTRE.z : 0};
        /* The chords of the interpolant lie outside of the ball by up to step²/8r = 0.00026. */
        expect(mass_of(solid_sampled_ball(&ball, dim), dim), v, centre, (vec3){i, i, spin}, 6e-3);
    }
    weir_shape_def touching[2] = {placed(solid_box(0.2, 0.1, 0.15), (vec3){-0.2, 0, 0}, O),
                                  placed(solid_box(0.2, 0.1, 0.15), (vec3){0.2, 0, 0}, O)};
    mass_properties whole = mass_of(solid_box(0.4, 0.1, 0.15), 3);
    expect(mass_of(solid_union(touching, 2), 3), whole.volume, O,
           (vec3){whole.inertia[0][0], whole.inertia[1][1], whole.inertia[2][2]}, 1e-9);
    /* The same again with a part that overlaps, so that cells have to be counted. */
    weir_shape_def overlapping[3] = {touching[0], touching[1], solid_box(0.1, 0.05, 0.15)};
    expect(mass_of(solid_union(overlapping, 3), 3), whole.volume, O,
           (vec3){whole.inertia[0][0], whole.inertia[1][1], whole.inertia[2][2]}, 1e-3);
    weir_shape_def rounded = solid_box(0.2, 0.15, 1);
    rounded.rounding = 0.05;
    mass_properties flat = mass_of(rounded, 2);
    assert_near(flat.volume, 0.12 + 1.4 * 0.05 + M_PI * 0.0025, 1e-4);
}

/* A cup with walls of 1 cm: a box less a box that is open above. */
static void thin_walls_are_found(void **state)
{
    (void)state;
    weir_shape_def cup[2] = {complement_of(solid_box(0.2, 0.2, 0.2)),
                             placed(solid_box(0.19, 0.2, 0.19), (vec3){0, 0.01, 0}, O)};
    double v = 0.064 - 0.38 * 0.38 * 0.39, low = 0.38 * 0.38 * 0.39 * 0.005;
    mass_properties mass = mass_of(complement_of(solid_union(cup, 2)), 3);
    assert_near(mass.volume, v, 2e-3 * v);
    assert_near(mass.centroid.y, -low / v, 1e-3);
}

static void rotation_turns_the_tensor(void **state)
{
    (void)state;
    vec3 turn = {0.3, -0.8, 0.5}, at = {1, 2, 3};
    mass_properties own = mass_of(solid_box(0.3, 0.2, 0.1), 3);
    mass_properties moved = mass_of(placed(solid_box(0.3, 0.2, 0.1), at, turn), 3);
    assert_near(vec3_length(vec3_sub(moved.centroid, at)), 0, 1e-12);
    /* u.I.u is the same for a direction that turns along. */
    quat q = quat_from_rotation_vector(turn);
    vec3 u = {0.6, 0.64, -0.48}, w = quat_rotate(q, u);
    double a[3] = {u.x, u.y, u.z}, b[3] = {w.x, w.y, w.z}, before = 0, after = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            before += a[i] * own.inertia[i][k] * a[k];
            after += b[i] * moved.inertia[i][k] * b[k];
        }
    assert_near(before, after, 1e-15);
}

static void endless_and_empty_shapes_are_refused(void **state)
{
    (void)state;
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    mass_properties mass;
    shape *tank = create(&m, complement_of(solid_box(1, 1, 1)), 3);
    assert_false(mass_properties_of(tank, &mass, &error));
    assert_non_null(strstr(error.text, "does not end"));
    weir_shape_def all[2] = {complement_of(solid_box(0.1, 0.1, 0.1)), solid_box(0.5, 0.5, 0.5)};
    shape *nothing = create(&m, complement_of(solid_union(all, 2)), 3);
    assert_false(mass_properties_of(nothing, &mass, &error));
    assert_non_null(strstr(error.text, "no volume"));
    shape_destroy(&m, tank);
    shape_destroy(&m, nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_are_exact),
        cmocka_unit_test(polygons_are_exact),
        cmocka_unit_test(capsule_agrees_with_quadrature),
        cmocka_unit_test(quadrature_is_close),
        cmocka_unit_test(thin_walls_are_found),
        cmocka_unit_test(rotation_turns_the_tensor),
        cmocka_unit_test(endless_and_empty_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
