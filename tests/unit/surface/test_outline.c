/* Outlines of 2D fluids: right areas and lengths, closed and oriented, filled without gaps. */
#include "cloud.h"

#include "base/hash.h"

static surface_outline build(const surface_particles *p, const surface_settings *s)
{
    surface_outline outline;
    weir_error error;
    if (!surface_outline_build(&outline, p, s, &error))
        fail_msg("%s", error.text);
    return outline;
}

/* Signed area of one polyline. */
static double loop_area(const surface_outline *o, size_t l)
{
    double area = 0;
    uint32_t first = o->loop_start[l], end = o->loop_start[l + 1];
    for (uint32_t i = first; i < end; i++) {
        const float *a = o->points + 2 * i, *b = o->points + 2 * (i + 1 < end ? i + 1 : first);
        area += ((double)a[0] * b[1] - (double)a[1] * b[0]) / 2;
    }
    return area;
}

/* The loops enclose what the triangles fill, and every triangle faces up. */
static void assert_good(const surface_outline *o)
{
    double loops = 0, fill = surface_outline_area(o);
    for (size_t l = 0; l < o->loop_count; l++) {
        assert_true(o->loop_start[l + 1] >= o->loop_start[l] + 3);
        loops += loop_area(o, l);
    }
    assert_true(fabs(loops - fill) < 1e-4 * fill);
    assert_int_equal(o->loop_start[o->loop_count], o->outline_count);
    for (size_t t = 0; t < o->triangle_count; t++) {
        surface_outline one = *o;
        one.triangles += 3 * t;
        one.triangle_count = 1;
        assert_true(surface_outline_area(&one) > 0);
    }
}

static void disc_has_right_area_and_length(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        cloud c = cloud_create(10000);
        cloud_add_ball(&c, 2, 10, 0.2);
        surface_particles p = cloud_view(&c, 2, 1);
        surface_settings s = surface_settings_default();
        s.kind = (surface_kind)kind;
        surface_outline o = build(&p, &s);
        assert_int_equal(o.loop_count, 1);
        assert_true(fabs(surface_outline_area(&o) / (double)c.count - 1) < 0.03);
        assert_true(fabs(surface_outline_length(&o) / (20 * acos(-1)) - 1) < 0.05);
        assert_true(loop_area(&o, 0) > 0);
        assert_good(&o);
        surface_outline_free(&o);
        cloud_free(&c);
    }
}

static void hole_runs_clockwise(void **state)
{
    (void)state;
    cloud c = cloud_create(10000);
    for (int j = -20; j < 20; j++)
        for (int i = -20; i < 20; i++) {
            double r = hypot(i + 0.5, j + 0.5);
            if (r > 8 && r < 18)
                cloud_add(&c, i + 0.5, j + 0.5, 0, 0.1);
        }
    surface_particles p = cloud_view(&c, 2, 1);
    surface_settings s = surface_settings_default();
    surface_outline o = build(&p, &s);
    assert_int_equal(o.loop_count, 2);
    double a = loop_area(&o, 0), b = loop_area(&o, 1);
    assert_true(fmax(a, b) > 900 && fmin(a, b) < -180 && fmin(a, b) > -220);
    assert_good(&o);
    surface_outline_free(&o);
    cloud_free(&c);
}

static void add_spray(cloud *c)
{
    for (uint64_t i = 0; i < 1500; i++)
        cloud_add(c, 40 * random_unit(5, 2 * i), 40 * random_unit(5, 2 * i + 1), 0, 0);
}

static void spray_is_closed(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        cloud c = cloud_create(10000);
        add_spray(&c);
        surface_particles p = cloud_view(&c, 2, 1);
        surface_settings s = surface_settings_default();
        s.kind = (surface_kind)kind;
        surface_outline o = build(&p, &s);
        assert_true(o.loop_count > 10);
        assert_good(&o);
        surface_outline_free(&o);
        cloud_free(&c);
    }
}

static void points_carry_velocity_and_fluid(void **state)
{
    (void)state;
    cloud c = cloud_create(10000);
    cloud_add_ball(&c, 2, 8, 0.1);
    for (size_t i = 0; i < c.count; i++) {
        c.vx[i] = 5;
        c.vy[i] = c.x[i];
        c.fluid[i] = c.x[i] > 0;
    }
    surface_particles p = cloud_view(&c, 2, 1);
    p.vx = c.vx, p.vy = c.vy, p.fluid = c.fluid;
    surface_settings s = surface_settings_default();
    surface_outline o = build(&p, &s);
    for (size_t i = 0; i < o.point_count; i++) {
        assert_true(fabsf(o.velocities[2 * i] - 5) < 1e-4f);
        assert_true(fabsf(o.velocities[2 * i + 1] - o.points[2 * i]) < 1);
        if (fabsf(o.points[2 * i]) > 1)
            assert_int_equal(o.fluids[i], o.points[2 * i] > 0);
    }
    surface_outline_free(&o);
    cloud_free(&c);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    cloud c = cloud_create(10000);
    add_spray(&c);
    surface_particles p = cloud_view(&c, 2, 1);
    surface_settings s = surface_settings_default();
    uint64_t first = 0;
    for (int threads = 1; threads <= 4; threads++) {
        s.threads = threads;
        surface_outline o = build(&p, &s);
        uint64_t h = hash_bytes(0, o.points, 2 * o.point_count * sizeof(float));
        h = hash_bytes(h, o.triangles, 3 * o.triangle_count * sizeof(uint32_t));
        if (threads == 1)
            first = h;
        assert_true(h == first);
        surface_outline_free(&o);
    }
    cloud_free(&c);
}

static void levels_do_not_matter(void **state)
{
    (void)state;
    cloud c = cloud_create(10000);
    add_spray(&c);
    surface_particles p = cloud_view(&c, 2, 1);
    surface_settings s = surface_settings_default();
    surface_outline best = build(&p, &s);
    for (const char *const *level = weir_simd_levels(); *level; level++) {
        s.simd = *level;
        surface_outline o = build(&p, &s);
        assert_int_equal(o.point_count, best.point_count);
        assert_memory_equal(o.points, best.points, 2 * o.point_count * sizeof(float));
        surface_outline_free(&o);
    }
    surface_outline_free(&best);
    cloud_free(&c);
}

static void no_particles_give_no_outline(void **state)
{
    (void)state;
    surface_particles p = {.dim = 2, .spacing = 0.1};
    surface_settings s = surface_settings_default();
    surface_outline o = build(&p, &s);
    assert_int_equal(o.loop_count, 0);
    assert_int_equal(o.triangle_count, 0);
    surface_outline_free(&o);
    weir_error error;
    p.dim = 3;
    assert_false(surface_outline_build(&o, &p, &s, &error));
    assert_non_null(strstr(error.text, "2 dimensions"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc_has_right_area_and_length),
        cmocka_unit_test(hole_runs_clockwise),
        cmocka_unit_test(spray_is_closed),
        cmocka_unit_test(points_carry_velocity_and_fluid),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(levels_do_not_matter),
        cmocka_unit_test(no_particles_give_no_outline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
