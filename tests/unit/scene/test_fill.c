/* Fills: how many particles, where, what stops them, and what is refused. */
#include "base/error.h"
#include "scene/fill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static memory shape_memory;

static shape *make_shape(const weir_shape_def *def, int dim)
{
    weir_error error = {0};
    shape *s = shape_create(&shape_memory, def, dim, &error);
    if (!s)
        fail_msg("%s", error.text);
    return s;
}

static shape *make_box(vec3 lo, vec3 hi, int dim)
{
    weir_shape_def def = weir_shape_def_default();
    def.kind = WEIR_SHAPE_BOX;
    def.pose.position = vec3_scale(vec3_add(lo, hi), 0.5);
    def.half_extents = vec3_scale(vec3_sub(hi, lo), 0.5);
    return make_shape(&def, dim);
}

static shape *make_ball(vec3 centre, double radius, int dim)
{
    weir_shape_def def = weir_shape_def_default();
    def.kind = WEIR_SHAPE_SPHERE;
    def.pose.position = centre;
    def.radius = radius;
    return make_shape(&def, dim);
}

/* Everything but a box. */
static shape *make_tank(vec3 lo, vec3 hi, int dim)
{
    weir_shape_def def = weir_shape_def_default();
    def.kind = WEIR_SHAPE_BOX;
    def.pose.position = vec3_scale(vec3_add(lo, hi), 0.5);
    def.half_extents = vec3_scale(vec3_sub(hi, lo), 0.5);
    def.complement = true;
    return make_shape(&def, dim);
}

static fill_def def_of(const shape *region, double spacing)
{
    fill_def def = fill_def_default();
    def.name = "water";
    def.region = region;
    def.spacing = spacing;
    return def;
}

static fill create(const fill_def *def)
{
    fill f = {0};
    weir_error error = {0};
    if (!fill_create(&f, def, &error))
        fail_msg("%s", error.text);
    return f;
}

static double estimate(const fill_def *def)
{
    double particles = 0;
    weir_error error = {0};
    if (!fill_estimate(def, &particles, &error))
        fail_msg("%s", error.text);
    return particles;
}

static void assert_refused(const fill_def *def, const char *sentence)
{
    fill f = {0};
    weir_error error = {0};
    assert_false(fill_create(&f, def, &error));
    if (!strstr(error.text, sentence))
        fail_msg("\"%s\" does not say \"%s\"", error.text, sentence);
    assert_null(f.positions);
}

static double nearest_pair(const fill *f)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = i + 1; j < f->count; j++)
            nearest = fmin(nearest, vec3_length(vec3_sub(f->positions[i], f->positions[j])));
    return nearest;
}

/* Whole multiples that do not divide without round-off, with an offset. */
static void boxes_hold_the_expected_number(void **state)
{
    (void)state;
    static const double spacings[] = {0.1, 0.01, 0.03, 1.0 / 3, 0.7};
    for (size_t k = 0; k < sizeof spacings / sizeof *spacings; k++)
        for (int n = 1; n <= 9; n++) {
            double s = spacings[k];
            vec3 lo = vec3_make(-1.7, 0.3, 11.1);
            for (int dim = 2; dim <= 3; dim++) {
                shape *box = make_box(lo, vec3_add(lo, vec3_make(n * s, (n + 1) * s, 2 * s)), dim);
                fill_def def = def_of(box, s);
                fill f = create(&def);
                assert_int_equal(f.count, dim == 2 ? n * (n + 1) : n * (n + 1) * 2);
                assert_true(estimate(&def) == (double)f.count);
                vec3 first = vec3_sub(f.positions[0], lo);
                assert_true(fabs(first.x - s / 2) < 1e-12 && fabs(first.y - s / 2) < 1e-12);
                assert_true(dim == 2 ? f.positions[0].z == 0 : fabs(first.z - s / 2) < 1e-12);
                fill_free(&f);
                shape_destroy(&shape_memory, box);
            }
        }
}

