/* A line font of our own: letters as strokes, sharp at every size. */
#ifndef WEIR_DRAW_FONT_H
#define WEIR_DRAW_FONT_H

#include <stddef.h>
#include <stdint.h>

/* Sizes are in cells: capitals are 12 high, small letters 8, and go down to −4. */
enum { FONT_CAPITAL = 12, FONT_SMALL = 8, FONT_DESCENT = 4, FONT_LINE = 22 };

/* Receives a stroke: `count` points with x, y each, from the start of the line. */
typedef void font_stroke(void *user, const float *points, size_t count);

/* Draws UTF-8 text of one line; returns its width. `stroke` may be NULL, to measure. Characters
 * that the font does not have appear as a box. */
float font_draw(const char *text, font_stroke *stroke, void *user);

#endif
