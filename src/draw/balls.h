/* Particles as lit balls (3D) or discs (2D). */
#ifndef WEIR_DRAW_BALLS_H
#define WEIR_DRAW_BALLS_H

#include "draw/stage.h"

typedef struct draw_balls {
    GLuint ball, disc, caster;
    gl_batch batch; /* per ball: centre, radius, colour */
    size_t count;
} draw_balls;

bool draw_balls_create(draw_balls *b, weir_error *error);
void draw_balls_destroy(draw_balls *b);

/* Sends the particles; false when memory runs out. `low` and `high` are where colours end. */
bool draw_balls_fill(draw_balls *b, const draw_stage *stage, double low, double high);
void draw_balls_draw(draw_balls *b, const draw_stage *stage);
void draw_balls_shadow(draw_balls *b, const draw_stage *stage);

/* Where the colours end: as the scene says, or the range of the values. */
void draw_value_range(const draw_fluid *fluid, double *low, double *high);

#endif
