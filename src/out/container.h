/* The container of checkpoints: named arrays in one file, each with a checksum. A file is written
 * whole or not at all, and read only after every byte of it was verified.
 *
 * Layout, in the byte order of the machine that wrote it:
 *   header    64 bytes: magic, byte order mark, format version, length of the file, place of the
 *             table, sections, checksum of the table, zero, checksum of the header before it
 *   sections  one after the other, each filled up with zeros to a multiple of 64 bytes
 *   table     96 bytes per section: name, type, element size, count, place, checksum
 * Checksums are those of base/hash.h with seed 0; that of a section covers its filling too. */
#ifndef WEIR_OUT_CONTAINER_H
#define WEIR_OUT_CONTAINER_H

#include "out/file.h"

enum { CONTAINER_VERSION = 1, CONTAINER_MAX_SECTIONS = 4096, CONTAINER_NAME_LENGTH = 64 };

typedef enum container_type {
    CONTAINER_U8 = 1,
    CONTAINER_I32,
    CONTAINER_U32,
    CONTAINER_I64,
    CONTAINER_U64,
    CONTAINER_F32,
    CONTAINER_F64
} container_type;

typedef struct container_section {
    char name[CONTAINER_NAME_LENGTH]; /* ends with a zero */
    uint32_t type;
    uint32_t element; /* bytes */
    uint64_t count;
    uint64_t offset; /* from the start of the file */
    uint64_t checksum;
} container_section;

typedef struct container_writer {
    file_writer file;
    container_section *sections;
    size_t count, capacity;
} container_writer;

/* Like file_writer, the writer remembers the first failure and reports it on commit. Every writer
 * that was begun ends with commit or discard. */
void container_writer_begin(container_writer *w, const char *path);
void container_writer_add(container_writer *w, const char *name, container_type type,
                          const void *data, size_t count);
bool container_writer_commit(container_writer *w, weir_error *error);
void container_writer_discard(container_writer *w);

typedef struct container {
    char *path;
    unsigned char *bytes; /* the whole file */
    const container_section *sections;
    size_t count;
} container;

/* Reads and verifies a file. Refuses, with the reason, one that is damaged, cut short, of another
 * kind, of another byte order or of a newer format. Takes no more memory than the file is long. */
bool container_open(container *c, const char *path, weir_error *error);
void container_close(container *c);

/* The values of a section, aligned to 64 bytes, until the container is closed; never NULL for a
 * section that exists. NULL with an error when it is missing or of another type. */
const void *container_find(const container *c, const char *name, container_type type, size_t *count,
                           weir_error *error);
bool container_has(const container *c, const char *name);

/* Copies a section that must have exactly `count` values. */
bool container_read(const container *c, const char *name, container_type type, void *values,
                    size_t count, weir_error *error);

#endif
