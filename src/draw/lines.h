/* Lines and points of a width in pixels, with round ends, in 2D and 3D. */
#ifndef WEIR_DRAW_LINES_H
#define WEIR_DRAW_LINES_H

#include "draw/stage.h"

typedef struct line_segment {
    float from[3], to[3]; /* relative to the stage's origin; equal: a round point */
    float colour[3];      /* linear */
    float width;          /* pixels of the target */
} line_segment;

/* Zero the list before the first use. */
typedef struct line_list {
    line_segment *items;
    size_t count, capacity;
    bool failed; /* memory ran out */
} line_list;

void line_list_free(line_list *list);
void line_list_add(line_list *list, const draw_stage *stage, vec3 from, vec3 to,
                   const float srgb[3], double width);

/* The marks of the scene: points, lines and arrows. */
void line_list_add_marks(line_list *list, const draw_stage *stage);

/* The sharp edges of a mesh in its place. */
void line_list_add_edges(line_list *list, const draw_stage *stage, const surface_mesh *mesh,
                         weir_pose place, const float srgb[3], double width);

/* The polylines of an outline in its place. */
void line_list_add_outline(line_list *list, const draw_stage *stage, const surface_outline *outline,
                           weir_pose place, const float srgb[3], double width);

typedef struct draw_lines {
    GLuint program;
    gl_batch batch;
} draw_lines;

bool draw_lines_create(draw_lines *l, weir_error *error);
void draw_lines_destroy(draw_lines *l);
void draw_lines_draw(draw_lines *l, const draw_stage *stage, const line_list *list);

#endif
