/* Boundary volumes against quadrature over the kernel's ball with a plain inside test, and
 * gradients against differences. */
#include "solids.h"

#include "kernel/kernel.h"
#include "space/boundary_map.h"

#include <stdlib.h>

static const double H = 0.1;

/* Good until the next call. */
static const half_space_table *table_of(weir_kernel kernel, int dim)
{
    static half_space_table table;
    half_space_table_fill(&table, kernel, dim);
    return &table;
}

static boundary_map *create_map(memory *m, const shape *s, int dim, double h, double inflation,
                                int threads, weir_error *error)
{
    return boundary_map_create(m, s, WEIR_KERNEL_WENDLAND_C2,
                               table_of(WEIR_KERNEL_WENDLAND_C2, dim), h,
                               (boundary_growth){inflation, 0}, threads, error);
}

/* The kernel's mass in shells of equal thickness, each with directions spread evenly. */
static double brute_volume(const shape *s, weir_kernel kernel, int dim, double inflation, vec3 p)
{
    const int shells = 100, directions = dim == 3 ? 2000 : 1000;
    double inside = 0, total = 0;
    for (int i = 0; i < shells; i++) {
        double r = H * (i + 0.5) / shells;
        double weight = kernel_value(kernel, dim, r, H) * (dim == 3 ? r * r : r);
        int count = 0;
        for (int k = 0; k < directions; k++) {
            double z = dim == 3 ? 1 - (2 * k + 1.0) / directions : 0, across = sqrt(1 - z * z);
            double angle =
                dim == 3 ? M_PI * (3 - sqrt(5.0)) * k + i : 2 * M_PI * (k + 0.618 * i) / directions;
            vec3 q = vec3_madd(p, r, (vec3){across * cos(angle), across * sin(angle), z});
            count += shape_distance(s, q, NULL) < inflation;
        }
        inside += weight * count / directions;
        total += weight;
    }
    return inside / total;
}

typedef struct map_case {
    weir_shape_def def;
    int dim;
    const vec3 *points;
    int count;
    double tolerance;
    weir_kernel kernel;
    double inflation;
} map_case;

static void check_gradient(const boundary_map *map, int dim, vec3 p)
{
    const double step = 1e-6 * H;
    vec3 along[3] = {{step, 0, 0}, {0, step, 0}, {0, 0, step}}, g;
    double b = boundary_volume(map, p, &g), parts[3] = {g.x, g.y, g.z};
    assert_true(b >= 0 && b <= 1);
    for (int axis = 0; axis < dim; axis++) {
        double up = boundary_volume(map, vec3_add(p, along[axis]), NULL);
        double down = boundary_volume(map, vec3_sub(p, along[axis]), NULL);
        assert_near(parts[axis] * H, (up - down) / (2 * step) * H, 1e-6);
    }
    assert_true(dim == 3 || g.z == 0);
}

static void check_map(map_case c)
{
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    shape *s = create(&m, c.def, c.dim);
    boundary_map *map = boundary_map_create(&m, s, c.kernel, table_of(c.kernel, c.dim), H,
                                            (boundary_growth){c.inflation, 0}, 1, &error);
    assert_non_null(map);
    assert_true(boundary_map_bytes(map) == m.bytes - shape_bytes(s));
    for (int i = 0; i < c.count; i++) {
        double b = boundary_volume(map, c.points[i], NULL);
        double brute = brute_volume(s, c.kernel, c.dim, c.inflation, c.points[i]);
        if (fabs(b - brute) > c.tolerance)
            print_error("kind %d, %dD, point %d: B = %.5f, quadrature %.5f\n", (int)c.def.kind,
                        c.dim, i, b, brute);
        assert_near(b, brute, c.tolerance);
        check_gradient(map, c.dim, c.points[i]);
    }
    boundary_map_destroy(&m, map);
    shape_destroy(&m, s);
    assert_int_equal(m.bytes, 0);
}

static map_case test_case(weir_shape_def def, int dim, const vec3 *points, int count,
                          double tolerance)
{
    return (map_case){def, dim, points, count, tolerance, WEIR_KERNEL_WENDLAND_C2, 0};
}

#define POINTS(list) list, (int)(sizeof(list) / sizeof *(list))

