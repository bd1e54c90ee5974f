/* Work of the loops in sph_lanes.c, with the default kernel and pressure form, and of what follows
 * them for each particle: solids and fields; par/pass_log.h says what is counted. */
#ifndef WEIR_METHOD_SPH_WORK_H
#define WEIR_METHOD_SPH_WORK_H

#include "matter/flow.h"

static const pass_work density_work = {.name = "sph density",
                                       .pair_flops = 13,
                                       .pair_axis_flops = 6,
                                       .pair_roots = 1,
                                       .candidate_bytes = 4,
                                       .particle_bytes = 56 + sizeof(wall_span),
                                       .particle_axis_bytes = 8};

static const pass_work force_work = {.name = "sph force",
                                     .pair_flops = 15,
                                     .pair_axis_flops = 8,
                                     .pair_roots = 1,
                                     .candidate_bytes = 4,
                                     .particle_bytes = 16 + sizeof(wall_span),
                                     .particle_axis_bytes = 16};

#endif
