/* Screen-space water. The surface nearest to the eye and the amount of water behind each sample
 * are drawn into textures, from a mesh or from splats (van der Laan, Green and Sainz 2009; Macklin
 * and Müller 2013 §7); one pass over the picture then bends, tints and reflects the light. */
#include "draw/water.h"

#include "base/error.h"
#include "draw/solids.h"
#include "draw/water_text.h"

#include <stdlib.h>

/* Distance where there is no water. */
#define NO_WATER 1e30f

static const gl_attribute mesh_layout[] = {{0, 3, 0, 0}, {1, 3, 12, 0}};
static const gl_attribute splat_layout[] = {
    {0, 3, 0, 1}, {1, 3, 12, 1}, {2, 3, 24, 1}, {3, 4, 36, 1}};
enum { SPLAT_FLOATS = 13 };

bool draw_water_create(draw_water *w, weir_error *error)
{
    *w = (draw_water){0};
    const struct {
        GLuint *program;
        const char *name, *shared, *vertex, *fragment;
    } programs[] = {
        {&w->mesh_front, "water surface", NULL, water_mesh_vertex, water_mesh_front},
        {&w->mesh_depth, "water depth", NULL, water_mesh_vertex, water_mesh_depth},
        {&w->splat_front, "splat surface", NULL, water_splat_vertex, water_splat_front},
        {&w->splat_depth, "splat depth", NULL, water_splat_vertex, water_splat_depth},
        {&w->smooth, "water smoothing", NULL, water_screen_vertex, water_smooth},
        {&w->normal, "water normals", NULL, water_screen_vertex, water_normal},
        {&w->shade, "water", draw_light_text, water_screen_vertex, water_shade},
    };
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        *programs[i].program = gl_program_create(programs[i].name, programs[i].shared,
                                                 programs[i].vertex, programs[i].fragment, error);
        if (!*programs[i].program) {
            draw_water_destroy(w);
            return false;
        }
    }
    gl_batch_create(&w->mesh, mesh_layout, 2, 24);
    gl_batch_create(&w->splats, splat_layout, 4, SPLAT_FLOATS * (int)sizeof(float));
    gl_batch_create(&w->nothing, NULL, 0, 0);
    return true;
}

static void destroy_targets(draw_water *w)
{
    gl_target_destroy(&w->front);
    gl_target_destroy(&w->distance);
    gl_target_destroy(&w->distance_b);
    gl_target_destroy(&w->depth);
    gl_target_destroy(&w->behind);
}

void draw_water_destroy(draw_water *w)
{
    const GLuint programs[] = {w->mesh_front, w->mesh_depth, w->splat_front, w->splat_depth,
                               w->smooth,     w->normal,     w->shade};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        glDeleteProgram(programs[i]);
    gl_batch_destroy(&w->mesh);
    gl_batch_destroy(&w->splats);
    gl_batch_destroy(&w->nothing);
    destroy_targets(w);
    *w = (draw_water){0};
}

/* A mesh has sharp edges and is drawn with all samples; splats are smoothed anyway and are drawn
 * with one sample per pixel. The amount of water changes slowly: half of that will do. */
static bool prepare_targets(draw_water *w, const draw_stage *stage, weir_error *error)
{
    bool is_mesh = stage->scene->fluid.mesh != NULL;
    int fine = is_mesh ? 1 : stage->fine;
    int width = stage->width / fine, height = stage->height / fine;
    bool has_splats = w->distance.width > 0;
    if (w->front.width == width && w->front.height == height && w->behind.width == stage->width &&
        has_splats == !is_mesh)
        return true;
    destroy_targets(w);
    int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    return gl_target_create(&w->front, width, height, GL_RGBA32F,
                            is_mesh ? GL_DEPTH_COMPONENT32F : 0, !is_mesh, error) &&
           (is_mesh ||
            (gl_target_create(&w->distance, width, height, GL_R32F, 0, false, error) &&
             gl_target_create(&w->distance_b, width, height, GL_R32F, 0, false, error))) &&
           gl_target_create(&w->depth, half_width, half_height, GL_RGBA32F, 0, true, error) &&
           gl_target_create(&w->behind, stage->width, stage->height, GL_SRGB8_ALPHA8,
                            GL_DEPTH_COMPONENT32F, true, error);
}

