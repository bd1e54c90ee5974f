/* How far a run is: one line that rewrites itself on a terminal, plain lines elsewhere. */
#include "run.h"

#include <stdio.h>
#include <unistd.h>

void run_progress_begin(run *r)
{
    run_progress *p = &r->progress;
    p->quiet = r->options->quiet;
    p->on_terminal = isatty(STDERR_FILENO) == 1;
    p->begun = p->last = run_now();
    p->time_begun = weir_world_get_time(r->world);
}

/* "1:02:03" or "2:03" */
static const char *format_duration(double seconds, char text[32])
{
    long whole = seconds > 0 && seconds < 1e9 ? (long)(seconds + 0.5) : 0;
    if (whole >= 3600)
        snprintf(text, 32, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, 32, "%ld:%02ld", whole / 60, whole % 60);
    return text;
}

static void print(run *r, double now)
{
    run_progress *p = &r->progress;
    double all = (double)r->last_step, done = (double)r->done;
    double here = done - (double)r->first_step;
    double left = (now - p->begun) / here * (all - done);
    char duration[32];
    fprintf(stderr, "%s%5.1f %%  %.4g s simulated, %zu particles, %.3g ms/step, %s left%s",
            p->on_terminal ? "\r" : "", 100 * done / all, weir_world_get_time(r->world),
            weir_world_get_particles(r->world).count, 1000 * r->wall_here / here,
            format_duration(left, duration), p->on_terminal ? "\033[K" : "\n");
    fflush(stderr);
    p->shown = true;
}

void run_progress_step(run *r)
{
    run_progress *p = &r->progress;
    double now = run_now();
    if (p->quiet || r->done <= r->first_step || now - p->last < (p->on_terminal ? 0.2 : 10))
        return;
    p->last = now;
    print(r, now);
}

void run_progress_end(run *r)
{
    if (r->progress.on_terminal && r->progress.shown)
        fputs("\r\033[K", stderr);
}
