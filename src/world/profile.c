#include "world/profile.h"

#include "world/state.h"

#include <time.h>

static const char *const names[STAGE_COUNT] = {
    [STAGE_EMIT] = "emit",         [STAGE_PREDICT] = "predict", [STAGE_SEARCH] = "search",
    [STAGE_WALLS] = "walls",       [STAGE_FORCES] = "forces",   [STAGE_PROJECT] = "project",
    [STAGE_ROWS] = "rows",         [STAGE_SOLVE] = "solve",     [STAGE_MOVE] = "move",
    [STAGE_CONTACTS] = "contacts", [STAGE_COLLIDE] = "collide", [STAGE_SLEEP] = "sleep",
};

const char *stage_name(stage s)
{
    return names[s];
}

double profile_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int weir_world_get_profile(const weir_world *world, weir_stage_time *stages, int max)
{
    int count = max < STAGE_COUNT ? max : STAGE_COUNT;
    for (int s = 0; s < count; s++)
        stages[s] = (weir_stage_time){names[s], world->profile.seconds[s]};
    return count;
}

int weir_world_get_passes(const weir_world *world, weir_pass *passes, int max)
{
    const pass_log *log = &world->flow.passes;
    for (int k = 0; k < log->count && k < max; k++)
        passes[k] = log->passes[k];
    return log->count;
}
