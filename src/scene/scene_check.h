/* What no table can refuse: values that contradict each other or the rest of the scene. */
#ifndef WEIR_SCENE_SCENE_CHECK_H
#define WEIR_SCENE_SCENE_CHECK_H

#include "scene/scene.h"

/* Before anything is built. */
bool scene_check(const scene *s, weir_error *error);

/* The index of the fluid that `n` names under "fluid"; `name` is NULL for the only one. */
bool scene_find_fluid(const scene *s, const char *name, const node *n, size_t *index,
                      weir_error *error);

/* The index of a solid or body in the world, which `n` names under `key`. */
bool scene_find_body(const scene *s, const char *name, const node *n, const char *key,
                     size_t *index, weir_error *error);

bool scene_check_shape(const scene *s, const scene_shape *one, weir_error *error);
/* `owner` and `key` say where, if the turn was not written. */
bool scene_check_turn(const scene *s, const scene_turn *turn, const node *owner, const char *key,
                      weir_error *error);
bool scene_check_groups(const scene *s, weir_error *error);
bool scene_check_bodies(const scene *s, weir_error *error);

/* Of the built world, before particles are added: emitters and probes lie in free space. */
bool scene_check_places(const scene *s, weir_world *world, weir_error *error);

/* Puts file, line and key before a message of the core. Returns false. */
bool scene_fail_at(const node *n, const char *key, weir_error *error);

#ifdef __clang_analyzer__ /* as in base/error.h */
#define scene_fail_at(...) (scene_fail_at(__VA_ARGS__), false)
#endif

#endif
