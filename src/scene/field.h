/* What the binder and the schema ask of a field. */
#ifndef WEIR_SCENE_FIELD_H
#define WEIR_SCENE_FIELD_H

#include "scene/bind.h"

const char *field_unit(const field *f);          /* NULL for pure numbers */
size_t field_max_count(const field *f);          /* of a list or map */
bool field_allows(const field *f, double value); /* range and zero_means */

/* Whether the choice made brings further fields into the same map. */
bool field_is_tag(const field *f);

/* The choice of a FIELD_CHOICE whose member holds its value; `base` is where offsets count from. */
const choice *field_get_choice(const field *f, const void *base);
void field_set_choice(const field *f, void *base, int value);

/* What a field takes, as "must be" continues: "a number > 0 kg/m3", "one of: a, b". */
enum { FIELD_DESCRIPTION = 400 };
void field_describe(const field *f, char text[FIELD_DESCRIPTION]);
/* The range with its unit: "> 0 kg/m3", "from 0 to 1 or 0 (automatic)"; empty without a range. */
void field_describe_range(const field *f, char text[FIELD_DESCRIPTION]);

/* A text that is put together piece by piece and cut at its capacity. */
typedef struct writing {
    char *text;
    size_t size, used;
} writing;

void writing_add(writing *w, const char *format, ...) WEIR_PRINTF(2, 3);

/* The tables that hold for one map: those of the record, then those of the choices made. */
enum { TABLE_LIST_MAX = 16 };
typedef struct table_list {
    field_table tables[TABLE_LIST_MAX];
    size_t count;
} table_list;

bool table_list_add(table_list *list, field_table table, size_t offset);
const field *table_list_find(const table_list *list, const char *key);
const field *table_find(const field_table *table, const char *key);

#endif
