/* A JSON writer: appends to a growing text. Commas and indentation are its business.
 * Numbers are written so that they read back to the same bits; non-finite ones become null. */
#ifndef WEIR_BASE_JSON_H
#define WEIR_BASE_JSON_H

#include "weir/types.h"

enum { JSON_MAX_DEPTH = 32 };

typedef struct json {
    char *text; /* NUL-terminated once something was written; owned */
    size_t length, capacity;
    int depth;
    bool has_item[JSON_MAX_DEPTH];
    bool inline_level[JSON_MAX_DEPTH]; /* written on one line */
    bool failed;                       /* memory ran out; the text is not complete */
} json;

void json_free(json *j);

/* `key` is NULL inside arrays and at the top. */
void json_object_begin(json *j, const char *key);
void json_object_end(json *j);
void json_array_begin(json *j, const char *key);
void json_array_begin_inline(json *j, const char *key); /* for short rows of numbers */
void json_array_end(json *j);
void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, int64_t value);
void json_string(json *j, const char *key, const char *value);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_vector(json *j, const char *key, const double *values, int count);

#endif
