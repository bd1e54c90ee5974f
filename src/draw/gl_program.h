/* OpenGL objects that every drawing needs: programs, vertex buffers, off-screen targets. Shaders
 * are our own text, so a shader that does not compile is an error of the driver or of ours, and is
 * reported with the compiler's words. */
#ifndef WEIR_DRAW_GL_PROGRAM_H
#define WEIR_DRAW_GL_PROGRAM_H

#include "weir/types.h"

#include <epoxy/gl.h>

/* "#version 330 core", `shared` (may be NULL) and the text are compiled together. 0 on failure. */
GLuint gl_program_create(const char *name, const char *shared, const char *vertex,
                         const char *fragment, weir_error *error);

void gl_set_float(GLuint program, const char *name, float value);
void gl_set_int(GLuint program, const char *name, int value);
void gl_set_vec2(GLuint program, const char *name, float x, float y);
void gl_set_vec3(GLuint program, const char *name, const float value[3]);
void gl_set_vec4(GLuint program, const char *name, const float value[4]);
void gl_set_mat4(GLuint program, const char *name, const float value[16]);
/* Binds a texture to a unit and the unit to a sampler. */
void gl_set_texture(GLuint program, const char *name, int unit, GLuint texture);

/* One attribute of interleaved or separate float arrays. */
typedef struct gl_attribute {
    int location, components;
    int offset;  /* bytes from the start of an element */
    int divisor; /* 1: per instance */
} gl_attribute;

/* A vertex array with one buffer of elements of `stride` bytes, and an index buffer if used. */
typedef struct gl_batch {
    GLuint array, buffer, indices;
    size_t capacity, index_capacity; /* bytes */
} gl_batch;

void gl_batch_create(gl_batch *batch, const gl_attribute *attributes, int count, int stride);
void gl_batch_fill(gl_batch *batch, const void *data, size_t bytes);
void gl_batch_fill_indices(gl_batch *batch, const uint32_t *indices, size_t count);
void gl_batch_destroy(gl_batch *batch);

/* A framebuffer with textures of one size. */
typedef struct gl_target {
    GLuint frame, colour, depth; /* 0: none */
    int width, height;
} gl_target;

/* Formats of 0 leave that texture out. Textures are clamped, and read without filter unless
 * `smooth`. */
bool gl_target_create(gl_target *target, int width, int height, GLenum colour, GLenum depth,
                      bool smooth, weir_error *error);
void gl_target_destroy(gl_target *target);
/* Makes it the one that is drawn to, all of it. */
void gl_target_use(const gl_target *target);

#endif
