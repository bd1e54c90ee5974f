/* Background, ground, bodies and walls of 3D pictures, and their shadows. */
#ifndef WEIR_DRAW_SOLIDS_H
#define WEIR_DRAW_SOLIDS_H

#include "draw/stage.h"

typedef struct draw_solids {
    GLuint sky, ground, body, caster;
    gl_batch nothing; /* for programs that make their own vertices */
    gl_batch mesh;    /* position, normal */
} draw_solids;

bool draw_solids_create(draw_solids *s, weir_error *error);
void draw_solids_destroy(draw_solids *s);

void draw_solids_background(draw_solids *s, const draw_stage *stage);
/* Bodies without the walls; then the walls, which are translucent. */
void draw_solids_bodies(draw_solids *s, const draw_stage *stage);
void draw_solids_walls(draw_solids *s, const draw_stage *stage);
/* An opaque surface of the fluid. */
void draw_solids_matte(draw_solids *s, const draw_stage *stage);
/* Depths into the shadow map: of bodies, or of the fluid's mesh. */
void draw_solids_shadow(draw_solids *s, const draw_stage *stage);
void draw_solids_fluid_shadow(draw_solids *s, const draw_stage *stage);

/* Uploads a mesh as position and normal, relative to `origin`. */
bool draw_upload_mesh(gl_batch *batch, const surface_mesh *mesh, vec3 origin);

#endif