static void particles_fill_the_volume(void **state)
{
    (void)state;
    const double pi = acos(-1);
    for (int lattice = FILL_GRID; lattice <= FILL_HEXAGONAL; lattice++)
        for (int dim = 2; dim <= 3; dim++) {
            shape *ball = make_ball(vec3_make(0.2, 0.1, dim == 3 ? 0.3 : 0), 1, dim);
            fill_def def = def_of(ball, dim == 2 ? 0.02 : 0.05);
            def.lattice = (fill_lattice)lattice;
            fill f = create(&def);
            double volume = dim == 2 ? pi : 4 * pi / 3;
            double held = (double)f.count * pow(def.spacing, dim);
            assert_true(fabs(held / volume - 1) < 0.01);
            assert_true(estimate(&def) == (double)f.count);
            for (size_t i = 0; i < f.count; i++)
                assert_true(shape_distance(ball, f.positions[i], NULL) <= 1e-4 * def.spacing);
            fill_free(&f);
            shape_destroy(&shape_memory, ball);
        }
}

static void lattices_have_their_neighbour_distance(void **state)
{
    (void)state;
    for (int lattice = FILL_GRID; lattice <= FILL_HEXAGONAL; lattice++)
        for (int dim = 2; dim <= 3; dim++) {
            shape *box = make_box(vec3_make(0, 0, 0), vec3_make(1, 1, 1), dim);
            fill_def def = def_of(box, 0.1);
            def.lattice = (fill_lattice)lattice;
            fill f = create(&def);
            double expected = lattice == FILL_GRID ? 1
                              : dim == 2           ? sqrt(2 / sqrt(3))
                                                   : pow(2, 1.0 / 6);
            assert_true(fabs(nearest_pair(&f) - 0.1 * expected) < 1e-9);
            for (size_t i = 0; i < f.count; i++) {
                vec3 site = fill_site_position(&f.lattice, f.sites[i]);
                assert_memory_equal(&site, &f.positions[i], sizeof site);
            }
            fill_free(&f);
            shape_destroy(&shape_memory, box);
        }
}

static void solids_keep_particles_out(void **state)
{
    (void)state;
    shape *box = make_box(vec3_make(0, 0, 0), vec3_make(1, 1, 1), 3);
    shape *ball = make_ball(vec3_make(0, 0, 0), 0.3, 3);
    shape *tank = make_tank(vec3_make(0, 0, 0), vec3_make(1, 1, 1), 3);
    pose moved = pose_identity();
    moved.position = vec3_make(0.5, 0.4, 0.5);
    fill_solid solids[] = {{"tank", tank, pose_identity(), 0.025}, {"ball", ball, moved, 0.025}};
    fill_def def = def_of(box, 0.05);
    def.solids = solids;
    def.solid_count = 2;
    for (int step = 0; step < 2; step++) {
        def.jitter = 0.5 * step;
        fill f = create(&def);
        size_t expected = 0;
        for (int i = 0; i < 8000; i++) {
            vec3 p = vec3_make(0.025 + 0.05 * (i % 20), 0.025 + 0.05 * (i / 20 % 20),
                               0.025 + 0.05 * (i / 400));
            expected += vec3_length(vec3_sub(p, moved.position)) >= 0.325 - 1e-9;
        }
        assert_int_equal(f.count, expected);
        assert_true(estimate(&def) == (double)expected);
        for (size_t i = 0; i < f.count; i++) {
            vec3 p = f.positions[i];
            assert_true(vec3_length(vec3_sub(p, moved.position)) > 0.3249);
            assert_true(shape_distance(tank, p, NULL) > 0.0249);
        }
        fill_free(&f);
    }
    shape_destroy(&shape_memory, tank);
    shape_destroy(&shape_memory, ball);
    shape_destroy(&shape_memory, box);
}

