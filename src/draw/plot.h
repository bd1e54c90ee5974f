/* Plots of series as PNG or SVG, by gnuplot. */
#ifndef WEIR_DRAW_PLOT_H
#define WEIR_DRAW_PLOT_H

#include "weir/types.h"

typedef struct plot_series {
    const char *name; /* in the key; NULL: none */
    const double *x, *y;
    size_t count; /* values that are not finite leave a gap */
    bool points;  /* marks instead of a line, as for measurements */
} plot_series;

typedef struct plot {
    const char *title;             /* NULL: none */
    const char *x_label, *y_label; /* with their units */
    bool log_x, log_y;
    const plot_series *series;
    size_t series_count;
    int width, height; /* pixels; 0: 900 × 560 */
} plot;

/* The name's ending, .png or .svg, says the format. Code UNSUPPORTED where gnuplot is missing. */
bool plot_write(const char *path, const plot *p, weir_error *error);

#endif
