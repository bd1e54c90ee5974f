/* Words and numbers of a text file in memory, with the line for messages. */
#ifndef WEIR_MESH_MESH_TEXT_H
#define WEIR_MESH_MESH_TEXT_H

#include "base/error.h"

#include <locale.h>

typedef struct text_word {
    const char *at;
    size_t length;
} text_word;

typedef struct text_cursor {
    const char *name;     /* of the file */
    const char *at, *end; /* *end is readable and 0 */
    size_t line;          /* of `at`, from 1 */
    locale_t locale;      /* "C": numbers have points whatever language the host speaks */
} text_cursor;

/* `bytes[size]` must be readable and 0. */
bool text_open(text_cursor *text, const char *name, const char *bytes, size_t size,
               weir_error *error);
void text_close(text_cursor *text);

/* The next word, over line ends. False at the end of the file. */
bool text_next(text_cursor *text, text_word *word);

/* The next word of this line. False at its end. A backslash before a line end joins the lines. */
bool text_next_in_line(text_cursor *text, text_word *word);

/* To the start of the next line. */
void text_skip_line(text_cursor *text);

/* Whether the word is `expected`, in any case. */
bool text_is(text_word word, const char *expected);

bool text_number(const text_cursor *text, text_word word, double *value, weir_error *error);
bool text_integer(const text_cursor *text, text_word word, int64_t *value, weir_error *error);

/* Three coordinates of a point from the words that follow, over line ends or in the line. */
bool text_point(text_cursor *text, bool in_line, double point[3], weir_error *error);

/* "NAME, line N: ..." */
bool text_fail(const text_cursor *text, weir_error *error, const char *format, ...)
    WEIR_PRINTF(3, 4);

enum { TEXT_SHOWN = 40 };

/* The start of a word in printable characters, for messages. */
const char *text_show(text_word word, char shown[TEXT_SHOWN]);

#endif
