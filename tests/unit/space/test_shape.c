/* Signed distances against the nearest of many points on the surface, against inside tests that
 * use no distance, and against their own differences; definitions that must be refused. */
#include "solids.h"

#include <string.h>

typedef struct fixture {
    memory m;
    shape *s;
    int dim;
} fixture;

static fixture make(weir_shape_def def, int dim)
{
    fixture f = {.m = memory_with_hooks(NULL), .dim = dim};
    f.s = create(&f.m, def, dim);
    return f;
}

static void drop(fixture *f)
{
    shape_destroy(&f->m, f->s);
    assert_int_equal(f->m.bytes, 0);
}

/* Every distance is finite and 1-Lipschitz and every gradient is a unit vector, flat in 2D, that
 * agrees with differences where the distance has no kink. */
static void check_field(weir_shape_def def, int dim, double half, double slack)
{
    fixture f = make(def, dim);
    uint64_t seed = 7;
    int smooth = 0;
    for (int n = 0; n < 4000; n++) {
        vec3 p = random_point(&seed, half), q = random_point(&seed, half), g;
        if (n % 2)
            q = vec3_madd(p, 0.02, q);
        double d = shape_distance(f.s, p, &g), e = shape_distance(f.s, q, NULL);
        if (dim == 2)
            p.z = q.z = 0;
        assert_true(isfinite(d) && fabs(d - e) <= vec3_length(vec3_sub(p, q)) * slack + 1e-12);
        assert_near(vec3_length(g), 1, 1e-12);
        assert_true(dim == 3 || g.z == 0);
        const double step = 1e-6;
        vec3 along[3] = {{step, 0, 0}, {0, step, 0}, {0, 0, step}};
        double slope[3] = {0, 0, 0}, bend = 0;
        for (int axis = 0; axis < dim; axis++) {
            double up = shape_distance(f.s, vec3_add(p, along[axis]), NULL);
            double down = shape_distance(f.s, vec3_sub(p, along[axis]), NULL);
            slope[axis] = (up - down) / (2 * step);
            bend = fmax(bend, fabs(up - 2 * d + down) / step);
        }
        vec3 difference = {slope[0], slope[1], slope[2]};
        double length = vec3_length(difference);
        if (bend < 1e-3 && length > 0.5) {
            assert_near(vec3_length(vec3_sub(vec3_scale(difference, 1 / length), g)), 0, 2e-3);
            assert_true(slack > 1 || fabs(length - 1) < 1e-6);
            smooth++;
        }
    }
    assert_true(smooth > 3000);
    drop(&f);
}

static void fields_are_distances(void **state)
{
    (void)state;
    vec3 at = {0.1, -0.2, 0.05}, turn = {0.3, -0.5, 0.9}, turn2 = {0, 0, 0.6};
    weir_shape_def rounded = placed(solid_box(0.3, 0.2, 0.25), at, turn);
    rounded.rounding = 0.05;
    weir_shape_def parts[2] = {solid_round(WEIR_SHAPE_SPHERE, 0.3, 0),
                               placed(solid_box(0.2, 0.3, 0.1), at, turn2)};
    weir_shape_def solids[] = {
        solid(WEIR_SHAPE_HALF_SPACE),
        placed(solid_box(0.3, 0.2, 0.25), at, turn),
        placed(solid_round(WEIR_SHAPE_SPHERE, 0.4, 0), at, turn),
        placed(solid_round(WEIR_SHAPE_CAPSULE, 0.2, 0.3), at, turn),
        placed(solid_round(WEIR_SHAPE_CYLINDER, 0.3, 0.2), at, turn),
        rounded,
        solid_union(parts, 2),
    };
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
        for (int complement = 0; complement < 2; complement++) {
            weir_shape_def def = complement ? complement_of(solids[i]) : solids[i];
            check_field(def, 3, 0.8, 1);
            def.pose.rotation = quat_from_rotation_vector(turn2);
            check_field(def, 2, 0.8, 1);
        }
    check_field(placed(solid_hill(), at, turn2), 2, 1.2, 1);
    check_field(complement_of(solid_hill()), 2, 1.2, 1);
}

