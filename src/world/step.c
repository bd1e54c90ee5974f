/* READ THIS FIRST: one time step of a world.
 *
 * weir_world_step cuts a step into substeps that the method can take; `substep` is the algorithm,
 * one stage a line. Methods fill the stages `accelerate` and `finish` (method/method.h). */
#include "world/stages.h"

#include "base/error.h"
#include "base/notice.h"
#include "par/parallel.h"

#include <string.h>

/* Advances the world by dt, which is stable for the method. What a stage writes stands before the
 * arrow, what it reads behind it. */
/* clang-format off */
static bool substep(weir_world *w, double dt, uint32_t *flags, weir_error *error)
{
    stage_bodies_animate(w, dt);               /* body velocities        <- motion, time        */
    stage_wake(w, dt);                         /* particles, bodies      <- what comes near     */
    if (!stage_emit(w, dt, flags, error))      /* particles              <- emitters, sinks     */
        return false;
    stage_predict(w, dt);                      /* predicted positions    <- velocities          */
    stage_look_ahead(w, dt);                   /* positions to be        <- velocities          */
    stage_wrap(w);                             /* positions inside the periods                  */
    if (!stage_search(w, error))               /* order, neighbour lists <- positions to be     */
        return false;
    stage_look_back(w, dt);                    /* positions              <- velocities          */
    if (!stage_depth(w, error) ||              /* depth of the pools     <- neighbour lists     */
        !stage_walls(w, error) ||              /* contacts, volumes      <- positions, poses    */
        !stage_probes_begin(w, error) ||       /* positions before the motion                   */
        !stage_forces(w, dt, error))           /* accelerations, films   <- lists, contacts     */
        return false;
    stage_project(w, dt);                      /* projected positions    <- lists, contacts     */
    if (!stage_rows(w, dt, error) ||           /* contacts, joints       <- distances, poses    */
        !stage_solve(w, dt, error))            /* velocities, positions  <- all rows at once    */
        return false;
    stage_move(w, dt);                         /* velocities, positions  <- accelerations       */
    if (!stage_contacts(w, dt, error) ||       /* velocities, positions  <- contact LCP         */
        !stage_bodies_advance(w, dt, error) || /* poses, loads, rest     <- motion, velocities  */
        !stage_collide(w, error))              /* positions, velocities  <- poses, distances    */
        return false;
    stage_wrap(w);                             /* positions inside the periods                  */
    stage_probes_end(w);                       /* volume through probes  <- both positions      */
    w->time += dt;
    w->substeps++;
    w->last_substep = dt;
    return stage_check(w, flags, error);       /* largest speed, finite state                   */
}
/* clang-format on */

/* Whether things move a thousand times as fast as anything in the scene can make them, and faster
 * than anything that Weir is for: solids or fluid that overlap have thrown each other apart. Each
 * substep would then be shorter than the one before, and the step would have no end. A body that is
 * squeezed out between two others and comes to rest again is let through, though it is slow. */
static bool has_exploded(const weir_world *w, const weir_step_limit *limit, double needed)
{
    bool by_speed = strncmp(limit->cause, "speed", 5) == 0 || strncmp(limit->cause, "spin", 4) == 0;
    return by_speed && needed > 1e4 &&
           w->flow.spacing / limit->seconds > 1000 * fmax(w->flow.reference_speed, 10);
}

