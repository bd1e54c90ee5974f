#include "solve/crowd_sweep.h"

LANE_DECLARE(crowd_sweeps, crowd_flat_);
LANE_DECLARE(crowd_sweeps, crowd_space_);
LANE_DECLARE(crowd_steps, crowd_steps_);

const crowd_sweeps *crowd_sweeps_of(lane_level level, int dim)
{
    static const crowd_sweeps *const flat[] = LANE_TABLE(crowd_flat_);
    static const crowd_sweeps *const space[] = LANE_TABLE(crowd_space_);
    return dim == 2 ? flat[level] : space[level];
}

const crowd_steps *crowd_steps_of(lane_level level)
{
    static const crowd_steps *const tables[] = LANE_TABLE(crowd_steps_);
    return tables[level];
}
