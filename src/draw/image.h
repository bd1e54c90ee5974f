/* Pictures in memory, and as PNG files. */
#ifndef WEIR_DRAW_IMAGE_H
#define WEIR_DRAW_IMAGE_H

#include "weir/types.h"

enum { DRAW_MAX_SIZE = 16384 };

typedef struct draw_image {
    int width, height;
    uint8_t *pixels; /* red, green, blue per pixel, sRGB; the upper row first */
} draw_image;

bool draw_image_create(draw_image *image, int width, int height, weir_error *error);
void draw_image_free(draw_image *image);

bool draw_image_write_png(const char *path, const draw_image *image, weir_error *error);
bool draw_image_read_png(draw_image *image, const char *path, weir_error *error);

/* Copies `part` with its upper left corner at (x, y); what lies outside is cut off. */
void draw_image_paste(draw_image *image, const draw_image *part, int x, int y);

/* How different two pictures of one size look, 0 to 1: the mean difference of linear light after
 * averaging squares of `blur` pixels, so that single edge pixels count little. −1 for different
 * sizes. */
double draw_image_difference(const draw_image *a, const draw_image *b, int blur);

#endif
