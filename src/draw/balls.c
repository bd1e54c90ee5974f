/* Each ball is a square that faces the camera; the fragment shader cuts the ball out of it. */
#include "draw/balls.h"

#include <stdlib.h>

/* Per ball: centre, radius, linear colour. */
enum { BALL_FLOATS = 7 };

static const char ball_vertex[] =
    "layout(location = 0) in vec4 ball;\n"
    "layout(location = 1) in vec3 tint;\n"
    "uniform mat4 world_to_eye, eye_to_clip;\n"
    "out vec2 corner;\n"
    "flat out vec3 middle, albedo;\n"
    "flat out vec2 size_visible;\n"
    "void main()\n"
    "{\n"
    "    corner = vec2(float(gl_VertexID & 1) * 2.0 - 1.0, float(gl_VertexID >> 1) * 2.0 - 1.0);\n"
    "    middle = (world_to_eye * vec4(ball.xyz, 1.0)).xyz;\n"
    "    albedo = tint;\n"
    "    size_visible = vec2(ball.w, shadow(ball.xyz + sun * ball.w * 1.5, vec3(0.0)));\n"
    "    gl_Position = eye_to_clip * vec4(middle.xy + corner * ball.w, middle.z, 1.0);\n"
    "}\n";

static const char ball_fragment[] =
    "in vec2 corner;\n"
    "flat in vec3 middle, albedo;\n"
    "flat in vec2 size_visible;\n"
    "uniform mat4 world_to_eye, eye_to_clip;\n"
    "uniform vec3 sun_eye, up_eye;\n"
    "out vec4 colour;\n"
    "void main()\n"
    "{\n"
    "    float r2 = dot(corner, corner);\n"
    "    if (r2 > 1.0) discard;\n"
    "    vec3 n = vec3(corner, sqrt(1.0 - r2));\n"
    "    float z = middle.z + size_visible.x * n.z;\n"
    "    vec2 clip = vec2(eye_to_clip[2].z * z + eye_to_clip[3].z, eye_to_clip[2].w * z + "
    "eye_to_clip[3].w);\n"
    "    gl_FragDepth = clip.x / clip.y * 0.5 + 0.5;\n"
    "    vec3 ambient = mix(vec3(0.32), vec3(0.60, 0.62, 0.66), dot(n, up_eye) * 0.5 + 0.5);\n"
    "    float facing = max(dot(n, sun_eye), 0.0) * mix(0.25, 1.0, size_visible.y);\n"
    "    float shine = pow(max(dot(n, normalize(sun_eye + vec3(0.0, 0.0, 1.0))), 0.0), 40.0);\n"
    "    colour = vec4(albedo * (ambient + 0.62 * facing) + 0.12 * shine * size_visible.y, 1.0);\n"
    "}\n";

/* Discs have a darker rim, so that neighbours of one colour stay apart. */
static const char disc_vertex[] =
    "layout(location = 0) in vec4 ball;\n"
    "layout(location = 1) in vec3 tint;\n"
    "uniform mat4 world_to_clip;\n"
    "out vec2 corner;\n"
    "flat out vec3 albedo;\n"
    "void main()\n"
    "{\n"
    "    corner = vec2(float(gl_VertexID & 1) * 2.0 - 1.0, float(gl_VertexID >> 1) * 2.0 - 1.0);\n"
    "    albedo = tint;\n"
    "    gl_Position = world_to_clip * vec4(ball.xy + corner * ball.w, 0.0, 1.0);\n"
    "}\n";

static const char disc_fragment[] =
    "in vec2 corner;\n"
    "flat in vec3 albedo;\n"
    "out vec4 colour;\n"
    "void main()\n"
    "{\n"
    "    float r2 = dot(corner, corner);\n"
    "    if (r2 > 1.0) discard;\n"
    "    colour = vec4(albedo * mix(1.0, 0.62, smoothstep(0.62, 0.78, r2)), 1.0);\n"
    "}\n";

static const char caster_vertex[] =
    "layout(location = 0) in vec4 ball;\n"
    "uniform mat4 world_to_eye, eye_to_clip;\n"
    "out vec2 corner;\n"
    "void main()\n"
    "{\n"
    "    corner = vec2(float(gl_VertexID & 1) * 2.0 - 1.0, float(gl_VertexID >> 1) * 2.0 - 1.0);\n"
    "    vec3 p = (world_to_eye * vec4(ball.xyz, 1.0)).xyz;\n"
    "    gl_Position = eye_to_clip * vec4(p + vec3(corner * ball.w, 0.0), 1.0);\n"
    "}\n";

static const char caster_fragment[] = "in vec2 corner;\n"
                                      "void main() { if (dot(corner, corner) > 1.0) discard; }\n";

static const gl_attribute layout[] = {{0, 4, 0, 1}, {1, 3, 16, 1}};