static void set_view(GLuint program, const draw_stage *stage)
{
    gl_set_mat4(program, "world_to_eye", stage->view.world_to_eye);
    gl_set_mat4(program, "eye_to_clip", stage->view.eye_to_clip);
}

/* Absorption per metre, so that a scene's size of the fluid takes its colour and darkens. Real
 * water needs tens of metres for that; at a table's size it would look like glass. */
static void absorption_of(const draw_stage *stage, int fluid, float out[3])
{
    float rgb[3];
    draw_fluid_colour(&stage->scene->fluid, fluid, rgb);
    for (int k = 0; k < 3; k++)
        out[k] = (0.8f + 18 * powf(1 - rgb[k], 1.7f)) / (float)stage->size;
}

static bool draw_mesh(draw_water *w, const draw_stage *stage)
{
    const surface_mesh *mesh = stage->scene->fluid.mesh;
    GLsizei count = (GLsizei)(3 * mesh->triangle_count);
    if (!draw_upload_mesh(&w->mesh, mesh, stage->origin))
        return false;
    gl_target_use(&w->front);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(w->mesh_front);
    set_view(w->mesh_front, stage);
    glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, NULL);
    gl_target_use(&w->depth);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUseProgram(w->mesh_depth);
    set_view(w->mesh_depth, stage);
    float tint[3];
    absorption_of(stage, mesh->fluids && mesh->vertex_count > 0 ? mesh->fluids[0] : 0, tint);
    gl_set_vec3(w->mesh_depth, "absorption", tint);
    glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, NULL);
    glDisable(GL_BLEND);
    return true;
}

/* A splat holds one particle's volume: its optical depth is thinned by its own volume. */
static void put_splat(float *out, const draw_stage *stage, size_t i, const float tints[][3])
{
    const draw_fluid *fluid = &stage->scene->fluid;
    const surface_particles *p = &fluid->particles;
    const double pi = acos(-1), radius = 0.75 * p->spacing;
    surface_ellipsoid e = {.centre = {p->x[i], p->y[i], p->z[i]},
                           .axes = {(float)radius, 0, 0, (float)radius, 0, (float)radius}};
    if (fluid->ellipsoids)
        e = fluid->ellipsoids[i];
    const float *a = e.axes;
    double determinant = (double)a[0] * (a[3] * a[5] - a[4] * a[4]) -
                         (double)a[1] * (a[1] * a[5] - a[4] * a[2]) +
                         (double)a[2] * (a[1] * a[4] - a[3] * a[2]);
    double thin = pow(p->spacing, 3) / (4 * pi / 3 * fmax(determinant, 1e-30));
    out[0] = (float)(e.centre[0] - stage->origin.x);
    out[1] = (float)(e.centre[1] - stage->origin.y);
    out[2] = (float)(e.centre[2] - stage->origin.z);
    out[3] = a[0], out[4] = a[3], out[5] = a[5];
    out[6] = a[1], out[7] = a[2], out[8] = a[4];
    for (int k = 0; k < 3; k++)
        out[9 + k] = (float)(tints[p->fluid ? p->fluid[i] : 0][k] * thin);
    out[12] = (float)thin;
}

static bool fill_splats(draw_water *w, const draw_stage *stage)
{
    const surface_particles *p = &stage->scene->fluid.particles;
    float *data = malloc((SPLAT_FLOATS * p->count + 1) * sizeof *data), tints[256][3];
    if (!data)
        return false;
    for (int fluid = 0; fluid < 256; fluid++)
        absorption_of(stage, fluid, tints[fluid]);
    w->splat_count = 0;
    for (size_t i = 0; i < p->count; i++)
        if (isfinite(p->x[i]) && isfinite(p->y[i]) && isfinite(p->z[i]))
            put_splat(data + SPLAT_FLOATS * w->splat_count++, stage, i, (const float(*)[3])tints);
    gl_batch_fill(&w->splats, data, SPLAT_FLOATS * w->splat_count * sizeof *data);
    free(data);
    return true;
}

