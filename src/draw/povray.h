/* Scenes for POV-Ray, which traces rays through real water: for final pictures. */
#ifndef WEIR_DRAW_POVRAY_H
#define WEIR_DRAW_POVRAY_H

#include "draw/scene.h"

/* Writes a complete scene that Debian's povray renders as it is, seen as draw_canvas_draw shows it.
 * `aspect` is width over height. 3D only. */
bool draw_povray_write(const char *path, const draw_scene *scene, double aspect, weir_error *error);

#endif
