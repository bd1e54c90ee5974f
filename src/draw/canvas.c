/* The order in which a picture is drawn: shadow map, then background, bodies and particles, then
 * water over what lies behind it, then lines and text. Everything is drawn with more samples than
 * the picture has pixels and averaged in linear light. */
#include "draw/canvas.h"

#include "base/error.h"
#include "draw/balls.h"
#include "draw/flat.h"
#include "draw/gl_context.h"
#include "draw/lines.h"
#include "draw/sheet.h"
#include "draw/solids.h"
#include "draw/water.h"

#include <stdlib.h>
#include <string.h>

enum { SHADOW_SIZE = 1024, MAX_SMOOTH = 4 };

struct draw_canvas {
    gl_context *context;
    gl_target scene;                /* what is drawn */
    gl_target shadow, water_shadow; /* depths seen from the sun */
    draw_solids solids;
    draw_balls balls;
    draw_lines lines;
    draw_flat flat;
    draw_water water;
};

static const float dark_edge[3] = {0.25f, 0.27f, 0.30f}, light_edge[3] = {0.62f, 0.65f, 0.69f};

static bool out_of_memory(weir_error *error)
{
    return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a picture");
}

static bool create_shadow_map(gl_target *map, weir_error *error)
{
    if (!gl_target_create(map, SHADOW_SIZE, SHADOW_SIZE, 0, GL_DEPTH_COMPONENT32F, true, error))
        return false;
    glBindTexture(GL_TEXTURE_2D, map->depth);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    return true;
}

static bool create_parts(draw_canvas *c, weir_error *error)
{
    return draw_solids_create(&c->solids, error) && draw_balls_create(&c->balls, error) &&
           draw_lines_create(&c->lines, error) && draw_flat_create(&c->flat, error) &&
           draw_water_create(&c->water, error) && create_shadow_map(&c->shadow, error) &&
           create_shadow_map(&c->water_shadow, error);
}

draw_canvas *draw_canvas_create(weir_error *error)
{
    draw_canvas *c = calloc(1, sizeof *c);
    if (!c) {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the renderer");
        return NULL;
    }
    c->context = gl_context_create(error);
    if (c->context && create_parts(c, error))
        return c;
    draw_canvas_destroy(c);
    return NULL;
}

void draw_canvas_destroy(draw_canvas *c)
{
    if (!c)
        return;
    if (c->context && gl_context_use(c->context, NULL)) {
        draw_solids_destroy(&c->solids);
        draw_balls_destroy(&c->balls);
        draw_lines_destroy(&c->lines);
        draw_flat_destroy(&c->flat);
        draw_water_destroy(&c->water);
        gl_target_destroy(&c->scene);
        gl_target_destroy(&c->shadow);
        gl_target_destroy(&c->water_shadow);
    }
    gl_context_destroy(c->context);
    free(c);
}

const char *draw_canvas_renderer(const draw_canvas *canvas)
{
    return gl_context_use(canvas->context, NULL) ? gl_context_renderer() : "none";
}

draw_camera draw_scene_camera(const draw_scene *scene, double aspect)
{
    if (scene->camera)
        return *scene->camera;
    draw_box box = scene->has_frame ? scene->frame : draw_scene_box(scene);
    vec3 towards =
        vec3_length(scene->towards) > 0 ? scene->towards : draw_camera_default_direction(scene->up);
    /* A legend takes the right of the picture; the scene is framed in what is left. */
    double legend = sheet_has_legend(scene) ? fmin(sheet_legend_share / aspect, 0.3) : 0;
    draw_camera c = draw_camera_frame(&box, scene->dim, towards, scene->up, aspect * (1 - legend));
    return draw_camera_slide(c, legend / 2, aspect);
}

static void shift_box(draw_box *box, vec3 by)
{
    box->low = vec3_sub(box->low, by);
    box->high = vec3_sub(box->high, by);
}

