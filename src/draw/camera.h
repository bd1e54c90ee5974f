/* Cameras: where a picture is seen from, and the matrices that follow. */
#ifndef WEIR_DRAW_CAMERA_H
#define WEIR_DRAW_CAMERA_H

#include "base/vec.h"

/* In 2D the camera looks along −z; only target, height and up's x and y count. */
typedef struct draw_camera {
    vec3 eye, target, up;
    double field_of_view; /* rad, from the lower to the upper edge; 0: parallel rays */
    double height;        /* m that a picture with parallel rays shows */
} draw_camera;

/* The box that holds what is drawn; empty when low is above high. */
typedef struct draw_box {
    vec3 low, high;
} draw_box;

draw_box draw_box_empty(void);
void draw_box_add(draw_box *box, vec3 point, double radius);
bool draw_box_is_empty(const draw_box *box);
vec3 draw_box_middle(const draw_box *box);
double draw_box_diagonal(const draw_box *box);

/* A camera that shows the whole box. In 3D it looks from `towards` (from the middle of the box to
 * the eye, any length); in 2D straight on. `aspect` is width over height. */
draw_camera draw_camera_frame(const draw_box *box, int dim, vec3 towards, vec3 up, double aspect);

/* The default direction for a given `up`: from the front, a little from the right and above. */
vec3 draw_camera_default_direction(vec3 up);

/* Turns the eye about the axis `up` through the target. */
draw_camera draw_camera_orbit(draw_camera camera, double angle);

/* Moves the camera to the right by a share of the picture's width, so that what it shows goes to
 * the left. */
draw_camera draw_camera_slide(draw_camera camera, double share, double aspect);

/* Refuses a camera without direction, with its eye in its target and the like. */
bool draw_camera_check(const draw_camera *camera, int dim, weir_error *error);

/* Column-major matrices, as OpenGL wants them. */
typedef struct draw_view {
    float world_to_eye[16];
    float eye_to_clip[16];
    float world_to_clip[16];
    float eye[3]; /* position; far away with parallel rays */
    float right[3], up[3], back[3];
    float near, far; /* m */
    float scale[2];  /* eye_to_clip[0] and [5] */
    bool parallel;
} draw_view;

/* `box` bounds what must lie between the near and the far plane. */
draw_view draw_view_of(const draw_camera *camera, const draw_box *box, double aspect);

/* A parallel view along `direction` that holds the box, for shadows. */
draw_view draw_view_of_light(vec3 direction, const draw_box *box);

void draw_matrix_multiply(float out[16], const float a[16], const float b[16]);

#endif