static void sampled_field_is_a_distance(void **state)
{
    (void)state;
    static sampled_ball ball;
    for (int dim = 2; dim <= 3; dim++) {
        weir_shape_def def = solid_sampled_ball(&ball, dim);
        check_field(def, dim, 0.8, 1.02);
        fixture f = make(def, dim);
        uint64_t seed = 3;
        for (int n = 0; n < 2000; n++) {
            vec3 p = random_point(&seed, 0.39), off = vec3_sub(p, BALL_CENTRE);
            if (dim == 2)
                off.z = 0;
            if (vec3_length(off) > 0.1)
                assert_near(shape_distance(f.s, p, NULL), vec3_length(off) - BALL_RADIUS, 2e-3);
            /* Outside of the grid: never more than the true distance, never less than the way. */
            p = vec3_scale(p, 5);
            off = vec3_sub(p, BALL_CENTRE);
            if (dim == 2)
                off.z = 0;
            double way = fmax(fabs(p.x), fabs(p.y)) - 0.4, d = shape_distance(f.s, p, NULL);
            if (way > 0)
                assert_true(d <= vec3_length(off) - BALL_RADIUS + 2e-3 && d >= way - 1e-12);
        }
        drop(&f);
    }
}

/* Distance from p to the nearest of the points that `surface` yields for (u, v) in [0, 1]². */
static double brute_distance(vec3 p, vec3 (*surface)(double u, double v, int part), int parts,
                             int n)
{
    double best = INFINITY;
    for (int part = 0; part < parts; part++)
        for (int i = 0; i <= n; i++)
            for (int k = 0; k <= n; k++) {
                vec3 q = surface((double)i / n, (double)k / n, part);
                vec3 off = vec3_sub(p, q);
                best = fmin(best, vec3_dot(off, off));
            }
    return sqrt(best);
}

static vec3 box_surface(double u, double v, int part)
{
    vec3 a = {0.3, 0.2, 0.25};
    double side = part % 2 ? 1 : -1, x = 2 * u - 1, y = 2 * v - 1;
    if (part / 2 == 0)
        return (vec3){side * a.x, x * a.y, y * a.z};
    if (part / 2 == 1)
        return (vec3){x * a.x, side * a.y, y * a.z};
    return (vec3){x * a.x, y * a.y, side * a.z};
}

static vec3 cylinder_surface(double u, double v, int part)
{
    double c = cos(2 * M_PI * u), s = sin(2 * M_PI * u);
    if (part == 2)
        return (vec3){0.3 * c, 0.2 * (2 * v - 1), 0.3 * s};
    return (vec3){0.3 * v * c, part ? 0.2 : -0.2, 0.3 * v * s};
}

static vec3 capsule_surface(double u, double v, int part)
{
    double c = cos(2 * M_PI * u), s = sin(2 * M_PI * u), t = M_PI / 2 * v;
    if (part == 2)
        return (vec3){0.2 * c, 0.3 * (2 * v - 1), 0.2 * s};
    double side = part ? 1 : -1;
    return (vec3){0.2 * cos(t) * c, side * (0.3 + 0.2 * sin(t)), 0.2 * cos(t) * s};
}

static vec3 hill_surface(double u, double v, int part)
{
    size_t count = sizeof HILL / sizeof *HILL;
    vec3 a = HILL[part], b = HILL[((size_t)part + 1) % count];
    return vec3_madd(a, 0.5 * (u + v), vec3_sub(b, a));
}

static void check_brute(weir_shape_def def, int dim, vec3 (*surface)(double, double, int),
                        int parts, bool (*inside)(vec3))
{
    fixture f = make(def, dim);
    uint64_t seed = 11;
    for (int n = 0; n < 60; n++) {
        vec3 p = random_point(&seed, 0.7);
        if (dim == 2)
            p = (vec3){p.x + 0.5, p.y + 0.3, 0};
        double d = shape_distance(f.s, p, NULL);
        assert_near(fabs(d), brute_distance(p, surface, parts, 150), 1.5e-3);
        assert_true(fabs(d) < 1e-9 || (d < 0) == inside(p));
    }
    drop(&f);
}

static bool in_box(vec3 p)
{
    return fabs(p.x) < 0.3 && fabs(p.y) < 0.2 && fabs(p.z) < 0.25;
}

static bool in_cylinder(vec3 p)
{
    return p.x * p.x + p.z * p.z < 0.09 && fabs(p.y) < 0.2;
}

static bool in_capsule(vec3 p)
{
    double y = fmax(0, fabs(p.y) - 0.3);
    return p.x * p.x + y * y + p.z * p.z < 0.04;
}

/* Counts the edges that a ray to the right crosses. */
static bool in_polygon(const weir_vec3 *v, size_t count, vec3 p)
{
    bool in = false;
    for (size_t i = 0, k = count - 1; i < count; k = i++)
        if ((v[i].y > p.y) != (v[k].y > p.y) &&
            p.x < (v[k].x - v[i].x) * (p.y - v[i].y) / (v[k].y - v[i].y) + v[i].x)
            in = !in;
    return in;
}