/* How many substeps a step of dt needs; 0 when the world's definition refuses them. */
static uint64_t count_substeps(weir_world *w, double dt, uint32_t *flags, weir_error *error)
{
    weir_step_limit limit = world_find_limit(w);
    /* A relative margin, so that rounding does not add a substep. */
    double needed = ceil(dt / limit.seconds * (1 - 1e-9));
    if (w->def.substeps > 0) {
        if (needed > w->def.substeps && !w->def.allow_unstable) {
            fail(error, WEIR_UNSTABLE,
                 "a time step of %g s in %d substep(s) is above the stable limit of %g s (%s); use "
                 "at least %.0f substeps, leave their number to Weir (0), or allow unstable steps",
                 dt, w->def.substeps, limit.seconds, limit.cause, needed);
            return 0;
        }
        if (needed > w->def.substeps)
            *flags |= WEIR_STEP_UNSTABLE;
        return (uint64_t)w->def.substeps;
    }
    if (has_exploded(w, &limit, needed)) {
        fail(
            error, WEIR_UNSTABLE,
            "the %s has exploded at %g s: %.3g substeps of %.3g s would be needed, where the scene "
            "itself gives speeds of %.3g m/s; look for fluid or bodies that begin, or are emitted, "
            "inside of each other",
            limit.cause, w->time, needed, limit.seconds, w->flow.reference_speed);
        return 0;
    }
    if (!(needed <= 1e7)) {
        fail(error, WEIR_UNSTABLE,
             "a step of %g s would need %.3g substeps: the stable limit is %g s (%s)", dt, needed,
             limit.seconds, limit.cause);
        return 0;
    }
    return needed >= 1 ? (uint64_t)needed : 1;
}

static uint32_t step(weir_world *w, double dt, weir_error *error)
{
    uint32_t flags = 0;
    if (!(dt > 0) || !isfinite(dt)) {
        fail(error, WEIR_INVALID, "a time step of %g s is not allowed: must be > 0 and finite", dt);
        return WEIR_STEP_FAILED;
    }
    if (!world_prepare(w, error) || (w->substeps == 0 && !stage_settle(w, error)))
        return WEIR_STEP_FAILED;
    stage_step_begin(w);
    double end = w->time + dt, left = dt;
    while (left > 1e-9 * dt) {
        if (!world_apply_schedule(w, error))
            return flags | WEIR_STEP_FAILED;
        /* The limit is looked up before every substep: speeds change within a step. */
        uint64_t count = count_substeps(w, left, &flags, error);
        if (count == 0)
            return flags | WEIR_STEP_FAILED;
        uint64_t run = w->def.substeps > 0 ? count : 1;
        for (uint64_t k = 0; k < run; k++)
            if (!substep(w, left / (double)count, &flags, error))
                return flags | WEIR_STEP_FAILED;
        left = w->def.substeps > 0 ? 0 : end - w->time;
    }
    w->time = end;
    w->steps++;
    stage_step_end(w, dt);
    if (!stage_sleep(w, dt, error))
        return flags | WEIR_STEP_FAILED;
    if (w->def.events && !events_collect(w, error))
        return flags | WEIR_STEP_FAILED;
    return flags;
}

/* Tells the host's log, of each kind of trouble once. */
static void tell(weir_world *w, uint32_t flags, const weir_error *error)
{
    const weir_hooks *hooks = &w->def.hooks;
    uint32_t fresh = flags & ~w->told;
    if (fresh & WEIR_STEP_UNSTABLE)
        notice_log(hooks, WEIR_LOG_WARNING, "at %g s: steps run above the stable limit of %g s",
                   w->time, world_find_limit(w).seconds);
    if (fresh & WEIR_STEP_FULL)
        notice_log(hooks, WEIR_LOG_WARNING,
                   "at %g s: emitters are held back by max_particles, which is %zu", w->time,
                   w->def.max_particles);
    if (fresh & WEIR_STEP_COVERED)
        notice_log(hooks, WEIR_LOG_WARNING,
                   "at %g s: a solid lies in the nozzle of an emitter, which gives nothing there",
                   w->time);
    if (flags & WEIR_STEP_FAILED)
        notice_log(hooks, WEIR_LOG_ERROR, "at %g s a step failed: %s", w->time, error->text);
    w->told |= fresh;
}

uint32_t weir_world_step(weir_world *w, double dt, weir_error *error)
{
    weir_error own = {WEIR_OK, ""};
    error = error ? error : &own;
    /* Two threads at once, or a hook that steps: neither would see a whole world. */
    if (!REQUIRE(&w->def.hooks, error, !w->stepping))
        return WEIR_STEP_FAILED;
    w->stepping = true;
    const weir_hooks *before = parallel_use_hooks(&w->def.hooks);
    uint32_t flags = step(w, dt, error);
    parallel_use_hooks(before);
    w->stepping = false;
    tell(w, flags, error);
    return flags;
}
