/* The interface for engines that own bodies. */
#include "base/error.h"
#include "world/state.h"

#include <string.h>

static body *find_hosted(const weir_world *w, weir_body_id id, weir_error *error)
{
    body *b = id.slot > 0 && id.slot <= w->flow.body_count ? &w->flow.bodies[id.slot - 1] : NULL;
    if (!b || !b->shape || b->generation != id.generation) {
        fail(error, WEIR_STALE_ID, "the body does not exist any more");
        return NULL;
    }
    if (!b->hosted) {
        fail(error, WEIR_INVALID, "body %s is moved by Weir: only hosted bodies can be set",
             b->name);
        return NULL;
    }
    return b;
}

bool weir_body_set_motion(weir_world *w, weir_body_id id, weir_pose at, weir_vec3 velocity,
                          weir_vec3 spin, weir_error *error)
{
    body *b = find_hosted(w, id, error);
    quat turn = at.rotation;
    if (!b)
        return false;
    if (!vec3_is_finite(at.position) || !isfinite(turn.x + turn.y + turn.z + turn.w) ||
        !vec3_is_finite(velocity) || !vec3_is_finite(spin))
        return fail(error, WEIR_INVALID, "body %s: pose, velocity and spin must be finite",
                    b->name);
    if (!(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w > 0))
        return fail(error, WEIR_INVALID, "body %s: a rotation of length 0 is none", b->name);
    if (w->def.dim == 2 && (velocity.z != 0 || spin.x != 0 || spin.y != 0))
        return fail(error, WEIR_INVALID,
                    "body %s: in a 2D world it moves in x and y and turns about z", b->name);
    at.rotation = quat_normalize(turn);
    bool moves =
        vec3_length(velocity) > 0 || vec3_length(spin) > 0 || memcmp(&b->pose, &at, sizeof at) != 0;
    if (moves) /* fluid that it leaves, and fluid that it comes to */
        world_wake_near_body(w, b);
    b->pose = at;
    b->velocity = velocity;
    b->spin = spin;
    b->still_time = 0;
    b->asleep = false;
    if (moves)
        world_wake_near_body(w, b);
    return true;
}

bool weir_body_get_impulse(const weir_world *w, weir_body_id id, weir_impulse *impulse,
                           weir_error *error)
{
    const body *b = find_hosted(w, id, error);
    *impulse = (weir_impulse){{0, 0, 0}, {0, 0, 0}};
    if (!b)
        return false;
    *impulse = (weir_impulse){b->host.impulse, b->host.turn};
    return true;
}
