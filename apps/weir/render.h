/* What `weir render` draws: panels side by side, as a picture or a film. */
#ifndef WEIR_APPS_RENDER_H
#define WEIR_APPS_RENDER_H

#include "show.h"

enum { MAX_PANELS = COMMAND_MAX_ARGUMENTS };

typedef struct render_options {
    arguments arguments;
    load_options load;
    const char *out, *size, *look, *color, *range, *compare, *povray;
    int64_t frame; /* -1: none */
    double fps, speed, within;
    bool caption, orbit, vectors, contacts, quiet;
} render_options;

typedef struct panel {
    show source;
    show_solids solids;
    show_style style;
    show_picture picture;
    char title[120];
} panel;

typedef struct render {
    const render_options *options;
    panel *panels;
    size_t count;
    char *methods; /* copy of --compare, cut into names */
    const char *method_names[MAX_PANELS];
    size_t method_count;
    char *out;
    bool is_film;
    int width, height, columns, rows;
    draw_canvas *canvas;
} render;

/* Draw what the options ask for, into `out`; the panels are open. Return the program's exit code.
 */
int render_picture(render *r);
int render_film(render *r);

#endif
