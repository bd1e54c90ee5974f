/* Prescribed motion of animated bodies: a pose as a function of time. */
#ifndef WEIR_MATTER_MOTION_H
#define WEIR_MATTER_MOTION_H

#include "base/memory.h"
#include "base/vec.h"
#include "weir/weir.h"

/* Checks `motion` and copies it, keyframes included, into `copy`. */
bool motion_copy(weir_motion *copy, memory *m, const weir_motion *motion, int dim,
                 weir_error *error);
void motion_free(weir_motion *motion, memory *m);

/* Whether the last pose is the first, to the digits of a float. A path that repeats must return so:
 * else it would jump within one substep, at a speed that depends on the length of this. */
bool motion_returns(const weir_keyframe *keys, size_t count);

pose motion_pose(const weir_motion *motion, pose initial, double time);

/* The velocity and spin that carry one pose into the other within dt. */
void motion_rates(pose from, pose to, double dt, vec3 *velocity, vec3 *spin);

#endif
