/* EGL 1.5 with the platforms "surfaceless" (Mesa) and "device" (drivers of GPUs), which need no
 * display server. libepoxy loads both libraries when they are first used and ends the program when
 * one is missing, so we ask the loader first. */
#include "draw/gl_context.h"

#include "base/error.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdlib.h>

struct gl_context {
    EGLDisplay display;
    EGLContext context;
};

enum { MAX_DEVICES = 16 };

static bool check_libraries(weir_error *error)
{
    void *egl = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    void *gl = dlopen("libOpenGL.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (!gl)
        gl = dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (egl)
        dlclose(egl);
    if (gl)
        dlclose(gl);
    if (!egl)
        return fail(error, WEIR_UNSUPPORTED,
                    "cannot draw: EGL is not installed; on Debian install the packages libegl1 "
                    "and libgl1-mesa-dri");
    if (!gl)
        return fail(error, WEIR_UNSUPPORTED,
                    "cannot draw: OpenGL is not installed; on Debian install the packages "
                    "libopengl0 and libgl1-mesa-dri");
    return true;
}

/* A context of OpenGL 3.3 core on the display, current without a surface. */
static bool open_display(EGLDisplay display, gl_context *out)
{
    const EGLint config_wanted[] = {EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_BIT, EGL_NONE};
    const EGLint context_wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                     3,
                                     EGL_CONTEXT_MINOR_VERSION,
                                     3,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                     EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                     EGL_NONE};
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
        return false;
    EGLConfig config = NULL;
    EGLint count = 0;
    if (eglBindAPI(EGL_OPENGL_API) &&
        epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context")) {
        if (!eglChooseConfig(display, config_wanted, &config, 1, &count) || count == 0)
            config = NULL; /* EGL_KHR_no_config_context: none is needed without a surface */
        EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wanted);
        if (context != EGL_NO_CONTEXT) {
            if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
                *out = (gl_context){display, context};
                return true;
            }
            eglDestroyContext(display, context);
        }
    }
    eglTerminate(display);
    return false;
}

/* GPUs first, then whatever Mesa has, which is its software renderer in the end. */
static bool open_any(gl_context *out)
{
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration")) {
        EGLDeviceEXT devices[MAX_DEVICES];
        EGLint count = 0;
        if (!eglQueryDevicesEXT(MAX_DEVICES, devices, &count))
            count = 0;
        for (EGLint i = 0; i < count; i++)
            if (open_display(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL),
                             out))
                return true;
    }
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless") &&
        open_display(
            eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL),
            out))
        return true;
    return open_display(eglGetDisplay(EGL_DEFAULT_DISPLAY), out);
}

gl_context *gl_context_create(weir_error *error)
{
    if (!check_libraries(error))
        return NULL;
    gl_context *context = calloc(1, sizeof *context);
    if (!context) {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the renderer");
        return NULL;
    }
    if (open_any(context))
        return context;
    free(context);
    fail(error, WEIR_UNSUPPORTED,
         "cannot draw: no OpenGL 3.3 without a display; on Debian install the package "
         "libgl1-mesa-dri, whose software renderer needs no GPU");
    return NULL;
}

void gl_context_destroy(gl_context *context)
{
    if (!context)
        return;
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(context->display, context->context);
    eglTerminate(context->display);
    free(context);
}

bool gl_context_use(const gl_context *context, weir_error *error)
{
    eglBindAPI(EGL_OPENGL_API);
    if (eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context))
        return true;
    return fail(error, WEIR_UNSUPPORTED, "cannot draw: the OpenGL context was lost");
}

const char *gl_context_renderer(void)
{
    const GLubyte *name = glGetString(GL_RENDERER);
    return name ? (const char *)name : "unknown";
}
