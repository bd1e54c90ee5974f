/* Distances against brute force over all triangles, signs against formulas, the same bits for any
 * number of threads, and grids that are too large. */
#include "mesh_samples.h"

#include "base/random.h"
#include "mesh/mesh_distance.h"
#include "mesh/mesh_repair.h"
#include "space/shape.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

static mesh_distance build(const triangle_mesh *mesh, const mesh_distance_options *options)
{
    mesh_distance_plan plan;
    mesh_distance result = {0};
    weir_error error = {0};
    if (!mesh_distance_prepare(&plan, mesh, options, &error) ||
        !mesh_distance_build(&result, mesh, &plan, &error))
        fail_msg("%s", error.text);
    return result;
}

static size_t sample_count(const mesh_distance *d)
{
    return (size_t)d->grid.count[0] * (size_t)d->grid.count[1] * (size_t)d->grid.count[2];
}

static vec3 sample_place(const weir_grid_def *grid, size_t index)
{
    size_t x = index % (size_t)grid->count[0];
    size_t row = index / (size_t)grid->count[0];
    size_t y = row % (size_t)grid->count[1];
    size_t z = row / (size_t)grid->count[1];
    return vec3_madd(grid->origin, grid->step, vec3_make((double)x, (double)y, (double)z));
}

static double brute_distance(const triangle_mesh *mesh, vec3 p)
{
    double nearest = INFINITY;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t].corner;
        nearest = fmin(nearest, mesh_distance_to_triangle(p, mesh->points[c[0]], mesh->points[c[1]],
                                                          mesh->points[c[2]]));
    }
    return nearest;
}

/* Points on a triangle, found by a dense search: slow, and independent of the formula. */
static double searched_distance(vec3 p, vec3 a, vec3 b, vec3 c)
{
    const int n = 400;
    double nearest = INFINITY;
    for (int i = 0; i <= n; i++)
        for (int j = 0; i + j <= n; j++) {
            vec3 q = vec3_madd(vec3_madd(a, (double)i / n, vec3_sub(b, a)), (double)j / n,
                               vec3_sub(c, a));
            nearest = fmin(nearest, vec3_length(vec3_sub(p, q)));
        }
    return nearest;
}

static vec3 random_point(uint64_t seed, uint64_t index, double size)
{
    return vec3_make(size * (2 * random_unit(seed, 3 * index) - 1),
                     size * (2 * random_unit(seed, 3 * index + 1) - 1),
                     size * (2 * random_unit(seed, 3 * index + 2) - 1));
}

static void triangle_distance_is_right(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60; i++) {
        vec3 a = random_point(1, 4 * i, 1);
        vec3 b = random_point(1, 4 * i + 1, 1);
        vec3 c = random_point(1, 4 * i + 2, 1);
        vec3 p = random_point(1, 4 * i + 3, 2);
        if (i % 10 == 7)
            c = vec3_scale(vec3_add(a, b), 0.5); /* no area */
        if (i % 10 == 8)
            b = c = a; /* a point */
        double distance = mesh_distance_to_triangle(p, a, b, c);
        double searched = searched_distance(p, a, b, c);
        assert_true(distance <= searched + 1e-12);
        assert_true(distance >= searched - 0.02);
        if (distance > 0.2)
            assert_true(distance >= searched - 2e-4);
    }
}

static void samples_equal_brute_force(void **state)
{
    (void)state;
    triangle_mesh torus = {0};
    sample_torus(&torus, 1, 0.35, 24, 13);
    /* Slanted, small and far away, where float alone would not do. */
    mesh_transform t = {0.01, quat_from_rotation_vector(vec3_make(0.4, -1, 0.7)), {30, -20, 10}};
    assert_true(triangle_mesh_transform(&torus, &t, NULL));
    mesh_distance d = build(&torus, &(mesh_distance_options){.spacing = 0.0031, .threads = 1});
    size_t count = sample_count(&d);
    for (size_t i = 0; i < count; i++) {
        double expected = brute_distance(&torus, sample_place(&d.grid, i));
        assert_true(fabsf(d.distances[i]) == (float)expected);
    }
    mesh_distance_free(&d);
    triangle_mesh_free(&torus);
}

/* `formula` is exact for the smooth shape, `deviation` how far the mesh is from it. */
static void assert_signs(const triangle_mesh *mesh, double spacing, double deviation,
                         double (*formula)(vec3))
{
    mesh_distance d = build(mesh, &(mesh_distance_options){.spacing = spacing, .threads = 1});
    size_t count = sample_count(&d);
    size_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        double expected = formula(sample_place(&d.grid, i));
        assert_near((double)d.distances[i], expected, deviation);
        inside += d.distances[i] < 0;
    }
    assert_true(inside > 100);
    mesh_report report;
    assert_true(mesh_check(mesh, &report, NULL));
    assert_near(d.volume, report.volume, 0.02 * report.volume);
    mesh_distance_free(&d);
}

