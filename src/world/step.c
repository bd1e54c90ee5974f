/* READ THIS FIRST: one time step of a world.
 *
 * weir_world_step cuts a step into substeps that the method can take; `substep` is the algorithm,
 * one stage a line. Methods fill the stages `accelerate` and `finish` (method/method.h). */
#include "world/stages.h"

#include "base/error.h"
#include "par/parallel.h"

/* Advances the world by dt, which is stable for the method. */
static bool substep(weir_world *w, double dt, uint32_t *flags, weir_error *error)
{
    stage_bodies_animate(w, dt);            /* body velocities        <- motion, time        */
    if (!stage_emit(w, dt, flags, error))   /* particles              <- emitters, sinks     */
        return false;
    stage_predict(w, dt);                   /* predicted positions    <- velocities          */
    stage_wrap(w);                          /* positions inside the periods                  */
    if (!stage_search(w, error) ||          /* order, neighbour lists <- positions           */
        !stage_walls(w, error) ||           /* contacts, volumes      <- positions, poses    */
        !stage_probes_begin(w, error) || /* positions before the motion                   */
        !stage_forces(w, dt, error))     /* accelerations, films   <- lists, contacts     */
        return false;
    stage_project(w, dt);                   /* projected positions    <- lists, contacts     */
    if (!stage_rows(w, dt, error) ||        /* contacts, joints       <- distances, poses    */
        !stage_solve(w, dt, error))         /* velocities, positions  <- all rows at once    */
        return false;
    stage_move(w, dt);                      /* velocities, positions  <- accelerations       */
    if (!stage_contacts(w, dt, error) ||    /* velocities, positions  <- contact LCP         */
        !stage_bodies_advance(w, dt, error) || /* poses, loads, rest     <- motion, velocities  */
        !stage_collide(w, error))           /* positions, velocities  <- poses, distances    */
        return false;
    stage_wrap(w);                          /* positions inside the periods                  */
    stage_probes_end(w);                    /* volume through probes  <- both positions      */
    w->time += dt;
    w->substeps++;
    w->last_substep = dt;
    return stage_check(w, flags, error); /* largest speed, finite state */
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
    if (w->def.events && !events_collect(w, error))
        return flags | WEIR_STEP_FAILED;
    return flags;
}

uint32_t weir_world_step(weir_world *w, double dt, weir_error *error)
{
    const weir_hooks *before = parallel_use_hooks(&w->def.hooks);
    uint32_t flags = step(w, dt, error);
    parallel_use_hooks(before);
    return flags;
}
