#include "solve/crowd_sweep.h"

LANE_DECLARE(crowd_passes, crowd_passes_);

const crowd_passes *crowd_passes_of(lane_level level)
{
    static const crowd_passes *const tables[] = LANE_TABLE(crowd_passes_);
    return tables[level];
}
