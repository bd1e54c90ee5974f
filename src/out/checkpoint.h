/* Checkpoints: the state of a world and of the run around it, in a container. A run that resumes
 * from one continues bit for bit. */
#ifndef WEIR_OUT_CHECKPOINT_H
#define WEIR_OUT_CHECKPOINT_H

#include "out/container.h"
#include "weir/weir.h"

/* What a run knows beside its world. */
typedef struct checkpoint_run {
    double frames;         /* written so far */
    double next_frame;     /* s, when the next one is due */
    double next_probe;     /* s */
    double wall;           /* s that all steps so far took */
    double initial_energy; /* J, kinetic and potential, at the start */
} checkpoint_run;

/* `fingerprint` is that of the scene (scene_fingerprint), `scene` its name. */
bool checkpoint_write(const char *path, weir_world *world, uint64_t fingerprint, const char *scene,
                      const checkpoint_run *run, weir_error *error);

/* Puts the state into a world that was built from the same scene. Refuses damaged and foreign
 * files and states of other scenes; the world is of no use after a failure. */
bool checkpoint_read(const char *path, weir_world *world, uint64_t fingerprint, checkpoint_run *run,
                     weir_error *error);

#endif
