/* Wall time per stage of the step. Each stage opens its own timer. */
#ifndef WEIR_WORLD_PROFILE_H
#define WEIR_WORLD_PROFILE_H

#include "weir/weir.h"

typedef enum stage {
    STAGE_EMIT,
    STAGE_PREDICT,
    STAGE_SEARCH,
    STAGE_WALLS,
    STAGE_FORCES,
    STAGE_PROJECT,
    STAGE_ROWS,
    STAGE_SOLVE,
    STAGE_MOVE,
    STAGE_CONTACTS,
    STAGE_COLLIDE,
    STAGE_SLEEP,
    STAGE_COUNT,
} stage;

typedef struct profile {
    double seconds[STAGE_COUNT];
} profile;

const char *stage_name(stage s);
double profile_now(void); /* s, from any start */

static inline void profile_add(profile *p, stage s, double since)
{
    p->seconds[s] += profile_now() - since;
}

#endif
