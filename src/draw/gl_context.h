/* An OpenGL 3.3 core context without a window: through EGL, on a GPU or with Mesa's software
 * renderer. */
#ifndef WEIR_DRAW_GL_CONTEXT_H
#define WEIR_DRAW_GL_CONTEXT_H

#include "weir/types.h"

typedef struct gl_context gl_context;

/* Makes the context current on the calling thread. NULL, code UNSUPPORTED, where OpenGL is not
 * installed. */
gl_context *gl_context_create(weir_error *error);
void gl_context_destroy(gl_context *context);

/* Makes it current again after another one was used. */
bool gl_context_use(const gl_context *context, weir_error *error);

/* What draws: the name of the GPU or of the software renderer. */
const char *gl_context_renderer(void);

#endif
