#include "out/read_csv.h"

#include "out/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 4096 };

/* The end of the cell at `text`: at a comma, a line's end or the file's. Quotes keep both. */
static const char *cell_end(const char *text)
{
    bool quoted = false;
    for (; *text && (quoted || (*text != ',' && *text != '\n' && *text != '\r')); text++)
        if (*text == '"')
            quoted = !quoted;
    return text;
}

/* The begin of the next line, or NULL behind the last. */
static const char *next_line(const char *text)
{
    while (*text == '\r' || *text == '\n')
        if (*text++ == '\n')
            return *text ? text : NULL;
    return NULL;
}

static char *copy_name(store *kept, const char *from, const char *end)
{
    char *name = store_take(kept, (size_t)(end - from) + 1), *out = name;
    bool quoted = from < end && *from == '"';
    for (from += quoted; name && from < end; from++) {
        if (quoted && *from == '"' && *++from != '"')
            break; /* the quote that closes; two stand for one */
        *out++ = *from;
    }
    return name;
}

static bool read_names(read_csv *c, const char *text, weir_error *error)
{
    const char *end = text;
    for (c->columns = 1; *(end = cell_end(end)) == ','; end++)
        c->columns++;
    if (c->columns > MAX_COLUMNS)
        return fail(error, WEIR_FORMAT, "more than %d columns", MAX_COLUMNS);
    c->names = store_take_array(&c->kept, c->columns, sizeof *c->names);
    c->values = store_take_array(&c->kept, c->columns, sizeof *c->values);
    bool done = c->names && c->values;
    for (size_t k = 0; done && k < c->columns; k++, text = end + 1) {
        end = cell_end(text);
        c->names[k] = copy_name(&c->kept, text, end);
        done = c->names[k] != NULL;
    }
    return done || fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; text; text = next_line(text + strcspn(text, "\r\n")))
        count++;
    return count;
}

/* Reads one line to the row `row`. */
static bool read_row(read_csv *c, const char *text, size_t row, weir_error *error)
{
    for (size_t k = 0; k < c->columns; k++) {
        const char *end = cell_end(text);
        double value = NAN;
        const char *stop = end > text ? file_parse_number(text, &value) : end;
        if (stop != end)
            return fail(error, WEIR_FORMAT, "line %zu: '%.*s' is not a number", row + 2,
                        (int)(end - text > 40 ? 40 : end - text), text);
        if ((*end == ',') != (k + 1 < c->columns))
            return fail(error, WEIR_FORMAT, "line %zu has another number of cells than the header",
                        row + 2);
        ((double *)c->values[k])[row] = value;
        text = end + 1;
    }
    return true;
}

static bool parse(read_csv *c, const char *text, weir_error *error)
{
    if (!read_names(c, text, error))
        return false;
    const char *line = next_line(cell_end(text + strcspn(text, "\r\n")));
    size_t rows = count_lines(line);
    for (size_t k = 0; k < c->columns; k++) {
        c->values[k] = store_take_array(&c->kept, rows + 1, sizeof(double));
        if (!c->values[k])
            return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    }
    for (; line; line = next_line(line + strcspn(line, "\r\n")))
        if (!read_row(c, line, c->rows, error))
            return false;
        else
            c->rows++;
    return true;
}

bool read_csv_load(read_csv *out, const char *path, weir_error *error)
{
    size_t size;
    read_csv_free(out);
    char *text = file_read(path, &size, error);
    if (!text)
        return false;
    bool done = strlen(text) == size ? parse(out, text, error)
                                     : fail(error, WEIR_FORMAT, "it is not a text");
    free(text);
    if (done)
        return true;
    read_csv_free(out);
    return fail_in(error, "cannot read %s", path);
}

void read_csv_free(read_csv *c)
{
    store_free(&c->kept);
    *c = (read_csv){0};
}

int read_csv_find(const read_csv *c, const char *name)
{
    for (size_t k = 0; k < c->columns; k++)
        if (strcmp(c->names[k], name) == 0)
            return (int)k;
    return -1;
}
