#include "par/pass_log.h"

#include <time.h>

double pass_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Passes are few: a search along the log costs less than what it is for. */
static weir_pass *find_pass(pass_log *log, const pass_work *work)
{
    for (int k = 0; k < log->count; k++)
        if (log->of[k] == work)
            return &log->passes[k];
    if (log->count == PASS_LOG_MAX)
        return NULL;
    log->of[log->count] = work;
    log->passes[log->count] = (weir_pass){.name = work->name};
    return &log->passes[log->count++];
}

void pass_log_add(pass_log *log, const pass_work *work, const pass_size *size, double since)
{
    double now = pass_now();
    weir_pass *pass = log ? find_pass(log, work) : NULL;
    if (!pass)
        return;
    double particles = (double)size->particles, candidates = (double)size->candidates;
    double pairs = candidates * (double)size->lanes;
    pass->least_seconds =
        pass->runs > 0 && pass->least_seconds < now - since ? pass->least_seconds : now - since;
    pass->runs++;
    pass->seconds += now - since;
    pass->pairs += pairs;
    pass->flops += pairs * (work->pair_flops + size->dim * work->pair_axis_flops);
    pass->roots += pairs * work->pair_roots;
    pass->bytes += candidates * work->candidate_bytes +
                   particles * (work->particle_bytes + size->dim * work->particle_axis_bytes) +
                   size->further_bytes;
}
