#include "solve/crowd_sweep.h"

extern const crowd_passes crowd_passes_scalar, crowd_passes_wide4, crowd_passes_avx2;

const crowd_passes *crowd_passes_of(lane_level level)
{
    static const crowd_passes *const tables[] = LANE_TABLE(crowd_passes_);
    return tables[level];
}
