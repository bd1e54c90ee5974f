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

bool(fail)(weir_error *error, weir_code code, const char *format, ...)
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

bool(fail_in)(weir_error *error, const char *format, ...)
{
    if (error) {
        char prefix[200];
        va_list args;
        va_start(args, format);
        vsnprintf(prefix, sizeof prefix - 2, format, args);
        va_end(args);
        strcat(prefix, ": ");
        size_t shift = strlen(prefix), kept = strlen(error->text);
        if (kept > sizeof error->text - 1 - shift)
            kept = sizeof error->text - 1 - shift;
        memmove(error->text + shift, error->text, kept);
        memcpy(error->text, prefix, shift);
        error->text[shift + kept] = '\0';
    }
    return false;
}
