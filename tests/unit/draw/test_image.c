/* PNG files come back bit for bit; damaged ones are refused. */
#include "../out/scratch.h"

#include "base/random.h"
#include "draw/image.h"

static draw_image noise(int width, int height)
{
    draw_image image;
    assert_true(draw_image_create(&image, width, height, NULL));
    for (size_t i = 0; i < 3 * (size_t)width * (size_t)height; i++)
        image.pixels[i] = (uint8_t)random_bits(1, i);
    return image;
}

static void png_comes_back(void **state)
{
    (void)state;
    weir_error error;
    draw_image a = noise(37, 21), b;
    assert_true(draw_image_write_png(scratch_path("a.png"), &a, &error));
    assert_true(draw_image_read_png(&b, scratch_path("a.png"), &error));
    assert_int_equal(b.width, 37);
    assert_int_equal(b.height, 21);
    assert_memory_equal(a.pixels, b.pixels, 3 * 37 * 21);
    assert_true(draw_image_difference(&a, &b, 4) == 0);
    draw_image_free(&a);
    draw_image_free(&b);
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    weir_error error;
    draw_image image;
    scratch_put(scratch_path("bad.png"), "this is no picture", 18);
    assert_false(draw_image_read_png(&image, scratch_path("bad.png"), &error));
    assert_int_equal(error.code, WEIR_FORMAT);
    assert_false(draw_image_read_png(&image, scratch_path("none.png"), &error));
    assert_int_equal(error.code, WEIR_NOT_FOUND);
    draw_image a = noise(64, 64);
    assert_true(draw_image_write_png(scratch_path("cut.png"), &a, NULL));
    size_t size;
    char *bytes = scratch_get(scratch_path("cut.png"), &size);
    scratch_put(scratch_path("cut.png"), bytes, size / 2);
    assert_false(draw_image_read_png(&image, scratch_path("cut.png"), &error));
    free(bytes);
    assert_false(draw_image_write_png("/nowhere/a.png", &a, &error));
    assert_int_equal(error.code, WEIR_IO);
    draw_image_free(&a);
}

static void sizes_are_checked(void **state)
{
    (void)state;
    draw_image image;
    weir_error error;
    assert_false(draw_image_create(&image, 0, 10, &error));
    assert_false(draw_image_create(&image, 10, DRAW_MAX_SIZE + 1, &error));
    assert_non_null(strstr(error.text, "16385"));
}

static void paste_cuts_at_the_edges(void **state)
{
    (void)state;
    draw_image a, b = noise(10, 10);
    assert_true(draw_image_create(&a, 20, 15, NULL));
    draw_image_paste(&a, &b, 15, -4);
    draw_image_paste(&a, &b, -8, 12);
    draw_image_paste(&a, &b, 100, 100);
    assert_memory_equal(a.pixels + 3 * 15, b.pixels + 3 * 40, 15);
    assert_memory_equal(a.pixels + 3 * (12 * 20), b.pixels + 3 * 8, 6);
    assert_int_equal(a.pixels[3 * (12 * 20 + 2)], 0);
    draw_image_free(&a);
    draw_image_free(&b);
}

static void difference_forgives_edges_only(void **state)
{
    (void)state;
    draw_image a, b;
    assert_true(draw_image_create(&a, 64, 64, NULL));
    assert_true(draw_image_create(&b, 64, 64, NULL));
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++)
            for (int k = 0; k < 3; k++) {
                a.pixels[3 * (y * 64 + x) + k] = x < 32 ? 0 : 255;
                b.pixels[3 * (y * 64 + x) + k] = x < 33 ? 0 : 255;
            }
    assert_true(draw_image_difference(&a, &b, 8) < 0.02);
    memset(b.pixels, 255, 3 * 64 * 64);
    assert_true(draw_image_difference(&a, &b, 8) > 0.49);
    b.width = 63;
    assert_true(draw_image_difference(&a, &b, 8) == -1);
    draw_image_free(&a);
    draw_image_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_comes_back),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(paste_cuts_at_the_edges),
        cmocka_unit_test(difference_forgives_edges_only),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
