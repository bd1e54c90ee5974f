/* All output frames as an animation in one glTF file. */
#ifndef WEIR_APP_MESH_ANIMATION_H
#define WEIR_APP_MESH_ANIMATION_H

#include "show.h"

typedef struct mesh_animation {
    const char *path;
    size_t frames;
    surface_settings settings;
    bool solids, quiet;
} mesh_animation;

/* Prints messages and returns an exit code. */
int mesh_animation_write(show *source, const mesh_animation *options);

#endif
