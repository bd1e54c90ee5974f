#include "out/pvd.h"

#include "out/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What XML writes in other words inside an attribute. */
static const struct {
    char letter;
    const char *word;
} escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};

enum { ESCAPES = sizeof escapes / sizeof escapes[0] };

static void print_escaped(file_writer *w, const char *text)
{
    for (; *text; text++) {
        int i = 0;
        while (i < ESCAPES && escapes[i].letter != *text)
            i++;
        if (i < ESCAPES)
            file_print(w, "%s", escapes[i].word);
        else
            file_write(w, text, 1);
    }
}

/* Copies the text between two ends, in plain letters. */
static char *copy_unescaped(const char *text, const char *end)
{
    char *copy = malloc((size_t)(end - text) + 1);
    char *out = copy;
    while (copy && text < end) {
        int i = 0;
        while (i < ESCAPES && strncmp(text, escapes[i].word, strlen(escapes[i].word)) != 0)
            i++;
        *out++ = i < ESCAPES ? escapes[i].letter : *text;
        text += i < ESCAPES ? strlen(escapes[i].word) : 1;
    }
    if (copy)
        *out = '\0';
    return copy;
}

static bool save(const pvd *p, weir_error *error)
{
    file_writer w;
    file_begin(&w, p->path);
    file_print(&w, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
                   "  <Collection>\n");
    for (size_t i = 0; i < p->count; i++) {
        char time[FILE_NUMBER_LENGTH];
        file_print(&w, "    <DataSet timestep=\"%s\" part=\"0\" file=\"",
                   file_format_number(time, p->entries[i].time));
        print_escaped(&w, p->entries[i].file);
        file_print(&w, "\"/>\n");
    }
    file_print(&w, "  </Collection>\n</VTKFile>\n");
    return file_commit(&w, error);
}

/* Takes over `file`. */
static bool append(pvd *p, double time, char *file, weir_error *error)
{
    if (file && p->count == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 64;
        pvd_entry *grown = realloc(p->entries, capacity * sizeof *grown);
        if (grown) {
            p->entries = grown;
            p->capacity = capacity;
        }
    }
    if (!file || p->count == p->capacity) {
        free(file);
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the time index %s", p->path);
    }
    p->entries[p->count++] = (pvd_entry){time, file};
    return true;
}

/* The value of an attribute inside the tag that begins at `tag`; NULL when it has none. */
static const char *find_attribute(const char *tag, const char *name, const char **end)
{
    const char *tag_end = strchr(tag, '>');
    const char *place = tag;
    while (tag_end && (place = strstr(place, name)) != NULL && place < tag_end) {
        bool starts = place[-1] == ' ' || place[-1] == '\t' || place[-1] == '\n';
        place += strlen(name);
        if (!starts || strncmp(place, "=\"", 2) != 0)
            continue;
        *end = strchr(place + 2, '"');
        return *end && *end < tag_end ? place + 2 : NULL;
    }
    return NULL;
}

/* Reads the entries up to and at `resume_time`; `dropped` tells whether there were more. */
static bool parse(pvd *p, const char *text, double resume_time, bool *dropped, weir_error *error)
{
    static const char tag_name[] = "<DataSet";
    if (!strstr(text, "type=\"Collection\"") || !strstr(text, "</VTKFile>"))
        return fail(
            error, WEIR_FORMAT,
            "%s is damaged or not a PVD time index, so it cannot be continued; move it away",
            p->path);
    for (const char *tag = strstr(text, tag_name); tag; tag = strstr(tag + 1, tag_name)) {
        const char *time_end, *file_end;
        const char *time_text = find_attribute(tag, "timestep", &time_end);
        const char *file_text = find_attribute(tag, "file", &file_end);
        double time;
        if (!time_text || !file_text || file_parse_number(time_text, &time) != time_end)
            return fail(error, WEIR_FORMAT,
                        "%s is damaged: its entry %zu has no time or file; move it away", p->path,
                        p->count + 1);
        if (!(time <= resume_time)) {
            *dropped = true;
            continue;
        }
        if (!append(p, time, copy_unescaped(file_text, file_end), error))
            return false;
    }
    return true;
}

static bool load(pvd *p, double resume_time, bool *dropped, weir_error *error)
{
    weir_error reading = {0};
    size_t size;
    char *text = file_read(p->path, &size, &reading);
    if (!text) {
        if (reading.code == WEIR_NOT_FOUND)
            return true; /* the run wrote no frame before */
        if (error)
            *error = reading;
        return false;
    }
    bool done = parse(p, text, resume_time, dropped, error);
    free(text);
    return done;
}

bool pvd_open(pvd *p, const char *path, double resume_time, weir_error *error)
{
    *p = (pvd){.path = strdup(path)};
    if (!p->path)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the time index %s", path);
    bool dropped = false;
    bool is_resumed = resume_time > -INFINITY;
    if ((is_resumed && !load(p, resume_time, &dropped, error)) || (dropped && !save(p, error))) {
        pvd_close(p);
        return false;
    }
    return true;
}

bool pvd_add(pvd *p, double time, const char *file, weir_error *error)
{
    while (p->count > 0 && p->entries[p->count - 1].time >= time)
        free(p->entries[--p->count].file);
    return append(p, time, strdup(file), error) && save(p, error);
}

void pvd_close(pvd *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->entries[i].file);
    free(p->entries);
    free(p->path);
    *p = (pvd){0};
}
