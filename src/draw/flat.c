#include "draw/flat.h"

#include <string.h>

static const char flat_vertex[] =
    "layout(location = 0) in vec2 position;\n"
    "layout(location = 1) in vec4 tint;\n"
    "uniform mat4 to_clip;\n"
    "out vec4 colour_in;\n"
    "vec3 linear(vec3 c)\n"
    "{\n"
    "    vec3 low = c / 12.92, high = pow((c + 0.055) / 1.055, vec3(2.4));\n"
    "    return mix(low, high, step(vec3(0.04045), c));\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    colour_in = vec4(linear(tint.rgb), tint.a);\n"
    "    gl_Position = to_clip * vec4(position, 0.0, 1.0);\n"
    "}\n";

static const char flat_fragment[] = "in vec4 colour_in;\n"
                                    "out vec4 colour;\n"
                                    "void main() { colour = colour_in; }\n";

static const gl_attribute layout[] = {{0, 2, 0, 0}, {1, 4, 8, 0}};

/* Thickness of drawn walls, as a share of the picture's height. */
static const double wall_share = 0.018;

static const float wall_colour[4] = {0.62f, 0.63f, 0.65f, 1};

bool draw_flat_create(draw_flat *f, weir_error *error)
{
    *f = (draw_flat){.program = gl_program_create("flat", NULL, flat_vertex, flat_fragment, error)};
    if (f->program)
        gl_batch_create(&f->batch, layout, 2, sizeof(overlay_vertex));
    return f->program != 0;
}

void draw_flat_destroy(draw_flat *f)
{
    glDeleteProgram(f->program);
    gl_batch_destroy(&f->batch);
    *f = (draw_flat){0};
}

static void draw(draw_flat *f, const overlay *o, const float to_clip[16])
{
    if (o->count == 0)
        return;
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(f->program);
    gl_set_mat4(f->program, "to_clip", to_clip);
    gl_batch_fill(&f->batch, o->vertices, o->count * sizeof *o->vertices);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)o->count);
    glDisable(GL_BLEND);
}

void draw_flat_overlay(draw_flat *f, const draw_stage *stage, const overlay *o)
{
    float fine = (float)stage->fine;
    float sx = 2 * fine / (float)stage->width, sy = -2 * fine / (float)stage->height;
    const float to_clip[16] = {sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1};
    draw(f, o, to_clip);
}

/* A point of the world relative to the origin of drawing. */
static void place(const draw_stage *stage, weir_pose frame, const float *p, float out[2])
{
    vec3 at = vec3_sub(pose_point(frame, vec3_make(p[0], p[1], 0)), stage->origin);
    out[0] = (float)at.x;
    out[1] = (float)at.y;
}

static void add_fill(overlay *o, const draw_stage *stage, const surface_outline *outline,
                     weir_pose frame, const float colour[4])
{
    for (size_t t = 0; t < outline->triangle_count; t++) {
        float c[3][2];
        for (size_t k = 0; k < 3; k++)
            place(stage, frame, outline->points + 2 * (size_t)outline->triangles[3 * t + k], c[k]);
        overlay_triangle(o, c[0], c[1], c[2], colour);
    }
}

/* The fluid takes its colours from the fluids of its points. */
static void add_fluid(overlay *o, const draw_stage *stage)
{
    const draw_fluid *fluid = &stage->scene->fluid;
    const surface_outline *outline = fluid->outline;
    float colours[256][4];
    for (int i = 0; i < 256; i++) {
        draw_fluid_colour(fluid, i, colours[i]);
        colours[i][3] = 1;
    }
    for (size_t i = 0; i < 3 * outline->triangle_count; i++) {
        uint32_t corner = outline->triangles[i];
        float at[2];
        place(stage, pose_identity(), outline->points + 2 * (size_t)corner, at);
        overlay_vertex_add(o, at, colours[outline->fluids ? outline->fluids[corner] : 0]);
    }
}

/* Where a loop's corner goes when the loop grows by `by`: along the mean of its sides' normals. */
static void grow_corner(const float *before, const float *at, const float *after, double by,
                        float out[2])
{
    double ax = at[0] - before[0], ay = at[1] - before[1], a = hypot(ax, ay);
    double bx = after[0] - at[0], by_ = after[1] - at[1], b = hypot(bx, by_);
    double nx = (a > 0 ? ay / a : 0) + (b > 0 ? by_ / b : 0);
    double ny = (a > 0 ? -ax / a : 0) + (b > 0 ? -bx / b : 0);
    double square = nx * nx + ny * ny;
    double factor = square > 0.5 ? 2 * by / square : by; /* mitre, cut at very sharp corners */
    out[0] = at[0] + (float)(nx * factor);
    out[1] = at[1] + (float)(ny * factor);
}