static bool in_hill(vec3 p)
{
    return in_polygon(HILL, sizeof HILL / sizeof *HILL, p);
}

static void distances_match_dense_surfaces(void **state)
{
    (void)state;
    check_brute(solid_box(0.3, 0.2, 0.25), 3, box_surface, 6, in_box);
    check_brute(solid_round(WEIR_SHAPE_CYLINDER, 0.3, 0.2), 3, cylinder_surface, 3, in_cylinder);
    check_brute(solid_round(WEIR_SHAPE_CAPSULE, 0.2, 0.3), 3, capsule_surface, 3, in_capsule);
    check_brute(solid_hill(), 2, hill_surface, 7, in_hill);
}

/* A star of 600 points against a plain loop over its edges. */
static void large_polygon_matches_plain_loop(void **state)
{
    (void)state;
    enum { N = 600 };
    static weir_vec3 star[N];
    for (int orientation = 0; orientation < 2; orientation++) {
        for (int i = 0; i < N; i++) {
            double angle = 2 * M_PI * (orientation ? N - i : i) / N;
            double r = 0.5 + 0.2 * sin(9 * angle) + (i % 2 ? 0.02 : 0);
            star[i] = (vec3){r * cos(angle), r * sin(angle), 5};
        }
        fixture f = make(solid_polygon(star, N), 2);
        uint64_t seed = 5;
        for (int n = 0; n < 3000; n++) {
            vec3 p = random_point(&seed, 0.9);
            double best = INFINITY;
            for (int i = 0; i < N; i++) {
                vec3 a = star[i], b = star[(i + 1) % N];
                double ex = b.x - a.x, ey = b.y - a.y;
                double t = ((p.x - a.x) * ex + (p.y - a.y) * ey) / (ex * ex + ey * ey);
                t = fmin(1, fmax(0, t));
                best = fmin(best, hypot(p.x - a.x - t * ex, p.y - a.y - t * ey));
            }
            double d = shape_distance(f.s, p, NULL);
            assert_near(fabs(d), best, 1e-12);
            assert_true(best < 1e-12 || (d < 0) == in_polygon(star, N, p));
        }
        drop(&f);
    }
}

static void union_is_the_nearest_part(void **state)
{
    (void)state;
    weir_shape_def parts[40];
    uint64_t seed = 9;
    for (int i = 0; i < 40; i++) {
        parts[i] = solid_round(WEIR_SHAPE_SPHERE, 0.02 + 0.05 * random_unit(&seed), 0);
        parts[i].pose.position = random_point(&seed, 0.5);
    }
    fixture f = make(solid_union(parts, 40), 3);
    for (int n = 0; n < 2000; n++) {
        vec3 p = random_point(&seed, 0.8);
        double best = INFINITY;
        for (int i = 0; i < 40; i++)
            best = fmin(best, vec3_length(vec3_sub(p, parts[i].pose.position)) - parts[i].radius);
        assert_near(shape_distance(f.s, p, NULL), best, 1e-12);
    }
    drop(&f);
}

/* Centres, edges and corners: the places where a gradient can fail to exist. */
static void degenerate_points_have_gradients(void **state)
{
    (void)state;
    weir_shape_def solids[] = {solid_box(0.3, 0.2, 0.25), solid_round(WEIR_SHAPE_SPHERE, 0.3, 0),
                               solid_round(WEIR_SHAPE_CAPSULE, 0.3, 0.2),
                               solid_round(WEIR_SHAPE_CYLINDER, 0.3, 0.2)};
    vec3 points[] = {{0, 0, 0},     {0.3, 0.2, 0.25}, {0, 0.2, 0},   {0, 0.1, 0},
                     {0.3, 0.2, 0}, {0, 0.5, 0},      {1e8, -1e8, 1}};
    for (size_t i = 0; i < 4; i++)
        for (int dim = 2; dim <= 3; dim++) {
            fixture f = make(solids[i], dim);
            for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
                vec3 g;
                assert_true(isfinite(shape_distance(f.s, points[k], &g)));
                assert_near(vec3_length(g), 1, 1e-12);
                assert_true(dim == 3 || g.z == 0);
            }
            drop(&f);
        }
    fixture hill = make(solid_hill(), 2);
    for (size_t i = 0; i < sizeof HILL / sizeof *HILL; i++) {
        vec3 g;
        assert_true(shape_distance(hill.s, HILL[i], &g) == 0);
        assert_near(vec3_length(g), 1, 1e-12);
    }
    drop(&hill);
}

