/* Tables that describe structs, and the binder that fills structs from a tree by them.
 * The same tables give the JSON Schema (schema.h), so that editors, messages and the parser agree.
 *
 *     static const field fluid_fields[] = {
 *         {"density", FIELD_NUMBER, AT(fluid, density), INITIAL(fluid, density, 1000),
 *          .unit = "kg/m3", .range = ABOVE(0), .meaning = "Density at rest."},
 *     };
 *     static const record fluid_record = {
 *         "fluid", sizeof(fluid), TABLES(TABLE(fluid_fields)), .meaning = "A liquid."};
 *
 * Tables are plain data: they may also be built at run time (parameters.h does).
 * Checked here: types, ranges, finiteness, units, lengths, unknown and missing keys. Each failure
 * is one message "FILE:LINE: path.of.key: value is not allowed: must be ...". */
#ifndef WEIR_SCENE_BIND_H
#define WEIR_SCENE_BIND_H

#include "scene/tree.h"

typedef struct field field;
typedef struct record record;

typedef enum field_kind {
    FIELD_NUMBER,  /* double or float */
    FIELD_INTEGER, /* of 4 or 8 bytes; the range keeps an unsigned one from being negative */
    FIELD_BOOL,    /* bool */
    FIELD_TEXT,    /* const char * */
    FIELD_PATH,    /* const char *, resolved against bind_options.folder */
    FIELD_FILE,    /* the same, and it must be a file that can be read */
    FIELD_CHOICE,  /* one of `choices`: an enum, or a double that holds its value */
    FIELD_CHOICES, /* a list of `choices`: uint32_t with bit 1 << value for each */
    FIELD_VECTOR,  /* weir_vec3: 2 or 3 numbers (bind_options.dim); z is 0 where it is missing */
    FIELD_COLOR,   /* bind_color: "#rrggbb", "#rrggbbaa", or 3 or 4 numbers from 0 to 1 */
    FIELD_NUMBERS, /* double * and size_t */
    FIELD_VECTORS, /* weir_vec3 * and size_t */
    FIELD_TEXTS,   /* const char ** and size_t */
    FIELD_STRUCT,  /* a nested struct: `record` */
    FIELD_LIST,    /* a list of structs: pointer and size_t */
    FIELD_MAP,     /* name: struct, in the order written: pointer and size_t */
} field_kind;

typedef struct bind_color {
    float r, g, b, a;
} bind_color;

/* Ends of a range; without a bit there is no bound on that side. */
enum { RANGE_MIN = 1, RANGE_MIN_OPEN = 2, RANGE_MAX = 4, RANGE_MAX_OPEN = 8 };

typedef struct field_range {
    unsigned ends;
    double min, max;
} field_range;

/* clang-format off */
#define ABOVE(least) {RANGE_MIN | RANGE_MIN_OPEN, least, 0}
#define AT_LEAST(least) {RANGE_MIN, least, 0}
#define BETWEEN(least, most) {RANGE_MIN | RANGE_MAX, least, most}
#define ABOVE_TO(least, most) {RANGE_MIN | RANGE_MIN_OPEN | RANGE_MAX, least, most}
/* clang-format on */

/* Fields that belong together. `offset` is added to that of each field. */
typedef struct field_table {
    const field *fields;
    size_t count;
    size_t offset;
} field_table;

typedef struct choice {
    const char *name;
    int value;
    const char *meaning;      /* may be NULL */
    const field_table *extra; /* fields that the same map has with this choice; may be NULL */
} choice;

/* Fields of a record of which one may be given, or must be. */
typedef struct field_group {
    bool required;
    size_t tag_at; /* 1 + offset of an int that gets the `tag` of the given field; 0 = none */
} field_group;

struct field {
    const char *key;
    field_kind kind;
    size_t offset, size; /* of the member; of the pointer for lists */
    size_t count_offset; /* of the size_t that counts a list */
    const void *initial; /* default: a value of the member's type; NULL = what the record sets */
    const char *unit;    /* SI; NULL or "1" for pure numbers */
    field_range range;   /* of a number, or of each number of a vector or list */
    size_t min_count, max_count; /* of a list or map; max_count 0 = the default limit */
    const choice *choices;
    size_t choice_count;
    const record *record;
    bool required;
    int group;              /* from 1: index + 1 in record.groups; 0 = none. Members that are not
                               given are not touched, so they may share memory. */
    int tag;                /* what record.groups[group - 1].tag_at gets */
    const char *zero_means; /* 0 is allowed outside of the range, too, and means this */
    const char *meaning;    /* one sentence */
};

struct record {
    const char *name; /* unique; key of $defs in the schema */
    size_t size;
    const field_table *tables;
    size_t table_count;
    const char *shorthand; /* key that a value in place of the map stands for; may be NULL */
    const field_group *groups;
    size_t group_count;
    size_t node_at; /* 1 + offset of a const node *, for later messages; 0 = none. It is NULL where
                       nothing was written. node_find(node, key) tells what was given. */
    size_t name_at; /* 1 + offset of a const char * that gets the key it stands under; 0 = none */
    void (*initialize)(void *item); /* sets defaults, before those of the fields; may be NULL */
    /* A last check, called for what was written; reports through bind_error_at. May be NULL. */
    bool (*check)(const void *item, const node *n, weir_error *error);
    const char *meaning; /* one sentence */
};

/* For writing tables at file scope. INITIAL takes the members of a struct without braces:
 * INITIAL(camera, up, 0, 1, 0). */
/* clang-format off */
#define MEMBER_SIZE(type, member) sizeof(((type *)0)->member)
#define AT(type, member) .offset = offsetof(type, member), .size = MEMBER_SIZE(type, member)
#define AT_LIST(type, member, count) AT(type, member), .count_offset = offsetof(type, count)
#define INITIAL(type, member, ...) .initial = &(const __typeof__(((type *)0)->member)){__VA_ARGS__}
#define CHOICES(array) .choices = (array), .choice_count = sizeof(array) / sizeof((array)[0])
#define TABLE(array) {array, sizeof(array) / sizeof((array)[0]), 0}
#define TABLES(...) \
    .tables = (const field_table[]){__VA_ARGS__}, \
    .table_count = sizeof((const field_table[]){__VA_ARGS__}) / sizeof(field_table)
#define GROUPS(...) \
    .groups = (const field_group[]){__VA_ARGS__}, \
    .group_count = sizeof((const field_group[]){__VA_ARGS__}) / sizeof(field_group)
#define OFFSET_OF(type, member) (1 + offsetof(type, member))
/* clang-format on */

typedef struct bind_options {
    const char *folder; /* against which paths resolve; NULL = the working folder */
    int dim;            /* 2 or 3: how many numbers a vector must have; 0 = either */
} bind_options;

/* Fills `item` (r->size bytes) from `n`; texts and lists live in `memory`. `options` may be NULL.
 * On failure `item` is unspecified. */
bool record_bind(const record *r, const node *n, void *item, store *memory,
                 const bind_options *options, weir_error *error);

/* Fills `item` with the defaults. */
bool record_initialize(const record *r, void *item, store *memory, weir_error *error);

/* Checks the tables themselves, of this record and all below it: for tests, and for tables that
 * are built at run time. */
bool record_check(const record *r, weir_error *error);

/* The records that `r` leads to, itself first, each once. Returns how many; at most `most`. */
enum { RECORD_MAX_COUNT = 100 };
size_t record_collect(const record *r, const record *found[], size_t most);

#endif
