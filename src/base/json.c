#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(json *j, const char *bytes, size_t count)
{
    if (j->failed)
        return;
    if (j->length + count + 1 > j->capacity) {
        size_t capacity = (j->length + count + 1) * 2;
        char *grown = realloc(j->text, capacity);
        if (!grown) {
            j->failed = true;
            return;
        }
        j->text = grown;
        j->capacity = capacity;
    }
    memcpy(j->text + j->length, bytes, count);
    j->length += count;
    j->text[j->length] = '\0';
}

static void append_text(json *j, const char *text)
{
    append(j, text, strlen(text));
}

static void append_quoted(json *j, const char *value)
{
    append_text(j, "\"");
    for (const char *c = value; *c; c++) {
        char escape[8];
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof escape, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            snprintf(escape, sizeof escape, "%c", *c);
        append_text(j, escape);
    }
    append_text(j, "\"");
}

static void new_line(json *j)
{
    append_text(j, "\n");
    for (int i = 0; i < j->depth; i++)
        append_text(j, "  ");
}

static void begin_item(json *j, const char *key)
{
    if (j->depth > 0) {
        bool is_inline = j->inline_level[j->depth - 1];
        if (j->has_item[j->depth - 1])
            append_text(j, is_inline ? ", " : ",");
        j->has_item[j->depth - 1] = true;
        if (!is_inline)
            new_line(j);
    }
    if (key) {
        append_quoted(j, key);
        append_text(j, ": ");
    }
}

static void begin_level(json *j, const char *key, const char *bracket, bool is_inline)
{
    begin_item(j, key);
    append_text(j, bracket);
    if (j->depth >= JSON_MAX_DEPTH) {
        j->failed = true;
        return;
    }
    j->has_item[j->depth] = false;
    j->inline_level[j->depth] = is_inline;
    j->depth++;
}

static void end_level(json *j, const char *bracket)
{
    if (j->depth == 0) {
        j->failed = true;
        return;
    }
    j->depth--;
    if (j->has_item[j->depth] && !j->inline_level[j->depth])
        new_line(j);
    append_text(j, bracket);
    if (j->depth == 0)
        append_text(j, "\n");
}

void json_free(json *j)
{
    free(j->text);
    *j = (json){0};
}

void json_object_begin(json *j, const char *key)
{
    begin_level(j, key, "{", false);
}

void json_object_end(json *j)
{
    end_level(j, "}");
}

void json_array_begin(json *j, const char *key)
{
    begin_level(j, key, "[", false);
}

void json_array_begin_inline(json *j, const char *key)
{
    begin_level(j, key, "[", true);
}

void json_array_end(json *j)
{
    end_level(j, "]");
}

void json_number(json *j, const char *key, double value)
{
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    /* The shortest of the lengths that reads back exactly. */
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    begin_item(j, key);
    append_text(j, text);
}

void json_integer(json *j, const char *key, int64_t value)
{
    char text[40];
    snprintf(text, sizeof text, "%lld", (long long)value);
    begin_item(j, key);
    append_text(j, text);
}

void json_string(json *j, const char *key, const char *value)
{
    begin_item(j, key);
    append_quoted(j, value);
}

void json_bool(json *j, const char *key, bool value)
{
    begin_item(j, key);
    append_text(j, value ? "true" : "false");
}

void json_null(json *j, const char *key)
{
    begin_item(j, key);
    append_text(j, "null");
}

void json_vector(json *j, const char *key, const double *values, int count)
{
    json_array_begin_inline(j, key);
    for (int i = 0; i < count; i++)
        json_number(j, NULL, values[i]);
    json_array_end(j);
}
