#include "draw/solids.h"

#include <stdlib.h>
#include <string.h>

/* A triangle that covers the picture; `ray` is the direction of view in world space. */
static const char sky_vertex[] =
    "uniform mat4 world_to_eye;\n"
    "uniform vec2 scale;\n"
    "uniform float parallel;\n"
    "out vec3 ray;\n"
    "void main()\n"
    "{\n"
    "    vec2 p = vec2(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0);\n"
    "    vec3 d = mix(vec3(p / scale, -1.0), vec3(0.0, 0.0, -1.0), parallel);\n"
    "    ray = transpose(mat3(world_to_eye)) * d;\n"
    "    gl_Position = vec4(p, 1.0, 1.0);\n"
    "}\n";

static const char sky_fragment[] = "in vec3 ray;\n"
                                   "out vec4 colour;\n"
                                   "void main() { colour = vec4(sky(normalize(ray)), 1.0); }\n";

/* A large square on the ground that fades into the horizon, with lines at round distances. */
static const char ground_vertex[] =
    "uniform mat4 world_to_clip;\n"
    "uniform vec3 middle, side_a, side_b;\n"
    "out vec3 world;\n"
    "out vec2 plane;\n"
    "void main()\n"
    "{\n"
    "    plane = vec2(float(gl_VertexID & 1) * 2.0 - 1.0, float(gl_VertexID >> 1) * 2.0 - 1.0);\n"
    "    world = middle + plane.x * side_a + plane.y * side_b;\n"
    "    gl_Position = world_to_clip * vec4(world, 1.0);\n"
    "}\n";

static const char ground_fragment[] =
    "in vec3 world;\n"
    "in vec2 plane;\n"
    "uniform vec3 axis_a, axis_b, grid_origin;\n"
    "uniform float cell;\n"
    "out vec4 colour;\n"
    "void main()\n"
    "{\n"
    "    vec3 base = mix(vec3(0.60, 0.60, 0.59), vec3(0.030, 0.032, 0.036), dark);\n"
    "    vec2 g = vec2(dot(world - grid_origin, axis_a), dot(world - grid_origin, axis_b)) / "
    "cell;\n"
    "    vec2 w = fwidth(g), d = abs(fract(g - 0.5) - 0.5);\n"
    "    vec2 line = 1.0 - smoothstep(w * 0.5, w * 1.5, d);\n"
    "    float near = 1.0 - smoothstep(0.1, 0.6, max(w.x, w.y));\n"
    "    vec3 albedo = mix(base, base * mix(0.80, 2.2, dark), max(line.x, line.y) * near);\n"
    "    vec3 c = lit(albedo, up, mix(0.45, 1.0, shadow(world, up)));\n"
    "    float far = smoothstep(0.15, 1.0, length(plane));\n"
    "    vec3 away = normalize(world - eye);\n"
    "    colour = vec4(mix(c, sky(normalize(away - up * dot(away, up))), far), 1.0);\n"
    "}\n";

static const char body_vertex[] = "layout(location = 0) in vec3 position;\n"
                                  "layout(location = 1) in vec3 normal;\n"
                                  "uniform mat4 world_to_clip, model;\n"
                                  "out vec3 world, n;\n"
                                  "void main()\n"
                                  "{\n"
                                  "    world = (model * vec4(position, 1.0)).xyz;\n"
                                  "    n = mat3(model) * normal;\n"
                                  "    gl_Position = world_to_clip * vec4(world, 1.0);\n"
                                  "}\n";

static const char body_fragment[] =
    "in vec3 world, n;\n"
    "uniform vec4 albedo;\n"
    "uniform float gloss;\n"
    "out vec4 colour;\n"
    "void main()\n"
    "{\n"
    "    vec3 m = normalize(n), v = normalize(eye - world);\n"
    "    float visible = shadow(world, m);\n"
    "    vec3 c = lit(albedo.rgb, m, visible);\n"
    "    float shine = pow(max(dot(m, normalize(sun + v)), 0.0), 40.0);\n"
    "    float rim = pow(1.0 - max(dot(m, v), 0.0), 4.0);\n"
    "    c += gloss * (shine * visible * 0.35 + rim * 0.18 * sky(reflect(-v, m)));\n"
    "    colour = vec4(c, albedo.a);\n"
    "}\n";

static const char caster_vertex[] =
    "layout(location = 0) in vec3 position;\n"
    "uniform mat4 world_to_clip, model;\n"
    "void main() { gl_Position = world_to_clip * (model * vec4(position, 1.0)); }\n";