/* The box for near, far and shadow: that of the scene, and the ground under it. */
static draw_box view_box(const draw_stage *stage)
{
    draw_box box = stage->box;
    vec3 up = {stage->up[0], stage->up[1], stage->up[2]}, middle = draw_box_middle(&box);
    if (stage->scene->has_ground)
        draw_box_add(&box, vec3_madd(middle, stage->ground - vec3_dot(middle, up), up), 0);
    return box;
}

static void set_vector(float out[3], vec3 v)
{
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

static draw_stage set_stage(const draw_canvas *c, const draw_scene *scene, int width, int height,
                            int smooth)
{
    double aspect = (double)width / height;
    draw_stage stage = {.scene = scene, .fine = smooth};
    stage.width = width * smooth;
    stage.height = height * smooth;
    stage.box = draw_scene_box(scene);
    if (draw_box_is_empty(&stage.box))
        stage.box = (draw_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    stage.origin = draw_box_middle(&stage.box);
    stage.size = fmax(draw_box_diagonal(&stage.box), 1e-9);
    shift_box(&stage.box, stage.origin);
    vec3 up = vec3_unit(scene->up, vec3_make(0, 1, 0));
    set_vector(stage.up, up);
    stage.ground = (float)(scene->ground - vec3_dot(up, stage.origin));
    stage.camera = draw_scene_camera(scene, aspect);
    stage.camera.eye = vec3_sub(stage.camera.eye, stage.origin);
    stage.camera.target = vec3_sub(stage.camera.target, stage.origin);
    /* The sun stands behind the left shoulder of the default camera. */
    vec3 front = draw_camera_default_direction(up), right = vec3_cross(up, front);
    vec3 sun = vec3_madd(vec3_madd(vec3_scale(up, 1.1), -0.75, right), 0.35, front);
    sun = vec3_unit(sun, up);
    set_vector(stage.sun, sun);
    draw_box box = view_box(&stage);
    draw_box far = box;
    if (scene->dim == 3 && scene->has_ground)
        draw_box_add(&far, vec3_make(0, 0, 0), 13 * stage.size);
    stage.view = draw_view_of(&stage.camera, &far, aspect);
    stage.light = draw_view_of_light(sun, &box);
    if (scene->dim == 3) {
        stage.shadow = c->shadow.depth;
        stage.water_shadow = scene->fluid.look == DRAW_WATER ? c->water_shadow.depth : 0;
    }
    return stage;
}

static void draw_shadow_maps(draw_canvas *c, const draw_stage *stage)
{
    const draw_fluid *fluid = &stage->scene->fluid;
    gl_target_use(&c->shadow);
    glClear(GL_DEPTH_BUFFER_BIT);
    draw_solids_shadow(&c->solids, stage);
    if (fluid->look == DRAW_NOTHING)
        return;
    if (fluid->look == DRAW_WATER) {
        gl_target_use(&c->water_shadow);
        glClear(GL_DEPTH_BUFFER_BIT);
    }
    if (fluid->look != DRAW_PARTICLES && fluid->mesh)
        draw_solids_fluid_shadow(&c->solids, stage);
    else
        draw_balls_shadow(&c->balls, stage);
}

/* Width of outlines in samples: thin, but never thinner than a pixel of the picture. */
static double outline_width(const draw_stage *stage, double share)
{
    return fmax(share * stage->height / 720.0, 0.9 * stage->fine);
}

/* Edges of tanks, which hide behind what stands before them. */
static bool draw_wall_edges(draw_canvas *c, const draw_stage *stage)
{
    line_list list = {0};
    const float *ink = stage->scene->dark ? light_edge : dark_edge;
    for (size_t i = 0; i < stage->scene->body_count; i++) {
        const draw_body *body = &stage->scene->bodies[i];
        if (body->is_wall && body->mesh)
            line_list_add_edges(&list, stage, body->mesh, body->pose, ink, outline_width(stage, 1));
    }
    draw_lines_draw(&c->lines, stage, &list);
    bool done = !list.failed;
    line_list_free(&list);
    return done;
}

static bool draw_space(draw_canvas *c, const draw_stage *stage, weir_error *error)
{
    const draw_fluid *fluid = &stage->scene->fluid;
    draw_solids_background(&c->solids, stage);
    draw_solids_bodies(&c->solids, stage);
    if (fluid->look == DRAW_PARTICLES)
        draw_balls_draw(&c->balls, stage);
    if (fluid->look == DRAW_MATTE && fluid->mesh)
        draw_solids_matte(&c->solids, stage);
    draw_solids_walls(&c->solids, stage);
    if (!draw_wall_edges(c, stage))
        return out_of_memory(error);
    if (fluid->look == DRAW_WATER)
        return draw_water_draw(&c->water, stage, &c->scene, error);
    return true;
}

static void add_body_outlines(line_list *list, const draw_stage *stage, bool walls, double width)
{
    const draw_scene *scene = stage->scene;
    for (size_t i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].outline && scene->bodies[i].is_wall == walls)
            line_list_add_outline(list, stage, scene->bodies[i].outline, scene->bodies[i].pose,
                                  scene->dark ? light_edge : dark_edge, width);
}

static float paper_of(const draw_scene *scene)
{
    return scene->dark ? 0.012f : 0.93f;
}

/* Fluid, then bodies, then walls, which cover what the rounded edge of the fluid has too much and
 * what of bodies lies in them. */
static bool draw_plane(draw_canvas *c, const draw_stage *stage)
{
    const draw_scene *scene = stage->scene;
    const surface_outline *outline = scene->fluid.outline;
    line_list list = {0};
    double width = outline_width(stage, 1.4);
    bool done = true;
    glDisable(GL_DEPTH_TEST);
    if (scene->fluid.look == DRAW_WATER && outline) {
        float rgb[3];
        draw_fluid_colour(&scene->fluid, 0, rgb);
        for (int k = 0; k < 3; k++)
            rgb[k] *= 0.55f;
        line_list_add_outline(&list, stage, outline, pose_identity(), rgb, width);
        done = draw_flat_fluid(&c->flat, stage);
        draw_lines_draw(&c->lines, stage, &list);
    }
    if (scene->fluid.look == DRAW_PARTICLES)
        draw_balls_draw(&c->balls, stage);
    done = draw_flat_bodies(&c->flat, stage) && done;
    list.count = 0;
    add_body_outlines(&list, stage, false, width);
    draw_lines_draw(&c->lines, stage, &list);
    done = draw_flat_outside(&c->flat, stage, paper_of(scene)) &&
           draw_flat_walls(&c->flat, stage) && done;
    list.count = 0;
    add_body_outlines(&list, stage, true, width);
    draw_lines_draw(&c->lines, stage, &list);
    done = done && !list.failed;
    line_list_free(&list);
    return done;
}

/* Marks over everything in space, then text over everything. */
static bool draw_over(draw_canvas *c, const draw_stage *stage, double low, double high)
{
    line_list list = {0};
    overlay o = {0};
    line_list_add_marks(&list, stage);
    sheet_add(&o, stage->scene, (float)stage->width / (float)stage->fine,
              (float)stage->height / (float)stage->fine, low, high);
    glDisable(GL_DEPTH_TEST);
    draw_lines_draw(&c->lines, stage, &list);
    draw_flat_overlay(&c->flat, stage, &o);
    bool done = !list.failed && !o.failed;
    line_list_free(&list);
    overlay_free(&o);
    return done;
}

/* Averages squares of samples in linear light. Rows of OpenGL run upwards. */
static void average(draw_image *image, const uint8_t *samples, int smooth)
{
    float light[256];
    for (int i = 0; i < 256; i++)
        light[i] = draw_colour_to_linear((float)i / 255);
    size_t row_samples = (size_t)image->width * (size_t)smooth;
    float share = 1 / (float)(smooth * smooth);
#pragma omp parallel for
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            float sum[3] = {0, 0, 0};
            for (int j = 0; j < smooth; j++)
                for (int i = 0; i < smooth; i++) {
                    size_t row = (size_t)(image->height - 1 - y) * (size_t)smooth + (size_t)j;
                    size_t column = (size_t)x * (size_t)smooth + (size_t)i;
                    const uint8_t *s = samples + 4 * (row * row_samples + column);
                    for (int k = 0; k < 3; k++)
                        sum[k] += light[s[k]];
                }
            uint8_t *out = image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
            for (int k = 0; k < 3; k++)
                out[k] = (uint8_t)(255 * draw_colour_to_srgb(sum[k] * share) + 0.5f);
        }
}