static void jitter_is_seeded_per_site(void **state)
{
    (void)state;
    shape *box = make_box(vec3_make(0, 0, 0), vec3_make(1, 1, 1), 3);
    fill_def def = def_of(box, 0.1);
    def.jitter = 0.3;
    def.seed = 5;
    fill all = create(&def);
    double largest = 0;
    double sum = 0;
    for (size_t i = 0; i < all.count; i++) {
        vec3 shift = vec3_sub(all.positions[i], fill_site_position(&all.lattice, all.sites[i]));
        largest = fmax(largest, fmax(fabs(shift.x), fmax(fabs(shift.y), fabs(shift.z))));
        sum += shift.x;
    }
    assert_true(largest <= 0.03 && largest > 0.0299);
    assert_true(fabs(sum) < 5 * sqrt(1000.0 / 3) * 0.03);

    /* A solid that takes some sites does not move the particles of the others. */
    shape *ball = make_ball(vec3_make(0, 0, 0), 0.5, 3);
    fill_solid solid = {"ball", ball, pose_identity(), 0};
    def.solids = &solid;
    def.solid_count = 1;
    fill some = create(&def);
    assert_true(some.count < all.count && some.count > 800);
    for (size_t i = 0; i < some.count; i++)
        for (size_t j = 0; j < all.count; j++)
            if (some.sites[i] == all.sites[j] &&
                shape_distance(ball, all.positions[j], NULL) > 1e-4)
                assert_memory_equal(&some.positions[i], &all.positions[j], sizeof(vec3));

    def.solid_count = 0;
    def.seed = 6;
    fill other = create(&def);
    assert_int_equal(other.count, all.count);
    assert_memory_not_equal(other.positions, all.positions, all.count * sizeof(vec3));
    fill_free(&other);
    fill_free(&some);
    fill_free(&all);
    shape_destroy(&shape_memory, ball);
    shape_destroy(&shape_memory, box);
}

static void overlaps_are_named(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        shape *left = make_box(vec3_make(0, 0, 0), vec3_make(1, 1, 1), dim);
        shape *right = make_box(vec3_make(1, 0, 0), vec3_make(2, 1, 1), dim);
        shape *across = make_box(vec3_make(1.62, 0.43, 0.2), vec3_make(3, 2, 0.5), dim);
        fill_def defs[3] = {def_of(left, 0.05), def_of(right, 0.05), def_of(across, 0.05)};
        defs[0].name = "left";
        defs[1].name = "right";
        defs[2].name = "across";
        defs[0].jitter = defs[1].jitter = 0.5; /* neighbours may touch, their sites do not */
        fill fills[3] = {create(&defs[0]), create(&defs[1]), create(&defs[2])};
        weir_error error = {0};
        if (!fill_check_overlap(fills, 2, &error))
            fail_msg("%s", error.text);
        assert_true(fill_check_overlap(fills, 0, NULL) && fill_check_overlap(fills, 1, NULL));
        assert_false(fill_check_overlap(fills, 3, &error));
        assert_non_null(strstr(error.text, "the fills \"right\" and \"across\" overlap"));
        double x;
        double y;
        double z;
        const char *place = strstr(error.text, "at (");
        assert_int_equal(sscanf(place, "at (%lf, %lf, %lf)", &x, &y, &z), 3);
        assert_true(x > 1.6 && x < 2.05 && y > 0.4 && y < 1.05);
        assert_true(fill_check_overlap(fills + 1, 1, NULL));
        for (int i = 0; i < 3; i++)
            fill_free(&fills[i]);
        shape_destroy(&shape_memory, left);
        shape_destroy(&shape_memory, right);
        shape_destroy(&shape_memory, across);
    }
}

