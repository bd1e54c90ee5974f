#include "draw/overlay.h"

#include "draw/font.h"

#include <math.h>
#include <stdlib.h>

enum { ROUND_SIDES = 8, BAR_STEPS = 128 };

/* Width of strokes, as a share of the height of capitals. */
static const float stroke_width = 0.125f;

void overlay_free(overlay *o)
{
    free(o->vertices);
    *o = (overlay){0};
}

void overlay_vertex_add(overlay *o, const float at[2], const float colour[4])
{
    if (o->failed)
        return;
    if (o->count == o->capacity) {
        size_t capacity = 2 * o->capacity + 3072;
        overlay_vertex *grown = realloc(o->vertices, capacity * sizeof *grown);
        if (!grown) {
            o->failed = true;
            return;
        }
        o->vertices = grown;
        o->capacity = capacity;
    }
    o->vertices[o->count++] =
        (overlay_vertex){at[0], at[1], {colour[0], colour[1], colour[2], colour[3]}};
}

void overlay_triangle(overlay *o, const float a[2], const float b[2], const float c[2],
                      const float colour[4])
{
    overlay_vertex_add(o, a, colour);
    overlay_vertex_add(o, b, colour);
    overlay_vertex_add(o, c, colour);
}

static void quad(overlay *o, const float a[2], const float b[2], const float c[2], const float d[2],
                 const float colour[4])
{
    overlay_triangle(o, a, b, c, colour);
    overlay_triangle(o, a, c, d, colour);
}

void overlay_rectangle(overlay *o, float left, float top, float right, float bottom,
                       const float colour[4])
{
    quad(o, (float[2]){left, top}, (float[2]){right, top}, (float[2]){right, bottom},
         (float[2]){left, bottom}, colour);
}

static void disc(overlay *o, const float centre[2], float radius, const float colour[4])
{
    float pi = acosf(-1), before[2] = {centre[0] + radius, centre[1]};
    for (int i = 1; i <= ROUND_SIDES; i++) {
        float angle = 2 * pi * (float)i / ROUND_SIDES;
        float at[2] = {centre[0] + radius * cosf(angle), centre[1] + radius * sinf(angle)};
        overlay_triangle(o, centre, before, at, colour);
        before[0] = at[0], before[1] = at[1];
    }
}

void overlay_line(overlay *o, const float *points, size_t count, float width, const float colour[4])
{
    float half = width / 2;
    for (size_t i = 0; i < count; i++)
        disc(o, points + 2 * i, half, colour);
    for (size_t i = 0; i + 1 < count; i++) {
        const float *a = points + 2 * i, *b = a + 2;
        float dx = b[0] - a[0], dy = b[1] - a[1], length = hypotf(dx, dy);
        if (length == 0)
            continue;
        float nx = -dy / length * half, ny = dx / length * half;
        quad(o, (float[2]){a[0] + nx, a[1] + ny}, (float[2]){b[0] + nx, b[1] + ny},
             (float[2]){b[0] - nx, b[1] - ny}, (float[2]){a[0] - nx, a[1] - ny}, colour);
    }
}

typedef struct pen {
    overlay *o;
    float x, y, scale, width;
    const float *colour;
} pen;

static void draw_stroke(void *user, const float *points, size_t count)
{
    const pen *p = user;
    float placed[400];
    for (size_t i = 0; i < count && 2 * i + 1 < 400; i++) {
        placed[2 * i] = p->x + points[2 * i] * p->scale;
        placed[2 * i + 1] = p->y - points[2 * i + 1] * p->scale;
    }
    overlay_line(p->o, placed, count, p->width, p->colour);
}

float overlay_text_width(const char *text, float size)
{
    return font_draw(text, NULL, NULL) * size / FONT_CAPITAL;
}

float overlay_text(overlay *o, const char *text, float x, float y, float size, float align,
                   const float colour[4])
{
    float scale = size / FONT_CAPITAL, width = overlay_text_width(text, size);
    pen p = {o, x - align * width, y, scale, fmaxf(size * stroke_width, 1.1f), colour};
    font_draw(text, draw_stroke, &p);
    return width;
}

/* About three text heights apart, but at least two where the range has any. */
static int find_ticks(const overlay_legend *legend, float height, float text_size,
                      double ticks[DRAW_MAX_TICKS])
{
    int wanted = (int)fmaxf(height / (3 * text_size), 2), count = 0;
    for (int tries = 0; tries < 4 && count < 2; tries++)
        count = draw_ticks(legend->low, legend->high, wanted + tries, ticks);
    return count;
}

static double tick_step(const double *ticks, int count)
{
    return count > 1 ? ticks[1] - ticks[0] : fabs(ticks[0]);
}

float overlay_legend_width(const overlay_legend *legend, float height, float text_size)
{
    double ticks[DRAW_MAX_TICKS];
    int count = find_ticks(legend, height, text_size, ticks);
    float widest = 0, bar = 1.6f * text_size;
    for (int i = 0; i < count; i++) {
        char text[32];
        draw_format_tick(ticks[i], tick_step(ticks, count), text);
        widest = fmaxf(widest, overlay_text_width(text, text_size));
    }
    float title = legend->title ? overlay_text_width(legend->title, text_size) : 0;
    return fmaxf(bar + text_size + widest, title);
}

float overlay_add_legend(overlay *o, const overlay_legend *legend, float x, float y, float height,
                         float text_size, const float colour[4])
{
    float bar = 1.6f * text_size, top = y;
    if (legend->title) {
        overlay_text(o, legend->title, x, y + text_size, text_size, 0, colour);
        top += 2.2f * text_size;
    }
    for (int i = 0; i < BAR_STEPS; i++) {
        float rgba[4] = {0, 0, 0, 1}, from = (float)i / BAR_STEPS, to = (float)(i + 1) / BAR_STEPS;
        draw_colour_at(legend->map, 1 - (from + to) / 2, rgba);
        overlay_rectangle(o, x, top + from * height, x + bar, top + to * height, rgba);
    }
    double ticks[DRAW_MAX_TICKS];
    int count = find_ticks(legend, height, text_size, ticks);
    for (int i = 0; i < count; i++) {
        double range = legend->high - legend->low;
        float share = range > 0 ? (float)((ticks[i] - legend->low) / range) : 0.5f;
        float at = top + (1 - share) * height;
        char text[32];
        draw_format_tick(ticks[i], tick_step(ticks, count), text);
        float mark[4] = {x + bar, at, x + bar + 0.4f * text_size, at};
        overlay_line(o, mark, 2, fmaxf(text_size * 0.1f, 1), colour);
        overlay_text(o, text, x + bar + text_size, at + text_size / 2, text_size, 0, colour);
    }
    return overlay_legend_width(legend, height, text_size);
}
