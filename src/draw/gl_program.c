#include "draw/gl_program.h"

#include "base/error.h"

static GLuint compile(GLenum kind, const char *name, const char *shared, const char *text,
                      weir_error *error)
{
    GLuint shader = glCreateShader(kind);
    const char *parts[] = {"#version 330 core\n", shared ? shared : "", text};
    glShaderSource(shader, 3, parts, NULL);
    glCompileShader(shader);
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        return shader;
    char log[600] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    glDeleteShader(shader);
    fail(error, WEIR_UNSUPPORTED, "cannot draw: OpenGL refused the %s shader of \"%s\": %s",
         kind == GL_VERTEX_SHADER ? "vertex" : "fragment", name, log);
    return 0;
}

GLuint gl_program_create(const char *name, const char *shared, const char *vertex,
                         const char *fragment, weir_error *error)
{
    GLuint v = compile(GL_VERTEX_SHADER, name, shared, vertex, error);
    GLuint f = v ? compile(GL_FRAGMENT_SHADER, name, shared, fragment, error) : 0;
    GLuint program = f ? glCreateProgram() : 0;
    GLint good = 0;
    if (program) {
        glAttachShader(program, v);
        glAttachShader(program, f);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &good);
        if (!good) {
            char log[600] = "";
            glGetProgramInfoLog(program, sizeof log, NULL, log);
            fail(error, WEIR_UNSUPPORTED, "cannot draw: OpenGL refused the program \"%s\": %s",
                 name, log);
        }
    }
    glDeleteShader(v);
    glDeleteShader(f);
    if (program && !good) {
        glDeleteProgram(program);
        program = 0;
    }
    return program;
}

void gl_set_float(GLuint program, const char *name, float value)
{
    glUniform1f(glGetUniformLocation(program, name), value);
}

void gl_set_int(GLuint program, const char *name, int value)
{
    glUniform1i(glGetUniformLocation(program, name), value);
}

void gl_set_vec2(GLuint program, const char *name, float x, float y)
{
    glUniform2f(glGetUniformLocation(program, name), x, y);
}

void gl_set_vec3(GLuint program, const char *name, const float value[3])
{
    glUniform3fv(glGetUniformLocation(program, name), 1, value);
}

void gl_set_vec4(GLuint program, const char *name, const float value[4])
{
    glUniform4fv(glGetUniformLocation(program, name), 1, value);
}

void gl_set_mat4(GLuint program, const char *name, const float value[16])
{
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, value);
}

void gl_set_texture(GLuint program, const char *name, int unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_2D, texture);
    gl_set_int(program, name, unit);
}

void gl_batch_create(gl_batch *batch, const gl_attribute *attributes, int count, int stride)
{
    *batch = (gl_batch){0};
    glGenVertexArrays(1, &batch->array);
    glGenBuffers(1, &batch->buffer);
    glGenBuffers(1, &batch->indices);
    glBindVertexArray(batch->array);
    glBindBuffer(GL_ARRAY_BUFFER, batch->buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, batch->indices);
    for (int i = 0; i < count; i++) {
        GLuint location = (GLuint)attributes[i].location;
        glEnableVertexAttribArray(location);
        glVertexAttribPointer(location, attributes[i].components, GL_FLOAT, GL_FALSE, stride,
                              (const void *)(intptr_t)attributes[i].offset);
        glVertexAttribDivisor(location, (GLuint)attributes[i].divisor);
    }
}

static void upload(GLenum kind, size_t *capacity, const void *data, size_t bytes)
{
    if (bytes > *capacity || bytes == 0) {
        glBufferData(kind, (GLsizeiptr)bytes, data, GL_DYNAMIC_DRAW);
        *capacity = bytes;
    } else {
        glBufferSubData(kind, 0, (GLsizeiptr)bytes, data);
    }
}

void gl_batch_fill(gl_batch *batch, const void *data, size_t bytes)
{
    glBindVertexArray(batch->array);
    glBindBuffer(GL_ARRAY_BUFFER, batch->buffer);
    upload(GL_ARRAY_BUFFER, &batch->capacity, data, bytes);
}

void gl_batch_fill_indices(gl_batch *batch, const uint32_t *indices, size_t count)
{
    glBindVertexArray(batch->array);
    upload(GL_ELEMENT_ARRAY_BUFFER, &batch->index_capacity, indices, count * sizeof *indices);
}

void gl_batch_destroy(gl_batch *batch)
{
    glDeleteVertexArrays(1, &batch->array);
    glDeleteBuffers(1, &batch->buffer);
    glDeleteBuffers(1, &batch->indices);
    *batch = (gl_batch){0};
}

static GLuint make_texture(int width, int height, GLenum format, bool smooth)
{
    GLuint texture;
    bool is_depth = format == GL_DEPTH_COMPONENT24 || format == GL_DEPTH_COMPONENT32F;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0,
                 is_depth ? GL_DEPTH_COMPONENT : GL_RGBA, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

bool gl_target_create(gl_target *target, int width, int height, GLenum colour, GLenum depth,
                      bool smooth, weir_error *error)
{
    *target = (gl_target){.width = width, .height = height};
    glGenFramebuffers(1, &target->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
    if (colour) {
        target->colour = make_texture(width, height, colour, smooth);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->colour,
                               0);
    } else {
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
    }
    if (depth) {
        target->depth = make_texture(width, height, depth, smooth);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target->depth,
                               0);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return true;
    gl_target_destroy(target);
    return fail(error, WEIR_UNSUPPORTED,
                "cannot draw: OpenGL has no memory or format for a picture of %d × %d", width,
                height);
}

void gl_target_destroy(gl_target *target)
{
    if (target->colour)
        glDeleteTextures(1, &target->colour);
    if (target->depth)
        glDeleteTextures(1, &target->depth);
    if (target->frame)
        glDeleteFramebuffers(1, &target->frame);
    *target = (gl_target){0};
}

void gl_target_use(const gl_target *target)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
    glViewport(0, 0, target->width, target->height);
}
