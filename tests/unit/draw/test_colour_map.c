/* Colour maps are even in lightness; numbers on legends are round. */
#include "../out/scratch.h"

#include "draw/colour_map.h"

#include <math.h>

/* CIE lightness L*, 0 to 100: how bright a colour looks. */
static double lightness(const float rgb[3])
{
    double y = 0.2126 * draw_colour_to_linear(rgb[0]) + 0.7152 * draw_colour_to_linear(rgb[1]) +
               0.0722 * draw_colour_to_linear(rgb[2]);
    return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

static void sequential_map_brightens_evenly(void **state)
{
    (void)state;
    float rgb[3], ends[2][3];
    draw_colour_at(DRAW_MAP_SEQUENTIAL, 0, ends[0]);
    draw_colour_at(DRAW_MAP_SEQUENTIAL, 1, ends[1]);
    double first = lightness(ends[0]), last = lightness(ends[1]);
    assert_true(last - first > 60);
    for (int i = 0; i <= 100; i++) {
        draw_colour_at(DRAW_MAP_SEQUENTIAL, i / 100.0, rgb);
        double straight = first + (last - first) * i / 100;
        assert_true(fabs(lightness(rgb) - straight) < 6);
        for (int k = 0; k < 3; k++)
            assert_true(rgb[k] >= 0 && rgb[k] <= 1);
    }
}

static void diverging_map_is_balanced(void **state)
{
    (void)state;
    float low[3], high[3], middle[3];
    draw_colour_at(DRAW_MAP_DIVERGING, 0.5, middle);
    assert_true(lightness(middle) > 93);
    for (int i = 1; i <= 10; i++) {
        draw_colour_at(DRAW_MAP_DIVERGING, 0.5 - i / 20.0, low);
        draw_colour_at(DRAW_MAP_DIVERGING, 0.5 + i / 20.0, high);
        assert_true(fabs(lightness(low) - lightness(high)) < 9);
        assert_true(low[2] > low[0] && high[0] > high[2]); /* blue, red */
    }
}

static void odd_values_have_colours(void **state)
{
    (void)state;
    const double values[] = {NAN, -INFINITY, INFINITY, -3, 7};
    for (int map = 0; map < DRAW_MAP_COUNT; map++)
        for (int i = 0; i < 5; i++) {
            float rgb[3];
            draw_colour_at((draw_colour_map)map, values[i], rgb);
            for (int k = 0; k < 3; k++)
                assert_true(rgb[k] >= 0 && rgb[k] <= 1);
        }
}

static void light_and_srgb_are_inverse(void **state)
{
    (void)state;
    for (int i = 0; i <= 255; i++) {
        float c = (float)i / 255;
        assert_true(fabsf(draw_colour_to_srgb(draw_colour_to_linear(c)) - c) < 1e-5f);
    }
}

static void ticks_are_round(void **state)
{
    (void)state;
    double t[DRAW_MAX_TICKS];
    assert_int_equal(draw_ticks(0, 1, 5, t), 6);
    assert_true(fabs(t[1] - 0.2) < 1e-12);
    assert_int_equal(draw_ticks(-1.5, 1.5, 6, t), 7);
    assert_true(t[0] == -1.5 && t[3] == 0 && !signbit(t[3]));
    assert_int_equal(draw_ticks(998.2, 1001.1, 4, t), 3);
    assert_true(t[0] == 999 && t[2] == 1001);
    assert_int_equal(draw_ticks(3, 3, 4, t), 1);
    assert_true(draw_ticks(-1e300, 1e300, 4, t) <= DRAW_MAX_TICKS);
}

static void numbers_are_as_long_as_needed(void **state)
{
    (void)state;
    char text[32];
    draw_format_tick(1000, 10, text);
    assert_string_equal(text, "1000");
    draw_format_tick(0.2, 0.1, text);
    assert_string_equal(text, "0.2");
    draw_format_tick(-0.05, 0.05, text);
    assert_string_equal(text, "-0.05");
    draw_format_tick(2.5e7, 5e6, text);
    assert_string_equal(text, "2.5e+07");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequential_map_brightens_evenly),
        cmocka_unit_test(diverging_map_is_balanced),
        cmocka_unit_test(odd_values_have_colours),
        cmocka_unit_test(light_and_srgb_are_inverse),
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(numbers_are_as_long_as_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
