/* Filled triangles with a colour at each corner: the bodies, walls and fluids of 2D pictures, and
 * what lies flat over every picture. */
#ifndef WEIR_DRAW_FLAT_H
#define WEIR_DRAW_FLAT_H

#include "draw/stage.h"

typedef struct draw_flat {
    GLuint program;
    gl_batch batch;
} draw_flat;

bool draw_flat_create(draw_flat *f, weir_error *error);
void draw_flat_destroy(draw_flat *f);

/* The parts of a 2D picture below the lines. False when memory runs out. */
bool draw_flat_fluid(draw_flat *f, const draw_stage *stage);
bool draw_flat_walls(draw_flat *f, const draw_stage *stage); /* and the ground */
bool draw_flat_bodies(draw_flat *f, const draw_stage *stage);

/* Paints over what lies outside of tanks, where everything is wall: solids that stick out. Uses the
 * depth buffer. `paper` is linear. */
bool draw_flat_outside(draw_flat *f, const draw_stage *stage, float paper);

/* An overlay in pixels of the picture. */
void draw_flat_overlay(draw_flat *f, const draw_stage *stage, const overlay *o);

#endif
