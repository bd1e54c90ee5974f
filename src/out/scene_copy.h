/* A scene as it was run, for the folder of its results: what the file said with what the command
 * line changed. It reads back as the same scene, also when the file is gone or was changed. */
#ifndef WEIR_OUT_SCENE_COPY_H
#define WEIR_OUT_SCENE_COPY_H

#include "scene/scene.h"

/* Files that the scene names, such as meshes, are not copied; their paths are written in full. */
bool scene_copy_write(const char *path, const scene *s, weir_error *error);

#endif