static bool read_back(draw_canvas *c, const draw_stage *stage, draw_image *image, weir_error *error)
{
    uint8_t *pixels = malloc(4 * (size_t)stage->width * (size_t)stage->height);
    if (!pixels)
        return out_of_memory(error);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, c->scene.frame);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, stage->width, stage->height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    average(image, pixels, stage->fine);
    free(pixels);
    return true;
}

static bool prepare_target(draw_canvas *c, int width, int height, weir_error *error)
{
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (width > largest || height > largest)
        return fail(error, WEIR_UNSUPPORTED,
                    "cannot draw %d × %d samples: this OpenGL goes to %d; take a smaller picture "
                    "or fewer samples per pixel",
                    width, height, largest);
    if (c->scene.width == width && c->scene.height == height)
        return true;
    gl_target_destroy(&c->scene);
    return gl_target_create(&c->scene, width, height, GL_SRGB8_ALPHA8, GL_DEPTH_COMPONENT32F, true,
                            error);
}

static bool check(const draw_scene *scene, int smooth, weir_error *error)
{
    if (scene->dim != 2 && scene->dim != 3)
        return fail(error, WEIR_INVALID, "a picture has 2 or 3 dimensions, not %d", scene->dim);
    if (smooth < 1 || smooth > MAX_SMOOTH)
        return fail(error, WEIR_INVALID, "samples per pixel along a side must be 1 to %d, not %d",
                    MAX_SMOOTH, smooth);
    return !scene->camera || draw_camera_check(scene->camera, scene->dim, error);
}

