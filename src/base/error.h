/* Filling weir_error. Each message names the thing, the value and the remedy. */
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

#include "weir/types.h"

#if defined(__GNUC__)
#define WEIR_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WEIR_PRINTF(text, first)
#endif

/* Fills `error` (which may be NULL) and returns false, so that callers can `return fail(...)`. */
bool fail(weir_error *error, weir_code code, const char *format, ...) WEIR_PRINTF(3, 4);

/* Puts "prefix: " before the text of a failure that is passed up. Returns false. */
bool fail_in(weir_error *error, const char *format, ...) WEIR_PRINTF(2, 3);

/* The analyser looks at one file at a time, and would take a refusal for success. Definitions of
 * such functions have their name in brackets, which keeps it from being replaced. */
#ifdef __clang_analyzer__
#define fail(...) (fail(__VA_ARGS__), false)
#define fail_in(...) (fail_in(__VA_ARGS__), false)
#endif

#endif
