/* Values that every part of the API shares: numbers, errors, hooks.
 * SI units throughout: metres, seconds, kilograms, radians. A 2D world has a depth of 1 m,
 * so that densities stay kg/m³ there and a 2D "volume" is an area times 1 m. */
#ifndef WEIR_TYPES_H
#define WEIR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the shared library shows of itself. */
#define WEIR_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* A point or vector; in 2D z is 0. */
typedef struct weir_vec3 {
    double x, y, z; /* m, or the unit of the thing */
} weir_vec3;

/* Unit quaternion; {0, 0, 0, 1} is no rotation. A 2D rotation turns about z. */
typedef struct weir_quat {
    double x, y, z, w; /* x, y and z: the axis times the sine of half the angle; w: its cosine */
} weir_quat;

/* A place and a direction: x -> position + rotation x. */
typedef struct weir_pose {
    weir_vec3 position; /* m */
    weir_quat rotation; /* unit; what is not is made so */
} weir_pose;

/* Every way a call can fail: code, then the sentence that begins its message. */
#define WEIR_ERROR_MAP(X)                                                                          \
    X(OK, "no error")                                                                              \
    X(INVALID, "a value is not allowed")                                                           \
    X(OUT_OF_MEMORY, "memory ran out")                                                             \
    X(STALE_ID, "an id refers to something that was destroyed")                                    \
    X(NOT_FOUND, "something that was named does not exist")                                        \
    X(UNSTABLE, "the time step is above the stable limit")                                         \
    X(NOT_FINITE, "the simulation reached a state that is not finite")                             \
    X(IO, "a file could not be read or written")                                                   \
    X(FORMAT, "a file is damaged or of another kind")                                              \
    X(UNSUPPORTED, "this build or method cannot do that")                                          \
    X(INTERRUPTED, "the work was interrupted")

/* Codes of WEIR_ERROR_MAP with WEIR_ before them. */
typedef enum weir_code {
#define WEIR_ERROR_ENUM(name, sentence) WEIR_##name,
    WEIR_ERROR_MAP(WEIR_ERROR_ENUM)
#undef WEIR_ERROR_ENUM
} weir_code;

/* Filled by calls that fail: what, which value, what is allowed. May be passed as NULL. */
typedef struct weir_error {
    weir_code code;  /* left alone by calls that succeed */
    char text[1000]; /* one sentence, ends with a zero */
} weir_error;

/* The sentence of a code; never NULL. */
WEIR_API const char *weir_code_name(weir_code code);

/* How much a message matters. */
typedef enum weir_log_level {
    WEIR_LOG_INFO,    /* what happens */
    WEIR_LOG_WARNING, /* results may be worse than they could be */
    WEIR_LOG_ERROR,   /* something failed; the call says so too */
} weir_log_level;

/* What the host may take over. All members may be NULL: then memory is libc's, mistakes go to
 * stderr, and nothing is logged. */
typedef struct weir_hooks {
    /* Returns memory aligned to 64 bytes, or NULL. `bytes` is never 0. */
    void *(*allocate)(void *user, size_t bytes);
    /* Takes back what `allocate` gave, with the size that was asked for. */
    void (*release)(void *user, void *memory, size_t bytes);
    /* One line of text, without a line break: steps that fail, and once each what a step's flags
     * warn of. */
    void (*log)(void *user, weir_log_level level, const char *text);
    /* A mistake of the program that calls Weir (not of its data): a NULL where none is allowed, a
     * step within a step. When it returns, the call fails with WEIR_INVALID. */
    void (*assert_failed)(void *user, const char *condition, const char *file, int line);
    /* Runs task(data, 0) to task(data, count - 1), in any order and at the same time if it likes,
     * and returns when all are done; for hosts with threads of their own. `count` is at most the
     * world's `threads`. NULL: Weir's own threads, or one after the other in builds without them.
     * Results are the same. */
    void (*run_tasks)(void *user, void (*task)(void *data, int index), void *data, int count);
    void *user; /* handed to every hook */
} weir_hooks;

#ifdef __cplusplus
}
#endif

#endif