/* Balls that come closer: refused when their sites do, or when one reaches into the other. */
static void overlaps_equal_brute_force(void **state)
{
    (void)state;
    int overlapping = 0;
    for (int k = 0; k < 40; k++) {
        double way = 0.9 + 0.01 * k;
        shape *a = make_ball(vec3_make(0, 0, 0), 0.5, 3);
        shape *b = make_ball(vec3_make(way * 0.6, way * 0.64, way * 0.48), 0.6, 3);
        fill_def def_a = def_of(a, 0.1);
        fill_def def_b = def_of(b, 0.13);
        fill fills[2] = {create(&def_a), create(&def_b)};
        bool expected = false;
        for (size_t i = 0; i < fills[0].count; i++)
            for (size_t j = 0; j < fills[1].count; j++) {
                vec3 p = fills[0].positions[i];
                vec3 q = fills[1].positions[j];
                double distance = vec3_length(vec3_sub(p, q));
                bool deep =
                    shape_distance(a, q, NULL) < -0.05 || shape_distance(b, p, NULL) < -0.065;
                expected = expected || distance < 0.0575 || (distance < 0.9 * 0.115 && deep);
            }
        overlapping += expected;
        assert_int_equal(fill_check_overlap(fills, 2, NULL), !expected);
        fill_free(&fills[0]);
        fill_free(&fills[1]);
        shape_destroy(&shape_memory, a);
        shape_destroy(&shape_memory, b);
    }
    assert_in_range(overlapping, 5, 35);
}

/* The same box twice, the lattices shifted by half a spacing: particles are 0.87 spacings apart. */
static void interleaved_lattices_are_found(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        shape *a = make_box(vec3_make(0, 0, 0), vec3_make(1, 1, 1), dim);
        shape *b = make_box(vec3_make(0.05, 0.05, 0.05), vec3_make(1, 1, 1), dim);
        fill_def defs[2] = {def_of(a, 0.1), def_of(b, 0.1)};
        fill fills[2] = {create(&defs[0]), create(&defs[1])};
        weir_error error = {0};
        assert_false(fill_check_overlap(fills, 2, &error));
        assert_non_null(strstr(error.text, dim == 2 ? "0.0707 m apart" : "0.0866 m apart"));
        fill_free(&fills[0]);
        fill_free(&fills[1]);
        shape_destroy(&shape_memory, a);
        shape_destroy(&shape_memory, b);
    }
}

static void empty_fills_are_explained(void **state)
{
    (void)state;
    shape *tiny = make_box(vec3_make(0, 0, 0), vec3_make(0.01, 1, 1), 3);
    fill_def def = def_of(tiny, 0.1);
    assert_refused(&def, "fill \"water\" has no particles: no site of the lattice lies in the "
                         "region, which is 0.01 x 1 x 1 m, with a spacing of 0.1 m");
    shape_destroy(&shape_memory, tiny);

    shape *box = make_box(vec3_make(0, 0, 0), vec3_make(1, 1, 1), 3);
    shape *rock = make_ball(vec3_make(0, 0, 0), 5, 3);
    shape *pebble = make_ball(vec3_make(0, 0, 0), 0.5, 3);
    fill_solid solids[] = {{"pebble", pebble, pose_identity(), 0.05},
                           {"rock", rock, pose_identity(), 0.05}};
    def = def_of(box, 0.1);
    def.solids = solids;
    def.solid_count = 2;
    assert_refused(&def, "fill \"water\" has no particles: solids keep all 1000 out; solid "
                         "\"rock\" keeps out");
    shape_destroy(&shape_memory, pebble);
    shape_destroy(&shape_memory, rock);
    shape_destroy(&shape_memory, box);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    shape *box = make_box(vec3_make(0, 0, 0), vec3_make(1, 1, 1), 3);
    shape *tank = make_tank(vec3_make(0, 0, 0), vec3_make(1, 1, 1), 3);
    fill_def def = def_of(box, 0);
    assert_refused(&def, "the particle spacing is 0 m and must be above 0");
    def.spacing = NAN;
    assert_refused(&def, "the particle spacing is");
    def = def_of(box, 0.1);
    def.jitter = 0.6;
    assert_refused(&def, "the jitter is 0.6 and must be between 0 and 0.5");
    def = def_of(box, 0.1);
    def.velocity.y = INFINITY;
    assert_refused(&def, "velocity is not finite");
    def = def_of(tank, 0.1);
    assert_refused(&def, "the region has no end");
    def = def_of(box, 1e-9);
    assert_refused(&def, "particles long");
    shape_destroy(&shape_memory, tank);
    shape_destroy(&shape_memory, box);
}