static bool draw_all(draw_canvas *c, const draw_stage *stage, weir_error *error)
{
    const draw_scene *scene = stage->scene;
    double low, high;
    draw_value_range(&scene->fluid, &low, &high);
    bool has_balls = scene->fluid.look == DRAW_PARTICLES ||
                     (scene->fluid.look == DRAW_WATER && scene->dim == 3 && !scene->fluid.mesh);
    if (has_balls && !draw_balls_fill(&c->balls, stage, low, high))
        return out_of_memory(error);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glEnable(GL_DEPTH_TEST);
    if (scene->dim == 3)
        draw_shadow_maps(c, stage);
    gl_target_use(&c->scene);
    glEnable(GL_FRAMEBUFFER_SRGB);
    float paper = paper_of(scene);
    glClearColor(paper, paper, paper, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (scene->dim == 3 && !draw_space(c, stage, error))
        return false;
    if (scene->dim == 2 && !draw_plane(c, stage))
        return out_of_memory(error);
    return draw_over(c, stage, low, high) || out_of_memory(error);
}

bool draw_canvas_draw(draw_canvas *c, const draw_scene *scene, int width, int height, int smooth,
                      draw_image *image, weir_error *error)
{
    *image = (draw_image){0};
    if (!check(scene, smooth, error) || !draw_image_create(image, width, height, error))
        return false;
    draw_stage stage = set_stage(c, scene, width, height, smooth);
    bool done = gl_context_use(c->context, error) &&
                prepare_target(c, stage.width, stage.height, error) && draw_all(c, &stage, error) &&
                read_back(c, &stage, image, error);
    if (!done)
        draw_image_free(image);
    return done;
}
