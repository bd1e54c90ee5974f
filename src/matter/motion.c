#include "matter/motion.h"

#include "base/error.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

static bool check_keyframes(const weir_motion *motion, weir_error *error)
{
    for (size_t k = 0; k < motion->keyframe_count; k++) {
        const weir_keyframe *key = &motion->keyframes[k];
        const quat q = key->pose.rotation;
        if (!isfinite(key->time) || !vec3_is_finite(key->pose.position) ||
            !isfinite(q.x + q.y + q.z + q.w))
            return fail(error, WEIR_INVALID, "keyframe %zu is not finite", k);
        if (k > 0 && key->time <= motion->keyframes[k - 1].time)
            return fail(error, WEIR_INVALID,
                        "keyframe %zu is at %g s, not after the one before it (%g s)", k, key->time,
                        motion->keyframes[k - 1].time);
    }
    if (motion->loop && !motion_returns(motion->keyframes, motion->keyframe_count))
        return fail(error, WEIR_INVALID,
                    "loop: keyframe %zu must have the pose of keyframe 0, with which the path "
                    "begins again; add one that leads back",
                    motion->keyframe_count - 1);
    return true;
}

bool motion_copy(weir_motion *copy, memory *m, const weir_motion *motion, int dim,
                 weir_error *error)
{
    *copy = *motion;
    copy->keyframes = NULL;
    copy->keyframe_count = 0;
    if (!vec3_is_finite(motion->velocity) || !vec3_is_finite(motion->spin) ||
        !vec3_is_finite(motion->oscillation) || !vec3_is_finite(motion->rocking) ||
        !isfinite(motion->frequency) || !isfinite(motion->phase) || !isfinite(motion->start) ||
        !isfinite(motion->end))
        return fail(error, WEIR_INVALID, "a motion must be finite");
    if (motion->frequency < 0)
        return fail(error, WEIR_INVALID, "a frequency of %g Hz is not allowed: must be >= 0",
                    motion->frequency);
    if (dim == 2 && (motion->velocity.z != 0 || motion->oscillation.z != 0 || motion->spin.x != 0 ||
                     motion->spin.y != 0 || motion->rocking.x != 0 || motion->rocking.y != 0))
        return fail(error, WEIR_INVALID,
                    "a motion in a 2D world moves in x and y and turns about z only");
    if (!check_keyframes(motion, error))
        return false;
    if (motion->keyframe_count > 0) {
        weir_keyframe *keys = memory_take(m, motion->keyframe_count * sizeof *keys);
        if (!keys)
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu keyframes",
                        motion->keyframe_count);
        memcpy(keys, motion->keyframes, motion->keyframe_count * sizeof *keys);
        copy->keyframes = keys;
        copy->keyframe_count = motion->keyframe_count;
    }
    return true;
}

void motion_free(weir_motion *motion, memory *m)
{
    memory_give(m, (void *)(uintptr_t)motion->keyframes,
                motion->keyframe_count * sizeof *motion->keyframes);
    motion->keyframes = NULL;
    motion->keyframe_count = 0;
}

/* The rotation vector that turns `from` into `to`, the short way round. */
static vec3 rotation_between(quat from, quat to)
{
    quat q = quat_multiply(to, quat_conjugate(from));
    if (q.w < 0)
        q = (quat){-q.x, -q.y, -q.z, -q.w};
    vec3 axis = {q.x, q.y, q.z};
    double s = vec3_length(axis);
    return s > 0 ? vec3_scale(axis, 2 * atan2(s, q.w) / s) : axis;
}

bool motion_returns(const weir_keyframe *keys, size_t count)
{
    const double digits = 1e-6;
    double reach = 0;
    for (size_t k = 0; k < count; k++)
        reach = fmax(reach, vec3_length(keys[k].pose.position));
    if (count == 0)
        return true;
    pose first = keys[0].pose, last = keys[count - 1].pose;
    return vec3_length(vec3_sub(last.position, first.position)) <= digits * reach &&
           vec3_length(rotation_between(first.rotation, last.rotation)) <= digits;
}

static pose interpolate(const weir_keyframe *a, const weir_keyframe *b, double time)
{
    double s = (time - a->time) / (b->time - a->time);
    vec3 turn = rotation_between(a->pose.rotation, b->pose.rotation);
    pose result;
    result.position = vec3_madd(a->pose.position, s, vec3_sub(b->pose.position, a->pose.position));
    result.rotation = quat_normalize(
        quat_multiply(quat_from_rotation_vector(vec3_scale(turn, s)), a->pose.rotation));
    return result;
}

static pose find_key_pose(const weir_motion *motion, double time)
{
    const weir_keyframe *keys = motion->keyframes;
    size_t last = motion->keyframe_count - 1;
    double length = keys[last].time - keys[0].time;
    if (motion->loop && length > 0 && time > keys[last].time)
        time = keys[0].time + fmod(time - keys[0].time, length);
    if (time <= keys[0].time)
        return keys[0].pose;
    for (size_t k = 0; k < last; k++)
        if (time < keys[k + 1].time)
            return interpolate(&keys[k], &keys[k + 1], time);
    return keys[last].pose;
}

pose motion_pose(const weir_motion *motion, pose initial, double time)
{
    pose p = motion->keyframe_count > 0 ? find_key_pose(motion, time) : initial;
    double until = motion->end > 0 && time > motion->end ? motion->end : time;
    double active = until > motion->start ? until - motion->start : 0;
    double wave = sin(2 * PI * motion->frequency * active + motion->phase);
    p.position = vec3_madd(p.position, active, motion->velocity);
    p.position = vec3_madd(p.position, wave, motion->oscillation);
    vec3 turn = vec3_madd(vec3_scale(motion->spin, active), wave, motion->rocking);
    p.rotation = quat_normalize(quat_multiply(quat_from_rotation_vector(turn), p.rotation));
    return p;
}

void motion_rates(pose from, pose to, double dt, vec3 *velocity, vec3 *spin)
{
    *velocity = vec3_scale(vec3_sub(to.position, from.position), 1 / dt);
    *spin = vec3_scale(rotation_between(from.rotation, to.rotation), 1 / dt);
}
