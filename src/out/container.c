#include "out/container.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, BYTE_ORDER_MARK = 0x01020304, BYTE_ORDER_SWAPPED = 0x04030201 };

/* As in PNG: the first byte marks it as binary, the line breaks show a copy that changed them. */
static const char magic[8] = {'\x89', 'W', 'E', 'I', 'R', '\r', '\n', '\x1a'};

typedef struct header {
    char magic[8];
    uint32_t byte_order;
    uint32_t version;
    uint64_t length;
    uint64_t table;
    uint64_t sections;
    uint64_t table_checksum;
    uint64_t reserved;
    uint64_t checksum;
} header;

_Static_assert(sizeof(header) == ALIGNMENT, "the header is one unit of alignment");
_Static_assert(sizeof(container_section) == 96, "the table has no gaps");

static size_t element_size(uint32_t type)
{
    switch (type) {
    case CONTAINER_U8:
        return 1;
    case CONTAINER_I32:
    case CONTAINER_U32:
    case CONTAINER_F32:
        return 4;
    case CONTAINER_I64:
    case CONTAINER_U64:
    case CONTAINER_F64:
        return 8;
    default:
        return 0;
    }
}

static const char *type_name(uint32_t type)
{
    static const char *const names[] = {
        "bytes",           "32-bit integers",          "unsigned 32-bit integers",
        "64-bit integers", "unsigned 64-bit integers", "floats",
        "doubles"};
    return element_size(type) ? names[type - CONTAINER_U8] : "values of an unknown type";
}

static uint64_t header_checksum(const header *h)
{
    return hash_bytes(0, h, offsetof(header, checksum));
}

void container_writer_begin(container_writer *w, const char *path)
{
    *w = (container_writer){0};
    file_begin(&w->file, path);
    const header empty = {0};
    file_write(&w->file, &empty, sizeof empty);
}

static bool check_new(container_writer *w, const char *name, container_type type, const void *data,
                      size_t count)
{
    const char *path = w->file.path;
    if (name[0] == '\0' || strlen(name) >= CONTAINER_NAME_LENGTH)
        file_fail(&w->file, WEIR_INVALID,
                  "cannot write %s: the section name \"%s\" is not 1 to %d letters long", path,
                  name, CONTAINER_NAME_LENGTH - 1);
    else if (element_size(type) == 0)
        file_fail(&w->file, WEIR_INVALID, "cannot write %s: section %s has the unknown type %d",
                  path, name, (int)type);
    else if (count > SIZE_MAX / 2 / element_size(type) || (count > 0 && !data))
        file_fail(&w->file, WEIR_INVALID, "cannot write %s: section %s has no array of %zu values",
                  path, name, count);
    else if (w->count == CONTAINER_MAX_SECTIONS)
        file_fail(&w->file, WEIR_INVALID, "cannot write %s: it has more than %d sections", path,
                  CONTAINER_MAX_SECTIONS);
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->sections[i].name, name) == 0)
            file_fail(&w->file, WEIR_INVALID, "cannot write %s: section %s is added twice", path,
                      name);
    return !w->file.failed;
}

static container_section *new_section(container_writer *w)
{
    if (w->count == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 32;
        container_section *grown = realloc(w->sections, capacity * sizeof *grown);
        if (!grown) {
            file_fail(&w->file, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out",
                      w->file.path);
            return NULL;
        }
        w->sections = grown;
        w->capacity = capacity;
    }
    container_section *section = &w->sections[w->count++];
    *section = (container_section){0};
    return section;
}

