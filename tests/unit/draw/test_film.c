/* Films and plots by other programs: they are opened again, and where the programs are missing the
 * message says which package has them. */
#include "../out/scratch.h"

#include "draw/film.h"
#include "draw/plot.h"
#include "draw/program.h"

#include <math.h>

static bool has_program(const char *name)
{
    const char *const arguments[] = {name, "-version", NULL};
    program p;
    if (!program_start(&p, arguments, "x", NULL)) {
        print_message("skipped: %s is not installed\n", name);
        return false;
    }
    program_finish(&p, NULL);
    return true;
}

static draw_image picture(int width, int height, int shade)
{
    draw_image image;
    assert_true(draw_image_create(&image, width, height, NULL));
    memset(image.pixels, shade, 3 * (size_t)width * (size_t)height);
    return image;
}

static void make_film(const char *name, int width, int height, int count)
{
    weir_error error;
    draw_film *f = draw_film_begin(scratch_path(name), width, height, 25, &error);
    assert_non_null(f);
    for (int i = 0; i < count; i++) {
        draw_image image = picture(width, height, 20 * i);
        assert_true(draw_film_add(f, &image, &error));
        draw_image_free(&image);
    }
    if (!draw_film_end(f, &error))
        fail_msg("%s", error.text);
}

/* ffmpeg itself reads the film and counts its pictures. */
static void assert_plays(const char *name, const char *expected)
{
    char output[300];
    snprintf(output, sizeof output, "%s", scratch_path("pictures.txt"));
    const char *const arguments[] = {"ffprobe",
                                     "-v",
                                     "error",
                                     "-count_frames",
                                     "-show_entries",
                                     "stream=codec_name,width,height,pix_fmt,nb_read_frames",
                                     "-of",
                                     "csv=p=0",
                                     "-o",
                                     output,
                                     scratch_path(name),
                                     NULL};
    program p;
    weir_error error;
    if (!program_start(&p, arguments, "ffmpeg", &error))
        return;
    assert_true(program_finish(&p, &error));
    scratch_assert_content(output, expected);
}

static void films_play(void **state)
{
    (void)state;
    if (!has_program("ffmpeg"))
        return;
    make_film("a.mp4", 64, 48, 10);
    assert_plays("a.mp4", "h264,64,48,yuv420p,10\n");
    make_film("odd.mp4", 63, 47, 3); /* odd sides are filled up */
    assert_plays("odd.mp4", "h264,64,48,yuv420p,3\n");
    make_film("a.gif", 32, 20, 5);
    assert_plays("a.gif", "gif,32,20,bgra,5\n");
}

static void unfinished_films_leave_nothing(void **state)
{
    (void)state;
    if (!has_program("ffmpeg"))
        return;
    weir_error error;
    int before = scratch_count(scratch_folder);
    draw_film *f = draw_film_begin(scratch_path("b.mp4"), 64, 48, 25, &error);
    draw_image image = picture(64, 48, 9), other = picture(10, 10, 9);
    assert_true(draw_film_add(f, &image, &error));
    assert_false(draw_film_add(f, &other, &error));
    assert_non_null(strstr(error.text, "10 × 10"));
    draw_film_discard(f);
    f = draw_film_begin(scratch_path("c.mp4"), 64, 48, 25, &error);
    assert_false(draw_film_end(f, &error)); /* no pictures */
    assert_int_equal(scratch_count(scratch_folder), before);
    /* A folder that does not exist: ffmpeg says so. */
    f = draw_film_begin("/nowhere/d.mp4", 64, 48, 25, &error);
    for (int i = 0; f && i < 1000 && draw_film_add(f, &image, &error); i++)
        ;
    assert_false(draw_film_end(f, &error));
    assert_int_equal(error.code, WEIR_IO);
    draw_image_free(&image);
    draw_image_free(&other);
}

