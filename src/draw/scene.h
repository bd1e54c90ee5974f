/* What a picture shows. Everything is a view of the caller's data; nothing is kept after the call
 * that draws it. */
#ifndef WEIR_DRAW_SCENE_H
#define WEIR_DRAW_SCENE_H

#include "draw/camera.h"
#include "draw/colour_map.h"
#include "surface/surface.h"

typedef enum draw_look {
    DRAW_NOTHING,
    DRAW_PARTICLES, /* balls (3D) or discs (2D), coloured by `values` or by fluid */
    DRAW_WATER,     /* 3D: refracting water, from `mesh` or else from splats; 2D: the `outline` */
    DRAW_MATTE,     /* 3D: `mesh` as an opaque surface */
} draw_look;

typedef struct draw_fluid {
    draw_look look;
    surface_particles particles;
    double radius; /* of balls and discs, in spacings; 0: half a spacing */

    /* DRAW_PARTICLES */
    const float *values; /* one per particle; NULL: colours by fluid */
    double low, high;    /* values at the ends of the colours; equal: the range of the values */
    draw_colour_map map;
    const char *value_name; /* title of the legend, with the unit; NULL: no legend */

    /* DRAW_WATER and DRAW_MATTE */
    const surface_mesh *mesh;
    const surface_ellipsoid *ellipsoids; /* shapes of the splats; NULL: balls */
    const surface_outline *outline;

    /* sRGB, per fluid; NULL: draw_colour_of_fluid */
    const float (*colours)[3];
    int colour_count;
} draw_fluid;

typedef struct draw_body {
    const surface_mesh *mesh;       /* 3D */
    const surface_outline *outline; /* 2D */
    weir_pose pose;
    float colour[3]; /* sRGB */
    bool is_wall;    /* a tank: seen from inside, its near side is left out */
} draw_body;

typedef enum draw_mark_kind { DRAW_POINT, DRAW_LINE, DRAW_ARROW } draw_mark_kind;

/* Joints, contact points, vectors: drawn over everything. */
typedef struct draw_mark {
    draw_mark_kind kind;
    vec3 from, to;
    float size; /* diameter or width in pixels of a picture 720 high */
    float colour[3];
} draw_mark;

typedef struct draw_scene {
    int dim;
    vec3 up;                   /* against gravity */
    const draw_camera *camera; /* NULL: framed */
    vec3 towards;              /* direction of a framed camera; zero: the default one */
    draw_fluid fluid;
    const draw_body *bodies;
    size_t body_count;
    const draw_mark *marks;
    size_t mark_count;
    bool has_ground;
    double ground;  /* height of the ground along `up`, m */
    bool has_frame; /* an automatic camera frames `frame`, not what is there: a film stands still */
    draw_box frame;
    const char *caption; /* lower left; NULL: none */
    const char *title;   /* upper left; NULL: none */
    bool dark;           /* dark background */
} draw_scene;

draw_scene draw_scene_default(int dim);

/* Puts the ground under everything that the scene shows, a hair lower than a tank's floor. */
void draw_scene_set_ground(draw_scene *scene);

/* The box of all that the scene shows, walls included. */
draw_box draw_scene_box(const draw_scene *scene);

#endif
