/* Work of the loops in constraint_lanes.c, with the default kernel. Of a candidate the products
 * read its number and the weights of eight particles, which `weigh` writes; par/pass_log.h says
 * what is counted. */
#ifndef WEIR_METHOD_CONSTRAINT_WORK_H
#define WEIR_METHOD_CONSTRAINT_WORK_H

#include "method/constraint.h"

static const pass_work weigh_work = {
    .name = "constraint weigh",
    .pair_flops = 12,
    .pair_axis_flops = 5,
    .pair_roots = 1,
    .candidate_bytes = 4 + 2 * CLUSTER_SIZE * sizeof(constraint_weight),
    .particle_bytes = 16 + sizeof(constraint_point) + sizeof(wall_span),
    .particle_axis_bytes = 20};

/* With viscosity and XSPH, which share offsets, weights and their squares. */
static const pass_work weigh_drag_work = {
    .name = "constraint weigh and drag",
    .pair_flops = 15,
    .pair_axis_flops = 12,
    .pair_roots = 1,
    .candidate_bytes = 4 + 2 * CLUSTER_SIZE * sizeof(constraint_weight),
    .particle_bytes = 16 + sizeof(constraint_point) + sizeof(wall_span),
    .particle_axis_bytes = 32};

static const pass_work predict_work = {.name = "constraint predict",
                                       .pair_flops = 9,
                                       .pair_axis_flops = 3,
                                       .pair_roots = 1,
                                       .candidate_bytes = 4,
                                       .particle_bytes = 8 + sizeof(wall_span),
                                       .particle_axis_bytes = 20};

/* By moments, which are made first. */
static const pass_work push_work = {.name = "constraint push",
                                    .pair_flops = 2,
                                    .pair_axis_flops = 2,
                                    .candidate_bytes = 4 + CLUSTER_SIZE * sizeof(constraint_weight),
                                    .particle_bytes = 8 + 2 * sizeof(constraint_moment),
                                    .particle_axis_bytes = 16};

static const pass_work pull_work = {.name = "constraint pull",
                                    .pair_flops = 2,
                                    .pair_axis_flops = 2,
                                    .candidate_bytes = 4 + CLUSTER_SIZE * sizeof(constraint_weight),
                                    .particle_bytes = 4 + 2 * sizeof(constraint_moment),
                                    .particle_axis_bytes = 20};

#endif
