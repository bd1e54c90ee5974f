/* Surface samples: on the surface, about as far apart as asked, with corners, and with areas that
 * add up. */
#include "solids.h"

#include "space/surface_sample.h"

#include <string.h>

typedef struct sample_case {
    weir_shape_def def;
    int dim;
    double spacing;
    double area;      /* of the whole surface */
    double area_part; /* allowed relative error */
    double off;       /* allowed distance from the surface */
} sample_case;

static bool holds_corner(const surface_samples *samples, vec3 corner)
{
    for (size_t i = 0; i < samples->count; i++)
        if (vec3_length(vec3_sub(samples->points[i].position, corner)) < 1e-9)
            return true;
    return false;
}

/* Random places on the surface find a sample within the spacing. */
static void check_cover(const shape *s, const surface_samples *samples, int dim, double spacing)
{
    bounds b = shape_bounds(s);
    uint64_t seed = 4;
    int tried = 0;
    for (int n = 0; n < 3000 && tried < 150; n++) {
        vec3 u = random_point(&seed, 0.5), normal;
        vec3 p = {b.lo.x + (u.x + 0.5) * (b.hi.x - b.lo.x),
                  b.lo.y + (u.y + 0.5) * (b.hi.y - b.lo.y),
                  b.lo.z + (u.z + 0.5) * (b.hi.z - b.lo.z)};
        double d = INFINITY;
        for (int i = 0; i < 10; i++) {
            d = shape_distance(s, p, &normal);
            p = vec3_madd(p, -d, normal);
        }
        /* A place with solid on all sides is a seam, not the surface. */
        if (fabs(d) > 1e-6 || shape_distance(s, vec3_madd(p, 1e-4, normal), NULL) < 5e-5)
            continue;
        double nearest = INFINITY;
        for (size_t i = 0; i < samples->count; i++)
            nearest = fmin(nearest, vec3_length(vec3_sub(samples->points[i].position, p)));
        assert_true(nearest < (dim == 3 ? 1.05 : 0.76) * spacing);
        tried++;
    }
    assert_true(tried > 50);
}

static surface_samples check_samples(memory *m, shape **kept, sample_case c)
{
    weir_error error = {0};
    surface_samples samples = {0};
    shape *s = create(m, c.def, c.dim);
    if (!surface_sample(m, s, c.spacing, &samples, &error))
        fail_msg("%s", error.text);
    double area = 0;
    for (size_t i = 0; i < samples.count; i++) {
        surface_point p = samples.points[i];
        assert_near(shape_distance(s, p.position, NULL), 0, c.off);
        assert_near(vec3_length(p.normal), 1, 1e-9);
        assert_true(p.area >= 0 && (c.dim == 3 || p.position.z == 0));
        /* Outwards: a small way along the normal leads out of the solid. */
        vec3 out = vec3_madd(p.position, 1e-4, p.normal);
        assert_true(shape_distance(s, out, NULL) > 2e-5);
        area += p.area;
    }
    if (fabs(area - c.area) > c.area_part * c.area)
        print_error("kind %d: area %g, expected %g\n", (int)c.def.kind, area, c.area);
    assert_near(area, c.area, c.area_part * c.area);
    check_cover(s, &samples, c.dim, c.spacing);
    *kept = s;
    return samples;
}

static size_t count_samples(sample_case c)
{
    memory m = memory_with_hooks(NULL);
    shape *s;
    surface_samples samples = check_samples(&m, &s, c);
    size_t count = samples.count;
    surface_samples_free(&m, &samples);
    shape_destroy(&m, s);
    assert_int_equal(m.bytes, 0);
    return count;
}