static const char caster_fragment[] = "void main() {}\n";

static const gl_attribute mesh_layout[] = {{0, 3, 0, 0}, {1, 3, 12, 0}};

bool draw_solids_create(draw_solids *s, weir_error *error)
{
    *s = (draw_solids){0};
    s->sky = gl_program_create("sky", draw_light_text, sky_vertex, sky_fragment, error);
    s->ground =
        s->sky ? gl_program_create("ground", draw_light_text, ground_vertex, ground_fragment, error)
               : 0;
    s->body = s->ground
                  ? gl_program_create("body", draw_light_text, body_vertex, body_fragment, error)
                  : 0;
    s->caster =
        s->body ? gl_program_create("shadow", NULL, caster_vertex, caster_fragment, error) : 0;
    if (!s->caster) {
        draw_solids_destroy(s);
        return false;
    }
    gl_batch_create(&s->nothing, NULL, 0, 0);
    gl_batch_create(&s->mesh, mesh_layout, 2, 24);
    return true;
}

void draw_solids_destroy(draw_solids *s)
{
    glDeleteProgram(s->sky);
    glDeleteProgram(s->ground);
    glDeleteProgram(s->body);
    glDeleteProgram(s->caster);
    gl_batch_destroy(&s->nothing);
    gl_batch_destroy(&s->mesh);
    *s = (draw_solids){0};
}

/* Distance of the lines on the ground: 1, 2 or 5 times a power of ten, about a tenth of the
 * scene. */
static double grid_cell(double size)
{
    double step = pow(10, floor(log10(size / 8))), ratio = size / 8 / step;
    return step * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
}

