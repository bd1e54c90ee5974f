/* cmocka with the headers that it needs, and comparisons that say what they saw. */
#ifndef WEIR_TESTS_UNIT_H
#define WEIR_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Before cmocka, which has a macro of the name of its function. */
#include "base/error.h"

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static inline void check_near(double value, double expected, double tolerance, const char *text,
                              const char *file, int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s is %.9g, not %.9g within %.3g\n", text, value, expected, tolerance);
    _fail(file, line);
}

static inline void check_between(double value, double low, double high, const char *text,
                                 const char *file, int line)
{
    if (value >= low && value <= high)
        return;
    print_error("%s is %.9g, not between %.9g and %.9g\n", text, value, low, high);
    _fail(file, line);
}

#define assert_near(value, expected, tolerance)                                                    \
    check_near(value, expected, tolerance, #value, __FILE__, __LINE__)
#define assert_between(value, low, high) check_between(value, low, high, #value, __FILE__, __LINE__)

/* A failure must carry this code and a sentence that contains this text. */
#define assert_error(error, expected_code, part)                                                   \
    do {                                                                                           \
        assert_int_equal((error).code, expected_code);                                             \
        if (!strstr((error).text, part))                                                           \
            fail_msg("\"%s\" does not mention \"%s\"", (error).text, part);                        \
    } while (0)

#endif
