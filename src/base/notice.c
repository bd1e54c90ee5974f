#include "base/notice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void notice_log(const weir_hooks *hooks, weir_log_level level, const char *format, ...)
{
    char text[1200];
    if (!hooks->log)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hooks->log(hooks->user, level, text);
}

bool(notice_mistake)(const weir_hooks *hooks, weir_error *error, const char *condition,
                     const char *file, int line)
{
    /* Not where the sources lay when Weir was built. */
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (hooks && hooks->assert_failed)
        hooks->assert_failed(hooks->user, condition, name, line);
    else
        fprintf(stderr, "weir: a mistake of the calling program: '%s' does not hold (%s:%d)\n",
                condition, name, line);
    return fail(error, WEIR_INVALID, "a mistake of the calling program: '%s' does not hold (%s:%d)",
                condition, name, line);
}
