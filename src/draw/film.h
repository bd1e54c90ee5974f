/* Films: pictures of one size after another, as MP4 (H.264) or GIF, by ffmpeg. */
#ifndef WEIR_DRAW_FILM_H
#define WEIR_DRAW_FILM_H

#include "draw/image.h"

typedef struct draw_film draw_film;

/* The name's ending, .mp4 or .gif, says the format; `rate` is in pictures per second. Where ffmpeg
 * is missing the film still begins: its pictures are kept as PNG files in a folder beside it, and
 * draw_film_end says so. The film appears under its name only when it is complete. */
draw_film *draw_film_begin(const char *path, int width, int height, double rate, weir_error *error);
bool draw_film_add(draw_film *film, const draw_image *image, weir_error *error);
/* Ends and frees the film, whether it succeeds or not. */
bool draw_film_end(draw_film *film, weir_error *error);
/* Ends and frees it and leaves no film behind. */
void draw_film_discard(draw_film *film);

#endif
