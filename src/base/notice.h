/* What the host hears: messages, and mistakes in its use of Weir. */
#ifndef WEIR_BASE_NOTICE_H
#define WEIR_BASE_NOTICE_H

#include "base/error.h"

/* One line to the host's log; nothing where it has none. */
void notice_log(const weir_hooks *hooks, weir_log_level level, const char *format, ...)
    WEIR_PRINTF(3, 4);

/* Whether a condition holds that only the calling program can break. Where it does not, the host's
 * hook is told (without one, stderr), the error is filled, and the call has to fail. `hooks` may be
 * NULL. */
#define REQUIRE(hooks, error, condition)                                                           \
    ((condition) || notice_mistake((hooks), (error), #condition, __FILE__, __LINE__))

/* Returns false. */
bool notice_mistake(const weir_hooks *hooks, weir_error *error, const char *condition,
                    const char *file, int line);

#ifdef __clang_analyzer__ /* as in base/error.h */
#define notice_mistake(...) (notice_mistake(__VA_ARGS__), false)
#endif

#endif
