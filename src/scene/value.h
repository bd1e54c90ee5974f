/* One value from a node to a member of a struct: every kind that holds no further structs. */
#ifndef WEIR_SCENE_VALUE_H
#define WEIR_SCENE_VALUE_H

#include "scene/field.h"

typedef struct binder {
    store *memory;
    bind_options options;
    weir_error *error;
} binder;

/* `base` is where the field's offsets count from. */
bool value_bind(binder *b, const field *f, const node *n, void *base);

/* "VALUE is not allowed: must be ...". Returns false. */
bool value_refuse(const binder *b, const field *f, const node *n);

/* Whether `n` has as many children as the field wants. */
bool value_check_count(const binder *b, const field *f, const node *n);

#ifdef __clang_analyzer__ /* as in base/error.h */
#define value_refuse(...) (value_refuse(__VA_ARGS__), false)
#endif

#endif
