/* Steps with what happens between them: results, checkpoints, progress, signals. */
#include "interrupt.h"
#include "run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double run_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void run_warn(run *r, const char *format, ...)
{
    if (r->warning_count == RUN_MAX_WARNINGS)
        return;
    char *text = r->warning_texts[r->warning_count];
    va_list args;
    va_start(args, format);
    vsnprintf(text, RUN_WARNING_BYTES, format, args);
    va_end(args);
    r->warnings[r->warning_count++] = text;
    if (!r->options->quiet)
        fprintf(stderr, "weir: warning: %s\n", text);
}

static void note_flags(run *r, uint32_t flags, uint32_t *seen)
{
    uint32_t fresh = flags & ~*seen;
    *seen |= flags;
    if (fresh & WEIR_STEP_UNSTABLE) {
        weir_step_limit limit = weir_world_get_step_limit(r->world, NULL);
        run_warn(r,
                 "steps of %g s in %d substep(s) are above the stable limit of %g s (%s) and run "
                 "because unstable steps are allowed",
                 r->s->data.time.step, r->s->data.time.substeps, limit.seconds, limit.cause);
    }
    if (fresh & WEIR_STEP_FULL)
        run_warn(r, "an emitter was held back by max_particles (%lld)",
                 (long long)r->s->data.max_particles);
    if (fresh & WEIR_STEP_COVERED)
        run_warn(r, "at %g s a solid lies in the nozzle of an emitter, which gives nothing there",
                 weir_world_get_time(r->world));
}

static bool save(run *r, weir_error *error)
{
    if (!checkpoint_write(r->checkpoint_path, r->world, r->fingerprint, r->s->name, &r->clock,
                          error))
        return false;
    r->checkpoint_time = weir_world_get_time(r->world);
    return true;
}

static bool save_when_due(run *r, weir_error *error)
{
    double every = r->options->checkpoint_every;
    double time = weir_world_get_time(r->world);
    if (every == 0 || time < r->next_checkpoint - 1e-9 * every)
        return true;
    r->next_checkpoint = every * (floor(time / every + 1e-9) + 1);
    return save(r, error);
}

/* One step and what follows it. Returns an exit code. */
static int advance(run *r, uint32_t *seen)
{
    weir_error error;
    double begun = run_now();
    uint32_t flags = weir_world_step(r->world, r->s->data.time.step, &error);
    double took = run_now() - begun;
    r->wall_here += took;
    r->clock.wall += took;
    if (flags & WEIR_STEP_FAILED) {
        snprintf(r->failure, sizeof r->failure, "%s", error.text);
        return error.code == WEIR_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_UNSTABLE;
    }
    r->done++;
    note_flags(r, flags, seen);
    if (!run_output_step(r, &error) || !save_when_due(r, &error)) {
        snprintf(r->failure, sizeof r->failure, "%s", error.text);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int interrupt(run *r)
{
    weir_error error;
    r->status = "interrupted";
    if (save(r, &error))
        return EXIT_INTERRUPTED;
    r->status = "failed";
    snprintf(r->failure, sizeof r->failure, "interrupted, and the checkpoint failed: %s",
             error.text);
    return EXIT_FAILED;
}

int run_loop(run *r)
{
    uint32_t seen = 0;
    int code = EXIT_OK;
    weir_error error;
    interrupt_catch();
    run_progress_begin(r);
    r->status = "finished";
    if (r->first_step == 0 && !run_output_step(r, &error)) {
        snprintf(r->failure, sizeof r->failure, "%s", error.text);
        code = EXIT_FAILED;
    }
    while (r->done < r->last_step && code == EXIT_OK) {
        code = advance(r, &seen);
        run_progress_step(r);
        if (code == EXIT_OK && interrupt_seen() && r->done < r->last_step)
            code = interrupt(r);
    }
    if (code == EXIT_OK && r->options->checkpoint_every > 0 && !save(r, &error)) {
        snprintf(r->failure, sizeof r->failure, "%s", error.text);
        code = EXIT_FAILED;
    }
    if (!run_output_close(r, &error) && code == EXIT_OK) {
        snprintf(r->failure, sizeof r->failure, "%s", error.text);
        code = EXIT_FAILED;
    }
    if (code != EXIT_OK && code != EXIT_INTERRUPTED)
        r->status = "failed";
    run_progress_end(r);
    return code;
}
