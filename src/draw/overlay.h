/* What lies flat over a picture: text, legends, frames. Triangles in output pixels, the origin in
 * the upper left corner, y down. */
#ifndef WEIR_DRAW_OVERLAY_H
#define WEIR_DRAW_OVERLAY_H

#include "draw/colour_map.h"

typedef struct overlay_vertex {
    float x, y;
    float colour[4]; /* sRGB and opacity */
} overlay_vertex;

/* Zero it before the first use. */
typedef struct overlay {
    overlay_vertex *vertices; /* 3 per triangle */
    size_t count, capacity;
    bool failed; /* memory ran out */
} overlay;

void overlay_free(overlay *o);

/* Adds one corner; three make a triangle. */
void overlay_vertex_add(overlay *o, const float at[2], const float colour[4]);
void overlay_triangle(overlay *o, const float a[2], const float b[2], const float c[2],
                      const float colour[4]);
void overlay_rectangle(overlay *o, float left, float top, float right, float bottom,
                       const float colour[4]);
/* A polyline with round ends and joints. */
void overlay_line(overlay *o, const float *points, size_t count, float width,
                  const float colour[4]);

/* Text with capitals of `size` pixels. `align` is the share of the width left of x: 0 starts at x,
 * 1 ends there. y is the base line. Returns the width. */
float overlay_text(overlay *o, const char *text, float x, float y, float size, float align,
                   const float colour[4]);
float overlay_text_width(const char *text, float size);

/* A colour bar with numbers at its right and a title above. `height` is that of the bar; the upper
 * left corner of the title is at (x, y). Returns the width of the whole. */
typedef struct overlay_legend {
    const char *title; /* may be NULL */
    draw_colour_map map;
    double low, high;
} overlay_legend;

float overlay_add_legend(overlay *o, const overlay_legend *legend, float x, float y, float height,
                         float text_size, const float colour[4]);
float overlay_legend_width(const overlay_legend *legend, float height, float text_size);

#endif