static void draw_ground(draw_solids *s, const draw_stage *stage)
{
    vec3 up = {stage->up[0], stage->up[1], stage->up[2]};
    vec3 a = fabs(up.x) > 0.9 ? vec3_make(0, 1, 0) : vec3_make(1, 0, 0);
    a = vec3_unit(vec3_madd(a, -vec3_dot(a, up), up), vec3_make(1, 0, 0));
    vec3 b = vec3_cross(up, a), middle = draw_box_middle(&stage->box);
    middle = vec3_madd(middle, stage->ground - vec3_dot(middle, up), up);
    double size = 12 * stage->size;
    GLuint p = s->ground;
    glUseProgram(p);
    draw_stage_set_light(stage, p);
    gl_set_mat4(p, "world_to_clip", stage->view.world_to_clip);
    const struct {
        const char *name;
        vec3 value;
    } vectors[] = {{"middle", middle},
                   {"side_a", vec3_scale(a, size)},
                   {"side_b", vec3_scale(b, size)},
                   {"axis_a", a},
                   {"axis_b", b},
                   /* Lines stay where they are in the world, whatever the origin of drawing. */
                   {"grid_origin", vec3_scale(stage->origin, -1)}};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        float v[3] = {(float)vectors[i].value.x, (float)vectors[i].value.y,
                      (float)vectors[i].value.z};
        gl_set_vec3(p, vectors[i].name, v);
    }
    gl_set_float(p, "cell", (float)grid_cell(stage->size));
    glBindVertexArray(s->nothing.array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void draw_solids_background(draw_solids *s, const draw_stage *stage)
{
    glDisable(GL_DEPTH_TEST);
    glUseProgram(s->sky);
    draw_stage_set_light(stage, s->sky);
    gl_set_mat4(s->sky, "world_to_eye", stage->view.world_to_eye);
    gl_set_vec2(s->sky, "scale", stage->view.scale[0], stage->view.scale[1]);
    gl_set_float(s->sky, "parallel", stage->view.parallel ? 1 : 0);
    glBindVertexArray(s->nothing.array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEnable(GL_DEPTH_TEST);
    if (stage->scene->has_ground)
        draw_ground(s, stage);
}

bool draw_upload_mesh(gl_batch *batch, const surface_mesh *mesh, vec3 origin)
{
    size_t n = mesh->vertex_count;
    float *data = malloc((6 * n + 1) * sizeof *data);
    if (!data)
        return false;
    for (size_t i = 0; i < n; i++) {
        const float *p = mesh->positions + 3 * i;
        data[6 * i] = (float)(p[0] - origin.x);
        data[6 * i + 1] = (float)(p[1] - origin.y);
        data[6 * i + 2] = (float)(p[2] - origin.z);
        if (mesh->normals)
            memcpy(data + 6 * i + 3, mesh->normals + 3 * i, 3 * sizeof(float));
        else
            memset(data + 6 * i + 3, 0, 3 * sizeof(float));
    }
    gl_batch_fill(batch, data, 6 * n * sizeof *data);
    gl_batch_fill_indices(batch, mesh->triangles, 3 * mesh->triangle_count);
    free(data);
    return true;
}

/* The pose of a body relative to the origin of drawing. */
static void set_model(GLuint program, weir_pose place, vec3 origin)
{
    vec3 columns[3] = {quat_rotate(place.rotation, vec3_make(1, 0, 0)),
                       quat_rotate(place.rotation, vec3_make(0, 1, 0)),
                       quat_rotate(place.rotation, vec3_make(0, 0, 1))};
    vec3 at = vec3_sub(place.position, origin);
    float m[16] = {(float)columns[0].x, (float)columns[0].y, (float)columns[0].z, 0,
                   (float)columns[1].x, (float)columns[1].y, (float)columns[1].z, 0,
                   (float)columns[2].x, (float)columns[2].y, (float)columns[2].z, 0,
                   (float)at.x,         (float)at.y,         (float)at.z,         1};
    gl_set_mat4(program, "model", m);
}

static void draw_mesh(draw_solids *s, GLuint program, const surface_mesh *mesh, weir_pose place,
                      vec3 origin)
{
    /* The mesh keeps its own small coordinates; the pose carries the large ones. */
    if (!draw_upload_mesh(&s->mesh, mesh, vec3_make(0, 0, 0)))
        return;
    set_model(program, place, origin);
    glDrawElements(GL_TRIANGLES, (GLsizei)(3 * mesh->triangle_count), GL_UNSIGNED_INT, NULL);
}

static void draw_bodies(draw_solids *s, const draw_stage *stage, bool walls)
{
    GLuint p = s->body;
    glUseProgram(p);
    draw_stage_set_light(stage, p);
    gl_set_mat4(p, "world_to_clip", stage->view.world_to_clip);
    gl_set_float(p, "gloss", 1);
    for (size_t i = 0; i < stage->scene->body_count; i++) {
        const draw_body *body = &stage->scene->bodies[i];
        if (!body->mesh || body->is_wall != walls)
            continue;
        float albedo[4] = {0, 0, 0, walls ? (stage->scene->dark ? 0.05f : 0.16f) : 1};
        draw_linear_colour(albedo, body->colour);
        gl_set_vec4(p, "albedo", albedo);
        draw_mesh(s, p, body->mesh, body->pose, stage->origin);
    }
}

void draw_solids_bodies(draw_solids *s, const draw_stage *stage)
{
    draw_bodies(s, stage, false);
}

/* Meshes of tanks face inwards, so leaving out back faces opens the near side. */
void draw_solids_walls(draw_solids *s, const draw_stage *stage)
{
    glEnable(GL_CULL_FACE);
    glCullFace(GL_BACK);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    draw_bodies(s, stage, true);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
}

void draw_solids_matte(draw_solids *s, const draw_stage *stage)
{
    const draw_fluid *fluid = &stage->scene->fluid;
    GLuint p = s->body;
    float rgb[3], albedo[4] = {0, 0, 0, 1};
    draw_fluid_colour(fluid, 0, rgb);
    draw_linear_colour(albedo, rgb);
    glUseProgram(p);
    draw_stage_set_light(stage, p);
    gl_set_mat4(p, "world_to_clip", stage->view.world_to_clip);
    gl_set_float(p, "gloss", 1);
    gl_set_vec4(p, "albedo", albedo);
    draw_mesh(s, p, fluid->mesh, pose_identity(), stage->origin);
}

static void use_caster(draw_solids *s, const draw_stage *stage)
{
    glUseProgram(s->caster);
    gl_set_mat4(s->caster, "world_to_clip", stage->light.world_to_clip);
}

void draw_solids_shadow(draw_solids *s, const draw_stage *stage)
{
    const draw_scene *scene = stage->scene;
    use_caster(s, stage);
    for (size_t i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].mesh && !scene->bodies[i].is_wall)
            draw_mesh(s, s->caster, scene->bodies[i].mesh, scene->bodies[i].pose, stage->origin);
}

void draw_solids_fluid_shadow(draw_solids *s, const draw_stage *stage)
{
    use_caster(s, stage);
    draw_mesh(s, s->caster, stage->scene->fluid.mesh, pose_identity(), stage->origin);
}