static void bounds_hold_the_solid(void **state)
{
    (void)state;
    static sampled_ball ball;
    vec3 at = {0.3, -0.1, 0.2}, turn = {0.4, 0.8, -0.3};
    weir_shape_def rounded = placed(solid_box(0.3, 0.05, 0.2), at, turn);
    rounded.rounding = 0.03;
    weir_shape_def parts[2] = {rounded, solid_round(WEIR_SHAPE_SPHERE, 0.3, 0)};
    /* A block with a hole: what is neither outside of the block nor in the hole. */
    weir_shape_def cut[2] = {complement_of(solid_box(0.4, 0.3, 0.2)),
                             solid_round(WEIR_SHAPE_SPHERE, 0.25, 0)};
    weir_shape_def solids[] = {rounded,
                               parts[1],
                               placed(solid_round(WEIR_SHAPE_CAPSULE, 0.1, 0.3), at, turn),
                               placed(solid_round(WEIR_SHAPE_CYLINDER, 0.2, 0.3), at, turn),
                               placed(solid_sampled_ball(&ball, 3), at, turn),
                               placed(solid_union(parts, 2), at, turn),
                               placed(complement_of(solid_union(cut, 2)), at, turn)};
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
        fixture f = make(solids[i], 3);
        bounds b = shape_bounds(f.s), seen = {{9, 9, 9}, {-9, -9, -9}};
        uint64_t seed = 1;
        for (int n = 0; n < 200000; n++) {
            vec3 p = random_point(&seed, 1.2);
            if (shape_distance(f.s, p, NULL) > 0)
                continue;
            seen.lo = (vec3){fmin(seen.lo.x, p.x), fmin(seen.lo.y, p.y), fmin(seen.lo.z, p.z)};
            seen.hi = (vec3){fmax(seen.hi.x, p.x), fmax(seen.hi.y, p.y), fmax(seen.hi.z, p.z)};
        }
        assert_true(b.lo.x <= seen.lo.x && b.lo.y <= seen.lo.y && b.lo.z <= seen.lo.z);
        assert_true(b.hi.x >= seen.hi.x && b.hi.y >= seen.hi.y && b.hi.z >= seen.hi.z);
        bool tight = i < 4;
        if (tight)
            assert_true(b.hi.x - seen.hi.x < 0.06 && seen.lo.y - b.lo.y < 0.06);
        drop(&f);
    }
    fixture floor = make(solid(WEIR_SHAPE_HALF_SPACE), 3);
    assert_true(shape_bounds(floor.s).hi.y == 0 && isinf(shape_bounds(floor.s).hi.x));
    drop(&floor);
    fixture tank = make(complement_of(solid_box(1, 1, 1)), 2);
    assert_true(isinf(shape_bounds(tank.s).lo.x) && shape_bounds(tank.s).lo.z == 0);
    drop(&tank);
}

static void expect_refusal(weir_shape_def def, int dim, const char *part_of_text)
{
    memory m = memory_with_hooks(NULL);
    weir_error error = {0};
    assert_null(shape_create(&m, &def, dim, &error));
    assert_int_equal(error.code, WEIR_INVALID);
    if (!strstr(error.text, part_of_text))
        print_error("\"%s\" is not in \"%s\"\n", part_of_text, error.text);
    assert_non_null(strstr(error.text, part_of_text));
    assert_int_equal(m.bytes, 0);
}

