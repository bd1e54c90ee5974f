/* One field as JSON Schema. */
#ifndef WEIR_SCENE_SCHEMA_FIELD_H
#define WEIR_SCENE_SCHEMA_FIELD_H

#include "base/json.h"
#include "scene/bind.h"

/* "key": {...}, with the default that `base`, a struct of defaults, holds. References to `root`
 * point at the whole schema, those to other records into $defs. */
void schema_write_field(json *j, const field *f, const char *base, const record *root);

/* The keywords of the value alone, and of its description: for fields that are not plain. */
void schema_write_value(json *j, const field *f, const record *root);
void schema_write_description(json *j, const field *f);

#endif
