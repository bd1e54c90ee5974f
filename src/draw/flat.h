/* Filled triangles of one colour each vertex: the bodies, walls and fluids of 2D pictures, and
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

/* Everything of a 2D picture below the lines: ground, walls, fluid and bodies, in this order.
 * False when memory runs out. */
bool draw_flat_fills(draw_flat *f, const draw_stage *stage);
bool draw_flat_bodies(draw_flat *f, const draw_stage *stage);

/* An overlay in pixels of the picture. */
void draw_flat_overlay(draw_flat *f, const draw_stage *stage, const overlay *o);

#endif
