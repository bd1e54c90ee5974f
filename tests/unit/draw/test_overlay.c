/* The font has every printable character; text and legends stay where they were put. */
#include "../out/scratch.h"

#include "draw/font.h"
#include "draw/overlay.h"

#include <math.h>

typedef struct extent {
    float low[2], high[2];
    size_t strokes;
    double sum; /* tells glyphs of one size apart */
} extent;

static void widen(void *user, const float *points, size_t count)
{
    extent *e = user;
    e->strokes++;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) {
            e->sum += (double)(i + 1) * (points[2 * i] + 17 * points[2 * i + 1] + 1);
            e->low[k] = fminf(e->low[k], points[2 * i + (size_t)k]);
            e->high[k] = fmaxf(e->high[k], points[2 * i + (size_t)k]);
        }
}

static extent extent_of(const char *text)
{
    extent e = {{1e9f, 1e9f}, {-1e9f, -1e9f}, 0, 0};
    font_draw(text, widen, &e);
    return e;
}

static void every_character_is_drawn(void **state)
{
    (void)state;
    extent box = extent_of("\x01");
    for (int c = 33; c < 127; c++) {
        char text[2] = {(char)c, 0};
        extent e = extent_of(text);
        assert_true(e.strokes > 0);
        assert_true(e.low[0] >= 0 && e.high[0] <= font_draw(text, NULL, NULL));
        assert_true(e.low[1] >= -FONT_DESCENT && e.high[1] <= FONT_CAPITAL + 1);
        /* Not the box of a character that the font does not have. */
        assert_true(e.sum != box.sum);
    }
    assert_int_equal(extent_of(" ").strokes, 0);
}

static void utf8_is_one_character_each(void **state)
{
    (void)state;
    assert_true(font_draw("m³", NULL, NULL) < font_draw("m3", NULL, NULL));
    assert_true(extent_of("ö").strokes == 3);
    /* Damaged text ends in time. */
    assert_true(font_draw("\xc3", NULL, NULL) > 0);
    assert_true(font_draw("a\xe2\x82", NULL, NULL) > 0);
    assert_true(font_draw("", NULL, NULL) == 0);
}

static extent extent_of_overlay(const overlay *o)
{
    extent e = {{1e9f, 1e9f}, {-1e9f, -1e9f}, 0, 0};
    for (size_t i = 0; i < o->count; i++)
        widen(&e, &o->vertices[i].x, 1);
    return e;
}

static void text_is_aligned(void **state)
{
    (void)state;
    const float ink[4] = {0, 0, 0, 1};
    for (int i = 0; i <= 2; i++) {
        overlay o = {0};
        float width = overlay_text(&o, "HEH", 100, 50, 12, (float)i / 2, ink);
        extent e = extent_of_overlay(&o);
        assert_true(fabsf(e.low[0] - (100 - (float)i / 2 * width)) < 1.5f);
        assert_true(fabsf(e.high[1] - 50) < 1.5f && fabsf(e.low[1] - 38) < 1.5f);
        assert_int_equal(o.count % 3, 0);
        overlay_free(&o);
    }
}

static void legend_fits_its_width(void **state)
{
    (void)state;
    const float ink[4] = {0, 0, 0, 1};
    const overlay_legend legends[] = {{"density (kg/m³)", DRAW_MAP_SEQUENTIAL, 990, 1040},
                                      {NULL, DRAW_MAP_DIVERGING, -1e-7, 1e-7},
                                      {"p", DRAW_MAP_SEQUENTIAL, 5, 5}};
    for (int i = 0; i < 3; i++) {
        overlay o = {0};
        float width = overlay_add_legend(&o, &legends[i], 10, 20, 200, 12, ink);
        extent e = extent_of_overlay(&o);
        assert_true(e.low[0] >= 8 && e.high[0] <= 10 + width + 3);
        assert_true(e.low[1] >= 10 && e.high[1] <= 20 + 200 + 40);
        overlay_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_drawn),
        cmocka_unit_test(utf8_is_one_character_each),
        cmocka_unit_test(text_is_aligned),
        cmocka_unit_test(legend_fits_its_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