static void draw_splats(draw_water *w, GLuint program, const draw_stage *stage, float grow)
{
    glUseProgram(program);
    set_view(program, stage);
    gl_set_float(program, "grow", grow);
    glBindVertexArray(w->splats.array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)w->splat_count);
}

static void draw_screen(draw_water *w)
{
    glBindVertexArray(w->nothing.array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Two rounds of both directions, the second one narrower. */
static void smooth_distances(draw_water *w, const draw_stage *stage)
{
    double spacing = stage->scene->fluid.particles.spacing;
    GLuint p = w->smooth;
    glUseProgram(p);
    gl_set_float(p, "none", NO_WATER * 0.5f);
    gl_set_float(p, "range", (float)(1.5 * spacing));
    for (int round = 0; round < 4; round++) {
        const gl_target *from = round % 2 ? &w->distance_b : &w->distance;
        const gl_target *to = round % 2 ? &w->distance : &w->distance_b;
        double reach = (round < 2 ? 2.6 : 1.2) * spacing;
        gl_target_use(to);
        gl_set_texture(p, "distances", 0, from->colour);
        gl_set_vec2(p, "along", (float)(1 - round % 2), (float)(round % 2));
        gl_set_float(p, "radius_scale",
                     (float)(reach * stage->view.scale[1] * 0.5 * w->distance.height));
        draw_screen(w);
    }
}

static bool draw_splat_surface(draw_water *w, const draw_stage *stage)
{
    if (!fill_splats(w, stage))
        return false;
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    gl_target_use(&w->distance);
    glClearColor(NO_WATER, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glBlendEquation(GL_MIN);
    draw_splats(w, w->splat_front, stage, 1);
    glBlendEquation(GL_FUNC_ADD);
    gl_target_use(&w->depth);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glBlendFunc(GL_ONE, GL_ONE);
    draw_splats(w, w->splat_depth, stage, 1);
    glDisable(GL_BLEND);
    smooth_distances(w, stage);
    gl_target_use(&w->front);
    glUseProgram(w->normal);
    gl_set_texture(w->normal, "distances", 0, w->distance.colour);
    gl_set_vec2(w->normal, "scale", stage->view.scale[0], stage->view.scale[1]);
    gl_set_float(w->normal, "none", NO_WATER * 0.5f);
    gl_set_float(w->normal, "parallel", stage->view.parallel ? 1 : 0);
    draw_screen(w);
    return true;
}

static void shade(draw_water *w, const draw_stage *stage, const gl_target *scene)
{
    GLuint p = w->shade;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, scene->frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, w->behind.frame);
    glBlitFramebuffer(0, 0, scene->width, scene->height, 0, 0, scene->width, scene->height,
                      GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    gl_target_use(scene);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(p);
    draw_stage_set_light(stage, p);
    gl_set_mat4(p, "world_to_eye", stage->view.world_to_eye);
    gl_set_vec2(p, "scale", stage->view.scale[0], stage->view.scale[1]);
    gl_set_vec2(p, "planes", stage->view.near, stage->view.far);
    gl_set_float(p, "parallel", stage->view.parallel ? 1 : 0);
    gl_set_float(p, "bend", (float)(0.25 * stage->size));
    gl_set_float(p, "from_splats", stage->scene->fluid.mesh ? 0 : 1);
    gl_set_texture(p, "front", 0, w->front.colour);
    gl_set_texture(p, "depth", 1, w->depth.colour);
    gl_set_texture(p, "behind", 2, w->behind.colour);
    gl_set_texture(p, "behind_z", 3, w->behind.depth);
    draw_screen(w);
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
}

bool draw_water_draw(draw_water *w, const draw_stage *stage, const gl_target *scene,
                     weir_error *error)
{
    if (!prepare_targets(w, stage, error))
        return false;
    glDisable(GL_FRAMEBUFFER_SRGB);
    bool done = stage->scene->fluid.mesh ? draw_mesh(w, stage) : draw_splat_surface(w, stage);
    glEnable(GL_FRAMEBUFFER_SRGB);
    if (!done)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a picture");
    shade(w, stage, scene);
    return true;
}
