/* Work of the loops in pbf_lanes.c, with the default kernel, and of what follows them for each
 * particle: its row, its move; par/pass_log.h says what is counted. */
#ifndef WEIR_METHOD_PBF_WORK_H
#define WEIR_METHOD_PBF_WORK_H

#include "matter/flow.h"

static const pass_work measure_work = {.name = "pbf measure",
                                       .pair_flops = 17,
                                       .pair_axis_flops = 5,
                                       .pair_roots = 1,
                                       .candidate_bytes = 4,
                                       .particle_bytes = 52 + sizeof(wall_span),
                                       .particle_axis_bytes = 12};

/* Where the particles have come to, for the report. */
static const pass_work density_work = {.name = "pbf density",
                                       .pair_flops = 9,
                                       .pair_axis_flops = 3,
                                       .pair_roots = 1,
                                       .candidate_bytes = 4,
                                       .particle_bytes = 28 + sizeof(wall_span),
                                       .particle_axis_bytes = 4};

static const pass_work correct_work = {.name = "pbf correct",
                                       .pair_flops = 7,
                                       .pair_axis_flops = 5,
                                       .pair_roots = 1,
                                       .candidate_bytes = 4,
                                       .particle_bytes = 12,
                                       .particle_axis_bytes = 52};

static const pass_work moments_work = {.name = "pbf moments",
                                       .pair_flops = 11,
                                       .pair_axis_flops = 12,
                                       .pair_roots = 1,
                                       .candidate_bytes = 4,
                                       .particle_bytes = 8 + sizeof(wall_span),
                                       .particle_axis_bytes = 36};

static const pass_work spin_work = {.name = "pbf give spin",
                                    .pair_flops = 10,
                                    .pair_axis_flops = 11,
                                    .pair_roots = 1,
                                    .candidate_bytes = 4,
                                    .particle_bytes = 4,
                                    .particle_axis_bytes = 36};

static const pass_work curl_work = {.name = "pbf curl",
                                    .pair_flops = 5,
                                    .pair_axis_flops = 9,
                                    .pair_roots = 1,
                                    .candidate_bytes = 4,
                                    .particle_bytes = 8,
                                    .particle_axis_bytes = 16};

#endif
