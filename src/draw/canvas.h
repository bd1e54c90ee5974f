/* Pictures of scenes, without a display. */
#ifndef WEIR_DRAW_CANVAS_H
#define WEIR_DRAW_CANVAS_H

#include "draw/image.h"
#include "draw/scene.h"

typedef struct draw_canvas draw_canvas;

/* Opens an OpenGL context of its own and makes it current. One canvas serves many pictures. NULL,
 * code UNSUPPORTED, where there is no OpenGL. */
draw_canvas *draw_canvas_create(weir_error *error);
void draw_canvas_destroy(draw_canvas *canvas);

/* Draws into `image`, which is filled anew with width × height pixels. `smooth` is the number of
 * samples per pixel along each side, 1 to 4: 2 is good, 1 is fast. */
bool draw_canvas_draw(draw_canvas *canvas, const draw_scene *scene, int width, int height,
                      int smooth, draw_image *image, weir_error *error);

/* The camera that the scene is seen with: its own, or the one that frames it. */
draw_camera draw_scene_camera(const draw_scene *scene, double aspect);

/* What draws: the name of the GPU or of the software renderer. */
const char *draw_canvas_renderer(const draw_canvas *canvas);

#endif
