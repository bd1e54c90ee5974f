/* What every part of the renderer needs to know about the picture under way, and the shader text
 * that they share. Positions are sent to OpenGL relative to `origin`, so that scenes far from
 * the origin keep their precision. */
#ifndef WEIR_DRAW_STAGE_H
#define WEIR_DRAW_STAGE_H

#include "draw/gl_program.h"
#include "draw/overlay.h"
#include "draw/scene.h"

typedef struct draw_stage {
    const draw_scene *scene;
    vec3 origin;
    draw_box box; /* of the scene, relative to the origin */
    double size;  /* diagonal of the box, m */
    draw_camera camera;
    draw_view view;      /* of the camera */
    draw_view light;     /* of the sun */
    float sun[3], up[3]; /* unit, towards the sun and against gravity */
    float ground;        /* height along `up`, relative to the origin */
    int width, height;   /* of the target under way, in its pixels */
    int fine;            /* pixels of the target per pixel of the picture, along each side */
    GLuint shadow;       /* depths of what throws full shadows, seen from the sun; 0: none */
    GLuint water_shadow; /* the same of water, whose shadow is faint; 0: none */
} draw_stage;

/* Declares sun, up and eye as uniforms, and the functions sky(), shadow() and lit(). */
extern const char draw_light_text[];

/* Sets the uniforms of that text. */
void draw_stage_set_light(const draw_stage *stage, GLuint program);

/* A colour of the scene as linear light. */
void draw_linear_colour(float out[3], const float srgb[3]);

/* Colour of fluid `index`, sRGB. */
void draw_fluid_colour(const draw_fluid *fluid, int index, float rgb[3]);

#endif
