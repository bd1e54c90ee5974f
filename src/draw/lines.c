/* A segment becomes a rectangle on the screen that is half a width longer at both ends; the
 * fragment shader rounds it. */
#include "draw/lines.h"

#include "surface/edges.h"

#include <stdlib.h>

static const char line_vertex[] =
    "layout(location = 0) in vec3 from;\n"
    "layout(location = 1) in vec3 to;\n"
    "layout(location = 2) in vec4 look;\n"
    "uniform mat4 world_to_clip;\n"
    "uniform vec2 half_screen;\n"
    "noperspective out vec2 at;\n"
    "flat out vec2 ends;\n"
    "flat out vec4 colour_width;\n"
    "void main()\n"
    "{\n"
    "    vec4 a = world_to_clip * vec4(from, 1.0), b = world_to_clip * vec4(to, 1.0);\n"
    "    float near = 1e-4 * max(abs(a.w), abs(b.w));\n"
    "    if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));\n"
    "    if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));\n"
    "    vec2 pa = a.xy / a.w * half_screen, pb = b.xy / b.w * half_screen;\n"
    "    float length_px = length(pb - pa);\n"
    "    vec2 along = length_px > 1e-4 ? (pb - pa) / length_px : vec2(1.0, 0.0);\n"
    "    vec2 across = vec2(-along.y, along.x);\n"
    "    float side = float(gl_VertexID & 1) * 2.0 - 1.0, end = float(gl_VertexID >> 1);\n"
    "    float half_width = look.w * 0.5;\n"
    "    vec2 p = mix(pa, pb, end) + (along * (end * 2.0 - 1.0) + across * side) * half_width;\n"
    "    at = vec2(end * length_px + (end * 2.0 - 1.0) * half_width, side * half_width);\n"
    "    ends = vec2(length_px, half_width);\n"
    "    colour_width = look;\n"
    "    vec4 c = end < 0.5 ? a : b;\n"
    "    gl_Position = vec4(p / half_screen * c.w, c.z - 0.0005 * c.w, c.w);\n"
    "}\n";

static const char line_fragment[] =
    "noperspective in vec2 at;\n"
    "flat in vec2 ends;\n"
    "flat in vec4 colour_width;\n"
    "out vec4 colour;\n"
    "void main()\n"
    "{\n"
    "    float beyond = max(max(-at.x, at.x - ends.x), 0.0);\n"
    "    if (beyond * beyond + at.y * at.y > ends.y * ends.y) discard;\n"
    "    colour = vec4(colour_width.rgb, 1.0);\n"
    "}\n";

static const gl_attribute layout[] = {{0, 3, 0, 1}, {1, 3, 12, 1}, {2, 4, 24, 1}};

void line_list_free(line_list *list)
{
    free(list->items);
    *list = (line_list){0};
}

void line_list_add(line_list *list, const draw_stage *stage, vec3 from, vec3 to,
                   const float srgb[3], double width)
{
    if (list->failed)
        return;
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 256;
        line_segment *grown = realloc(list->items, capacity * sizeof *grown);
        if (!grown) {
            list->failed = true;
            return;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    vec3 a = vec3_sub(from, stage->origin), b = vec3_sub(to, stage->origin);
    line_segment *s = &list->items[list->count++];
    *s = (line_segment){.from = {(float)a.x, (float)a.y, (float)a.z},
                        .to = {(float)b.x, (float)b.y, (float)b.z},
                        .width = (float)width};
    draw_linear_colour(s->colour, srgb);
}

/* Head of an arrow: two short lines that lie in the plane of the picture as far as they can. */
static void add_head(line_list *list, const draw_stage *stage, const draw_mark *m, double width)
{
    vec3 along = vec3_sub(m->to, m->from);
    double length = vec3_length(along);
    if (length == 0)
        return;
    vec3 back = {stage->view.back[0], stage->view.back[1], stage->view.back[2]};
    vec3 across = vec3_unit(vec3_cross(along, back), vec3_make(0, 0, 0));
    for (int side = -1; side <= 1; side += 2) {
        vec3 end = vec3_madd(m->to, -0.25, along);
        end = vec3_madd(end, 0.12 * side * length, across);
        line_list_add(list, stage, m->to, end, m->colour, width);
    }
}

void line_list_add_marks(line_list *list, const draw_stage *stage)
{
    double scale = stage->height / 720.0; /* marks keep their share of the picture */
    for (size_t i = 0; i < stage->scene->mark_count; i++) {
        const draw_mark *m = &stage->scene->marks[i];
        double width = fmax(m->size * scale, 1.5 * stage->fine);
        line_list_add(list, stage, m->from, m->kind == DRAW_POINT ? m->from : m->to, m->colour,
                      width);
        if (m->kind == DRAW_ARROW)
            add_head(list, stage, m, width);
    }
}

void line_list_add_edges(line_list *list, const draw_stage *stage, const surface_mesh *mesh,
                         weir_pose place, const float srgb[3], double width)
{
    size_t count;
    surface_edge *edges = surface_mesh_edges(mesh, &count);
    list->failed = list->failed || !edges;
    for (size_t i = 0; edges && i < count; i++) {
        const float *a = edges[i].from, *b = edges[i].to;
        line_list_add(list, stage, pose_point(place, vec3_make(a[0], a[1], a[2])),
                      pose_point(place, vec3_make(b[0], b[1], b[2])), srgb, width);
    }
    free(edges);
}

void line_list_add_outline(line_list *list, const draw_stage *stage, const surface_outline *outline,
                           weir_pose place, const float srgb[3], double width)
{
    for (size_t l = 0; l < outline->loop_count; l++) {
        uint32_t first = outline->loop_start[l], end = outline->loop_start[l + 1];
        for (uint32_t i = first; i < end; i++) {
            const float *a = outline->points + 2 * (size_t)i;
            const float *b = outline->points + 2 * (size_t)(i + 1 < end ? i + 1 : first);
            line_list_add(list, stage, pose_point(place, vec3_make(a[0], a[1], 0)),
                          pose_point(place, vec3_make(b[0], b[1], 0)), srgb, width);
        }
    }
}

bool draw_lines_create(draw_lines *l, weir_error *error)
{
    *l = (draw_lines){.program =
                          gl_program_create("lines", NULL, line_vertex, line_fragment, error)};
    if (l->program)
        gl_batch_create(&l->batch, layout, 3, sizeof(line_segment));
    return l->program != 0;
}

void draw_lines_destroy(draw_lines *l)
{
    glDeleteProgram(l->program);
    gl_batch_destroy(&l->batch);
    *l = (draw_lines){0};
}

void draw_lines_draw(draw_lines *l, const draw_stage *stage, const line_list *list)
{
    if (list->count == 0)
        return;
    glUseProgram(l->program);
    gl_set_mat4(l->program, "world_to_clip", stage->view.world_to_clip);
    gl_set_vec2(l->program, "half_screen", 0.5f * (float)stage->width, 0.5f * (float)stage->height);
    gl_batch_fill(&l->batch, list->items, list->count * sizeof *list->items);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)list->count);
}
