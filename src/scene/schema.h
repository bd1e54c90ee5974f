/* The JSON Schema (draft 2020-12) of what a record binds, from the same tables: descriptions from
 * the meanings, units, defaults, ranges, choices; unknown keys are not allowed. What a schema
 * cannot say, such as the range of "2 cm", the binder checks. */
#ifndef WEIR_SCENE_SCHEMA_H
#define WEIR_SCENE_SCHEMA_H

#include "base/json.h"
#include "scene/bind.h"

/* Appends the schema as one object to `j`. `id` is its address, or NULL. */
bool schema_write(const record *root, const char *id, const char *title, json *j,
                  weir_error *error);

#endif