void container_writer_add(container_writer *w, const char *name, container_type type,
                          const void *data, size_t count)
{
    if (w->file.failed || !check_new(w, name, type, data, count))
        return;
    container_section *section = new_section(w);
    if (!section)
        return;
    strcpy(section->name, name);
    section->type = (uint32_t)type;
    section->element = (uint32_t)element_size(type);
    section->count = count;
    section->offset = w->file.length;

    static const unsigned char zeros[ALIGNMENT];
    size_t size = count * element_size(type);
    size_t filling = (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT;
    hash_state hash = hash_begin(0);
    hash_add(&hash, data, size);
    hash_add(&hash, zeros, filling);
    section->checksum = hash_end(&hash);
    file_write(&w->file, data, size);
    file_write(&w->file, zeros, filling);
}

bool container_writer_commit(container_writer *w, weir_error *error)
{
    size_t table_size = w->count * sizeof *w->sections;
    header h = {.byte_order = BYTE_ORDER_MARK,
                .version = CONTAINER_VERSION,
                .length = w->file.length + table_size,
                .table = w->file.length,
                .sections = w->count,
                .table_checksum = hash_bytes(0, w->sections, table_size)};
    memcpy(h.magic, magic, sizeof magic);
    h.checksum = header_checksum(&h);
    file_write(&w->file, w->sections, table_size);
    file_patch(&w->file, 0, &h, sizeof h);
    free(w->sections);
    w->sections = NULL;
    return file_commit(&w->file, error);
}

void container_writer_discard(container_writer *w)
{
    free(w->sections);
    w->sections = NULL;
    file_discard(&w->file);
}

static bool refuse(const container *c, weir_error *error, const char *what)
{
    return fail(error, WEIR_FORMAT, "%s cannot be used: %s", c->path, what);
}

/* Everything that can be told from the header and the length of the file. */
static bool check_header(const container *c, size_t size, weir_error *error)
{
    const header *h = (const header *)c->bytes;
    if (size < sizeof magic || memcmp(c->bytes, magic, sizeof magic) != 0)
        return refuse(c, error, "it is not a Weir checkpoint");
    if (size < sizeof *h)
        return refuse(c, error, "it is cut short in its header");
    if (h->byte_order == BYTE_ORDER_SWAPPED)
        return refuse(c, error, "it was written on a machine of the other byte order");
    if (h->byte_order == BYTE_ORDER_MARK && h->version > CONTAINER_VERSION)
        return fail(error, WEIR_FORMAT,
                    "%s cannot be used: its format version is %u and this Weir reads up to %d; "
                    "use a newer Weir",
                    c->path, (unsigned)h->version, CONTAINER_VERSION);
    if (h->byte_order != BYTE_ORDER_MARK || h->checksum != header_checksum(h) || h->version == 0)
        return refuse(c, error, "its header is damaged");
    if (size != h->length)
        return fail(error, WEIR_FORMAT, "%s cannot be used: it has %zu bytes instead of %llu%s",
                    c->path, size, (unsigned long long)h->length,
                    size < h->length ? ", so its end is missing" : "");
    /* The file is whole, so what follows fails only for a file that was made up. */
    if (h->sections > CONTAINER_MAX_SECTIONS || h->table < sizeof *h || h->table > size ||
        h->table % ALIGNMENT != 0 || size - h->table != h->sections * sizeof(container_section))
        return refuse(c, error, "its table of sections does not fit into it");
    return true;
}

/* A section has to begin where the one before ended, which leaves no room for overlaps.
 * Returns its end, or 0 when it is wrong. */
static uint64_t check_place(const container_section *s, uint64_t begin, uint64_t limit)
{
    size_t element = element_size(s->type);
    if (memchr(s->name, '\0', sizeof s->name) == NULL || s->name[0] == '\0' || element == 0 ||
        s->element != element || s->offset != begin || s->count > (limit - begin) / element)
        return 0;
    uint64_t size = (s->count * element + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return size <= limit - begin ? begin + size : 0;
}

static bool check_sections(const container *c, uint64_t table, weir_error *error)
{
    uint64_t begin = sizeof(header);
    for (size_t i = 0; i < c->count; i++) {
        const container_section *s = &c->sections[i];
        uint64_t end = check_place(s, begin, table);
        if (end == 0)
            return refuse(c, error, "its table of sections contradicts itself");
        for (size_t k = 0; k < i; k++)
            if (strcmp(c->sections[k].name, s->name) == 0)
                return refuse(c, error, "two of its sections have the same name");
        if (hash_bytes(0, c->bytes + begin, (size_t)(end - begin)) != s->checksum)
            return fail(error, WEIR_FORMAT,
                        "%s cannot be used: its section %s is damaged (the checksum differs)",
                        c->path, s->name);
        begin = end;
    }
    return begin == table || refuse(c, error, "it has bytes that belong to no section");
}

static bool verify(container *c, size_t size, weir_error *error)
{
    if (!check_header(c, size, error))
        return false;
    const header *h = (const header *)c->bytes;
    size_t table = (size_t)h->table;
    c->sections = (const container_section *)(c->bytes + table);
    c->count = (size_t)h->sections;
    if (hash_bytes(0, c->sections, size - table) != h->table_checksum)
        return refuse(c, error, "its table of sections is damaged (the checksum differs)");
    return check_sections(c, table, error);
}

bool container_open(container *c, const char *path, weir_error *error)
{
    *c = (container){.path = strdup(path)};
    if (!c->path)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot read %s: memory ran out", path);
    size_t size;
    c->bytes = file_read(path, &size, error);
    if (c->bytes && verify(c, size, error))
        return true;
    container_close(c);
    return false;
}

void container_close(container *c)
{
    free(c->path);
    free(c->bytes);
    *c = (container){0};
}

static const container_section *find(const container *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->sections[i].name, name) == 0)
            return &c->sections[i];
    return NULL;
}

bool container_has(const container *c, const char *name)
{
    return find(c, name) != NULL;
}

const void *container_find(const container *c, const char *name, container_type type, size_t *count,
                           weir_error *error)
{
    const container_section *s = find(c, name);
    if (!s) {
        fail(error, WEIR_FORMAT, "%s has no section %s", c->path, name);
        return NULL;
    }
    if (s->type != (uint32_t)type) {
        fail(error, WEIR_FORMAT, "section %s of %s holds %s, not %s", name, c->path,
             type_name(s->type), type_name((uint32_t)type));
        return NULL;
    }
    *count = (size_t)s->count;
    return c->bytes + s->offset;
}

bool container_read(const container *c, const char *name, container_type type, void *values,
                    size_t count, weir_error *error)
{
    size_t found;
    const void *data = container_find(c, name, type, &found, error);
    if (!data)
        return false;
    if (found != count)
        return fail(error, WEIR_FORMAT, "section %s of %s has %zu values instead of %zu", name,
                    c->path, found, count);
    if (count > 0)
        memcpy(values, data, count * element_size((uint32_t)type));
    return true;
}
