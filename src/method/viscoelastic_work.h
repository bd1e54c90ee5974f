/* Work of the loops in viscoelastic_lanes.c, for one liquid and the kernels of the paper, and of
 * what follows them for each particle; par/pass_log.h says what is counted. */
#ifndef WEIR_METHOD_VISCOELASTIC_WORK_H
#define WEIR_METHOD_VISCOELASTIC_WORK_H

#include "matter/flow.h"

static const pass_work drag_work = {.name = "visco drag",
                                    .pair_flops = 18,
                                    .pair_axis_flops = 8,
                                    .pair_roots = 2,
                                    .candidate_bytes = 4,
                                    .particle_bytes = 8,
                                    .particle_axis_bytes = 16};

static const pass_work density_work = {.name = "visco density",
                                       .pair_flops = 6,
                                       .pair_axis_flops = 3,
                                       .pair_roots = 1,
                                       .candidate_bytes = 4,
                                       .particle_bytes = 32 + sizeof(wall_span),
                                       .particle_axis_bytes = 4};

static const pass_work displace_work = {.name = "visco displace",
                                        .pair_flops = 12,
                                        .pair_axis_flops = 8,
                                        .pair_roots = 3,
                                        .candidate_bytes = 4,
                                        .particle_bytes = 12,
                                        .particle_axis_bytes = 36};

/* viscoelastic_springs_lanes.c, where "pairs" are ends of springs, and the gathering before it. */
static const pass_work springs_work = {.name = "visco springs",
                                       .pair_flops = 25,
                                       .pair_axis_flops = 4,
                                       .pair_roots = 3,
                                       .candidate_bytes = 8,
                                       .particle_bytes = 96,
                                       .particle_axis_bytes = 16};

#endif
