#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *weir_code_name(weir_code code)
{
    switch (code) {
#define WEIR_ERROR_NAME(name, sentence)                                                            \
    case WEIR_##name:                                                                              \
        return sentence;
        WEIR_ERROR_MAP(WEIR_ERROR_NAME)
#undef WEIR_ERROR_NAME
    }
    return "unknown code";
}

bool fail(weir_error *error, weir_code code, const char *format, ...)
{
    if (error) {
        error->code = code;
        va_list args;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return false;
}

bool fail_in(weir_error *error, const char *format, ...)
{
    if (error) {
        char inner[sizeof error->text];
        memcpy(inner, error->text, sizeof inner);
        va_list args;
        va_start(args, format);
        int used = vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
        if (used >= 0 && (size_t)used < sizeof error->text)
            snprintf(error->text + used, sizeof error->text - (size_t)used, ": %s", inner);
    }
    return false;
}