/* A request of 10^12 particles is estimated and refused without an attempt to make them. */
static void huge_requests_are_refused_with_numbers(void **state)
{
    (void)state;
    shape *ball = make_ball(vec3_make(0, 0, 0), 5, 3);
    shape *rock = make_box(vec3_make(-6, -6, -6), vec3_make(6, 0, 6), 3);
    fill_solid solid = {"rock", rock, pose_identity(), 0};
    fill_def def = def_of(ball, 0.001);
    def.solids = &solid;
    def.solid_count = 1;
    double particles = estimate(&def);
    double expected = 2.0 / 3 * acos(-1) * 125e9;
    assert_true(fabs(particles / expected - 1) < 0.02);
    weir_error error = {0};
    assert_false(fill_check_memory(particles, 400, UINT64_C(16000000000), 0.001, 3, &error));
    assert_int_equal(error.code, WEIR_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "GB of memory, and 16 GB are available; instead of 0.001 m "
                                       "a spacing of 0.019 m or more would fit"));
    def.spacing = 0.019;
    particles = estimate(&def);
    assert_true(fill_check_memory(particles, 400, UINT64_C(16000000000), 0.019, 3, NULL));
    assert_true(fill_check_memory(1000, 400, 0, 0.1, 3, NULL));
    assert_false(fill_check_memory(1e15, 400, 0, 0.1, 2, NULL));
    shape_destroy(&shape_memory, rock);
    shape_destroy(&shape_memory, ball);
}

/* Two drops far apart: the space between them is not walked through. */
static void distant_parts_are_cheap(void **state)
{
    (void)state;
    weir_shape_def drops[2] = {weir_shape_def_default(), weir_shape_def_default()};
    for (int i = 0; i < 2; i++) {
        drops[i].kind = WEIR_SHAPE_SPHERE;
        drops[i].radius = 0.05;
        drops[i].pose.position = vec3_make(500 * i, 300 * i, 400 * i);
    }
    weir_shape_def both = weir_shape_def_default();
    both.kind = WEIR_SHAPE_UNION;
    both.children = drops;
    both.child_count = 2;
    shape *region = make_shape(&both, 3);
    fill_def def = def_of(region, 0.01);
    fill f = create(&def);
    double volume = 2 * 4.0 / 3 * acos(-1) * pow(0.05, 3);
    assert_true(fabs((double)f.count * 1e-6 / volume - 1) < 0.1);
    fill_free(&f);
    shape_destroy(&shape_memory, region);
}

static int set_up(void **state)
{
    (void)state;
    shape_memory = memory_with_hooks(NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return shape_memory.bytes == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_the_expected_number),
        cmocka_unit_test(particles_fill_the_volume),
        cmocka_unit_test(lattices_have_their_neighbour_distance),
        cmocka_unit_test(solids_keep_particles_out),
        cmocka_unit_test(jitter_is_seeded_per_site),
        cmocka_unit_test(overlaps_are_named),
        cmocka_unit_test(overlaps_equal_brute_force),
        cmocka_unit_test(interleaved_lattices_are_found),
        cmocka_unit_test(empty_fills_are_explained),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(huge_requests_are_refused_with_numbers),
        cmocka_unit_test(distant_parts_are_cheap),
    };
    return cmocka_run_group_tests_name("fill", tests, set_up, tear_down);
}
