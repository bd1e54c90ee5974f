/* Cameras frame what they are given, and their matrices say so. */
#include "../out/scratch.h"

#include "draw/camera.h"

/* Where a point lands in the picture: −1 to 1 inside. */
static void project(const draw_view *v, vec3 p, double out[3])
{
    double in[4] = {p.x, p.y, p.z, 1}, c[4] = {0, 0, 0, 0};
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++)
            c[row] += v->world_to_clip[4 * k + row] * in[k];
    for (int k = 0; k < 3; k++)
        out[k] = c[k] / c[3];
}

static vec3 corner(const draw_box *b, int k)
{
    return vec3_make(k & 1 ? b->high.x : b->low.x, k & 2 ? b->high.y : b->low.y,
                     k & 4 ? b->high.z : b->low.z);
}

static void framing_shows_everything_and_wastes_little(void **state)
{
    (void)state;
    const draw_box boxes[] = {
        {{0, 0, 0}, {2, 1, 0.8}}, {{-5, 10, 3}, {-4.9, 30, 3.1}}, {{-1, -1, -1}, {1, 1, 1}}};
    const vec3 ups[] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    for (int b = 0; b < 3; b++)
        for (int u = 0; u < 3; u++)
            for (double aspect = 0.5; aspect < 3; aspect *= 1.9) {
                vec3 towards = draw_camera_default_direction(ups[u]);
                draw_camera c = draw_camera_frame(&boxes[b], 3, towards, ups[u], aspect);
                draw_view v = draw_view_of(&c, &boxes[b], aspect);
                double widest = 0;
                for (int k = 0; k < 8; k++) {
                    double p[3];
                    project(&v, corner(&boxes[b], k), p);
                    assert_true(fabs(p[0]) < 1 && fabs(p[1]) < 1 && fabs(p[2]) < 1);
                    widest = fmax(widest, fmax(fabs(p[0]), fabs(p[1])));
                }
                assert_true(widest > 0.8);
            }
}

static void flat_framing_keeps_proportions(void **state)
{
    (void)state;
    const draw_box box = {{1, 2, 0}, {5, 3, 0}};
    draw_camera c = draw_camera_frame(&box, 2, vec3_make(0, 0, 1), vec3_make(0, 1, 0), 16.0 / 9);
    draw_view v = draw_view_of(&c, &box, 16.0 / 9);
    double low[3], high[3];
    project(&v, box.low, low);
    project(&v, box.high, high);
    assert_true(low[0] > -1 && low[0] < -0.8 && high[0] < 1 && high[0] > 0.8);
    assert_true(fabs((high[0] - low[0]) * 16 / 9 / (high[1] - low[1]) - 4) < 1e-4);
}

static void up_is_up(void **state)
{
    (void)state;
    const draw_box box = {{0, 0, 0}, {1, 1, 1}};
    const vec3 ups[] = {{0, 1, 0}, {0, 0, 1}};
    for (int u = 0; u < 2; u++) {
        draw_camera c =
            draw_camera_frame(&box, 3, draw_camera_default_direction(ups[u]), ups[u], 1);
        draw_view v = draw_view_of(&c, &box, 1);
        double below[3], above[3], left[3], right[3];
        project(&v, vec3_make(0.5, 0.5, 0.5), below);
        project(&v, vec3_add(vec3_make(0.5, 0.5, 0.5), vec3_scale(ups[u], 0.5)), above);
        assert_true(above[1] > below[1] + 0.1);
        /* The x axis runs to the right. */
        project(&v, vec3_make(0, 0.5, 0.5), left);
        project(&v, vec3_make(1, 0.5, 0.5), right);
        assert_true(right[0] > left[0] + 0.5);
    }
}

static void orbit_keeps_distance_and_height(void **state)
{
    (void)state;
    draw_camera c = {.eye = {3, 2, 1}, .target = {0, 1, 0}, .up = {0, 1, 0}, .field_of_view = 0.5};
    draw_camera turned = draw_camera_orbit(c, acos(-1));
    assert_true(fabs(turned.eye.x + 3) < 1e-9 && fabs(turned.eye.z + 1) < 1e-9);
    assert_true(fabs(turned.eye.y - 2) < 1e-9);
}

static void slide_moves_by_the_share(void **state)
{
    (void)state;
    draw_camera c = {.eye = {0, 0, 10}, .target = {0, 0, 0}, .up = {0, 1, 0}, .field_of_view = 0.5};
    const draw_box box = {{-1, -1, -1}, {1, 1, 1}};
    draw_camera moved = draw_camera_slide(c, 0.1, 1.5);
    draw_view v = draw_view_of(&moved, &box, 1.5);
    double p[3];
    project(&v, vec3_make(0, 0, 0), p);
    assert_true(fabs(p[0] + 0.2) < 1e-5 && fabs(p[1]) < 1e-6);
}

static void empty_box_is_framed(void **state)
{
    (void)state;
    draw_box none = draw_box_empty();
    assert_true(draw_box_is_empty(&none));
    draw_camera c = draw_camera_frame(&none, 3, vec3_make(0, 0, 1), vec3_make(0, 1, 0), 1);
    assert_true(draw_camera_check(&c, 3, NULL));
    draw_box_add(&none, vec3_make(1, 2, 3), 0);
    assert_false(draw_box_is_empty(&none));
    c = draw_camera_frame(&none, 2, vec3_make(0, 0, 1), vec3_make(0, 1, 0), 1);
    assert_true(draw_camera_check(&c, 2, NULL));
}

static void bad_cameras_are_refused(void **state)
{
    (void)state;
    weir_error error;
    draw_camera c = {.eye = {1, 1, 1}, .target = {1, 1, 1}, .up = {0, 1, 0}, .field_of_view = 0.5};
    assert_false(draw_camera_check(&c, 3, &error));
    assert_non_null(strstr(error.text, "same place"));
    c.eye.x = NAN;
    assert_false(draw_camera_check(&c, 3, &error));
    c.eye.x = 5;
    c.field_of_view = 4;
    assert_false(draw_camera_check(&c, 3, &error));
    assert_non_null(strstr(error.text, "4 rad"));
    c.height = 0;
    assert_false(draw_camera_check(&c, 2, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framing_shows_everything_and_wastes_little),
        cmocka_unit_test(flat_framing_keeps_proportions),
        cmocka_unit_test(up_is_up),
        cmocka_unit_test(orbit_keeps_distance_and_height),
        cmocka_unit_test(slide_moves_by_the_share),
        cmocka_unit_test(empty_box_is_framed),
        cmocka_unit_test(bad_cameras_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