/* Walls stand around the loops of a tank. */
static void add_wall(overlay *o, const draw_stage *stage, const draw_body *body, double thickness)
{
    const surface_outline *outline = body->outline;
    for (size_t l = 0; l < outline->loop_count; l++) {
        uint32_t first = outline->loop_start[l], count = outline->loop_start[l + 1] - first;
        for (uint32_t i = 0; i < count; i++) {
            const float *p[4]; /* before, this corner, the next, the one after */
            for (uint32_t k = 0; k < 4; k++)
                p[k] = outline->points + 2 * (size_t)(first + (i + count - 1 + k) % count);
            float outer[2][2], c[4][2];
            grow_corner(p[0], p[1], p[2], thickness, outer[0]);
            grow_corner(p[1], p[2], p[3], thickness, outer[1]);
            place(stage, body->pose, p[1], c[0]);
            place(stage, body->pose, p[2], c[1]);
            place(stage, body->pose, outer[1], c[2]);
            place(stage, body->pose, outer[0], c[3]);
            overlay_triangle(o, c[0], c[1], c[2], wall_colour);
            overlay_triangle(o, c[0], c[2], c[3], wall_colour);
        }
    }
}

static void add_ground(overlay *o, const draw_stage *stage, double thickness)
{
    float half = (float)(stage->camera.height * stage->width / stage->height);
    float middle = (float)(stage->camera.target.x), top = stage->ground;
    overlay_rectangle(o, middle - half, top, middle + half,
                      (float)fmin(top - thickness, stage->camera.target.y - stage->camera.height),
                      wall_colour);
}

bool draw_flat_fluid(draw_flat *f, const draw_stage *stage)
{
    overlay o = {0};
    add_fluid(&o, stage);
    draw(f, &o, stage->view.world_to_clip);
    bool done = !o.failed;
    overlay_free(&o);
    return done;
}

bool draw_flat_walls(draw_flat *f, const draw_stage *stage)
{
    overlay o = {0};
    const draw_scene *scene = stage->scene;
    double thickness = wall_share * stage->camera.height;
    if (scene->has_ground)
        add_ground(&o, stage, thickness);
    for (size_t i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].is_wall && scene->bodies[i].outline)
            add_wall(&o, stage, &scene->bodies[i], thickness);
    draw(f, &o, stage->view.world_to_clip);
    bool done = !o.failed;
    overlay_free(&o);
    return done;
}

bool draw_flat_bodies(draw_flat *f, const draw_stage *stage)
{
    overlay o = {0};
    for (size_t i = 0; i < stage->scene->body_count; i++) {
        const draw_body *body = &stage->scene->bodies[i];
        if (body->is_wall || !body->outline)
            continue;
        float colour[4] = {body->colour[0], body->colour[1], body->colour[2], 1};
        add_fill(&o, stage, body->outline, body->pose, colour);
    }
    draw(f, &o, stage->view.world_to_clip);
    bool done = !o.failed;
    overlay_free(&o);
    return done;
}

/* Marks the inside of a tank in the depth buffer. */
static void mark_inside(draw_flat *f, const draw_stage *stage, const overlay *inside)
{
    float flat[16];
    memcpy(flat, stage->view.world_to_clip, sizeof flat);
    flat[2] = flat[6] = flat[10] = 0;
    flat[14] = -0.5f; /* before the paper, which lies at 0 */
    glClear(GL_DEPTH_BUFFER_BIT);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    draw(f, inside, flat);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

bool draw_flat_outside(draw_flat *f, const draw_stage *stage, float paper)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const float tone = draw_colour_to_srgb(paper), colour[4] = {tone, tone, tone, 1};
    overlay sheet = {0}, inside = {0};
    overlay_rectangle(&sheet, -1, -1, 1, 1, colour);
    glEnable(GL_DEPTH_TEST);
    for (size_t i = 0; i < stage->scene->body_count; i++) {
        const draw_body *body = &stage->scene->bodies[i];
        if (!body->is_wall || !body->outline || body->outline->triangle_count == 0)
            continue;
        inside.count = 0;
        add_fill(&inside, stage, body->outline, body->pose, colour);
        mark_inside(f, stage, &inside);
        draw(f, &sheet, identity);
    }
    glDisable(GL_DEPTH_TEST);
    bool done = !sheet.failed && !inside.failed;
    overlay_free(&sheet);
    overlay_free(&inside);
    return done;
}
