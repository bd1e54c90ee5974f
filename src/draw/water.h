/* Water that refracts, absorbs and reflects, from a closed mesh or from splats. */
#ifndef WEIR_DRAW_WATER_H
#define WEIR_DRAW_WATER_H

#include "draw/stage.h"

typedef struct draw_water {
    GLuint mesh_front, mesh_depth; /* from a mesh: surface, and how much water lies behind it */
    GLuint splat_front, splat_depth, smooth, normal; /* the same from splats */
    GLuint shade;
    gl_batch mesh, splats, nothing;
    size_t splat_count;
    gl_target front;                /* unit normal and distance from the eye, 0 without water */
    gl_target distance, distance_b; /* of splats, before and while they are smoothed */
    gl_target depth;                /* optical depth per colour */
    gl_target behind;               /* the picture without the water */
} draw_water;

bool draw_water_create(draw_water *w, weir_error *error);
void draw_water_destroy(draw_water *w);

/* Draws the water of the scene over what `scene` holds already. */
bool draw_water_draw(draw_water *w, const draw_stage *stage, const gl_target *scene,
                     weir_error *error);

#endif
