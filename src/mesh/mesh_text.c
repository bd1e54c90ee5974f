#include "mesh/mesh_text.h"

#include "mesh/triangle_mesh.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_NUMBER = 400 };

bool text_open(text_cursor *text, const char *name, const char *bytes, size_t size,
               weir_error *error)
{
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!locale)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to read the file");
    *text = (text_cursor){name, bytes, bytes + size, 1, locale};
    return true;
}

void text_close(text_cursor *text)
{
    freelocale(text->locale);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

/* Bytes of a backslash and a line end at `at`, or 0. */
static size_t joint_length(const text_cursor *text, const char *at)
{
    if (*at != '\\')
        return 0;
    if (at + 1 < text->end && at[1] == '\n')
        return 2;
    if (at + 2 < text->end && at[1] == '\r' && at[2] == '\n')
        return 3;
    return 0;
}

bool text_next(text_cursor *text, text_word *word)
{
    while (text->at < text->end && is_space(*text->at)) {
        text->line += *text->at == '\n';
        text->at++;
    }
    word->at = text->at;
    while (text->at < text->end && !is_space(*text->at))
        text->at++;
    word->length = (size_t)(text->at - word->at);
    return word->length > 0;
}

bool text_next_in_line(text_cursor *text, text_word *word)
{
    for (;;) {
        size_t joint = text->at < text->end ? joint_length(text, text->at) : 0;
        if (joint > 0) {
            text->at += joint;
            text->line++;
        } else if (text->at < text->end && is_space(*text->at) && *text->at != '\n') {
            text->at++;
        } else {
            break;
        }
    }
    word->at = text->at;
    while (text->at < text->end && !is_space(*text->at) && joint_length(text, text->at) == 0)
        text->at++;
    word->length = (size_t)(text->at - word->at);
    return word->length > 0;
}

void text_skip_line(text_cursor *text)
{
    while (text->at < text->end && *text->at != '\n')
        text->at++;
    if (text->at < text->end) {
        text->at++;
        text->line++;
    }
}

bool text_is(text_word word, const char *expected)
{
    return strlen(expected) == word.length && strncasecmp(word.at, expected, word.length) == 0;
}

const char *text_show(text_word word, char shown[TEXT_SHOWN])
{
    size_t length = word.length < TEXT_SHOWN - 4 ? word.length : TEXT_SHOWN - 4;
    for (size_t i = 0; i < length; i++)
        shown[i] = isprint((unsigned char)word.at[i]) ? word.at[i] : '?';
    strcpy(shown + length, length < word.length ? "..." : "");
    return shown;
}

bool text_fail(const text_cursor *text, weir_error *error, const char *format, ...)
{
    char sentence[500];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return fail(error, WEIR_FORMAT, "%s, line %zu: %s", text->name, text->line, sentence);
}

bool text_number(const text_cursor *text, text_word word, double *value, weir_error *error)
{
    char *stop = NULL;
    char shown[TEXT_SHOWN];
    /* strtod would read on after the word only if the word ended inside a number; words end at
     * white space, at the final zero byte, or before a backslash. */
    if (word.length > 0 && word.length <= LONGEST_NUMBER)
        *value = strtod_l(word.at, &stop, text->locale);
    if (stop != word.at + word.length || stop == NULL)
        return text_fail(text, error, "\"%s\" is not a number", text_show(word, shown));
    if (!isfinite(*value))
        return text_fail(text, error, "\"%s\" is not a finite number", text_show(word, shown));
    return true;
}

bool text_integer(const text_cursor *text, text_word word, int64_t *value, weir_error *error)
{
    char *stop = NULL;
    char shown[TEXT_SHOWN];
    errno = 0;
    if (word.length > 0 && word.length <= LONGEST_NUMBER)
        *value = strtoll(word.at, &stop, 10);
    if (stop == NULL || stop != word.at + word.length || errno == ERANGE)
        return text_fail(text, error, "\"%s\" is not a whole number", text_show(word, shown));
    return true;
}

bool text_point(text_cursor *text, bool in_line, double point[3], weir_error *error)
{
    for (int axis = 0; axis < 3; axis++) {
        text_word word;
        if (!(in_line ? text_next_in_line(text, &word) : text_next(text, &word)))
            return text_fail(text, error, "a point has %d of 3 coordinates", axis);
        if (!text_number(text, word, &point[axis], error))
            return false;
        if (fabs(point[axis]) > MESH_MAX_COORDINATE)
            return text_fail(text, error, "the coordinate %g is beyond the limit of %g",
                             point[axis], MESH_MAX_COORDINATE);
    }
    return true;
}