bool draw_balls_create(draw_balls *b, weir_error *error)
{
    *b = (draw_balls){0};
    b->ball = gl_program_create("balls", draw_light_text, ball_vertex, ball_fragment, error);
    b->disc = b->ball ? gl_program_create("discs", NULL, disc_vertex, disc_fragment, error) : 0;
    b->caster =
        b->disc ? gl_program_create("shadow of balls", NULL, caster_vertex, caster_fragment, error)
                : 0;
    if (!b->caster) {
        draw_balls_destroy(b);
        return false;
    }
    gl_batch_create(&b->batch, layout, 2, BALL_FLOATS * (int)sizeof(float));
    return true;
}

void draw_balls_destroy(draw_balls *b)
{
    glDeleteProgram(b->ball);
    glDeleteProgram(b->disc);
    glDeleteProgram(b->caster);
    gl_batch_destroy(&b->batch);
    *b = (draw_balls){0};
}

void draw_value_range(const draw_fluid *fluid, double *low, double *high)
{
    *low = fluid->low;
    *high = fluid->high;
    if (!fluid->values || *low < *high)
        return;
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < fluid->particles.count; i++)
        if (isfinite(fluid->values[i])) {
            *low = fmin(*low, fluid->values[i]);
            *high = fmax(*high, fluid->values[i]);
        }
    if (!(*low < *high)) { /* all the same, or none */
        double middle = isfinite(*low) ? *low : 0,
               half = fabs(middle) > 0 ? fabs(middle) * 0.01 : 1;
        *low = middle - half;
        *high = middle + half;
    }
}

enum { SHADES = 256 };

/* Linear colours of the map, and behind them those of the fluids. */
static void fill_shades(float shades[2 * SHADES][3], const draw_fluid *fluid)
{
    float rgb[3];
    for (int i = 0; i < SHADES; i++) {
        draw_colour_at(fluid->map, i / (SHADES - 1.0), rgb);
        draw_linear_colour(shades[i], rgb);
        draw_fluid_colour(fluid, i, rgb);
        draw_linear_colour(shades[SHADES + i], rgb);
    }
}

static int shade_of(const draw_fluid *fluid, size_t i, double low, double high)
{
    if (!fluid->values)
        return SHADES + (fluid->particles.fluid ? fluid->particles.fluid[i] : 0);
    double t = (fluid->values[i] - low) / (high - low);
    return t > 0 ? (t < 1 ? (int)(t * (SHADES - 1) + 0.5) : SHADES - 1) : 0;
}

bool draw_balls_fill(draw_balls *b, const draw_stage *stage, double low, double high)
{
    const draw_fluid *fluid = &stage->scene->fluid;
    const surface_particles *p = &fluid->particles;
    float(*shades)[3] = malloc(2 * SHADES * sizeof *shades);
    float *data = malloc((p->count * BALL_FLOATS + 1) * sizeof *data);
    b->count = 0;
    if (shades && data) {
        fill_shades(shades, fluid);
        float radius = (float)(p->spacing * (fluid->radius > 0 ? fluid->radius : 0.5));
        for (size_t i = 0; i < p->count; i++) {
            vec3 at = {p->x[i], p->y[i], p->dim == 3 ? p->z[i] : 0};
            if (!vec3_is_finite(at))
                continue;
            const float *shade = shades[shade_of(fluid, i, low, high)];
            float *out = data + BALL_FLOATS * b->count++;
            out[0] = (float)(at.x - stage->origin.x);
            out[1] = (float)(at.y - stage->origin.y);
            out[2] = (float)(at.z - stage->origin.z);
            out[3] = radius;
            out[4] = shade[0], out[5] = shade[1], out[6] = shade[2];
        }
        gl_batch_fill(&b->batch, data, b->count * BALL_FLOATS * sizeof *data);
    }
    bool done = shades && data;
    free(shades);
    free(data);
    return done;
}

/* A direction of the world as the eye sees it. */
static void set_eye_direction(GLuint program, const char *name, const draw_view *view,
                              const float d[3])
{
    float out[3];
    for (int row = 0; row < 3; row++)
        out[row] = view->world_to_eye[row] * d[0] + view->world_to_eye[4 + row] * d[1] +
                   view->world_to_eye[8 + row] * d[2];
    gl_set_vec3(program, name, out);
}

void draw_balls_draw(draw_balls *b, const draw_stage *stage)
{
    GLuint p = stage->scene->dim == 2 ? b->disc : b->ball;
    glUseProgram(p);
    if (stage->scene->dim == 2) {
        gl_set_mat4(p, "world_to_clip", stage->view.world_to_clip);
    } else {
        draw_stage_set_light(stage, p);
        gl_set_mat4(p, "world_to_eye", stage->view.world_to_eye);
        gl_set_mat4(p, "eye_to_clip", stage->view.eye_to_clip);
        set_eye_direction(p, "sun_eye", &stage->view, stage->sun);
        set_eye_direction(p, "up_eye", &stage->view, stage->up);
    }
    glBindVertexArray(b->batch.array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)b->count);
}

void draw_balls_shadow(draw_balls *b, const draw_stage *stage)
{
    glUseProgram(b->caster);
    gl_set_mat4(b->caster, "world_to_eye", stage->light.world_to_eye);
    gl_set_mat4(b->caster, "eye_to_clip", stage->light.eye_to_clip);
    glBindVertexArray(b->batch.array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)b->count);
}