static void bad_films_are_refused(void **state)
{
    (void)state;
    weir_error error;
    assert_null(draw_film_begin("a.avi", 64, 48, 25, &error));
    assert_non_null(strstr(error.text, ".mp4 or .gif"));
    assert_null(draw_film_begin("a.mp4", 64, 48, 0, &error));
    assert_null(draw_film_begin("a.mp4", 1, 48, 25, &error));
}

/* An empty PATH hides the programs. */
static void missing_programs_are_named(void **state)
{
    (void)state;
    weir_error error;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", scratch_folder, 1);
    draw_film *f = draw_film_begin(scratch_path("m.mp4"), 16, 16, 25, &error);
    assert_non_null(f);
    for (int i = 0; i < 3; i++) {
        draw_image image = picture(16, 16, i);
        assert_true(draw_film_add(f, &image, &error));
        draw_image_free(&image);
    }
    assert_false(draw_film_end(f, &error));
    assert_int_equal(error.code, WEIR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "package ffmpeg"));
    assert_non_null(strstr(error.text, "m_pictures"));
    assert_int_equal(scratch_count(scratch_path("m_pictures")), 3);
    const double x[2] = {0, 1};
    const plot_series series = {"a", x, x, 2, false};
    const plot p = {.series = &series, .series_count = 1};
    assert_false(plot_write(scratch_path("m.png"), &p, &error));
    assert_int_equal(error.code, WEIR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "package gnuplot-nox"));
    setenv("PATH", path, 1);
    free(path);
}

static void plots_are_drawn(void **state)
{
    (void)state;
    if (!has_program("gnuplot"))
        return;
    double x[50], y[50], z[50];
    for (int i = 0; i < 50; i++) {
        x[i] = i;
        y[i] = exp(-i * 0.1);
        z[i] = i % 7 == 3 ? NAN : y[i] * 2;
    }
    /* Names that a script could trip over. */
    const plot_series series[] = {{"it's a 'name'; system(\"x\") \\ $d0 {", x, y, 50, false},
                                  {"line\nbreak", x, z, 50, true}};
    const plot p = {.title = "a_b^c",
                    .x_label = "time (s)",
                    .y_label = "E (J/m³)",
                    .log_y = true,
                    .series = series,
                    .series_count = 2,
                    .width = 400,
                    .height = 300};
    weir_error error;
    if (!plot_write(scratch_path("p.png"), &p, &error))
        fail_msg("%s", error.text);
    draw_image image;
    assert_true(draw_image_read_png(&image, scratch_path("p.png"), &error));
    assert_int_equal(image.width, 400);
    draw_image_free(&image);
    assert_true(plot_write(scratch_path("p.svg"), &p, &error));
    size_t size;
    char *svg = scratch_get(scratch_path("p.svg"), &size);
    assert_non_null(strstr(svg, "<svg"));
    assert_non_null(strstr(svg, "a_b^c"));
    free(svg);
}

static void bad_plots_are_refused(void **state)
{
    (void)state;
    weir_error error;
    const double x[2] = {0, -1}, bad[2] = {NAN, INFINITY};
    plot_series series = {"a", x, bad, 2, false};
    plot p = {.series = &series, .series_count = 1};
    assert_false(plot_write("a.pdf", &p, &error));
    assert_non_null(strstr(error.text, ".png or .svg"));
    assert_false(plot_write(scratch_path("q.png"), &p, &error));
    assert_non_null(strstr(error.text, "no series"));
    series.y = x;
    p.log_y = true; /* nothing positive */
    assert_false(plot_write(scratch_path("q.png"), &p, &error));
    if (!has_program("gnuplot"))
        return;
    p.log_y = false;
    assert_false(plot_write("/nowhere/q.png", &p, &error));
    assert_int_equal(error.code, WEIR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(films_play),
        cmocka_unit_test(unfinished_films_leave_nothing),
        cmocka_unit_test(bad_films_are_refused),
        cmocka_unit_test(missing_programs_are_named),
        cmocka_unit_test(plots_are_drawn),
        cmocka_unit_test(bad_plots_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