static void tank_leaves_its_hollow_free(void **state)
{
    (void)state;
    weir_shape_def def = complement_of(solid_box(0.5, 0.4, 0.3));
    def.rounding = 0.05;
    def.pose.position = (vec3){0.1, -0.1, 0.05};
    for (int dim = 2; dim <= 3; dim++) {
        fixture tank = make(def, dim);
        bounds free = shape_hollow(tank.s);
        uint64_t seed = 1;
        int inside = 0;
        for (int n = 0; n < 20000; n++) {
            vec3 p = random_point(&seed, 0.7);
            vec3 above = vec3_sub(p, free.lo), below = vec3_sub(free.hi, p);
            double way =
                fmin(fmin(fmin(above.x, above.y), above.z), fmin(fmin(below.x, below.y), below.z));
            if (way < 0)
                continue;
            inside++;
            assert_true(shape_distance(tank.s, p, NULL) >= way - 1e-12);
        }
        assert_true(inside > 1000);
        drop(&tank);
    }
    const weir_shape_def without[] = {solid_box(0.5, 0.4, 0.3),
                                      placed(def, def.pose.position, (vec3){0, 0, 0.3}),
                                      complement_of(solid_round(WEIR_SHAPE_SPHERE, 0.3, 0))};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        fixture f = make(without[i], 2);
        assert_true(shape_hollow(f.s).lo.x > shape_hollow(f.s).hi.x);
        drop(&f);
    }
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    weir_shape_def def = solid_round(WEIR_SHAPE_SPHERE, -1, 0);
    expect_refusal(def, 3, "radius is -1 m");
    expect_refusal(solid_round(WEIR_SHAPE_SPHERE, NAN, 0), 2, "radius");
    expect_refusal(solid_round(WEIR_SHAPE_CAPSULE, 1, -0.5), 3, "half length is -0.5");
    expect_refusal(solid_round(WEIR_SHAPE_CYLINDER, 1, 0), 3, "half length");
    expect_refusal(solid_box(1, 0, 1), 2, "half extent in y");
    expect_refusal(solid_box(1, 1, INFINITY), 3, "half extent in z");
    def = solid(WEIR_SHAPE_HALF_SPACE);
    def.normal = (vec3){0, 0, 1};
    expect_refusal(def, 2, "normal");
    def = solid_box(1, 1, 1);
    def.rounding = -0.1;
    expect_refusal(def, 3, "rounding is -0.1");
    def.rounding = 0;
    def.pose.rotation = (quat){0, 0, 0, 0};
    expect_refusal(def, 3, "rotation");
    def.pose.rotation = (quat){0.5, 0, 0, 1};
    expect_refusal(def, 2, "turns about z");
    def.pose = pose_identity();
    def.pose.position.x = NAN;
    expect_refusal(def, 3, "position");
    def = solid_box(1, 1, 1);
    def.kind = (weir_shape_kind)99;
    expect_refusal(def, 3, "kind 99");
}

static void bad_polygons_are_refused(void **state)
{
    (void)state;
    weir_vec3 line[] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}};
    weir_vec3 bow[] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1.5, 0}};
    weir_vec3 pinched[] = {{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {2, 2, 0}, {0, 2, 0}, {1, 1, 0}};
    weir_vec3 spike[] = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    weir_vec3 repeated[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    weir_vec3 bad[] = {{0, 0, 0}, {1, NAN, 0}, {1, 1, 0}};
    expect_refusal(solid_polygon(line, 2), 2, "from 3");
    expect_refusal(solid_polygon(NULL, 5), 2, "points");
    expect_refusal(solid_polygon(line, 3), 2, "no area");
    expect_refusal(solid_polygon(bow, 4), 2, "cross or touch");
    expect_refusal(solid_polygon(pinched, 6), 2, "cross or touch");
    expect_refusal(solid_polygon(spike, 5), 2, "cross or touch");
    expect_refusal(solid_polygon(repeated, 4), 2, "2 different points");
    expect_refusal(solid_polygon(bad, 3), 2, "point 1");
    expect_refusal(solid_hill(), 3, "2D shape");
}

static void bad_grids_and_unions_are_refused(void **state)
{
    (void)state;
    static sampled_ball ball;
    weir_shape_def def = solid_sampled_ball(&ball, 3);
    expect_refusal(def, 2, "along z");
    ball.grid.step = 0;
    expect_refusal(def, 3, "step is 0");
    ball.grid.step = 0.8 / (BALL_SAMPLES - 1);
    ball.distances[5] = NAN;
    expect_refusal(def, 3, "(5, 0, 0)");
    ball.distances[5] = 7;
    expect_refusal(def, 3, "cannot change faster");
    for (size_t i = 0; i < sizeof ball.distances / sizeof *ball.distances; i++)
        ball.distances[i] = 1;
    expect_refusal(def, 3, "empty");
    def.grid = NULL;
    expect_refusal(def, 3, "no samples");

    expect_refusal(solid_union(NULL, 0), 3, "at least 1");
    weir_shape_def parts[2] = {solid_box(1, 1, 1), solid_round(WEIR_SHAPE_SPHERE, 0, 0)};
    expect_refusal(solid_union(parts, 2), 3, "child 1");
    weir_shape_def nest[20];
    nest[0] = solid_box(1, 1, 1);
    for (int i = 1; i < 20; i++)
        nest[i] = solid_union(&nest[i - 1], 1);
    expect_refusal(nest[19], 3, "deeper than 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_distances),
        cmocka_unit_test(sampled_field_is_a_distance),
        cmocka_unit_test(distances_match_dense_surfaces),
        cmocka_unit_test(large_polygon_matches_plain_loop),
        cmocka_unit_test(union_is_the_nearest_part),
        cmocka_unit_test(degenerate_points_have_gradients),
        cmocka_unit_test(bounds_hold_the_solid),
        cmocka_unit_test(tank_leaves_its_hollow_free),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(bad_polygons_are_refused),
        cmocka_unit_test(bad_grids_and_unions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
