#include "draw/plot.h"

#include "base/error.h"
#include "draw/program.h"
#include "out/file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 900, DEFAULT_HEIGHT = 560, MAX_SERIES = 64 };

/* Easy to tell apart, also for the colour-blind and in print. */
static const char *const colours[] = {"#1f6fb4", "#d1622b", "#2e8b57", "#8c56a8",
                                      "#b8860b", "#c2447a", "#4c9ba8", "#555555"};

/* A text as gnuplot reads it between single quotes: a quote is doubled, a line ends in a space. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            fputc('\'', out);
        fputc((unsigned char)*c < 0x20 ? ' ' : *c, out);
    }
    fputc('\'', out);
}

static void put_number(FILE *out, double value)
{
    char text[FILE_NUMBER_LENGTH];
    fputs(isfinite(value) ? file_format_number(text, value) : "NaN", out);
}

static void put_data(FILE *out, const plot *p)
{
    for (size_t s = 0; s < p->series_count; s++) {
        const plot_series *series = &p->series[s];
        fprintf(out, "$d%zu << END_OF_DATA\n", s);
        for (size_t i = 0; i < series->count; i++) {
            put_number(out, series->x[i]);
            fputc(' ', out);
            put_number(out, series->y[i]);
            fputc('\n', out);
        }
        fputs("END_OF_DATA\n", out);
    }
}

static void put_setting(FILE *out, const char *what, const char *text)
{
    if (!text)
        return;
    fprintf(out, "set %s ", what);
    put_quoted(out, text);
    fputs(" noenhanced\n", out);
}

static void put_curves(FILE *out, const plot *p)
{
    fputs("plot ", out);
    for (size_t s = 0; s < p->series_count; s++) {
        const plot_series *series = &p->series[s];
        const char *colour = colours[s % (sizeof colours / sizeof colours[0])];
        fprintf(out, "%s$d%zu using 1:2 with %s lc rgb '%s' ", s ? ", " : "", s,
                series->points ? "points pt 7 ps 0.7" : "lines lw 2", colour);
        /* Beyond the colours, dashes tell series apart. */
        if (!series->points)
            fprintf(out, "dt %zu ", 1 + s / (sizeof colours / sizeof colours[0]));
        if (series->name) {
            fputs("title ", out);
            put_quoted(out, series->name);
            fputs(" noenhanced", out);
        } else {
            fputs("notitle", out);
        }
    }
    fputc('\n', out);
}

static void put_script(FILE *out, const plot *p, const char *output, bool is_svg)
{
    int width = p->width > 0 ? p->width : DEFAULT_WIDTH;
    int height = p->height > 0 ? p->height : DEFAULT_HEIGHT;
    fprintf(out, "set terminal %s size %d,%d font 'sans,11' background rgb 'white'\n",
            is_svg ? "svg" : "pngcairo", width, height);
    fputs("set output ", out);
    put_quoted(out, output);
    fputs("\nset encoding utf8\nset border 3 lc rgb '#444444'\nset tics nomirror\n"
          "set grid lc rgb '#e0e0e0' lt 1\nset key outside right top Left reverse samplen 2\n"
          "set datafile missing 'NaN'\n",
          out);
    put_setting(out, "title", p->title);
    put_setting(out, "xlabel", p->x_label);
    put_setting(out, "ylabel", p->y_label);
    if (p->log_x)
        fputs("set logscale x\nset format x '10^{%T}'\n", out);
    if (p->log_y)
        fputs("set logscale y\nset format y '10^{%T}'\n", out);
    put_data(out, p);
    put_curves(out, p);
    fputs("unset output\n", out);
}

/* Whether anything can be drawn: gnuplot refuses plots without a point. */
static bool has_points(const plot *p)
{
    for (size_t s = 0; s < p->series_count; s++)
        for (size_t i = 0; i < p->series[s].count; i++) {
            double x = p->series[s].x[i], y = p->series[s].y[i];
            if (isfinite(x) && isfinite(y) && (!p->log_x || x > 0) && (!p->log_y || y > 0))
                return true;
        }
    return false;
}

static bool check(const char *path, const plot *p, bool *is_svg, weir_error *error)
{
    const char *dot = strrchr(path, '.');
    *is_svg = dot && strcasecmp(dot, ".svg") == 0;
    if (!*is_svg && !(dot && strcasecmp(dot, ".png") == 0))
        return fail(error, WEIR_INVALID, "cannot plot %s: its name must end in .png or .svg", path);
    if (p->series_count > MAX_SERIES)
        return fail(error, WEIR_INVALID, "cannot plot %s: %zu series; at most %d are possible",
                    path, p->series_count, MAX_SERIES);
    if (!has_points(p))
        return fail(error, WEIR_INVALID, "cannot plot %s: no series has a value that can be shown",
                    path);
    return true;
}

static bool run(const char *path, const char *unfinished, const plot *p, bool is_svg,
                weir_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot plot %s: memory ran out", path);
    put_script(stream, p, unfinished, is_svg);
    bool written = fclose(stream) == 0;
    const char *const arguments[] = {"gnuplot", "-", NULL};
    program gnuplot;
    weir_error why;
    bool done = written && program_start(&gnuplot, arguments, "gnuplot-nox", &why);
    if (!written)
        fail(&why, WEIR_OUT_OF_MEMORY, "memory ran out");
    if (done) {
        program_write(&gnuplot, text, length);
        done = program_finish(&gnuplot, &why);
    }
    free(text);
    if (done && rename(unfinished, path) != 0)
        done = fail(&why, WEIR_IO, "%s", file_reason(errno));
    if (!done)
        unlink(unfinished);
    return done || fail(error, why.code, "cannot plot %s: %s", path, why.text);
}

bool plot_write(const char *path, const plot *p, weir_error *error)
{
    bool is_svg;
    if (!check(path, p, &is_svg, error))
        return false;
    const char *slash = strrchr(path, '/');
    char *unfinished;
    if (asprintf(&unfinished, "%.*s.weir-%ld.%s", slash ? (int)(slash + 1 - path) : 0, path,
                 (long)getpid(), is_svg ? "svg" : "png") < 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot plot %s: memory ran out", path);
    bool done = run(path, unfinished, p, is_svg, error);
    free(unfinished);
    return done;
}
