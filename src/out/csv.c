#include "out/csv.h"

#include "out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* RFC 4180: a name with a comma, a quote or a line break stands in quotes, its quotes doubled. */
static char *append_name(char *out, const char *name)
{
    if (!strpbrk(name, ",\"\r\n"))
        return stpcpy(out, name);
    *out++ = '"';
    for (; *name; name++) {
        if (*name == '"')
            *out++ = '"';
        *out++ = *name;
    }
    *out++ = '"';
    *out = '\0';
    return out;
}

static char *make_header(const char *const *columns, int count)
{
    size_t room = sizeof "time\n";
    for (int i = 0; i < count; i++)
        room += 2 * strlen(columns[i]) + 3;
    char *header = malloc(room);
    if (!header)
        return NULL;
    char *end = stpcpy(header, "time");
    for (int i = 0; i < count; i++) {
        *end++ = ',';
        end = append_name(end, columns[i]);
    }
    stpcpy(end, "\n");
    return header;
}

/* Finds the end of the rows up to and at `resume_time`. A last row without a line break was cut
 * off when the run died, and is not counted. */
static bool find_kept(const csv *c, const char *text, const char *header, double resume_time,
                      size_t *kept, weir_error *error)
{
    size_t header_length = strlen(header);
    if (strncmp(text, header, header_length) != 0)
        return fail(error, WEIR_FORMAT,
                    "%s has other columns than this run, so it cannot be continued; move it away",
                    c->path);
    const char *row = text + header_length;
    const char *end;
    for (size_t line = 2; (end = strchr(row, '\n')) != NULL; line++, row = end + 1) {
        double time;
        const char *number_end = file_parse_number(row, &time);
        if (!number_end || number_end > end || (*number_end != ',' && *number_end != '\n'))
            return fail(error, WEIR_FORMAT,
                        "%s, line %zu: the row does not begin with a time; mend or move the file",
                        c->path, line);
        if (!(time <= resume_time))
            break;
    }
    *kept = (size_t)(row - text);
    return true;
}

/* Puts the file there with its header and the rows that stay, whole or not at all. */
static bool start_file(csv *c, const char *header, double resume_time, weir_error *error)
{
    char *text = NULL;
    size_t size, kept = 0;
    if (resume_time > -INFINITY) {
        weir_error reading = {0};
        text = file_read(c->path, &size, &reading);
        if (!text && reading.code != WEIR_NOT_FOUND) {
            if (error)
                *error = reading;
            return false;
        }
        if (text && !find_kept(c, text, header, resume_time, &kept, error)) {
            free(text);
            return false;
        }
    }
    file_writer w;
    file_begin(&w, c->path);
    if (text)
        file_write(&w, text, kept);
    else
        file_print(&w, "%s", header);
    free(text);
    c->length = w.length;
    return file_commit(&w, error);
}

static void release(csv *c)
{
    if (c->descriptor >= 0)
        close(c->descriptor);
    free(c->path);
    free(c->row);
    *c = (csv){.descriptor = -1};
}

bool csv_open(csv *c, const char *path, const char *const *columns, int count, double resume_time,
              weir_error *error)
{
    *c = (csv){.descriptor = -1, .columns = count};
    c->path = strdup(path);
    c->row = malloc((size_t)(count + 1) * FILE_NUMBER_LENGTH);
    char *header = make_header(columns, count);
    bool done = c->path && c->row && header;
    if (!done)
        fail(error, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
    done = done && start_file(c, header, resume_time, error);
    free(header);
    if (done) {
        c->descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (c->descriptor < 0)
            done = fail(error, WEIR_IO, "cannot write %s: %s", path, file_reason(errno));
    }
    if (!done)
        release(c);
    return done;
}

static bool write_row(csv *c, size_t size, weir_error *error)
{
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(c->descriptor, c->row + done, size - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            fail(error, WEIR_IO, "cannot write %s, whose earlier rows are kept: %s", c->path,
                 file_reason(errno));
            /* Devices cannot be shortened; there the part of a row stays. */
            if (done > 0 && ftruncate(c->descriptor, (off_t)c->length) != 0)
                fail_in(error, "a row is not complete");
            return false;
        }
        done += (size_t)written;
    }
    c->length += size;
    return true;
}

bool csv_add(csv *c, double time, const double *values, weir_error *error)
{
    char number[FILE_NUMBER_LENGTH];
    char *end = stpcpy(c->row, file_format_number(number, time));
    for (int i = 0; i < c->columns; i++) {
        *end++ = ',';
        end = stpcpy(end, file_format_number(number, values[i]));
    }
    *end++ = '\n';
    return write_row(c, (size_t)(end - c->row), error);
}

bool csv_close(csv *c, weir_error *error)
{
    bool done = true;
    /* EINVAL: a device or pipe, which has nothing to bring to a disk. */
    if (c->descriptor >= 0 && fsync(c->descriptor) != 0 && errno != EINVAL)
        done = fail(error, WEIR_IO, "cannot write %s: %s", c->path, file_reason(errno));
    release(c);
    return done;
}
