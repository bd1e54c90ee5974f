/* The text of a picture: title, caption and legend. */
#ifndef WEIR_DRAW_SHEET_H
#define WEIR_DRAW_SHEET_H

#include "draw/overlay.h"
#include "draw/scene.h"

bool sheet_has_legend(const draw_scene *scene);

/* Width of a usual legend, as a share of the picture's height. */
static const double sheet_legend_share = 0.25;

/* `low` and `high` are the values at the ends of the legend; width and height are in pixels. */
void sheet_add(overlay *o, const draw_scene *scene, float width, float height, double low,
               double high);

#endif
