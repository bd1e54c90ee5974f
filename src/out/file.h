/* Files that are whole or absent. A writer fills a temporary file in the same folder; commit moves
 * it to its name. Until then, and after any failure, what stood under that name is unchanged.
 * The writer remembers its first failure and ignores what follows, so that callers check once, at
 * the end. */
#ifndef WEIR_OUT_FILE_H
#define WEIR_OUT_FILE_H

#include "base/error.h"
#include "base/json.h"

typedef struct file_writer {
    char *path;      /* as the caller gave it; for messages */
    char *target;    /* where the file appears in the end: the path with its links followed */
    char *temporary; /* what is written until then; NULL for devices, which are written directly */
    int descriptor;  /* -1: not open */
    unsigned char *buffer;
    size_t used;     /* bytes in the buffer */
    uint64_t length; /* bytes written so far, with those in the buffer */
    bool failed;
    weir_error error; /* the first failure */
} file_writer;

/* Begins a file. Every writer that was begun ends with commit or discard. */
void file_begin(file_writer *w, const char *path);
void file_write(file_writer *w, const void *bytes, size_t count);
void file_print(file_writer *w, const char *format, ...) WEIR_PRINTF(2, 3);

/* Writes over bytes that were written before, such as a size that was not known then. */
void file_patch(file_writer *w, uint64_t offset, const void *bytes, size_t count);

/* Puts a failure of the caller's into the writer; commit will report it. */
void file_fail(file_writer *w, weir_code code, const char *format, ...) WEIR_PRINTF(3, 4);

/* Makes the file appear, complete and on the disk, or reports the first failure and leaves nothing
 * behind. */
bool file_commit(file_writer *w, weir_error *error);
void file_discard(file_writer *w);

/* The whole of a JSON text as a file; frees the text. */
bool file_write_json(const char *path, json *j, weir_error *error);

/* What an errno means, in words that tell what to do. */
const char *file_reason(int code);

/* The content of a regular file, aligned to 64 bytes, with a zero after its end, to be freed with
 * free(). NULL on failure, with code NOT_FOUND when there is no such file. */
void *file_read(const char *path, size_t *size, weir_error *error);

/* A new empty file in the folder of `path`: its descriptor, and its name, to be freed. -1 with
 * errno set where there can be none. */
int file_open_temporary(const char *path, char **temporary);

/* Creates a folder and the folders above it where they are missing. */
bool file_make_folder(const char *path, weir_error *error);

/* Whether files can be created in a folder, and how many bytes a user may still write there.
 * Where the folder does not exist yet, the nearest one above it answers. */
bool file_check_folder(const char *path, uint64_t *free_bytes, weir_error *error);

/* Numbers as text with the fewest digits that read back to the same bits, with a point in every
 * locale. `file_parse_number` returns the end of the number, or NULL where there is none. */
enum { FILE_NUMBER_LENGTH = 32 };
const char *file_format_number(char text[FILE_NUMBER_LENGTH], double value);
const char *file_parse_number(const char *text, double *value);

/* The byte order of this machine, as VTK and PLY name it. */
static inline bool file_is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

#endif