static double ball_formula(vec3 p)
{
    return vec3_length(p) - 1;
}

static double torus_formula(vec3 p)
{
    double ring = sqrt(p.x * p.x + p.y * p.y) - 1;
    return sqrt(ring * ring + p.z * p.z) - 0.4;
}

static double box_formula(vec3 p)
{
    vec3 q = vec3_make(fabs(p.x - 0.5) - 0.5, fabs(p.y - 1) - 1, fabs(p.z - 1.5) - 1.5);
    double outside = vec3_length(vec3_make(fmax(q.x, 0), fmax(q.y, 0), fmax(q.z, 0)));
    return outside + fmin(0, fmax(q.x, fmax(q.y, q.z)));
}

static void signs_follow_the_formulas(void **state)
{
    (void)state;
    triangle_mesh mesh = {0};
    sample_ball(&mesh, 1, 60, 90);
    assert_signs(&mesh, 0.16, 2e-3, ball_formula);
    triangle_mesh_free(&mesh);
    sample_torus(&mesh, 1, 0.4, 120, 60);
    assert_signs(&mesh, 0.16, 2e-3, torus_formula);
    triangle_mesh_free(&mesh);
    /* Samples fall onto corners, edges and faces of the box, where rays meet edges. */
    sample_box(&mesh, vec3_make(0, 0, 0), vec3_make(1, 2, 3));
    assert_signs(&mesh, 0.25, 1e-6, box_formula);
    assert_signs(&mesh, 0.2, 1e-6, box_formula);
    triangle_mesh_free(&mesh);
}

/* A random heap of overlapping boxes: inside is where any of them is. */
static void overlapping_parts_are_a_union(void **state)
{
    (void)state;
    enum { BOXES = 12 };
    triangle_mesh heap = {0};
    vec3 lo[BOXES];
    vec3 hi[BOXES];
    for (uint64_t b = 0; b < BOXES; b++) {
        /* On whole numbers, so that faces and edges of different boxes coincide. */
        vec3 corner = random_point(2, b, 4);
        vec3 size = random_point(3, b, 2);
        lo[b] = vec3_make(floor(corner.x), floor(corner.y), floor(corner.z));
        hi[b] = vec3_add(lo[b], vec3_make(1 + ceil(fabs(size.x)), 1 + ceil(fabs(size.y)),
                                          1 + ceil(fabs(size.z))));
        sample_box(&heap, lo[b], hi[b]);
    }
    mesh_repair_report report;
    weir_error error = {0};
    if (!mesh_repair(&heap, "heap", &(mesh_repair_options){0}, &report, &error))
        fail_msg("%s", error.text);
    mesh_distance d = build(&heap, &(mesh_distance_options){.spacing = 0.5, .threads = 1});
    size_t count = sample_count(&d);
    for (size_t i = 0; i < count; i++) {
        vec3 p = sample_place(&d.grid, i);
        double deepest = -INFINITY;
        for (int b = 0; b < BOXES; b++)
            deepest = fmax(deepest, fmin(fmin(fmin(p.x - lo[b].x, hi[b].x - p.x),
                                              fmin(p.y - lo[b].y, hi[b].y - p.y)),
                                         fmin(p.z - lo[b].z, hi[b].z - p.z)));
        if (fabs(deepest) > 1e-9)
            assert_true((d.distances[i] < 0) == (deepest > 0) || d.distances[i] == 0);
    }
    mesh_distance_free(&d);
    triangle_mesh_free(&heap);
}

static void cavities_are_outside(void **state)
{
    (void)state;
    triangle_mesh hollow = {0};
    sample_box(&hollow, vec3_make(0, 0, 0), vec3_make(3, 3, 3));
    sample_box(&hollow, vec3_make(1, 1, 1), vec3_make(2, 2, 2));
    for (size_t t = 12; t < 24; t++) {
        uint32_t *corner = hollow.triangles[t].corner;
        uint32_t swapped = corner[0];
        corner[0] = corner[1];
        corner[1] = swapped;
    }
    mesh_distance d = build(&hollow, &(mesh_distance_options){.spacing = 0.3, .threads = 1});
    assert_near(d.volume, 26, 0.2);
    mesh_distance_free(&d);
    triangle_mesh_free(&hollow);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    triangle_mesh ball = {0};
    sample_ball(&ball, 0.7, 30, 40);
#ifdef __SSE__
    unsigned control = _mm_getcsr() & ~0x3fU; /* without the flags of past operations */
#endif
    mesh_distance one = build(&ball, &(mesh_distance_options){.spacing = 0.1, .threads = 1});
    for (int threads = 2; threads <= 7; threads += 5) {
        mesh_distance many =
            build(&ball, &(mesh_distance_options){.spacing = 0.1, .threads = threads});
        assert_memory_equal(one.distances, many.distances,
                            sample_count(&one) * sizeof *one.distances);
        mesh_distance_free(&many);
    }
#ifdef __SSE__
    /* Embree must not leave the processor flushing denormals: other results would change. */
    assert_int_equal(_mm_getcsr() & ~0x3fU, control);
#endif
    mesh_distance_free(&one);
    triangle_mesh_free(&ball);
}