static void primitives_in_2d(void **state)
{
    (void)state;
    vec3 at = {0.3, -0.2, 0}, turn = {0, 0, 0.7};
    double hill = 0;
    for (size_t i = 0; i < 7; i++)
        hill += vec3_length(vec3_sub(HILL[(i + 1) % 7], HILL[i]));
    weir_shape_def rounded = placed(solid_box(0.3, 0.2, 1), at, turn);
    rounded.rounding = 0.1;
    sample_case cases[] = {
        {placed(solid_box(0.3, 0.2, 1), at, turn), 2, 0.03, 2.0, 1e-9, 1e-9},
        {rounded, 2, 0.03, 2.0 + 2 * M_PI * 0.1, 1e-9, 1e-9},
        {placed(solid_round(WEIR_SHAPE_SPHERE, 0.3, 0), at, turn), 2, 0.03, 0.6 * M_PI, 1e-9, 1e-9},
        {placed(solid_round(WEIR_SHAPE_CAPSULE, 0.2, 0.3), at, turn), 2, 0.03, 1.2 + 0.4 * M_PI,
         1e-9, 1e-9},
        {placed(solid_round(WEIR_SHAPE_CYLINDER, 0.2, 0.3), at, turn), 2, 0.03, 2.0, 1e-9, 1e-9},
        {placed(solid_hill(), at, turn), 2, 0.03, hill, 1e-9, 1e-9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double expected = cases[i].area / cases[i].spacing;
        size_t count = count_samples(cases[i]);
        assert_true((double)count > 0.95 * expected && (double)count < 1.5 * expected + 8);
    }
}

static void primitives_in_3d(void **state)
{
    (void)state;
    vec3 at = {0.3, -0.2, 0.1}, turn = {0.4, -0.3, 0.7};
    sample_case cases[] = {
        {placed(solid_box(0.3, 0.2, 0.25), at, turn), 3, 0.05, 1.48, 1e-9, 1e-9},
        {placed(solid_round(WEIR_SHAPE_SPHERE, 0.3, 0), at, turn), 3, 0.05, 0.36 * M_PI, 1e-9,
         1e-9},
        {placed(solid_round(WEIR_SHAPE_CAPSULE, 0.2, 0.3), at, turn), 3, 0.05,
         4 * M_PI * 0.04 + 2 * M_PI * 0.2 * 0.6, 1e-9, 1e-9},
        {placed(solid_round(WEIR_SHAPE_CYLINDER, 0.2, 0.3), at, turn), 3, 0.05,
         2 * M_PI * 0.04 + 2 * M_PI * 0.2 * 0.6, 1e-9, 1e-9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double expected = cases[i].area / (cases[i].spacing * cases[i].spacing);
        size_t count = count_samples(cases[i]);
        assert_true((double)count > 0.9 * expected && (double)count < 1.5 * expected);
    }
}

static void rounded_and_sampled_shapes(void **state)
{
    (void)state;
    static sampled_ball ball, disc;
    weir_shape_def rounded = solid_box(0.2, 0.15, 0.1);
    rounded.rounding = 0.05;
    double faces = 8 * (0.2 * 0.15 + 0.15 * 0.1 + 0.1 * 0.2), edges = 2 * M_PI * 0.05 * 0.9;
    sample_case cases[] = {
        {rounded, 3, 0.04, faces + edges + 4 * M_PI * 0.0025, 0.01, 1e-8},
        {solid_sampled_ball(&ball, 3), 3, 0.05, 4 * M_PI * 0.09, 0.015, 1e-4},
        {solid_sampled_ball(&disc, 2), 2, 0.03, 2 * M_PI * 0.3, 0.015, 1e-4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        count_samples(cases[i]);
}

static void unions(void **state)
{
    (void)state;
    /* Two blocks that touch are one block; the seam has no samples, the corners are there. */
    weir_shape_def touching[2] = {placed(solid_box(0.2, 0.2, 0.2), (vec3){-0.2, 0, 0}, (vec3){0}),
                                  placed(solid_box(0.2, 0.2, 0.2), (vec3){0.2, 0, 0}, (vec3){0})};
    weir_shape_def crossing[2] = {solid_box(0.3, 0.1, 0.1), solid_box(0.1, 0.3, 0.1)};
    for (int dim = 2; dim <= 3; dim++) {
        double whole = dim == 3 ? 2 * (0.8 * 0.4 * 2 + 0.16) : 2.4;
        double cross = dim == 3 ? 2 * 0.2 + 12 * 0.04 : 2.4;
        sample_case c = {solid_union(touching, 2), dim, 0.05, whole, 0.02, 1e-6};
        memory m = memory_with_hooks(NULL);
        shape *s;
        surface_samples samples = check_samples(&m, &s, c);
        for (size_t i = 0; i < samples.count; i++) {
            vec3 p = samples.points[i].position;
            assert_true(fabs(p.x) > 0.01 || fabs(p.y) > 0.19 || fabs(p.z) > 0.19);
        }
        double z = dim == 3 ? 0.2 : 0;
        assert_true(holds_corner(&samples, (vec3){0.4, 0.2, z}));
        assert_true(holds_corner(&samples, (vec3){-0.4, -0.2, z}));
        surface_samples_free(&m, &samples);
        shape_destroy(&m, s);
        count_samples((sample_case){solid_union(crossing, 2), dim, 0.04, cross, 0.02, 1e-6});
    }
}

/* A block with a round hole in its top: the complement of (outside of the block, or the hole). */
static void differences(void **state)
{
    (void)state;
    weir_shape_def parts[2] = {
        complement_of(solid_box(0.3, 0.2, 0.3)),
        placed(solid_round(WEIR_SHAPE_CYLINDER, 0.15, 0.2), (vec3){0, 0.2, 0}, (vec3){0})};
    double area = 2 * 0.36 + 4 * 0.24 + 2 * M_PI * 0.15 * 0.2;
    count_samples((sample_case){complement_of(solid_union(parts, 2)), 3, 0.04, area, 0.02, 1e-6});
}

static void box_keeps_corners_and_edges(void **state)
{
    (void)state;
    memory m = memory_with_hooks(NULL);
    shape *s;
    sample_case c = {solid_box(0.3, 0.2, 0.25), 3, 0.07, 1.48, 1e-9, 1e-9};
    surface_samples samples = check_samples(&m, &s, c);
    assert_true(holds_corner(&samples, (vec3){0.3, -0.2, 0.25}));
    size_t corners = 0;
    for (size_t i = 0; i < samples.count; i++) {
        vec3 n = samples.points[i].normal;
        corners += fabs(fabs(n.x) - sqrt(1.0 / 3)) < 1e-9 && fabs(fabs(n.y) - sqrt(1.0 / 3)) < 1e-9;
    }
    assert_int_equal(corners, 8);
    surface_samples again = {0};
    weir_error error = {0};
    assert_true(surface_sample(&m, s, 0.07, &again, &error));
    assert_int_equal(again.count, samples.count);
    assert_memory_equal(again.points, samples.points, samples.count * sizeof *samples.points);
    surface_samples_free(&m, &again);
    surface_samples_free(&m, &samples);
    shape_destroy(&m, s);
}

/* What pressure does: nothing where it is the same everywhere, and where it grows with the depth it
 * lifts by the volume. */
static void check_facing(weir_shape_def def, int dim, double spacing, double volume)
{
    memory m = memory_with_hooks(NULL);
    surface_samples samples = {0};
    shape *s = create(&m, def, dim);
    assert_true(surface_sample(&m, s, spacing, &samples, NULL));
    surface_samples_face(s, spacing, &samples);
    vec3 sum = {0, 0, 0};
    double lift = 0;
    for (size_t i = 0; i < samples.count; i++) {
        const surface_point *p = &samples.points[i];
        sum = vec3_madd(sum, p->area, p->normal);
        lift += p->area * p->normal.y * p->position.y;
    }
    print_message("%dD: %.4f of %.4f\n", dim, lift, volume);
    assert_true(vec3_length(sum) < 1e-3 * pow(volume, (dim - 1.0) / dim));
    assert_true(fabs(lift / volume - 1) < 0.01);
    shape_destroy(&m, s);
    surface_samples_free(&m, &samples);
    assert_int_equal(m.bytes, 0);
}

static void pressure_on_faced_samples_lifts_by_the_volume(void **state)
{
    (void)state;
    weir_shape_def ball = solid(WEIR_SHAPE_SPHERE), turned = solid_box(0.5, 0.5, 0.5);
    double pi = 4 * atan(1);
    ball.radius = 0.4;
    turned.pose.rotation = quat_from_rotation_vector((vec3){0, 0, pi / 4});
    check_facing(solid_box(0.7, 0.35, 0.7), 2, 0.1, 0.98);
    check_facing(solid_box(0.7, 0.35, 0.7), 3, 0.1, 1.372);
    check_facing(turned, 2, 0.1, 1);
    check_facing(turned, 3, 0.1, 1);
    check_facing(ball, 2, 0.05, pi * 0.16);
    check_facing(ball, 3, 0.05, 4 * pi / 3 * 0.064);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    surface_samples samples = {0};
    shape *floor = create(&m, solid(WEIR_SHAPE_HALF_SPACE), 3);
    shape *box = create(&m, solid_box(1, 1, 1), 3);
    assert_false(surface_sample(&m, floor, 0.1, &samples, &error));
    assert_non_null(strstr(error.text, "does not end"));
    assert_false(surface_sample(&m, box, 0, &samples, &error));
    assert_false(surface_sample(&m, box, 1e-6, &samples, &error));
    assert_non_null(strstr(error.text, "larger spacing"));
    shape_destroy(&m, floor);
    shape_destroy(&m, box);
    surface_samples_free(&m, &samples);
    assert_int_equal(m.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_in_2d),
        cmocka_unit_test(primitives_in_3d),
        cmocka_unit_test(rounded_and_sampled_shapes),
        cmocka_unit_test(unions),
        cmocka_unit_test(differences),
        cmocka_unit_test(box_keeps_corners_and_edges),
        cmocka_unit_test(pressure_on_faced_samples_lifts_by_the_volume),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