static void half_space_is_exact(void **state)
{
    (void)state;
    weir_shape_def def =
        placed(solid(WEIR_SHAPE_HALF_SPACE), (vec3){0, 0.05, 0}, (vec3){0, 0, 0.5});
    vec3 p[] = {{0, 0.05, 0}, {0.02, 0.1, 0}, {0.1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {-0.03, 0.02, 0}};
    for (int dim = 2; dim <= 3; dim++) {
        check_map(test_case(def, dim, POINTS(p), 5e-4));
        check_map(test_case(complement_of(def), dim, POINTS(p), 5e-4));
    }
    map_case inflated = test_case(def, 3, POINTS(p), 5e-4);
    inflated.inflation = 0.01;
    inflated.kernel = WEIR_KERNEL_SPIKY;
    check_map(inflated);
}

/* Face, edge, corner, and off them on both sides. */
static void box_is_close(void **state)
{
    (void)state;
    vec3 p[] = {{0, 0.2, 0},       {0.3, 0.2, 0},      {0.3, 0.2, 0.25}, {0.31, 0.22, 0.1},
                {0.28, 0.18, 0.2}, {0.32, 0.21, 0.26}, {0.25, 0, 0},     {0, 0, 0}};
    for (int dim = 2; dim <= 3; dim++) {
        check_map(test_case(solid_box(0.3, 0.2, 0.25), dim, POINTS(p), 5e-3));
        check_map(test_case(complement_of(solid_box(0.3, 0.2, 0.25)), dim, POINTS(p), 5e-3));
        check_map(test_case(solid_box(0.3, 0.02, 0.25), dim, POINTS(p), 5e-3));
    }
}

static void sphere_is_exact(void **state)
{
    (void)state;
    vec3 p[] = {{0, 0.3, 0}, {0.2, 0.2, 0.1}, {0.05, 0.02, 0}, {0.1, 0, 0.02}, {0.35, 0.1, 0}};
    double radii[] = {0.3, 0.12, 0.06};
    for (int dim = 2; dim <= 3; dim++)
        for (int i = 0; i < 3; i++) {
            map_case c =
                test_case(solid_round(WEIR_SHAPE_SPHERE, radii[i], 0), dim, POINTS(p), 1e-3);
            check_map(c);
            c.def.complement = true;
            c.inflation = 0.01;
            check_map(c);
        }
}

/* Smooth surfaces within 0.3 %, sharp edges within 1 %. */
static void baked_primitives_are_close(void **state)
{
    (void)state;
    vec3 at = {0.1, 0.05, -0.1}, turn = {0, 0, 0.4};
    vec3 capsule[] = {{0.2, 0, 0},       {0.22, 0.31, 0.03}, {0.1, 0.45, 0.05},
                      {0.15, 0.1, 0.05}, {0, 0.5, 0},        {0, 0, 0}};
    vec3 moved[6];
    for (int i = 0; i < 6; i++)
        moved[i] = vec3_add(at, quat_rotate(quat_from_rotation_vector(turn), capsule[i]));
    weir_shape_def def = placed(solid_round(WEIR_SHAPE_CAPSULE, 0.2, 0.3), at, turn);
    for (int dim = 2; dim <= 3; dim++) {
        check_map(test_case(def, dim, POINTS(moved), 3e-3));
        check_map(test_case(complement_of(def), dim, POINTS(moved), 3e-3));
    }
    vec3 cylinder[] = {{0.3, 0.2, 0}, {0.31, 0.19, 0.02}, {0.2, 0.21, 0.22}, {0.28, 0.18, 0.02}};
    check_map(test_case(solid_round(WEIR_SHAPE_CYLINDER, 0.3, 0.2), 3, POINTS(cylinder), 5e-3));
    vec3 rounded[] = {{0.3, 0, 0}, {0.29, 0.19, 0}, {0.29, 0.19, 0.24}, {0.31, 0.1, 0.1}};
    def = solid_box(0.26, 0.16, 0.21);
    def.rounding = 0.04;
    for (int dim = 2; dim <= 3; dim++)
        check_map(test_case(def, dim, POINTS(rounded), 3e-3));
}

static void baked_polygon_and_grid_are_close(void **state)
{
    (void)state;
    vec3 hill[] = {{0.45, 0.6, 0}, {0.5, 0.25, 0}, {0.48, 0.4, 0},  {0.2, 0.28, 0},
                   {1, 0, 0},      {0.45, 0.5, 0}, {1.01, 0.01, 0}, {0.51, 0.27, 0}};
    check_map(test_case(solid_hill(), 2, POINTS(hill), 1e-2));
    vec3 flat[] = {{0.2, 0.28, 0}, {0.2, 0.27, 0}, {0.75, 0.225, 0}, {0.7, -0.04, 0}};
    check_map(test_case(complement_of(solid_hill()), 2, POINTS(flat), 2e-3));
    static sampled_ball ball;
    vec3 p[] = {{0.32, -0.03, 0.01}, {0.2, 0.2, 0.1}, {0.02, 0.23, 0}, {0.1, 0.1, 0}};
    for (int dim = 2; dim <= 3; dim++)
        check_map(test_case(solid_sampled_ball(&ball, dim), dim, POINTS(p), 3e-3));
    for (int kernel = 0; kernel < 4; kernel++) {
        map_case c = test_case(solid_hill(), 2, POINTS(flat), 3e-3);
        c.kernel = (weir_kernel)kernel;
        c.inflation = kernel == 1 ? 0.005 : 0;
        check_map(c);
    }
}

static void unions_are_close(void **state)
{
    (void)state;
    weir_shape_def touching[2] = {placed(solid_box(0.2, 0.2, 0.2), (vec3){-0.2, 0, 0}, (vec3){0}),
                                  placed(solid_box(0.2, 0.2, 0.2), (vec3){0.2, 0, 0}, (vec3){0})};
    vec3 seam[] = {{0, 0.2, 0}, {0.003, 0.21, 0.2}, {0, 0.15, 0}, {0.013, 0.17, 0}, {0.001, 0, 0}};
    weir_shape_def crossing[2] = {touching[0], touching[1]};
    crossing[1].pose.position = (vec3){0.1, 0.2, 0.05};
    vec3 crease[] = {{-0.1, 0.2, 0}, {-0.11, 0.21, 0.2}, {-0.12, 0.2, 0.02}, {0.2, 0.01, 0}};
    /* A floor with a block in it, and blocks that no kernel sees together. */
    weir_shape_def stood[2] = {solid(WEIR_SHAPE_HALF_SPACE), solid_box(0.2, 0.2, 0.2)};
    vec3 foot[] = {{0.21, 0.01, 0}, {0.2, 0.2, 0}, {0.25, 0.01, 0}, {0, -0.1, 0}};
    weir_shape_def apart[2] = {touching[0], touching[1]};
    apart[1].pose.position.x = 0.5;
    vec3 gap[] = {{0, 0.2, 0}, {0.02, 0.1, 0}, {0.3, 0, 0}, {0.31, 0.2, 0.1}, {0.15, 0, 0}};
    /* A block with a ball taken out. */
    weir_shape_def hollow[2] = {
        complement_of(solid_box(0.3, 0.2, 0.3)),
        placed(solid_round(WEIR_SHAPE_SPHERE, 0.15, 0), (vec3){0, 0.2, 0}, (vec3){0})};
    vec3 rim[] = {{0, 0.05, 0}, {0.15, 0.2, 0}, {0.14, 0.18, 0}, {0.2, 0.19, 0}, {0.3, 0.2, 0}};
    for (int dim = 2; dim <= 3; dim++) {
        check_map(test_case(solid_union(touching, 2), dim, POINTS(seam), 5e-3));
        check_map(test_case(solid_union(crossing, 2), dim, POINTS(crease), 5e-3));
        check_map(test_case(solid_union(stood, 2), dim, POINTS(foot), 5e-3));
        check_map(test_case(solid_union(apart, 2), dim, POINTS(gap), 5e-3));
        check_map(test_case(complement_of(solid_union(hollow, 2)), dim, POINTS(rim), 1e-2));
    }
}

/* Across the whole neighbourhood B has no jumps: it is what the gradient says. */
static void baked_map_is_smooth(void **state)
{
    (void)state;
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    shape *s = create(&m, solid_round(WEIR_SHAPE_CYLINDER, 0.3, 0.2), 3);
    boundary_map *map = create_map(&m, s, 3, H, 0, 1, &error);
    assert_non_null(map);
    vec3 from = {0, 0, 0}, to = {0.55, 0.43, 0.1}, before_g = {0};
    const int n = 5000;
    double before = boundary_volume(map, from, &before_g);
    for (int i = 1; i <= n; i++) {
        vec3 p = vec3_scale(to, (double)i / n), g, step = vec3_scale(to, 1.0 / n);
        double b = boundary_volume(map, p, &g);
        double said = 0.5 * vec3_dot(vec3_add(g, before_g), step);
        assert_near(b - before, said, 3e-5);
        before = b;
        before_g = g;
    }
    boundary_map_destroy(&m, map);
    shape_destroy(&m, s);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    weir_shape_def parts[2] = {solid_round(WEIR_SHAPE_CAPSULE, 0.15, 0.2),
                               solid_box(0.3, 0.1, 0.1)};
    shape *s = create(&m, solid_union(parts, 2), 3);
    boundary_map *one = create_map(&m, s, 3, H, 0, 1, &error);
    boundary_map *three = create_map(&m, s, 3, H, 0, 3, &error);
    assert_true(one && three && boundary_map_bytes(one) == boundary_map_bytes(three));
    uint64_t seed = 2;
    for (int i = 0; i < 20000; i++) {
        vec3 p = random_point(&seed, 0.5), g, k;
        double a = boundary_volume(one, p, &g), b = boundary_volume(three, p, &k);
        assert_true(a == b && g.x == k.x && g.y == k.y && g.z == k.z);
    }
    boundary_map_destroy(&m, one);
    boundary_map_destroy(&m, three);
    shape_destroy(&m, s);
    assert_int_equal(m.bytes, 0);
}

/* An allocator that gives `left` times, then no more. */
typedef struct short_supply {
    int left;
} short_supply;

static void *allocate_some(void *user, size_t bytes)
{
    short_supply *supply = user;
    return supply->left-- > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void release_some(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    weir_shape_def parts[3] = {solid(WEIR_SHAPE_HALF_SPACE), solid_round(WEIR_SHAPE_SPHERE, 0.2, 0),
                               solid_box(0.1, 0.3, 0.1)};
    bool done = false;
    for (int left = 0; left < 100 && !done; left++) {
        short_supply supply = {left};
        weir_hooks hooks = {.allocate = allocate_some, .release = release_some, .user = &supply};
        memory m = memory_with_hooks(&hooks);
        weir_error error = {0};
        weir_shape_def def = solid_union(parts, 3);
        shape *s = shape_create(&m, &def, 2, &error);
        boundary_map *map = s ? create_map(&m, s, 2, H, 0, 1, &error) : NULL;
        done = map != NULL;
        assert_true(done || error.code == WEIR_OUT_OF_MEMORY);
        boundary_map_destroy(&m, map);
        shape_destroy(&m, s);
        assert_int_equal(m.bytes, 0);
    }
    assert_true(done);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    shape *s = create(&m, solid_round(WEIR_SHAPE_CYLINDER, 1e5, 1e5), 3);
    assert_null(create_map(&m, s, 3, 0, 0, 1, &error));
    assert_int_equal(error.code, WEIR_INVALID);
    assert_null(create_map(&m, s, 3, H, NAN, 1, &error));
    assert_int_equal(error.code, WEIR_INVALID);
    assert_null(create_map(&m, s, 3, 1e-3, 0, 1, &error));
    assert_int_equal(error.code, WEIR_OUT_OF_MEMORY);
    shape_destroy(&m, s);
    assert_int_equal(m.bytes, 0);
}

/* A wedge of 53 degrees and its complement: near its edge the volume of the solid is moved by the
 * share of the way to that of a flat wall, beside its faces not at all, and nowhere is it less. */
static void edges_grow_towards_flat_walls(void **state)
{
    (void)state;
    const double share = 0.1;
    const weir_vec3 corners[3] = {{0, 0, 0}, {1.2, 0, 0}, {0.6, 0.8, 0}};
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    weir_shape_def def = solid(WEIR_SHAPE_POLYGON);
    def.points = corners;
    def.point_count = 3;
    const half_space_table *flat = table_of(WEIR_KERNEL_WENDLAND_C2, 2);
    for (int complement = 0; complement < 2; complement++) {
        def.complement = complement;
        shape *s = create(&m, def, 2);
        boundary_map *exact = create_map(&m, s, 2, H, 0, 1, &error);
        boundary_map *grown = boundary_map_create(&m, s, WEIR_KERNEL_WENDLAND_C2, flat, H,
                                                  (boundary_growth){0, share}, 1, &error);
        assert_true(exact && grown);
        double most = 0;
        for (int n = 0; n < 400; n++) {
            vec3 p = {-H + 2 * H * (n % 20) / 19, -H + 2 * H * (n / 20) / 19, 0};
            double before = boundary_volume(exact, p, NULL),
                   after = boundary_volume(grown, p, NULL);
            double wall = half_space_volume(flat, shape_distance(s, p, NULL) / H, NULL);
            most = fmax(most, after - before);
            assert_near(after - before, share * fmax(wall - before, 0), 5e-3);
            check_gradient(grown, 2, p);
        }
        /* All edges of the complement are concave. */
        assert_true(complement ? most < 5e-3 : most > 0.02);
        assert_near(boundary_volume(grown, (vec3){0.6, -0.3 * H, 0}, NULL),
                    boundary_volume(exact, (vec3){0.6, -0.3 * H, 0}, NULL), 1e-3);
        boundary_map_destroy(&m, exact);
        boundary_map_destroy(&m, grown);
        shape_destroy(&m, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_grow_towards_flat_walls),
        cmocka_unit_test(half_space_is_exact),
        cmocka_unit_test(box_is_close),
        cmocka_unit_test(sphere_is_exact),
        cmocka_unit_test(baked_primitives_are_close),
        cmocka_unit_test(baked_polygon_and_grid_are_close),
        cmocka_unit_test(unions_are_close),
        cmocka_unit_test(baked_map_is_smooth),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