static void a_shape_comes_out(void **state)
{
    (void)state;
    triangle_mesh ball = {0};
    sample_ball(&ball, 1, 60, 90);
    mesh_distance d = build(&ball, &(mesh_distance_options){.spacing = 0.1, .threads = 1});
    weir_shape_def def = weir_shape_def_default();
    def.kind = WEIR_SHAPE_GRID;
    def.grid = &d.grid;
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    shape *s = shape_create(&m, &def, 3, &error);
    if (!s)
        fail_msg("%s", error.text);
    for (uint64_t i = 0; i < 200; i++) {
        vec3 p = random_point(9, i, 1.2);
        vec3 gradient;
        double distance = shape_distance(s, p, &gradient);
        assert_near(distance, vec3_length(p) - 1, 0.01 + 0.05 * (vec3_length(p) < 0.2));
        if (vec3_length(p) > 0.5)
            assert_near(vec3_dot(gradient, p) / vec3_length(p), 1, 0.02);
    }
    shape_destroy(&m, s);
    mesh_distance_free(&d);
    triangle_mesh_free(&ball);
}

static void steps_follow_the_spacing(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 1, 1));
    mesh_distance_plan plan;
    assert_true(mesh_distance_prepare(&plan, &box, &(mesh_distance_options){.spacing = 0.1}, NULL));
    assert_near(plan.step, 0.05, 1e-15);
    assert_int_equal(plan.count[0], 33); /* 1.6 m of 0.05 m */
    assert_near(plan.origin.x, -0.3, 1e-12);
    assert_near(plan.samples, 33 * 33 * 33, 0);
    assert_true(plan.bytes >= 33 * 33 * 33 * 4);
    triangle_mesh_free(&box);
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 1, 0.2));
    assert_true(mesh_distance_prepare(&plan, &box, &(mesh_distance_options){.spacing = 0.1}, NULL));
    assert_near(plan.step, 0.2 / 6, 1e-15);
    triangle_mesh_free(&box);
}

static void too_much_memory_is_refused(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 1, 1));
    mesh_distance_plan plan;
    weir_error error;
    mesh_distance_options options = {.spacing = 0.001, .memory_limit = 1000000000};
    assert_false(mesh_distance_prepare(&plan, &box, &options, &error));
    assert_int_equal(error.code, WEIR_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "needs 2013 x 2013 x 2013 samples at a step of 0.0005 m, "
                                       "32.6 GB with the mesh, and 1 GB are allowed; a step of "
                                       "0.0017 m"));
    options.step = 0.0017;
    assert_true(mesh_distance_prepare(&plan, &box, &options, NULL));
    options.step = 0.0016;
    assert_false(mesh_distance_prepare(&plan, &box, &options, NULL));
    options.step = 1e-12;
    assert_false(mesh_distance_prepare(&plan, &box, &options, &error));
    options = (mesh_distance_options){.spacing = 0.1, .memory_limit = 100};
    assert_false(mesh_distance_prepare(&plan, &box, &options, &error));
    assert_non_null(strstr(error.text, "fewer triangles"));
    options = (mesh_distance_options){.spacing = -1};
    assert_false(mesh_distance_prepare(&plan, &box, &options, &error));
    assert_non_null(strstr(error.text, "particle spacing is -1 m"));
    triangle_mesh_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangle_distance_is_right),
        cmocka_unit_test(samples_equal_brute_force),
        cmocka_unit_test(signs_follow_the_formulas),
        cmocka_unit_test(overlapping_parts_are_a_union),
        cmocka_unit_test(cavities_are_outside),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_shape_comes_out),
        cmocka_unit_test(steps_follow_the_spacing),
        cmocka_unit_test(too_much_memory_is_refused),
    };
    return cmocka_run_group_tests_name("mesh_distance", tests, NULL, NULL);
}
