/* The kit for programs that use Weir: scene files in, frames, surfaces and checkpoints out.
 *
 *     weir_scene *scene = weir_scene_load("dam-break.yaml", NULL, 0, &error);
 *     weir_world *world = weir_scene_create_world(scene, 0, &error);
 *     while (weir_world_get_time(world) < weir_scene_get_end(scene))
 *         weir_world_step(world, weir_scene_get_step(scene), &error);
 *
 * The library of the kit, libweirkit, holds the core: link it in place of libweir. */
#ifndef WEIR_KIT_H
#define WEIR_KIT_H

#include "weir/weir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A scene file, read and checked. Opaque. */
typedef struct weir_scene weir_scene;

/* Reads and checks a scene file (docs/scenes.md). `assignments` change keys of it, each like
 * "time.step=1/120 s"; NULL where `count` is 0. NULL on failure: the error names file, line and
 * key. */
WEIR_API weir_scene *weir_scene_load(const char *path, const char *const *assignments, size_t count,
                                     weir_error *error);
/* Worlds that were made from a scene outlive it. NULL is allowed. */
WEIR_API void weir_scene_destroy(weir_scene *scene);

/* A new world with all that the scene has in it. `threads`: 0 = all cores. NULL on failure. */
WEIR_API weir_world *weir_scene_create_world(weir_scene *scene, int threads, weir_error *error);

WEIR_API double weir_scene_get_step(const weir_scene *scene); /* s, length of a step */
WEIR_API double weir_scene_get_end(const weir_scene *scene);  /* s, when it ends */

/* Files are written whole or not at all. */

/* The particles as .vtp or .ply, as the name ends, with velocity, id and fluid. */
WEIR_API bool weir_world_write_particles(const weir_world *world, const char *path,
                                         weir_error *error);
/* The surface of the fluid as a mesh: .ply, .obj, .vtp or .glb; .vtp in 2D. */
WEIR_API bool weir_world_write_surface(const weir_world *world, const char *path,
                                       weir_error *error);

/* The state of a world as a file, and back into a world that was made in the same way (of the same
 * scene, or by the same calls): it continues bit for bit. After a failed load the world is of no
 * use. */
WEIR_API bool weir_world_save(weir_world *world, const char *path, weir_error *error);
/* False where the file is missing, damaged, or of a world that was made in another way. */
WEIR_API bool weir_world_load(weir_world *world, const char *path, weir_error *error);

#ifdef __cplusplus
}
#endif

#endif
