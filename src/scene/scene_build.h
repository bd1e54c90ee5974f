/* Parts of building a world from a scene. */
#ifndef WEIR_SCENE_SCENE_BUILD_H
#define WEIR_SCENE_SCENE_BUILD_H

#include "scene/scene.h"

/* scene_build_shape.c: the shape as the core takes it. Meshes are read and sampled. What `def`
 * points to lives as long as the scene. */
bool scene_build_shape(scene *s, const scene_shape *from, int threads, weir_shape_def *def,
                       weir_error *error);

quat scene_turn_rotation(const scene_turn *turn);
vec3 scene_turn_vector(const scene_turn *turn); /* angle times unit axis */

/* scene_build_bodies.c: what solids and bodies have in common, then bodies and joints. `shapes`
 * gets those of the bodies. */
void scene_build_contact(const scene *s, const scene_contact *from, const node *n,
                         weir_body_def *def);
bool scene_build_bodies(scene *s, weir_world *world, int threads, weir_shape_def *shapes,
                        weir_error *error);
bool scene_build_joints(scene *s, weir_world *world, weir_error *error);
/* Notes bodies that start inside of others. */
void scene_note_overlaps(scene *s, const weir_world *world);

/* scene_build_fills.c: particles, kept out of the solids and bodies that the world has by now.
 * `shapes` are those of the scene's solids, then those of its bodies. */
bool scene_build_fills(scene *s, weir_world *world, const weir_shape_def *shapes, int threads,
                       scene_counts *counts, weir_error *error);

/* Whether the fluid side of a solid has room for a particle. */
bool scene_check_room(const scene *s, const scene_solid *solid, const weir_shape_def *def,
                      weir_error *error);

/* Keeps a note for the report. */
void scene_note(scene *s, const char *text);

#endif
